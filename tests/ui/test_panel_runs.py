"""Runs that a panel begins in a real kernel: the code is the notebook's, the run is not."""

import time

import pytest

from tests.patience import SOON
from tests.ui.front_end import FrontEnd

pytestmark = pytest.mark.kernel


def test_the_panels_code_runs_as_a_cell_and_its_output_is_the_results(front_end, kernel):
    front_end.prompt("made = 6 * 7\nprint('made', made)\nmade")
    front_end.wait_idle(since=0)
    call = front_end.calls()[-1]
    assert (call["state"], call["given"]) == ("done", "made = 6 * 7\nprint('made', made)\nmade")
    # No word of what the shell itself does to the streams for the time of a cell.
    assert call["output"].splitlines() == ["made 42", "42"]
    assert kernel.run("made").values() == ["42"]


def test_an_error_of_the_panels_code_is_a_failed_call(front_end):
    front_end.prompt("1 / 0")
    front_end.wait_idle(since=0)
    assert "ZeroDivisionError" in front_end.calls()[-1]["output"]
    assert front_end.calls()[-1]["state"] == "failed"


@pytest.mark.parametrize("code", ["import time\ntime.sleep(60)", "while True: pass"])
def test_a_stop_ends_code_that_blocks_the_kernel(front_end, code):
    front_end.prompt(f"print('here', flush=True)\n{code}")
    front_end.wait_until(lambda: front_end.calls() and "here" in front_end.calls()[-1]["output"])
    began = time.monotonic()
    front_end.stop()
    front_end.wait_idle(since=0)
    assert front_end.kernel.run("'free'").values() == ["'free'"]
    assert time.monotonic() - began < SOON


def test_a_stop_reaches_the_run_of_a_cell_that_blocks_the_kernel(front_end):
    front_end.execute("%%agent\n```python\nimport time\nprint('here', flush=True)\ntime.sleep(60)\n```")
    front_end.wait_until(lambda: front_end.calls() and "here" in front_end.calls()[-1]["output"])
    began = time.monotonic()
    front_end.stop()
    front_end.wait_idle(since=0)
    # A cell that is stopped takes those behind it with it, should this one come so early.
    assert any(front_end.kernel.run("'free'").values() for _ in range(2))
    assert time.monotonic() - began < SOON


def test_a_run_can_be_stopped_while_the_persons_own_cell_is_on(front_end, tmp_path):
    if front_end.subshell_id is None:
        pytest.skip("without subshells nothing is heard while a cell blocks")
    gate = tmp_path / "gate"
    front_end.execute(f"import os, time\nwhile not os.path.exists({str(gate)!r}): time.sleep(0.05)\nmine = 1")
    front_end.prompt("never = 1")
    front_end.wait_until(lambda: front_end.status["is_running"])
    front_end.send("stop")
    front_end.wait_until(lambda: not front_end.status["is_running"])
    gate.touch()
    assert front_end.kernel.run("mine, 'never' in globals()").values() == ["(1, False)"]


def test_code_that_waits_behind_the_persons_cell_does_not_run_after_a_stop(front_end):
    if front_end.subshell_id is None:
        pytest.skip("without subshells nothing is heard while a cell blocks")
    front_end.goes_before = ["import time\ntime.sleep(2)\nmine = 2"]
    front_end.prompt("late = 1")
    front_end.wait("proceed")
    front_end.wait_until(lambda: not front_end.goes_before)
    front_end.send("stop")
    front_end.wait_idle(since=0)
    assert front_end.kernel.run("mine, 'late' in globals()").values() == ["(2, False)"]


def test_unloading_closes_the_panels_comm(kernel):
    kernel.run("%load_ext pi_notebook")
    front_end = FrontEnd(kernel)
    front_end.execute("%unload_ext pi_notebook")
    front_end.wait_until(lambda: front_end.is_closed)
    kernel.check_health()
