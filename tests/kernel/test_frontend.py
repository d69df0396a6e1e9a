"""Code of a run that the front end sends, played here by the test."""

from __future__ import annotations

from typing import Any

import pytest

from tests.kernel.client import Execution, Kernel
from tests.kernel.conftest import outcome
from tests.patience import SOON

pytestmark = pytest.mark.kernel


class FrontEnd:
    """A panel: begins a session in the kernel, and executes what it is asked to."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    def begin(self, session: str) -> dict[str, Any]:
        """Begin `session`, an expression, and take its first request."""
        self.kernel.run(f"driver.begin_front_end({session})")
        return self.take()

    def take(self) -> dict[str, Any]:
        (request,) = outcome(self.kernel.run("driver.tell(driver.take_requests())"))
        return request

    def execute(self, request: dict[str, Any], **options: Any) -> Execution:
        """As JupyterLab does: announce the cell, then send it with its id."""
        if request["is_hidden"]:
            return self.kernel.run(request["code"], store_history=False, **options)
        cell_id = f"cell-{request['id']}"
        self.kernel.run(f"driver.front_end.announced({request['id']!r}, {cell_id!r})")
        return self.kernel.run(request["code"], metadata={"cellId": cell_id}, **options)

    def end(self) -> Any:
        return outcome(self.kernel.run("driver.tell(driver.end_front_end())"))

    def code(self, code: str, **options: Any) -> tuple[dict[str, Any], Execution]:
        """The report on `code`, and what the front end saw of it."""
        execution = self.execute(self.begin(f"driver.codes({code!r})"), **options)
        (report,) = self.end()
        return report, execution


@pytest.fixture
def front_end(shared_kernel):
    yield FrontEnd(shared_kernel)
    shared_kernel.check_health()


def test_the_cell_is_the_notebooks_own_and_the_run_gets_its_output(front_end):
    report, execution = front_end.code("import sys\nprint('out')\nprint('err', file=sys.stderr)\n6 * 7")
    assert (report["status"], report["value"], report["stdout"]) == ("ok", 42, "out\n")
    assert report["stderr"] == "err\n"
    assert execution.text() == "out\n"
    assert execution.values() == ["42"]
    assert execution.contents("execute_result")
    assert execution.reply["content"]["execution_count"] is not None


def test_an_error_shows_as_a_cells_error_does_and_is_told_to_the_run(front_end):
    report, execution = front_end.code("1 / 0")
    assert execution.errors == ["ZeroDivisionError: division by zero"]
    assert report["status"] == "error"
    assert report["error"]["name"] == "ZeroDivisionError"


def test_children_and_descriptors_are_captured_too(front_end):
    report, _ = front_end.code("import os\n_ = os.system('echo child')\n_ = os.write(1, b'direct')")
    assert "child" in report["stdout"]
    assert "direct" in report["stdout"]


def test_top_level_await_works(front_end):
    report, execution = front_end.code("import asyncio\nawait asyncio.sleep(0.01)\nprint('slept')\n'value'")
    assert report["stdout"] == "slept\n"
    assert execution.values() == ["'value'"]


def test_a_plot_is_shown_once_and_belongs_to_the_call(front_end):
    pytest.importorskip("matplotlib")
    code = "%matplotlib inline\nimport matplotlib.pyplot as plt\n_ = plt.plot([1, 2])"
    report, execution = front_end.code(code)
    assert len(execution.values("image/png")) == 1
    assert [item[0] for item in report["items"]] == ["display"]


@pytest.mark.parametrize(
    "code",
    ["import time\ntime.sleep(30)", "while True: pass", "import asyncio\nawait asyncio.sleep(30)",
     "import asyncio, time\nawait asyncio.sleep(0)\ntime.sleep(30)"],
)  # fmt: skip
def test_an_interrupt_ends_the_code_at_once(front_end, code):
    report, execution = front_end.code(f"print('be' + 'gun')\n{code}", interrupt_on="begun")
    assert report["status"] == "interrupted"
    assert report["interrupts"] == 1
    assert execution.seconds < SOON
    assert "pi_notebook" not in str(execution.contents("error"))


def test_input_is_refused_and_exit_does_not_end_the_kernel(front_end):
    report, _ = front_end.code("input('?')")
    assert "not available" in report["error"]["value"]
    report, _ = front_end.code("exit()")
    assert report["status"] == "ok"


def test_cells_of_the_person_pass_untouched_while_a_run_is_on(front_end):
    request = front_end.begin("driver.codes('mine = 1')")
    execution = front_end.kernel.run("print('theirs'); 1")
    assert (execution.text(), execution.values()) == ("theirs\n", ["1"])
    front_end.execute(request)
    (report,) = front_end.end()
    assert report["stdout"] == ""


def test_the_same_code_in_another_cell_is_not_taken_for_the_request(front_end):
    request = front_end.begin("driver.codes('print(7)')")
    front_end.kernel.run(f"driver.front_end.announced({request['id']!r}, 'ours')")
    front_end.kernel.run("print(7)", metadata={"cellId": "theirs"})
    assert outcome(front_end.kernel.run("driver.tell(driver._outcome.done())")) is False
    front_end.kernel.run("print(7)", metadata={"cellId": "ours"})
    (report,) = front_end.end()
    assert report["stdout"] == "7\n"


def test_a_call_is_one_hidden_request_that_leaves_no_trace(front_end):
    before = front_end.kernel.run("len(In)").values()
    request = front_end.begin(
        "lambda e: e.call(lambda: driver.get_ipython().user_ns['driver'].__name__, timeout_seconds=5)"
    )
    assert request["is_hidden"]
    execution = front_end.execute(request)
    assert not execution.values()
    assert front_end.end() == "tests.kernel.driver"
    assert int(front_end.kernel.run("len(In)").values()[0]) <= int(before[0]) + 4


def test_a_request_the_panel_could_not_run_is_an_error_for_the_run(front_end):
    request = front_end.begin("lambda e: driver.one_piece(e, '1')")
    front_end.kernel.run(f"driver.front_end.ended({request['id']!r}, 'refused')")
    kind, text = front_end.end()
    assert kind == "KernelError"
    assert "could not be run" in text


def test_a_request_that_was_stopped_before_it_came_runs_nothing(front_end):
    request = front_end.begin("lambda e: driver.one_piece(e, 'stopped = 1')")
    front_end.kernel.run("driver.on_interrupt(); import time; time.sleep(0.2)")
    front_end.execute(request)
    front_end.end()
    assert front_end.kernel.run("'stopped' in globals()").values() == ["False"]


def test_when_the_run_is_over_the_shell_is_as_it_was(front_end):
    front_end.code("1")
    code = "'run_cell' in vars(get_ipython()), 'run_cell_async' in vars(get_ipython())"
    assert front_end.kernel.run(code).values() == ["(False, False)"]


def test_a_flood_is_forwarded_at_a_limited_rate(front_end):
    request = front_end.begin("lambda e: driver.count(e, 'for _ in range(200_000): print(\\'x\\' * 73)')")
    execution = front_end.execute(request, timeout=60)
    assert front_end.end() == 200_000 * 74
    assert len(execution.text()) < 2_000_000
    assert "not shown here" in execution.text()
