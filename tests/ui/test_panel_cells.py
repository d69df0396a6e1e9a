"""The cells of a notebook that is open, changed and run by a panel's run in a real kernel."""

from __future__ import annotations

import pytest

from tests.kernel.client import Kernel
from tests.provider import Provider, calls, text
from tests.ui.front_end import FrontEnd

pytestmark = pytest.mark.kernel


class NotebookFrontEnd(FrontEnd):
    """A front end with one cell, which it shows, changes and runs where it stands."""

    def __init__(self, kernel: Kernel) -> None:
        self.source = "seen = 6 * 7\nseen"
        self.asked: list[str] = []
        super().__init__(kernel)

    def _act(self, message):
        if message["type"] == "run" and message["cell_id"]:
            assert (message["cell_id"], message["code"]) == ("the-only-cell", self.source)
            self.messages.append(message)
            self._announced[message["request_id"]] = (message["code"], message["cell_id"])
            self.send("announced", request_id=message["request_id"], cell_id=message["cell_id"])
        elif message["type"] == "notebook":
            self._change(message)
        else:
            super()._act(message)

    def _change(self, message):
        self.asked.append(message["action"])
        if message["action"] == "edit":
            assert message["expected"] == self.source
            self.source = message["source"]
        cell = {
            "cell_id": "the-only-cell",
            "index": 0,
            "cell_type": "code",
            "source": self.source,
            "execution_count": None,
            "outputs": "",
        }
        self.send(
            "notebook_done",
            request_id=message["request_id"],
            problem="",
            cells=[] if message["action"] == "look" else [cell],
            cell_count=1,
            path="open.ipynb",
        )


def test_a_cell_is_read_changed_and_run_where_it_stands(tmp_path):
    with Provider(
        calls(("read_cells", {})),
        calls(("edit_cell", {"cell": "the-only", "old_text": "seen = 6 * 7", "new_text": "seen = 6 * 8"})),
        calls(("run_cell", {"cell": "the-only"})),
        text("It is 48."),
    ) as provider:
        env = provider.environment(tmp_path / "home") | {
            "PI_NOTEBOOK_MODE": "auto",
            "OPENAI_API_KEY": "sk-test",
        }
        with Kernel(env=env, cwd=tmp_path) as kernel:
            kernel.run("%load_ext pi_notebook")
            front_end = NotebookFrontEnd(kernel)
            front_end.send("prompt", text="Go.")
            front_end.wait_idle(since=0)
            assert front_end.asked == ["read", "read", "look", "edit", "read"]
            assert [call["state"] for call in front_end.calls()] == ["done", "done", "done"]
            assert "48" in front_end.calls()[-1]["output"]
            assert kernel.run("seen").values() == ["48"]
            offered = [tool["function"]["name"] for tool in provider.exchanges[0].body["tools"]]
            assert offered[-6:] == [
                "read_cells",
                "insert_cell",
                "edit_cell",
                "delete_cell",
                "move_cell",
                "run_cell",
            ]
            front_end.close()
            provider.script(text("No notebook here."))
            kernel.run("%%agent\nWhich cells are there?")
            again = [tool["function"]["name"] for tool in provider.exchanges[0].body["tools"]]
            assert again == offered  # what a session's requests begin with does not flip
            kernel.check_health()
