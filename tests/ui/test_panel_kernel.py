"""What a panel asks over a real comm, while the kernel is idle, busy, and after a run."""

import pytest

pytestmark = pytest.mark.kernel


def test_a_run_is_looked_at_named_forked_and_left(front_end, kernel):
    kernel.run("import array\ntable = array.array('d', [0.0]) * 3\nnames = ['a', 'b']")
    found = front_end.ask("completions", text="In @na")
    assert (found["start"], found["items"]) == (
        3,
        [{"text": "@names", "kind": "variable", "detail": "list (2)"}],
    )
    cells = [{"cell_id": "c", "index": 1, "source": "names", "output": "['a', 'b']"}]
    front_end.send("prompt", text="```python\nfor n in range(60): print('line', n)\n```", cells=cells)
    front_end.wait_idle(since=0)
    call = front_end.calls()[-1]
    assert (call["state"], call["hidden_lines"] > 0) == ("done", True)
    output = front_end.ask("output", segment_id=call["id"])
    assert output["text"].startswith("line 0\nline 1\n")
    assert "offline" in front_end.ask("models")["models"]
    status = front_end.status
    assert front_end.ask("rename_session", session_id=status["session_id"], name="Lines")["type"] == "done"
    front_end.wait_until(lambda: front_end.status["session_name"] == "Lines")
    assert (front_end.status["cost_usd"], front_end.status["can_continue"]) == (0.0, False)
    (row,) = front_end.ask("sessions", query="line")["sessions"]
    assert (row["name"], row["prompts"], row["is_current"]) == ("Lines", 1, True)
    assert front_end.ask("inspect_overview")["count"] >= 1
    front_end.send("snapshot")
    snapshot = front_end.wait_until(
        lambda: next((m for m in front_end.messages[1:] if m["type"] == "snapshot" and m["segments"]), None)
    )
    prompt = snapshot["segments"][0]
    assert prompt["text"].startswith("```python")
    assert front_end.ask("fork_session", entry_id=prompt["entry_id"])["text"] == prompt["text"]
    front_end.wait_until(lambda: front_end.status["session_id"] != status["session_id"])
    assert front_end.ask("delete_session", session_id=status["session_id"])["type"] == "done"


def test_questions_are_answered_while_a_cell_of_the_persons_blocks_the_kernel(front_end):
    if front_end.subshell_id is None:
        pytest.skip("without subshells nothing is heard while a cell blocks")
    front_end.execute("import time\ntime.sleep(3)\ndone = 1")
    for kind in ("sessions", "models", "inspect_overview"):
        assert front_end.ask(kind)["type"] != "failed"
    assert front_end.ask("completions", text="@na")["items"]
    assert front_end.kernel.run("done").values() == ["1"]


def test_what_is_said_to_a_run_waits_and_is_said(front_end):
    if front_end.subshell_id is None:
        pytest.skip("without subshells nothing is heard while a cell blocks")
    front_end.prompt("import time\nprint('here', flush=True)\ntime.sleep(1.5)")
    front_end.wait_until(lambda: front_end.calls() and "here" in front_end.calls()[-1]["output"])
    front_end.send("prompt", text="```python\nfollowed = 1\n```", delivery="follow_up")
    front_end.wait_until(lambda: front_end.status["queued"])
    front_end.wait_until(lambda: len(front_end.calls()) > 1 and not front_end.status["is_running"])
    assert front_end.status["queued"] == []
    assert front_end.kernel.run("followed").values() == ["1"]
