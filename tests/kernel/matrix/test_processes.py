"""Row 10: forks, pools, and children that hold what they were given."""

import pytest

from tests.kernel.matrix.case import BOTH, ON, case, fails, matrix, reads

pytestmark = pytest.mark.kernel

LET_GO = """
import gc
from multiprocessing import forkserver, resource_tracker
for name in ("pool", "p"): globals().pop(name, None)
r = gc.collect(), forkserver._forkserver._stop(), resource_tracker._resource_tracker._stop()
"""
FORK = (
    "import os\npid = os.fork()\nif pid == 0:\n    {child}\nos.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])"
)


def fork(id, child, *said, **fields):
    """A case whose child does this, and whose value is the child's status."""
    return case(id, reads(FORK.format(child=child), *said), ON, **fields)


FORKS = [
    case(
        "a child falls through",
        reads(
            """
        import os
        pid = os.fork()
        print('child' if pid == 0 else os.waitpid(pid, 0)[1])
        """,
            "child\n0",
        ),
        ON,
        how=BOTH,
        is_chosen=True,
    ),
    fork("a child exits", "import sys; sys.exit(3)", "3", how=BOTH, is_chosen=True),
    fork("a child ends hard", "os._exit(4)", "4"),
    fork("a child fails", "1/0", None, "ZeroDivisionError: division by zero", "1", how=BOTH),
    fork("a child is interrupted", "raise KeyboardInterrupt", None, "KeyboardInterrupt", "1"),
    fork("a child is killed", "import signal; os.kill(os.getpid(), signal.SIGKILL)", "-9"),
    fork(
        "a child displays",
        "from IPython.display import display; display({'from': 'child'}); os._exit(0)",
        None,
        "{'from': 'child'}",
        "0",
    ),
    fork("a child writes past Python", "os.system('echo grandchild'); os._exit(0)", "grandchild\n0"),
    fork(
        "a child runs another program",
        "os.execvp('echo', ['echo', 'other program'])",
        "other program\n0",
        is_chosen=True,
    ),
    fork("a child closes everything", "os.closerange(0, 1000); os._exit(5)", "5"),
    fork("a child asks", "input('name?')", None, "input() is not available", "1"),
    fork(
        "a child prompts the agent",
        "get_ipython().run_cell_magic('agent', '--auto', 'go')",
        None,
        "SessionBusyError",
        "1",
    ),
    case(
        "a child before an await",
        reads(
            """
        import asyncio, os
        pid = os.fork()
        await asyncio.sleep(0.01)
        print('once')
        r = os.waitpid(pid, 0)
        """,
            None,
            "once",
            without=("once\nonce",),
        ),
        ON,
        how=BOTH,
        is_chosen=True,
    ),
    case(
        "a child of a child",
        reads(
            """
        import os
        def tree(n):
            if n and (pid := os.fork()): return os.waitpid(pid, 0)[1]
            if n: print('level', n); tree(n - 1); os._exit(0)
        tree(3)
        """,
            "level 3\nlevel 2\nlevel 1\n0",
        ),
        ON,
    ),
    case(
        "ten children",
        reads(
            """
        import os
        pids = []
        for i in range(10):
            pid = os.fork()
            if pid == 0: os._exit(i)
            pids.append(pid)
        sum(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids)
        """,
            "45",
        ),
        ON,
    ),
    case(
        "a child in a function of the person's",
        reads("forked()", "7"),
        ON,
        before="import os\ndef forked():\n    pid = os.fork()\n    if pid == 0: raise SystemExit(7)\n    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])",
    ),
    case(
        "a child in a representation",
        reads(
            """
        import os
        class Forks:
            def __repr__(self):
                pid = os.fork()
                if pid: os.waitpid(pid, 0)
                return 'parent' if pid else 'child'
        Forks()
        """,
            "Forks: parent",
        ),
        ON,
        how=BOTH,
    ),
    case(
        "a child in the text of an exception",
        fails(
            """
        import os
        class E(Exception):
            def __str__(self):
                pid = os.fork()
                if pid: os.waitpid(pid, 0)
                return 'parent' if pid else 'child'
        raise E
        """,
            None,
            "E: parent",
        ),
        ON,
    ),
    case(
        "a child in a thread",
        reads(
            """
        import os, threading
        def work():
            pid = os.fork()
            if pid == 0: os._exit(6)
            print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        t = threading.Thread(target=work); t.start(); t.join()
        """,
            "6",
        ),
        ON,
    ),
    case(
        "a terminal of its own",
        reads(
            """
        import os, pty
        pid, end = pty.fork()
        if pid == 0: os.execvp('echo', ['echo', 'in a terminal'])
        text = os.read(end, 100); os.close(end); r = os.waitpid(pid, 0)
        text.strip()
        """,
            None,
            "in a terminal",
        ),
        ON,
    ),
]

