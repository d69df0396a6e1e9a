import pytest

from tests.patience import SOON

pytestmark = pytest.mark.kernel


@pytest.mark.parametrize(
    "code",
    [
        "input('name?')",
        "import getpass; getpass.getpass()",
        "get_ipython().kernel.raw_input('name?')",
        "breakpoint()",
        "import pdb; pdb.set_trace()",
        "import pdb; pdb.Pdb().set_trace()",
        "from IPython.core.debugger import set_trace; set_trace()",
        "try: 1/0\nexcept Exception:\n    import pdb; pdb.post_mortem()",
    ],
)
def test_what_waits_for_a_person_is_refused_at_once(driven, code):
    report = driven.code(code, answers=["never asked"])
    assert report["status"] == "error", report
    assert report["seconds"] < SOON
    assert report["error"]["name"] in ("StdinNotImplementedError", "RuntimeError")


def test_debug_is_refused_at_once(driven):
    report = driven.codes("1/0", "%debug", answers=["q"])[1]
    assert report["seconds"] < SOON


def test_a_refusal_says_what_to_do_instead(driven):
    report = driven.code("input('name?')")
    assert "Ask in your reply" in report["error"]["value"]
    assert any("input() was refused" in note for note in report["notes"])


def test_the_standard_input_is_empty(driven):
    assert driven.code("import sys; sys.stdin.read()")["data"]["text/plain"] == "''"


@pytest.mark.parametrize(
    "code", ["exit()", "quit()", "exit", "import sys; sys.exit()", "get_ipython().ask_exit()"]
)
def test_code_that_exits_ends_itself_and_not_the_kernel(driven, code):
    report, seen = driven.run(f"driver.codes({code + chr(10) + 'print(1)'!r})")
    assert report[0]["status"] == "ok"
    if code != "exit":
        assert report[0]["stdout"] == ""
        assert any("the kernel goes on" in note for note in report[0]["notes"])
    assert seen.reply["content"]["payload"] == []


def test_an_exit_with_a_status_is_an_error(driven):
    report = driven.code("import sys; sys.exit('no data')")
    assert (report["status"], report["error"]["name"], report["stderr"]) == ("error", "SystemExit", "")


@pytest.mark.parametrize(
    ("code", "note"),
    [
        ("import sys; sys.stdout.close(); print('still')", "close() was ignored"),
        ("import sys; print('still'); sys.stdout = None", "sys.stdout was replaced"),
        ("import sys; print('still'); sys.stdout = open('/dev/null', 'w')", "sys.stdout was replaced"),
        ("import sys; print('still'); del sys.stdout", "sys.stdout was replaced"),
        ("import os; os.close(1); print('still')", "os.close(1) was ignored"),
        ("import os; os.closerange(3, 1000); print('still')", "os.closerange() was ignored"),
        (
            "import os; print('still'); f = os.open('/dev/null', 1); os.dup2(f, 1); os.close(f)",
            "Descriptor 1",
        ),
        ("import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); print('still')", "interrupts"),
    ],
)
def test_what_code_breaks_is_mended_and_noted(driven, code, note):
    first, second = driven.codes(code, "import os; print('next'); r = os.system('echo child')")
    assert first["stdout"] == "still\n"
    assert any(note in line for line in first["notes"]), first["notes"]
    assert second["stdout"] == "next\nchild\n"
    assert second["notes"] == []


def test_closing_the_kernels_own_stream_is_ignored(driven):
    driven.kernel.run("import sys; kept = sys.stdout")
    report = driven.code("kept.close(); print('still')")
    assert report["stdout"] == "still\n"
    assert driven.kernel.run("print('cell')").text() == "cell\n"


def test_a_forked_child_never_goes_on_with_the_run(driven):
    code = """
        import os
        mark = os.getpid()
        pid = os.fork()
        if pid == 0:
            print('child')
        else:
            _, status = os.waitpid(pid, 0)
            print('parent', status)
    """
    reports = driven.codes(code, "print('same process', os.getpid() == mark)")
    assert reports[0]["stdout"] == "child\nparent 0\n"
    assert reports[1]["stdout"] == "same process True\n"


@pytest.mark.parametrize(
    ("child", "status"), [("import sys; sys.exit(3)", 3), ("1/0", 1), ("raise KeyboardInterrupt", 1)]
)
def test_a_forked_child_ends_as_a_process_does(driven, child, status):
    wait = "os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])"
    code = f"import os\npid = os.fork()\nif pid == 0:\n    {child}\n{wait}"
    report = driven.code(code)
    assert report["data"]["text/plain"] == str(status)
    assert ("ZeroDivisionError" in report["stderr"]) == (child == "1/0")


def test_a_child_forked_before_an_await_ends_there(driven):
    code = (
        "import asyncio, os\npid = os.fork()\nawait asyncio.sleep(0.01)\n"
        "print('once')\nr = os.waitpid(pid, 0)"
    )
    assert driven.code(code)["stdout"] == "once\n"


def test_a_forked_child_may_print_and_display_much(driven):
    code = """
        import os
        from IPython.display import display
        pid = os.fork()
        if pid == 0:
            display('shown')
            for i in range(20000): print('x' * 49)
        else:
            os.waitpid(pid, 0)
    """
    assert len(driven.code(code)["stdout"]) == 1_000_000 + len("'shown'\n")


def test_what_was_replaced_for_the_code_is_back_after_it(driven):
    names = (
        "[f is g for f, g in zip(kept, (builtins.input, sys.stdout, sys.stderr, sys.displayhook, sys.stdin,"
        " sys.breakpointhook, bdb.Bdb.set_trace, pdb.Pdb.interaction))]"
    )
    before = (
        "import bdb, builtins, pdb, signal, sys\n"
        "kept = (builtins.input, sys.stdout, sys.stderr, sys.displayhook, sys.stdin,"
        " sys.breakpointhook, bdb.Bdb.set_trace, pdb.Pdb.interaction)\n"
        "handler = signal.getsignal(signal.SIGINT)\n"
    )
    cell = before + driven.cell("driver.codes('1/0')") + f"\nprint({names}, handler is signal.getsignal(2))"
    assert f"{[True] * 8} True" in driven.kernel.run(cell).text()
    shell = "sorted(n for n in ('ask_exit', 'showtraceback', 'showsyntaxerror') if n in vars(get_ipython()))"
    assert driven.kernel.run(shell).values() == ["[]"]
