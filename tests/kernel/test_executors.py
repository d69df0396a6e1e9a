import pytest

from tests.patience import SOON

pytestmark = pytest.mark.kernel


def session(kernel, body, name="session"):
    """Define a session in the kernel from the body of a coroutine function of `executor`."""
    lines = "\n".join("    " + line for line in body.strip().splitlines())
    defined = kernel.run(f"import asyncio, time\nasync def {name}(executor):\n{lines}")
    assert defined.status == "ok", defined.errors
    return name


def test_pieces_of_a_run_share_the_persons_variables(driven):
    driven.kernel.run("shared = 20")
    reports = driven.codes("shared += 1", "shared * 2")
    assert reports[1]["data"]["text/plain"] == "42"
    assert driven.kernel.run("shared").values() == ["21"]


def test_the_execution_count_belongs_to_the_cell_alone(driven):
    before = driven.kernel.run("1").reply["content"]["execution_count"]
    driven.codes("1", "2", "3")
    after = driven.kernel.run("2")
    assert after.reply["content"]["execution_count"] == before + 2
    assert driven.kernel.run(f"{before + 1} in Out").values() == ["False"]


def test_a_function_is_called_on_the_main_thread(driven):
    name = session(
        driven.kernel,
        "import threading\n"
        "def is_main(): return threading.current_thread() is threading.main_thread()\n"
        "return await executor.call(is_main, timeout_seconds=5)",
    )
    assert driven.run(name)[0] is True


def test_what_a_called_function_raises_is_raised_to_the_caller(driven):
    name = session(
        driven.kernel,
        "try:\n    await executor.call(lambda: {}['k'], timeout_seconds=5)\n"
        "except KeyError as error:\n    return repr(error)",
    )
    assert driven.run(name)[0] == "KeyError('k')"


@pytest.mark.parametrize(
    "raised", ["SystemExit", "KeyboardInterrupt", "asyncio.CancelledError", "GeneratorExit"]
)
def test_what_would_end_a_loop_reaches_the_caller_as_a_kernel_error(driven, raised):
    name = session(
        driven.kernel,
        f"def f(): raise {raised}\n"
        "try:\n    await executor.call(f, timeout_seconds=5)\n"
        "except Exception as error:\n    return type(error).__name__",
    )
    assert driven.run(name)[0] == "KernelError"


def test_a_call_over_its_time_is_interrupted_and_told(driven):
    name = session(
        driven.kernel,
        "try:\n    await executor.call(lambda: time.sleep(30), timeout_seconds=0.2)\n"
        "except Exception as error:\n    return type(error).__name__, str(error)",
    )
    (kind, text), seen = driven.run(name)
    assert kind == "CodeTimeoutError"
    assert "0.2 s" in text
    assert seen.seconds < SOON


def test_a_question_is_asked_at_the_kernels_prompt(driven):
    name = session(driven.kernel, "return await executor.ask('Run it? ')")
    answer, seen = driven.run(name, answers=["yes"])
    assert answer == "yes"


def test_nobody_is_asked_where_nobody_can_answer(driven):
    assert driven.run(session(driven.kernel, "return await executor.ask('Run it? ')"))[0] is None


def test_an_interrupt_at_the_prompt_is_an_interrupt(driven):
    name = session(
        driven.kernel,
        "async def cue():\n    await asyncio.sleep(0.2)\n    display('asked')\n"
        "asyncio.ensure_future(cue())\n"
        "try:\n    return await executor.ask('Run it? '), 'asked to the end'\n"
        "except asyncio.CancelledError:\n    return 'stopped', driver.interrupts",
    )
    driven.kernel.run("from IPython.display import display")
    outcome, seen = driven.run(name, answers=[], interrupt_on="asked")
    assert outcome == ["stopped", 1]
    assert seen.seconds < SOON


def test_jobs_run_in_the_order_they_were_asked_for(driven):
    name = session(
        driven.kernel,
        "order = []\n"
        "calls = [executor.call(lambda i=i: order.append(i), timeout_seconds=5) for i in range(20)]\n"
        "await asyncio.gather(*calls)\n"
        "return order",
    )
    assert driven.run(name)[0] == list(range(20))


def test_the_error_of_the_run_is_raised_in_the_cell(driven):
    name = session(driven.kernel, "raise ValueError('of the run')")
    assert driven.kernel.run(driven.cell(name)).errors == ["ValueError: of the run"]


