import textwrap

import pytest

from tests.patience import SOON

pytestmark = pytest.mark.kernel


WORKER = """
import multiprocessing
worker = multiprocessing.get_context('fork').Process(target=print, args=('worker',))
worker.start(); worker.join()
"""
THREAD = """
import threading
thread = threading.Thread(target=print, args=('thread',))
thread.start(); thread.join()
"""
REDIRECTED = """
import contextlib, io
with contextlib.redirect_stdout(io.StringIO()): print('away')
print('here')
"""


@pytest.mark.parametrize(
    ("code", "stdout", "stderr"),
    [
        ("print('a'); print('b')", "a\nb\n", ""),
        ("import sys; print('e', file=sys.stderr)", "", "e\n"),
        ("import sys; sys.stdout.writelines(['a', 'b'])", "ab", ""),
        ("import os; r = os.write(1, b'one\\n'); r = os.write(2, b'two\\n')", "one\n", "two\n"),
        ("import os; r = os.system('echo from a shell')", "from a shell\n", ""),
        ("import subprocess; r = subprocess.run(['echo', 'child'])", "child\n", ""),
        ("import subprocess, sys; r = subprocess.run(['echo', 'x'], stdout=sys.stdout)", "x\n", ""),
        ("import subprocess; r = subprocess.run('echo oops >&2', shell=True)", "", "oops\n"),
        ("import ctypes; r = ctypes.CDLL(None).printf(b'%d from C\\n', 7)", "7 from C\n", ""),
        ("import logging; logging.getLogger('x').warning('logged')", "", "logged\n"),
        ("%%bash\necho from bash", "from bash\n", ""),
        (WORKER, "worker\n", ""),
        (THREAD, "thread\n", ""),
        (REDIRECTED, "here\n", ""),
        ("import asyncio; await asyncio.to_thread(print, 'to thread')", "to thread\n", ""),
        ("print('\\ud800 and \\x00')", "\\ud800 and \x00\n", ""),
        ("print('é' * 3, '猫')", "ééé 猫\n", ""),
    ],
)
def test_everything_written_reaches_the_sink_and_not_the_cell(driven, code, stdout, stderr):
    (report,), seen = driven.run(f"driver.codes({code!r})")
    assert (report["stdout"], report["stderr"]) == (stdout, stderr)
    assert report["status"] == "ok", report["error"]
    assert seen.text().split("\nREPORT")[0] == ""
    assert seen.text("stderr") == ""


def test_text_of_one_stream_keeps_its_order_whoever_writes_it(driven):
    code = """
        import os, subprocess, sys
        for i in range(30):
            print('print', i)
            os.write(1, f'write {i}\\n'.encode())
            sys.stdout.write(f'stream {i}\\n')
        subprocess.run(['echo', 'child'])
        print('end')
    """
    expected = "".join(f"print {i}\nwrite {i}\nstream {i}\n" for i in range(30)) + "child\nend\n"
    assert driven.code(code)["stdout"] == expected


def test_a_child_writing_characters_of_several_bytes_is_read_whole(driven):
    code = "import subprocess, sys; r = subprocess.run([sys.executable, '-c', \"print('猫' * 100000)\"])"
    assert driven.code(code)["stdout"] == "猫" * 100_000 + "\n"


def test_a_logging_handler_made_before_the_call_is_captured(driven):
    driven.kernel.run(
        "import logging, sys; log = logging.getLogger('kept'); log.propagate = False\n"
        "log.handlers[:] = [logging.StreamHandler(sys.stdout)]"
    )
    assert driven.code("log.warning('through an old handler')")["stdout"] == "through an old handler\n"
    assert driven.kernel.run("log.warning('outside')").text() == "outside\n"


def test_a_logging_handler_made_in_a_call_serves_later_calls_and_cells(driven):
    make = (
        "import logging, sys; log2 = logging.getLogger('new'); log2.propagate = False\n"
        "log2.handlers[:] = [logging.StreamHandler()]"
    )
    reports = driven.codes(make, "log2.warning('second call')")
    assert reports[1]["stderr"] == "second call\n"
    assert driven.kernel.run("log2.warning('a cell')").text("stderr") == "a cell\n"


def test_displays_are_published_at_once_and_in_order_with_text(driven):
    code = """
        from IPython.display import HTML, display
        print('before')
        display(HTML('<b>x</b>'))
        print('after')
    """
    report, seen = driven.run(f"driver.codes({textwrap.dedent(code)!r})")
    kinds = [item[0] for item in report[0]["items"]]
    assert kinds == ["stdout", "display", "stdout"]
    assert report[0]["items"][1][1]["text/html"] == "<b>x</b>"
    assert seen.values("text/html") == ["<b>x</b>"]


def test_an_update_of_a_display_names_the_display(driven):
    code = "from IPython.display import display; h = display('one', display_id='d'); h.update('two')"
    items = driven.code(code)["items"]
    assert [item[2:] for item in items] == [["d", False], ["d", True]]


def test_a_figure_is_drawn_inside_the_call_that_made_it(driven):
    code = "%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.plot([1, 2])\nprint('drawn')"
    first, second = driven.codes(code, "print('next')")
    assert [item[0] for item in first["items"]] == ["stdout", "display"]
    assert "image/png" in first["items"][1][1]
    assert second["items"] == [["stdout", "next\n"]]


def test_displays_over_the_bound_are_dropped_and_counted(driven):
    code = "from IPython.display import display\nfor i in range(150): display(i)"
    reports, seen = driven.run(f"driver.codes({code!r})")
    assert len(reports[0]["items"]) == 100
    assert len(seen.contents("display_data")) == 100
    assert any("50 displays" in note for note in reports[0]["notes"])


