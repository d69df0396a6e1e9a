"""Output that comes when its call has ended: it is told as that call's, and is in no other's result."""

from __future__ import annotations

import textwrap

import pytest

pytestmark = pytest.mark.kernel

THREAD = """
import threading
go, said = threading.Event(), threading.Event()
def late():
    go.wait(30); print('late'); said.set()
threading.Thread(target=late).start()
"""
DAEMON = THREAD.replace("target=late", "target=late, daemon=True")
POOL = """
import threading
from concurrent.futures import ThreadPoolExecutor
go, said = threading.Event(), threading.Event()
def late():
    go.wait(30); print('late'); said.set()
pool = ThreadPoolExecutor(1)
job = pool.submit(late)
"""
LOGGED = """
import logging, sys, threading
go, said = threading.Event(), threading.Event()
log = logging.getLogger('late'); log.propagate = False
log.handlers[:] = [logging.StreamHandler(sys.stdout)]
def late():
    go.wait(30); log.warning('late'); said.set()
threading.Thread(target=late).start()
"""
GRANDCHILD = """
import threading
go, said = threading.Event(), threading.Event()
def late():
    print('late'); said.set()
def parent():
    go.wait(30); threading.Thread(target=late).start()
threading.Thread(target=parent).start()
"""
LEFT_RUNNING = {"thread": THREAD, "daemon": DAEMON, "pool": POOL, "logging": LOGGED, "thread's": GRANDCHILD}
GO = "go.set(); assert said.wait(30)"


@pytest.fixture(autouse=True)
def _nothing_is_untold(shared_kernel):
    shared_kernel.run("from pi_notebook.kernel.late import take_late_output\nr = take_late_output()")
    yield
    wait = "import sys, time\nif 'pool' in globals(): pool.shutdown()\nend = time.monotonic() + 20\n"
    wait += "while sys.stdout.echo is not None and time.monotonic() < end: time.sleep(0.01)\n"
    seen = shared_kernel.run(wait + "sys.stdout.echo, take_late_output()")
    assert seen.values() == ["(None, [])"]


def told(driven) -> list[tuple[str, str]]:
    """The code and the text of each call with late output, since this was asked last."""
    (value,) = driven.kernel.run("[(o.code, o.text) for o in take_late_output()]").values()
    return eval(value)


def stray_text(driven) -> str:
    """What was printed into other cells: ipykernel 6 gives a thread's text to the cell that began it."""
    streams = [stray["content"] for stray in driven.kernel.strays if stray["msg_type"] == "stream"]
    return "".join(content["text"] for content in streams)


@pytest.mark.parametrize("how", LEFT_RUNNING)
def test_during_another_call_it_is_told_as_its_own_calls(driven, how):
    code = LEFT_RUNNING[how]
    reports, seen = driven.run(f"driver.codes({code!r}, {GO + '; print(1)'!r})")
    assert [report["stdout"] for report in reports] == ["", "1\n"]
    assert told(driven) == [(code, "late\n")]
    assert "late\n" in seen.text()
    assert told(driven) == []


@pytest.mark.parametrize("how", ["thread", "daemon", "pool", "logging"])
def test_after_the_run_the_person_sees_it_and_it_is_told_as_its_calls(driven, how):
    driven.codes(LEFT_RUNNING[how])
    driven.kernel.strays.clear()
    seen = driven.kernel.run(f"print('mine'); {GO}")
    assert told(driven) == [(LEFT_RUNNING[how], "late\n")]
    assert sorted(f"{seen.text()}{stray_text(driven)}".split()) == ["late", "mine"]


def test_a_task_is_told_as_its_calls_during_another_and_after_the_run(driven_by_await):
    start = textwrap.dedent("""
        import asyncio
        async def late():
            for _ in range(2):
                await go.wait(); print('late'); go.clear(); said.set()
        go, said = asyncio.Event(), asyncio.Event()
        task = asyncio.create_task(late())
    """)
    reports = driven_by_await.codes(start, "go.set(); await said.wait(); said.clear(); print(1)")
    assert [report["stdout"] for report in reports] == ["", "1\n"]
    driven_by_await.kernel.run("go.set(); await said.wait()")  # the kernel shows it in the cell of the run
    assert told(driven_by_await) == [(start, "late\nlate\n")]


def test_a_child_left_in_the_background_is_told_as_its_calls(driven):
    start = "import subprocess\np = subprocess.Popen('read x; echo late', shell=True, stdin=subprocess.PIPE)"
    reports, seen = driven.run(f"driver.codes({start!r}, \"r = p.communicate(b'go'); print(1)\")")
    assert [report["stdout"] for report in reports] == ["", "1\n"]
    wait = "import time\nfrom pi_notebook.kernel import late\nwhile not late._waiting: time.sleep(0.01)"
    driven.kernel.run(wait)
    assert told(driven) == [(start, "late\n")]


def test_of_a_flood_the_end_is_kept_and_all_of_it_is_counted(driven):
    code = THREAD.replace("print('late')", "[print(f'{n:07}') for n in range(20_000)]")
    driven.codes(code, GO)
    value = driven.kernel.run("[(len(o.text), o.text[-8:], o.chars) for o in take_late_output()]").values()
    assert value == ["[(8000, '0019999\\n', 160000)]"]


def test_what_a_cell_of_the_persons_left_running_is_nobody_elses(driven):
    driven.kernel.run(THREAD)
    reports, seen = driven.run(f"driver.codes({GO!r})")
    assert [report["stdout"] for report in reports] == [""]
    assert told(driven) == []


def test_after_its_time_it_is_the_cells_alone(driven):
    driven.kernel.run("from pi_notebook.kernel import late, left_running\nlate.LATE_SECONDS = 0.2")
    driven.codes(THREAD)
    driven.kernel.run("late.LATE_SECONDS = 30.0\nimport time; time.sleep(0.3)")
    driven.kernel.strays.clear()
    seen = driven.kernel.run(GO)
    assert told(driven) == []
    assert seen.text() + stray_text(driven) == "late\n"
