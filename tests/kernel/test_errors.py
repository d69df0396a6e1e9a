import pytest

from tests.patience import SOON

pytestmark = pytest.mark.kernel


def test_an_exception_is_told_as_data_and_nothing_red_is_published(driven):
    report, seen = driven.run("driver.codes('def f():\\n    return 1 / 0\\nf()')")
    error = report[0]["error"]
    assert report[0]["status"] == "error"
    assert (error["name"], error["value"]) == ("ZeroDivisionError", "division by zero")
    assert error["traceback"].startswith('Traceback (most recent call last):\n  File "<agent code>", line 3')
    assert "return 1 / 0" in error["traceback"]
    assert "pi_notebook" not in error["traceback"]
    assert "IPython" not in error["traceback"]
    assert "\x1b" not in error["traceback"]
    assert seen.errors == []


@pytest.mark.parametrize(
    ("code", "name", "line"),
    [
        ("x = = 3", "SyntaxError", "x = = 3"),
        ("if True:\nprint(1)", "IndentationError", "print(1)"),
        ("%no_such_magic", "UsageError", "no_such_magic"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt", "raise KeyboardInterrupt"),
        ("import asyncio; raise asyncio.CancelledError", "CancelledError", "CancelledError"),
        ("raise ValueError('\\x1b[31mred\\x1b[0m')", "ValueError", "ValueError: red"),
        ("class E(Exception):\n    def __str__(self): raise RuntimeError\nraise E", "E", "raise E"),
        ("import json; json.loads('{')", "JSONDecodeError", "JSONDecodeError"),
        ("%%time\n1/0", "ZeroDivisionError", "ZeroDivisionError: division by zero"),
        ("%run /no/such/file.py", "Exception", "no/such/file"),
        ("eval('1 +')", "SyntaxError", "1 +"),
    ],
)
def test_each_kind_of_error_is_told(driven, code, name, line):
    report = driven.code(code)
    if report["error"] is None:  # some magics print what is wrong
        assert line in report["stdout"] + report["stderr"]
        return
    assert report["error"]["name"] in (name, "OSError", "FileNotFoundError")
    assert line in report["error"]["traceback"]


def test_causes_are_told_before_what_they_caused(driven):
    code = "try:\n    {}['k']\nexcept KeyError as e:\n    raise ValueError('outer') from e"
    text = driven.code(code)["error"]["traceback"]
    assert text.index("KeyError: 'k'") < text.index("direct cause") < text.index("ValueError: outer")


def test_a_deep_recursion_is_told_quickly_and_short(driven):
    report = driven.code("def f(n):\n    return f(n + 1)\nf(0)")
    assert report["seconds"] < SOON
    assert report["error"]["name"] == "RecursionError"
    assert "return f(n + 1)" in report["error"]["traceback"]
    assert len(report["error"]["traceback"].encode()) <= 4096


@pytest.mark.parametrize("message", ["'猫' * 1_000_000", "'\\n'.join(['line'] * 10_000)", "'x ' * 1_000_000"])
def test_a_long_message_is_cut_and_the_exception_line_kept(driven, message):
    report = driven.code(f"def f(): raise ValueError({message})\nf()")
    text = report["error"]["traceback"]
    assert len(text.encode()) <= 4096
    assert "ValueError: " in text
    assert len(report["error"]["value"]) <= 4096


def test_an_exception_group_names_what_it_groups(driven):
    if driven.kernel.run("ExceptionGroup").errors:
        pytest.skip("exception groups came with Python 3.11")
    report = driven.code("raise ExceptionGroup('several', [ValueError('a'), TypeError('b')])")
    assert "ValueError: a" in report["error"]["traceback"]
    assert "TypeError: b" in report["error"]["traceback"]


def test_an_endless_str_of_an_exception_is_given_up(driven_by_await):
    report = driven_by_await.code(
        "class E(Exception):\n    def __str__(self):\n        while True: pass\nraise E"
    )
    assert report["error"]["name"] == "E"
    assert report["seconds"] < SOON


def test_the_person_can_look_at_the_last_exception(driven):
    driven.codes("1/0")
    assert driven.kernel.run("import sys; sys.last_value").values() == [
        "ZeroDivisionError('division by zero')"
    ]


def test_agent_code_is_told_from_the_persons_cells(driven):
    driven.kernel.run("def divide(a, b):\n    return a / b")
    first = driven.code("def f():\n\n    return divide(1, 0)\nf()")["error"]["traceback"]
    assert 'File "<agent code>", line 4, in <module>' in first
    assert 'File "<agent code>", line 3, in f' in first
    assert 'File "Cell' in first
    second = driven.code("x = 1\nf()")["error"]["traceback"]
    assert 'File "<agent code>", line 2, in <module>' in second
    assert 'File "<earlier agent code>", line 3, in f' in second