def test_the_last_update_over_the_bound_is_still_shown(driven):
    code = (
        "from IPython.display import display\nh = display(0, display_id=True)\n"
        "for i in range(1, 301): h.update(i)"
    )
    _, seen = driven.run(f"driver.codes({code!r})")
    updates = seen.contents("update_display_data")
    assert len(updates) == 100
    assert updates[-1]["data"]["text/plain"] == "300"


def test_code_cannot_clear_the_cell_it_is_part_of(driven):
    _, seen = driven.run("driver.codes('from IPython.display import clear_output; clear_output()')")
    assert seen.contents("clear_output") == []


def test_help_goes_to_the_output_and_opens_no_pager(driven):
    report, seen = driven.run("driver.codes('len?')")
    assert "Return the number of items" in report[0]["stdout"]
    assert seen.reply["content"]["payload"] == []


def test_a_warning_is_output_on_stderr(driven):
    report = driven.code("import warnings; warnings.warn('careful now', stacklevel=1)")
    assert "UserWarning: careful now" in report["stderr"]


def test_output_is_in_the_sink_while_the_code_still_runs(driven):
    session = """
async def session(executor):
    import asyncio
    sink = driver.ListSink()
    code = "import time\\nprint('live')\\nwhile not seen: time.sleep(0.01)\\nprint('end')"
    job = asyncio.ensure_future(executor.run_code(code, sink))
    while sink.text() != 'live\\n':
        await asyncio.sleep(0.005)
    seen.append(True)
    await job
    return sink.text()
seen = []
"""
    driven.kernel.run(session)
    assert driven.run("session")[0] == "live\nend\n"


def test_a_thread_that_outlives_its_call_stays_out_of_the_next_one(driven):
    start = """
        import threading
        go, done = threading.Event(), threading.Event()
        def late():
            go.wait(20); print('late'); done.set()
        threading.Thread(target=late).start()
    """
    reports, seen = driven.run(
        f"driver.codes({textwrap.dedent(start)!r}, 'go.set(); assert done.wait(20); print(1)')"
    )
    assert [report["stdout"] for report in reports] == ["", "1\n"]
    assert "late\n" in seen.text()


def test_a_task_that_outlives_its_call_stays_out_of_the_next_one(driven_by_await):
    start = (
        "import asyncio\nasync def late():\n    await go.wait(); print('late')\n"
        "go = asyncio.Event(); task = asyncio.create_task(late())"
    )
    reports = driven_by_await.codes(start, "go.set(); await task; print(1)")
    assert [report["stdout"] for report in reports] == ["", "1\n"]


def test_a_child_that_outlives_its_call_stays_out_of_the_next_one(driven):
    start = "import subprocess; p = subprocess.Popen('read x; echo late', shell=True, stdin=subprocess.PIPE)"
    reports, seen = driven.run(
        f"driver.codes({start!r}, \"p.communicate(b'go'); print(1)\", 'import time; time.sleep(0.3)')"
    )
    assert [report["stdout"] for report in reports] == ["", "1\n", ""]
    assert "late\n" in seen.text()


def test_threads_and_descriptors_are_given_back(driven):
    driven.kernel.run(
        "import os, threading, time\n"
        "def held():\n"
        "    links = [f'/proc/self/fd/{fd}' for fd in os.listdir('/proc/self/fd')]\n"
        "    pipes = [link for link in links if os.path.lexists(link) and 'pipe:' in os.readlink(link)]\n"
        "    return len(pipes), threading.active_count()"
    )
    driven.codes("print(1)")
    driven.kernel.run("time.sleep(0.05); before = held()")
    driven.codes(*["import os; print(1); r = os.system('echo 2')"] * 20)
    wait = "for i in range(100):\n    if held() == before: break\n    time.sleep(0.02)"
    assert driven.kernel.run(f"{wait}\nbefore == held() or (before, held())").values() == ["True"]


def test_a_flood_of_prints_is_handed_on_without_being_kept(driven_by_await):
    driven_by_await.kernel.run(
        "async def flood(executor):\n"
        "    import psutil\n"
        "    sink, me = driver.Counter(), psutil.Process()\n"
        "    before = me.memory_info().rss\n"
        "    code = \"for _ in range(200_000): print('x' * 99)\\nfor _ in range(20): print('x' * 999_999)\"\n"
        "    await executor.run_code(code, sink)\n"
        "    return sink.chars, me.memory_info().rss - before"
    )
    (chars, growth), _ = driven_by_await.run("flood")
    assert chars == 40_000_000
    assert growth < 32 * 2**20


def test_a_child_that_lives_on_does_not_hold_up_its_call(driven):
    start = (
        "import os\npid = os.fork()\nif pid == 0:\n    import time; time.sleep(60); os._exit(0)\n"
        "print('forked')"
    )
    first, second = driven.codes(start, "print('next')")
    assert (first["stdout"], second["stdout"]) == ("forked\n", "next\n")
    assert first["seconds"] < SOON
    driven.kernel.run("import os, signal; os.kill(pid, signal.SIGKILL); r = os.waitpid(pid, 0)")


def test_forwarded_text_reaches_the_cell_at_a_limited_rate_and_the_sink_whole(driven_by_await):
    seen = driven_by_await.kernel.run(
        "from pi_notebook.kernel.capture import Capture\nsink = driver.Counter()\n"
        "with Capture(get_ipython(), sink, forward=True):\n"
        "    print('first')\n    for i in range(20_000): print('x' * 99)\n"
        "print(sink.chars)"
    )
    text = seen.text()
    assert seen.errors == []
    assert text.startswith("first\nxxx")
    assert text.endswith("characters not shown here]\n2000006\n")
    assert 128_000 <= len(text) < 128_000 * (2 + seen.seconds)