def test_after_the_cell_no_job_is_taken(driven):
    name = session(driven.kernel, "kept.append(executor)\nreturn 1")
    driven.kernel.run("kept = []")
    driven.run(name)
    late = driven.kernel.run(
        "async def late():\n"
        "    try:\n        await kept[0].run_code('1', driver.ListSink())\n"
        "    except Exception as error:\n        return type(error).__name__\n"
        "asyncio.run_coroutine_threadsafe(late(), driver.loop).result(5)"
    )
    assert late.values() == ["'NoKernelError'"]


def test_what_the_run_prints_from_its_own_thread_belongs_to_the_cell(driven):
    name = session(driven.kernel, "print('from the run')\nreturn 1")
    assert "from the run\n" in driven.run(name)[1].text()


def test_what_the_run_prints_while_code_runs_stays_out_of_the_codes_output(driven):
    name = session(
        driven.kernel,
        "sink = driver.ListSink()\n"
        "job = asyncio.ensure_future(executor.run_code(\"print('code'); time.sleep(0.1)\", sink))\n"
        "while not sink.items: await asyncio.sleep(0.005)\n"
        "print('from the run')\n"
        "await job\n"
        "return sink.text()",
    )
    text, seen = driven.run(name)
    assert text == "code\n"
    assert "from the run\n" in seen.text()


def test_tasks_of_the_person_go_on_while_a_cell_awaits(driven_by_await):
    driven_by_await.kernel.run(
        "import asyncio\nticks = []\n"
        "async def tick():\n    while True:\n        ticks.append(1)\n        await asyncio.sleep(0.01)\n"
        "ticker = asyncio.create_task(tick())"
    )
    name = session(
        driven_by_await.kernel, "before = len(ticks)\nawait asyncio.sleep(0.3)\nreturn len(ticks) - before"
    )
    assert driven_by_await.run(name)[0] > 5
    driven_by_await.kernel.run("ticker.cancel()")


def test_tasks_made_by_one_piece_go_on_in_the_next(driven):
    first = (
        "import asyncio\nasync def f():\n    await asyncio.sleep(0.05); return 42\n"
        "task = asyncio.create_task(f())\nawait asyncio.sleep(0)"
    )
    assert driven.codes(first, "await task")[1]["data"]["text/plain"] == "42"


def test_running_a_piece_of_code_costs_less_than_sixty_milliseconds(driven_by_await):
    name = session(
        driven_by_await.kernel,
        "sink, taken = driver.Counter(), []\n"
        "for _ in range(60):\n"
        "    began = time.perf_counter()\n"
        "    await executor.run_code('1', sink)\n"
        "    taken.append(time.perf_counter() - began)\n"
        "return sorted(taken)[56]",
    )
    assert driven_by_await.run(name)[0] < 0.06


def test_a_cancelled_cell_stops_its_code_and_puts_everything_back(driven_by_await):
    cell = (
        "import asyncio, sys\nstream = sys.stdout\n"
        "try:\n"
        "    await asyncio.wait_for(driver.awaited(driver.codes('await asyncio.sleep(30)')), 0.2)\n"
        "except asyncio.TimeoutError:\n"
        "    print('cancelled', sys.stdout is stream)"
    )
    seen = driven_by_await.kernel.run(cell)
    assert seen.text() == "cancelled True\n"
    assert seen.seconds < SOON


def test_an_agent_cell_within_code_of_the_agent_runs_like_any_code(driven):
    driven.kernel.run("driver.load_demo()")
    report = driven.code("%%demo\nprint('inner')\n6 * 7")
    assert report["status"] == "ok", report
    assert '"stdout": "inner\\n"' in report["stdout"]
    driven.kernel.run("driver.AwaitingTransformer('demo').uninstall(get_ipython())")


def test_a_cell_off_the_main_thread_is_refused_with_a_reason(driven):
    seen = driven.kernel.run(
        "import threading\ntold = []\n"
        "def lend():\n"
        "    try: driver.blocking(driver.codes('1'))\n"
        "    except Exception as error: told.append(f'{type(error).__name__}: {error}')\n"
        "thread = threading.Thread(target=lend); thread.start(); thread.join(5)\ntold"
    )
    assert "NoKernelError: An agent cell needs the kernel's main thread" in seen.values()[0]
