"""Which panel is asked about the notebook, and what becomes of a question that nobody answers."""

import asyncio

import pytest

from pi_notebook.agent.tools import ToolError
from pi_notebook.ui.panel.notebook_requests import MAX_SEEN_CELLS, NotebookRequests
from pi_notebook.ui.protocol.messages import NotebookMessage, WithdrawnMessage
from pi_notebook.ui.protocol.requests import CellOutcome, NotebookDoneRequest

CELL = CellOutcome(cell_id="c1", index=0, cell_type="code", source="x", execution_count=None, outputs="")


class Panel:
    """A panel that answers what `answers` has for an action, and nothing else."""

    def __init__(self, requests, **answers):
        self.requests = requests
        self.answers = answers
        self.sent = []

    def send(self, message):
        self.sent.append(message)
        if isinstance(message, NotebookMessage) and message.action in self.answers:
            asyncio.get_running_loop().call_soon(self.answer, message, self.answers[message.action])

    def answer(self, message, problem=""):
        self.requests.done(
            self,
            NotebookDoneRequest(
                nonce="n",
                request_id=message.request_id,
                problem=problem,
                cells=[CELL],
                cell_count=1,
                path="folder/open.ipynb",
            ),
        )

    @property
    def asked(self):
        return [message.action for message in self.sent if isinstance(message, NotebookMessage)]

    @property
    def withdrawn(self):
        return sum(isinstance(message, WithdrawnMessage) for message in self.sent)


@pytest.fixture
def open_panels():
    return []


@pytest.fixture
def requests(open_panels):
    return NotebookRequests(lambda: open_panels, answer_seconds=0.3)


def panels(requests, open_panels, *answers):
    open_panels[:] = [Panel(requests, **one) for one in answers]
    return open_panels


ALL = {"look": "", "read": "", "insert": "", "edit": ""}


async def test_the_panel_of_the_run_is_asked_and_no_other(requests, open_panels):
    first, second = panels(requests, open_panels, ALL, ALL)
    requests.begin(first)
    assert (await requests.read()).cells[0].source == "x"
    assert (await requests.edit("c1", "x", expected="y")).id == "c1"
    assert (first.asked, second.asked) == (["read", "look", "edit"], [])
    assert first.sent[-1].expected == "y"


async def test_a_panel_that_was_reloaded_is_replaced_by_the_one_that_answers(requests, open_panels):
    gone, here = panels(requests, open_panels, {}, ALL)
    requests.begin(gone)
    await requests.insert("y", cell_type="code", after="c1")
    assert (gone.asked, here.asked) == (["look"], ["look", "insert"])


async def test_a_change_is_asked_of_one_panel_only_though_it_is_silent(requests, open_panels):
    first, second = panels(requests, open_panels, {"look": ""}, ALL)
    requests.begin(first)
    with pytest.raises(ToolError, match=r"did not answer within.*Whether the insert was done is not known"):
        await requests.insert("y", cell_type="code", after="")
    assert first.withdrawn == 1
    assert second.asked == []
    first.answer(first.sent[1])  # too late: nobody waits


async def test_a_panel_that_is_closed_hands_over_a_look_and_fails_a_change(requests, open_panels):
    first, second = panels(requests, open_panels, {}, ALL)
    requests.begin(first)
    reading = asyncio.ensure_future(requests.read("c1"))
    await asyncio.sleep(0)
    requests.left(first)
    assert (await reading).count == 1
    assert second.asked == ["read"]
    requests.begin(first)
    first.answers = {"look": ""}
    editing = asyncio.ensure_future(requests.edit("c1", "x", expected="y"))
    while "edit" not in first.asked:
        await asyncio.sleep(0)
    requests.left(first)
    with pytest.raises(ToolError, match="was closed or its page reloaded.*Whether the edit was done"):
        await editing


async def test_a_panel_that_comes_is_asked_what_only_looks(requests, open_panels):
    (silent,) = panels(requests, open_panels, {})
    requests.begin(silent)
    reading = asyncio.ensure_future(requests.read())
    await asyncio.sleep(0)
    late = Panel(requests, read="")
    requests.joined(late)
    assert (await reading).count == 1


async def test_a_run_that_is_stopped_withdraws_what_it_asked(requests, open_panels):
    (silent,) = panels(requests, open_panels, {})
    reading = asyncio.ensure_future(requests.read())
    await asyncio.sleep(0)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert silent.withdrawn == 1


async def test_what_the_panel_could_not_do_is_told(requests, open_panels):
    panels(requests, open_panels, {"look": "", "edit": "Cell 1 is locked: it cannot be edited."})
    with pytest.raises(ToolError, match="Cell 1 is locked"):
        await requests.edit("c1", "x", expected="y")
    open_panels.clear()
    with pytest.raises(ToolError, match="No panel is open any more"):
        await requests.read()


async def test_the_notebooks_file_is_found_though_it_was_renamed(tmp_path, open_panels):
    folder = tmp_path / "folder"
    folder.mkdir()
    requests = NotebookRequests(lambda: open_panels, started_as=lambda: str(folder / "Untitled.ipynb"))
    panels(requests, open_panels, ALL)
    assert await requests.file() is None
    (folder / "open.ipynb").write_text("{}")
    assert await requests.file() == folder / "open.ipynb"


def test_of_very_many_cells_the_newest_are_kept(requests):
    for number in range(MAX_SEEN_CELLS + 5):
        requests.seen[str(number)] = ""
    assert len(requests.seen) == MAX_SEEN_CELLS
    assert str(MAX_SEEN_CELLS + 4) in requests.seen