POOL = """
import multiprocessing
with multiprocessing.get_context({how!r}).Pool(2) as pool:
    print(pool.map(abs, [-1, -2, -3]))
    pool.close(); pool.join()
"""

CHILDREN = [
    case(
        "a pool by fork",
        reads(POOL.format(how="fork"), "[1, 2, 3]"),
        ON,
        how=BOTH,
        is_chosen=True,
        after=LET_GO,
    ),
    case("a pool by spawn", reads(POOL.format(how="spawn"), "[1, 2, 3]"), ON, seconds=60, after=LET_GO),
    case(
        "a pool by forkserver",
        reads(POOL.format(how="forkserver"), "[1, 2, 3]"),
        ON,
        seconds=60,
        after=LET_GO,
    ),
    case(
        "a process that prints and fails",
        reads(
            """
        import multiprocessing
        def work(): print('worker'); 1/0
        p = multiprocessing.get_context('fork').Process(target=work); p.start(); p.join()
        p.exitcode
        """,
            None,
            "worker",
            "ZeroDivisionError: division by zero",
            "1",
        ),
        ON,
        after=LET_GO,
    ),
    case(
        "an executor of processes",
        reads(
            """
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor
        with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context('fork')) as pool:
            print(list(pool.map(abs, [-1, -2])))
        """,
            "[1, 2]",
        ),
        ON,
    ),
    case(
        "an executor whose worker dies",
        fails(
            """
        import multiprocessing, os
        from concurrent.futures import ProcessPoolExecutor
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context('fork')) as pool:
            pool.submit(os._exit, 1).result()
        """,
            None,
            "BrokenProcessPool",
        ),
        ON,
    ),
    case(
        "an executor of threads",
        reads(
            """
        from concurrent.futures import ThreadPoolExecutor
        with ThreadPoolExecutor(4) as pool:
            print(sum(pool.map(lambda i: i * 2, range(100))))
        """,
            "9900",
        ),
        ON,
        how=BOTH,
        is_chosen=True,
    ),
    case(
        "a child that lives on",
        reads(
            """
        import subprocess
        p = subprocess.Popen(['sleep', '30']); print('started')
        """,
            "started",
        ),
        ON,
        after="p.kill(); r = p.wait()",
        seconds=10,
        how=BOTH,
        is_chosen=True,
    ),
    case(
        "a child that holds the streams and is silent",
        reads("import os; r = os.system('sleep 30 & echo $! > pid; echo started')", "started"),
        ON,
        after="import os; os.kill(int(open('pid').read()), 9); os.remove('pid')",
        seconds=10,
    ),
    case(
        "a child that reads its input",
        reads("import subprocess; subprocess.run(['cat']).returncode", "0"),
        ON,
        seconds=10,
    ),
    case("a shell line that reads its input", reads("!cat", "(no output)"), ON, seconds=10),
    case(
        "a program that is not there",
        fails(
            "import subprocess; subprocess.run(['no-such-program'])",
            None,
            "FileNotFoundError",
            "no-such-program",
        ),
        ON,
    ),
    case(
        "a child over its time",
        fails("import subprocess; subprocess.run(['sleep', '30'], timeout=0.2)", None, "TimeoutExpired"),
        ON,
        seconds=10,
    ),
]


@matrix(FORKS)
def test_a_forked_child_never_goes_on_with_the_run(check, case, how):
    check(case, how)


@matrix(CHILDREN)
def test_children_work_and_hold_nothing_up(check, case, how):
    check(case, how)
