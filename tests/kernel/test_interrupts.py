import textwrap

import pytest

from tests.patience import SOON

pytestmark = pytest.mark.kernel

SHOW = "from IPython.display import display; display('started')\n"

JOIN = """
import threading, time
thread = threading.Thread(target=time.sleep, args=(3,))
thread.start()
thread.join()
"""
BLOCKED_TASK = """
import asyncio, time
async def block(): time.sleep(30)
await asyncio.create_task(block())
"""
BLOCKED_TASKS = """
import asyncio, time
async def block(): time.sleep(30)
await asyncio.gather(*[block() for _ in range(9)])
"""
PHASES = {
    "busy loop": "while True: pass",
    "sleep": "import time; time.sleep(30)",
    "await": "import asyncio; await asyncio.sleep(30)",
    "await of a gather": "import asyncio; await asyncio.gather(*[asyncio.sleep(30) for _ in range(9)])",
    "blocking in each task of a gather": BLOCKED_TASKS,
    "printing": "while True: print('x' * 100)",
    "child": "import subprocess; subprocess.run(['sleep', '30'])",
    "lock": "import threading; lock = threading.Lock(); lock.acquire(); lock.acquire()",
    "thread join": JOIN,
    "shell": "!sleep 30",
    "blocking in a task": BLOCKED_TASK,
}


@pytest.mark.parametrize("phase", PHASES)
def test_an_interrupt_ends_code_whatever_it_does(driven, phase):
    reports, seen = driven.run(
        f"driver.codes({SHOW + PHASES[phase]!r})", interrupt_on="started", interrupt_after=0.1
    )
    assert reports[0]["status"] in ("interrupted",), reports
    assert reports[0]["interrupts"] == 1
    assert seen.seconds < SOON
    assert seen.errors == []


@pytest.mark.parametrize("phase", ["busy loop", "sleep", "await", "printing"])
def test_a_deadline_ends_code_and_is_no_interrupt_of_the_person(driven, phase):
    report = driven.code(PHASES[phase], timeout_seconds=0.3)
    assert report["status"] == "timeout"
    assert report["interrupts"] == 0
    assert 0.25 < report["seconds"] < SOON


def test_an_interrupt_while_the_model_is_awaited_is_told_to_the_session(driven):
    driven.kernel.run(
        "import asyncio\nasync def model(executor):\n    display('started')\n    await asyncio.sleep(30)"
    )
    execution = driven.kernel.run(
        "from IPython.display import display\n" + driven.cell("model"), interrupt_on="started"
    )
    assert "CancelledError" in execution.errors[0]
    assert execution.seconds < SOON


def test_the_cell_goes_on_without_a_session_that_does_not_stop_and_it_is_cancelled(driven):
    driven.kernel.run(
        "import asyncio\nended = []\n"
        "async def deaf(executor):\n"
        "    display('started')\n"
        "    try:\n        await asyncio.sleep(60)\n"
        "    finally:\n"
        "        try:\n            await executor.run_code('ended.append(1)', driver.ListSink())\n"
        "        except Exception as error:\n            ended.append(type(error).__name__)\n"
        "driver.is_deaf = True"
    )
    execution = driven.kernel.run(
        "from IPython.display import display\n" + driven.cell("deaf"), interrupt_on="started"
    )
    assert execution.errors in (["KeyboardInterrupt: "], ["CancelledError: "])  # whichever comes first
    assert 0.9 < execution.seconds < SOON
    driven.kernel.run("driver.is_deaf = False\nimport time\nwhile not ended: time.sleep(0.01)")
    assert driven.kernel.run("ended").values() == ["['NoKernelError']"]


def test_an_interrupt_before_the_run_could_be_stopped_stops_it(driven):
    """As when the cell's thread was interrupted before the run's had made its first step."""
    driven.kernel.run(
        "import asyncio, signal, time\n"
        "async def late(executor):\n"
        "    time.sleep(0.2)\n"
        "    driver._task = asyncio.current_task()\n"
        "    await asyncio.sleep(60)"
    )
    signal_first = "signal.raise_signal(signal.SIGINT)"
    cell = (
        f"executor = driver.{driven.how.capitalize()}CellExecutor(get_ipython(), "
        "on_interrupt=driver.on_interrupt)\n"
        "driver._task = None\n"
        f"with executor:\n"
        f"    {signal_first}\n"
        f"    run = asyncio.run_coroutine_threadsafe(late(executor), driver.loop)\n"
        f"    {'await ' * (driven.how == 'awaited')}executor.lend(run)"
    )
    execution = driven.kernel.run(cell)
    assert execution.errors in (["KeyboardInterrupt: "], ["CancelledError: "])  # whichever comes first
    assert execution.seconds < SOON


