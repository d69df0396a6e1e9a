"""A panel whose connection was down: it says hello again on the same comm, and lacks nothing afterwards."""

from tests.ui.panel import Panel
from tests.ui.test_bridge import code


def come_back(panel: Panel) -> None:
    """Say hello again, and look from there on."""
    panel.comm.sent.clear()
    panel._seen = 0
    panel.send_raw(type="hello", protocol_version=2)
    assert panel.wait("hello")["nonce"] == panel.nonce


def test_what_a_panel_missed_is_told_to_it_again(panel, script):
    script([code("1")], "Done.")
    panel.send("prompt", text="Go.")
    question = panel.wait("ask")
    come_back(panel)
    assert panel.wait("ask") == question
    assert [segment["type"] for segment in panel.segments] == ["prompt", "call"]
    answer = {"request_id": question["request_id"], "fingerprint": question["fingerprint"], "allowed": True}
    panel.send("approve", **answer)
    request = panel.wait("run")
    come_back(panel)
    assert panel.wait("run") == request
    panel.send("announced", request_id=request["request_id"], cell_id="c")
    panel.wait("proceed")
    come_back(panel)
    panel.wait("proceed", request_id=request["request_id"])
    panel.send("ran", request_id=request["request_id"], status="ok")
    panel.wait_idle()
    assert panel.segments[-1]["text"] == "Done."


def test_a_request_that_was_told_twice_is_over_when_its_panel_is_gone(panel, panels, script):
    script([code("1")], "It did not run.")
    panel.send("prompt", text="Go.")
    question = panel.wait("ask")
    answer = {"request_id": question["request_id"], "fingerprint": question["fingerprint"], "allowed": True}
    panel.send("approve", **answer)
    panel.wait("run")
    come_back(panel)
    panel.wait("run")
    panel.close()
    later = Panel(panels)
    later.wait_until(lambda: not later.status["is_running"])
    assert "refused" in later.segments[1]["output"]
