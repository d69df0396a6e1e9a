"""Row 14: code that waits for a person."""

import pytest

from tests.kernel.matrix.case import BOTH, ON, case, fails, matrix, reads

pytestmark = pytest.mark.kernel

INPUT = "input() is not available to code run by the agent: nobody can answer while it runs. Ask in your reply, or set the value in the code."
DEBUGGER = "A debugger is not available to code run by the agent: nobody can use it while the code runs. Print what you need to see."

REFUSED = [
    case(
        "input",
        fails("input('name?')", None, f"StdinNotImplementedError: {INPUT}"),
        ON,
        how=BOTH,
        is_chosen=True,
        seconds=10,
    ),
    case(
        "getpass",
        fails("import getpass; getpass.getpass()", None, "getpass() is not available"),
        ON,
        how=BOTH,
        is_chosen=True,
        seconds=10,
    ),
    case(
        "the kernel's own prompt",
        fails("get_ipython().kernel.raw_input('name?')", None, "StdinNotImplementedError"),
        ON,
        seconds=10,
    ),
    case(
        "breakpoint",
        fails("breakpoint()", None, f"RuntimeError: {DEBUGGER}"),
        ON,
        how=BOTH,
        is_chosen=True,
        seconds=10,
    ),
    case(
        "pdb.set_trace",
        fails("import pdb; pdb.set_trace()", None, f"RuntimeError: {DEBUGGER}"),
        ON,
        is_chosen=True,
        seconds=10,
    ),
    case(
        "pdb.post_mortem",
        fails("try: 1/0\nexcept ZeroDivisionError:\n    import pdb; pdb.post_mortem()", None, DEBUGGER),
        ON,
        seconds=10,
    ),
    case(
        "IPython's set_trace",
        fails("from IPython.core.debugger import set_trace; set_trace()", None, DEBUGGER),
        ON,
        seconds=10,
    ),
    case(
        "%debug",
        fails("1/0", None, "ZeroDivisionError"),
        fails("%debug", None, DEBUGGER),
        ON,
        seconds=10,
        is_chosen=True,
    ),
    case(
        "%pdb",
        reads("%pdb on", None, "Automatic pdb calling has been turned ON"),
        fails("1/0", None, "ZeroDivisionError"),
        ON,
        seconds=10,
        after="%pdb off",
    ),
    case(
        "%run -d",
        reads("open('one.py', 'w').write('x = 1\\n');"),
        reads("%run -d one.py", None, DEBUGGER),
        ON,
        seconds=10,
        after="import os; os.remove('one.py')",
    ),
    case(
        "stdin read",
        reads("import sys; sys.stdin.read()", "str ''"),
        reads("import sys; sys.stdin.readline()", "str ''"),
        ON,
        seconds=10,
    ),
    case(
        "input in a thread",
        reads(
            "import threading\nt = threading.Thread(target=input); t.start(); t.join(5); t.is_alive()",
            None,
            "input() is not available",
            "False",
        ),
        ON,
        seconds=10,
    ),
    case(
        "input caught and asked again",
        reads(
            """
        for _ in range(1000):
            try: input()
            except Exception: pass
        print('through')
        """,
            None,
            "through",
            "[input() was refused: ",
        ),
        ON,
        seconds=10,
    ),
    case("a help page", reads("len?", None, "Return the number of items"), ON, seconds=10),
    case("the help function", reads("help(len)", None, "Return the number of items"), ON, seconds=10),
    case("help without a subject", fails("help()", None, "Welcome to Python", INPUT), ON, seconds=10),
    case("a confirmation of IPython", reads("%reset_selective nothing_like_this"), ON, seconds=10),
    case(
        "a license to page through",
        fails("license()", None, "A. HISTORY OF THE SOFTWARE", INPUT),
        ON,
        seconds=10,
    ),
    case(
        "select on stdin",
        fails(
            "import select, sys; select.select([sys.stdin], [], [], 0.1)",
            None,
            "io.UnsupportedOperation: fileno",
        ),
        ON,
        seconds=10,
    ),
    case(
        "a termios call",
        fails("import termios, sys; termios.tcgetattr(sys.stdin)", None, "io.UnsupportedOperation: fileno"),
        ON,
        seconds=10,
    ),
]


@matrix(REFUSED)
def test_what_waits_for_a_person_is_refused_at_once(check, case, how):
    check(case, how)