def test_code_may_clean_up_after_an_interrupt(driven):
    code = textwrap.dedent("""
        import time
        from IPython.display import display
        try:
            display('started')
            time.sleep(30)
        except KeyboardInterrupt:
            for _ in range(20): time.sleep(0.01)
            print('cleaned up')
    """)
    report = driven.code(code, interrupt_on="started")
    assert (report["status"], report["stdout"]) == ("interrupted", "cleaned up\n")


SWALLOWER = """
import time
while True:
    try:
        time.sleep(30)
    except BaseException:
        display('swallowed')
"""


def test_code_that_swallows_a_deadline_ends_all_the_same(driven):
    report = driven.code(SHOW + SWALLOWER, timeout_seconds=0.2)
    assert report["status"] == "timeout"
    assert report["seconds"] < SOON


def test_a_second_interrupt_ends_code_that_swallows_the_first(driven):
    execution_reports, seen = driven.run(
        f"driver.codes({SHOW + SWALLOWER!r})", interrupt_on="swallowed", interrupt_first="started"
    )
    assert execution_reports[0]["status"] == "interrupted"
    assert seen.seconds < SOON


def test_code_that_swallows_cancelling_once_can_be_interrupted_again(driven):
    code = SHOW + (
        "import asyncio\ntry:\n    await asyncio.sleep(30)\nexcept BaseException:\n    display('swallowed')\n"
        "await asyncio.sleep(30)"
    )
    reports, seen = driven.run(f"driver.codes({code!r})", interrupt_on="swallowed", interrupt_first="started")
    assert reports[0]["status"] == "interrupted"
    assert seen.seconds < SOON


def test_a_cancelled_caller_ends_its_code_and_the_next_piece_runs(driven):
    driven.kernel.run(
        "import asyncio\n"
        "async def session(executor):\n"
        "    sink = driver.ListSink()\n"
        "    job = asyncio.ensure_future(executor.run_code(\"print('on')\\nwhile True: pass\", sink))\n"
        "    while not sink.items: await asyncio.sleep(0.01)\n"
        "    job.cancel()\n"
        "    after = await executor.run_code('6 * 7', driver.ListSink())\n"
        "    return after.value, job.cancelled(), driver.interrupts"
    )
    outcome, seen = driven.run("session")
    assert outcome == [42, True, 0]
    assert seen.seconds < SOON


def test_a_job_cancelled_before_it_began_never_runs(driven):
    driven.kernel.run(
        "import asyncio\nran = []\n"
        "async def session(executor):\n"
        "    sink, ask = driver.ListSink(), asyncio.ensure_future\n"
        "    first = ask(executor.run_code('import time; time.sleep(0.2)', sink))\n"
        "    second = ask(executor.run_code('ran.append(2)', sink))\n"
        "    await asyncio.sleep(0.05)\n"
        "    second.cancel()\n"
        "    await first\n"
        "    await executor.run_code('ran.append(3)', driver.ListSink())\n"
        "    return ran"
    )
    assert driven.run("session")[0] == [3]


def test_no_interrupt_is_left_for_later_cells(driven):
    driven.kernel.run(
        "import asyncio\n"
        "async def short(executor):\n"
        "    with contextlib.suppress(asyncio.CancelledError):\n"
        "        await executor.run_code('display(1); time.sleep(0.01)', driver.ListSink())\n"
        "    end = time.monotonic() + 0.1\n"
        "    while time.monotonic() < end:\n"
        "        with contextlib.suppress(asyncio.CancelledError):\n"
        "            await asyncio.sleep(0.02)\n"
        "    return True\n"
        "import contextlib, time\nfrom IPython.display import display"
    )
    for delay in (0.0, 0.004, 0.008, 0.012, 0.016):
        driven.run("short", interrupt_on="'text/plain': '1'", interrupt_after=delay)
        undisturbed = driven.kernel.run("time.sleep(0.05); 'undisturbed'")
        assert undisturbed.values() == ["'undisturbed'"]
