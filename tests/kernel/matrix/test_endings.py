"""Rows 2, 7 and 9: exceptions of every kind, and code that ends itself."""

import pytest

from tests.kernel.matrix.case import BOTH, ON, case, fails, matrix, reads

pytestmark = pytest.mark.kernel

ERRORS = [
    case("an exception", fails("def f(): return 1 / 0\nf()"), how=BOTH, is_chosen=True),
    case("a syntax error", fails("x = = 3"), how=BOTH, is_chosen=True),
    case("an indentation error", fails("if True:\nprint(1)")),
    case("an unfinished string", fails("x = 'abc")),
    case("a null byte", fails("x = 'a\x00b'\ny = 1 +")),
    case("an unknown magic", fails("%no_such_magic")),
    case("an unknown cell magic", fails("%%no_such_magic\n1")),
    case(
        "a chain",
        fails("try:\n    {}['k']\nexcept KeyError as e:\n    raise ValueError('outer') from e"),
        is_chosen=True,
    ),
    case(
        "an endless chain",
        fails("a = ValueError('a'); b = ValueError('b'); a.__cause__ = b; b.__cause__ = a\nraise a"),
    ),
    case(
        "a chain of 500",
        fails(
            """
        def f(n):
            if n == 0: raise ValueError('first')
            try: f(n - 1)
            except ValueError: raise ValueError(str(n))
        f(300)
        """,
            None,
            "ValueError: 300",
        ),
    ),
    case(
        "a str that fails",
        fails("class E(Exception):\n    def __str__(self): raise RuntimeError\nraise E"),
        how=BOTH,
        is_chosen=True,
    ),
    case("a str that is no text", fails("class E(Exception):\n    def __str__(self): return 5\nraise E")),
    case("a str that exits", fails("class E(Exception):\n    def __str__(self): raise SystemExit\nraise E")),
    case(
        "a str without an end",
        fails("class E(Exception):\n    def __str__(self):\n        while True: pass\nraise E"),
        seconds=30,
    ),
    case(
        "an exception of 10 MB", fails("raise ValueError('x' * 10_000_000)", None, "ValueError: xxx", "xxx")
    ),
    case(
        "an exception of 100,000 lines",
        fails("raise ValueError('line\\n' * 100_000)", None, "ValueError: line", "line"),
    ),
    case("an exception with colours", fails("raise ValueError('\\x1b[31mred\\x1b[0m \\x00 \\ud800')")),
    case(
        "an exception with notes",
        fails(
            """
        e = ValueError('v')
        e.__notes__ = ['a note', 5]
        raise e
        """,
            None,
            "ValueError: v",
        ),
    ),
    case("a class that is no exception", fails("raise 5")),
    case(
        "an exception with a name that fails",
        fails(
            "class M(type):\n    @property\n    def __name__(self): raise RuntimeError\n    @property\n    def __module__(self): raise RuntimeError\nclass E(Exception, metaclass=M): pass\nraise E",
            None,
            "E",
        ),
    ),
    case("an exception without a traceback", fails("e = ValueError('kept')\nraise e.with_traceback(None)")),
    case(
        "a recursion",
        fails("def f(n): return f(n + 1)\nf(0)", None, "return f(n + 1)", "RecursionError"),
        how=BOTH,
        is_chosen=True,
        seconds=10,
    ),
    case(
        "a recursion of two",
        fails("def f(n): return g(n)\ndef g(n): return f(n + 1)\nf(0)", None, "RecursionError"),
        seconds=10,
    ),
    case(
        "a recursion in C",
        fails("import json\nx = []\nx.append(x)\njson.dumps(x)", None, "ValueError: Circular reference"),
    ),
    case("a deep expression", fails("eval('(' * 300 + ')' * 300)", None, "too many nested parentheses")),
    case("a failed assertion", fails("assert {'a': 1} == {'a': 2}, 'differs'")),
    case(
        "an error in a file that is run",
        reads("open('bad.py', 'w').write('x = 1\\n1/0\\n');"),
        fails("%run bad.py", None, "bad.py", "ZeroDivisionError: division by zero"),
        after="import os; os.remove('bad.py')",
    ),
    case("an error in a timed cell", fails("%%time\n1/0", None, "ZeroDivisionError: division by zero")),
    case("out of memory", fails("b'x' * (1 << 60)")),
    case("a broken import", fails("import no_such_module_here")),
    case(
        "a failed warning",
        fails(
            "import warnings\nwith warnings.catch_warnings():\n    warnings.simplefilter('error')\n    warnings.warn('now an error')"
        ),
    ),
    case("output before an error", fails("print('before')\n1/0")),
    case("an exception of asyncio", fails("import asyncio\nraise asyncio.CancelledError"), how=BOTH),
    case("StopIteration", fails("raise StopIteration(3)")),
    case("GeneratorExit", fails("raise GeneratorExit"), how=BOTH),
    case("a bare BaseException", fails("raise BaseException('bare')"), how=BOTH, is_chosen=True),
]

ENDS = "[The code ended itself here (exit); the kernel goes on.]"
EXITS = [
    case("exit", reads("exit()\nprint('never')", ENDS), ON, how=BOTH, is_chosen=True),
    case("quit", reads("quit()\nprint('never')", ENDS), ON),
    case("exit as a line", reads("exit"), ON),
    case(
        "sys.exit",
        reads("import sys; print('before'); sys.exit()\nprint('never')", f"before\n{ENDS}"),
        ON,
        how=BOTH,
        is_chosen=True,
    ),
    case("sys.exit(0)", reads("import sys; sys.exit(0)", ENDS), ON),
    case("sys.exit(3)", fails("import sys; sys.exit(3)"), ON, how=BOTH),
    case("sys.exit with a text", fails("import sys; sys.exit('no data')"), ON),
    case(
        "sys.exit in a thread",
        reads(
            "import threading, sys\nt = threading.Thread(target=sys.exit); t.start(); t.join(); print('here')",
            "here",
        ),
        ON,
    ),
    case("raise SystemExit", reads("raise SystemExit", ENDS), ON, is_chosen=True),
    case("raise KeyboardInterrupt", fails("raise KeyboardInterrupt"), ON, how=BOTH, is_chosen=True),
    case("KeyboardInterrupt in a function", fails("def f(): raise KeyboardInterrupt('by hand')\nf()"), ON),
    case("ask_exit", reads("get_ipython().ask_exit()\nprint('never')", ENDS), ON),
    case("shutdown asked for", reads("get_ipython().kernel.shell.exit_now"), ON),
    case(
        "a function at exit",
        reads("import atexit; f = atexit.register(print, 'at exit'); print('registered')", "registered"),
        ON,
        after="atexit.unregister(print)",
    ),
]


@matrix(ERRORS)
def test_an_error_is_data_and_nothing_red(check, case, how):
    check(case, how)


@matrix(EXITS)
def test_the_kernel_outlives_code_that_ends_itself(check, case, how):
    check(case, how)
