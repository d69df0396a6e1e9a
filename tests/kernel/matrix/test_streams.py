"""Rows 1, 5 and 6: what is written past Python's streams, and what is done to streams and descriptors."""

import pytest

from tests.kernel.matrix.case import BOTH, ON, case, fails, matrix, reads

pytestmark = pytest.mark.kernel

STDOUT_BACK = "[sys.stdout was replaced by the code; put back.]"
CLOSED = "[sys.stdout.close() was ignored; the stream stays open.]"

WRITTEN = [
    case(
        "subprocess",
        reads("import subprocess; r = subprocess.run(['echo', 'child'])", "child"),
        how=BOTH,
        is_chosen=True,
    ),
    case(
        "os.write to both",
        reads("import os; r = os.write(1, b'one\\n') + os.write(2, b'two\\n')", "one\ntwo"),
        how=BOTH,
        is_chosen=True,
    ),
    case(
        "os.system", reads("import os; r = os.system('echo out; echo err >&2; exit 3'); r", "out\nerr\n768")
    ),
    case(
        "C printf",
        reads("import ctypes; r = ctypes.CDLL(None).printf(b'%d from C\\n', 7)", "7 from C"),
        is_chosen=True,
    ),
    case(
        "C puts before print",
        reads(
            """
        import ctypes
        libc = ctypes.CDLL(None)
        r = libc.puts(b'from C'); r = libc.fflush(None)
        print('from Python')
        """,
            "from C\nfrom Python",
        ),
    ),
    case("C perror", reads("import ctypes; ctypes.CDLL(None).perror(b'why')", None, "why: ")),
    case("a shell line", reads("!echo one; echo two >&2", "one\ntwo")),
    case("a shell line's value", reads("lines = !echo one; echo two\nlines", "SList(['one', 'two'])")),
    case("a bash cell", reads("%%bash\necho one\necho two >&2", "one\ntwo")),
    case(
        "a bash cell that fails",
        reads("%%bash\necho one\nexit 4", None, "one", "CalledProcessError", "exit status 4", is_error=True),
    ),
    case(
        "a grandchild",
        reads("import os; r = os.system('sh -c \"sh -c \\'echo grandchild\\'\"')", "grandchild"),
    ),
    case(
        "a python child",
        reads(
            "import subprocess, sys; r = subprocess.run([sys.executable, '-c', 'print(1); 1/0'])",
            None,
            "1\nTraceback",
            "ZeroDivisionError: division by zero",
        ),
    ),
    case(
        "a child given our streams",
        reads(
            """
        import subprocess, sys
        r = subprocess.run('echo out; echo err >&2', shell=True, stdout=sys.stdout, stderr=sys.stderr)
        """,
            "out\nerr",
        ),
    ),
    case(
        "a child with its output taken",
        reads("import subprocess; subprocess.check_output(['echo', 'mine'])", "bytes, 5 bytes: b'mine\\n'"),
    ),
    case(
        "bytes through the buffer",
        reads(
            """
        import sys
        try: sys.stdout.buffer.write(b'bytes')
        except AttributeError: print('no buffer here')
        """,
            "no buffer here",
        ),
    ),
    case(
        "the first standard streams",
        reads("import sys; r = sys.__stdout__.write('kept\\n'); sys.__stdout__.flush()", "kept"),
    ),
    case(
        "faulthandler",
        reads(
            "import faulthandler, sys; faulthandler.dump_traceback(all_threads=False)",
            None,
            "most recent call first",
            "in <module>",
        ),
    ),
    case(
        "stdout in a thread",
        reads(
            """
        import threading
        threads = [threading.Thread(target=print, args=(i,)) for i in range(3)]
        for t in threads: t.start(); t.join()
        """,
            "0\n1\n2",
        ),
        how=BOTH,
    ),
    case(
        "an error in a thread",
        reads(
            """
        import threading
        t = threading.Thread(target=lambda: 1/0, name='worker'); t.start(); t.join()
        """,
            None,
            "Exception in thread worker",
            "ZeroDivisionError: division by zero",
        ),
    ),
    case(
        "an error in a destructor",
        reads(
            """
        class Bad:
            def __del__(self): raise ValueError('in __del__')
        Bad(); print('on')
        """,
            None,
            "Exception ignored",
            "ValueError: in __del__",
        ),
    ),
    case("logging", reads("import logging; logging.getLogger('a.b').error('logged')", "logged")),
    case("a warning", reads("import warnings; warnings.warn('careful')", None, "UserWarning: careful")),
]

DAMAGED = [
    case(
        "stdout closed",
        reads("import sys; sys.stdout.close(); print('still')", f"still\n{CLOSED}"),
        ON,
        how=BOTH,
        is_chosen=True,
    ),
    case(
        "stdout closed by with",
        reads("import sys\nwith sys.stdout: print('in')\nprint('still')", f"in\nstill\n{CLOSED}"),
    ),
    case(
        "stdout None",
        reads("import sys; sys.stdout = None; print('lost')", STDOUT_BACK),
        ON,
        how=BOTH,
        is_chosen=True,
    ),
    case(
        "stdout a file",
        reads("import sys; sys.stdout = open('/dev/null', 'w'); print('lost')", STDOUT_BACK),
        ON,
        how=BOTH,
        after="import gc; gc.collect()",
    ),
    case(
        "stdout a StringIO",
        reads("import io, sys; sys.stdout = taken = io.StringIO(); print('taken')", STDOUT_BACK),
        reads("taken.getvalue()", "str 'taken\\n'"),
    ),
    case(
        "stdout deleted",
        fails("import sys; print('first'); del sys.stdout"),
        ON,
        how=BOTH,
    ),
    case(
        "stderr closed and deleted",
        reads(
            "import sys; sys.stderr.close(); del sys.stderr",
            None,
            "[sys.stderr.close() was ignored",
            "[sys.stderr was replaced by the code; put back.]",
        ),
        reads("import sys; print('on', file=sys.stderr)", "on"),
    ),
    case(
        "stdout an object that fails",
        reads(
            """
        import sys
        class Bad:
            def write(self, text): raise OSError('no')
        sys.stdout = Bad()
        print('x')
        """,
            None,
            "OSError: no",
            STDOUT_BACK,
            is_error=True,
        ),
        ON,
        is_chosen=True,
    ),
    case(
        "write replaced on stdout",
        reads("import sys; sys.stdout.write = lambda text: 1/0"),
        ON,
    ),
    case(
        "stdin closed and deleted",
        reads("import sys; sys.stdin.close(); del sys.stdin"),
        reads("import sys; sys.stdin.read()", "str ''"),
    ),
    case(
        "the first streams closed",
        reads(
            "import sys; sys.__stdout__.close()\nimport os; r = os.system('echo child'); print('on')",
            None,
            "on",
        ),
        ON,
    ),
    case(
        "the first streams None",
        reads(
            "import sys; kept = sys.__stdout__, sys.__stderr__; sys.__stdout__ = sys.__stderr__ = None; print('on')",
            "on",
        ),
        after="import sys; sys.__stdout__, sys.__stderr__ = kept",
    ),
    case("displayhook None", fails("import sys; sys.displayhook = None\n7"), reads("8", "8"), is_chosen=True),
    case("displayhook that fails", fails("import sys; sys.displayhook = lambda v: 1/0\n7"), reads("8", "8")),
    case(
        "excepthook replaced",
        reads(
            "import sys; sys.excepthook = lambda *a: print('mine')\n1/0",
            None,
            "ZeroDivisionError",
            is_error=True,
        ),
        reads("8", "8"),
    ),
    case("excepthook deleted", reads("import sys; del sys.excepthook"), reads("8", "8")),
    case(
        "threading excepthook replaced",
        reads("import threading; threading.excepthook = None"),
        reads("8", "8"),
    ),
    case(
        "a custom exception hook",
        fails("""
        get_ipython().set_custom_exc((ValueError,), lambda *a, **k: print('custom'))
        raise ValueError('v')
        """),
        after="get_ipython().set_custom_exc((), None)",
    ),
    case(
        "a custom exception hook that fails",
        fails(
            """
        get_ipython().set_custom_exc((ValueError,), lambda *a, **k: 1/0)
        raise ValueError('v')
        """,
            None,
            "Custom TB Handler failed, unregistering",
            'Traceback (most recent call last):\n  File "<agent code>", line 2',
            "ValueError: v",
        ),
        after="get_ipython().set_custom_exc((), None)",
    ),
    case("showtraceback replaced", fails("get_ipython().showtraceback = lambda *a, **k: 1/0\n{}['k']")),
    case(
        "descriptor 1 closed",
        reads("import os; os.close(1); print('still'); r = os.system('echo child')"),
        ON,
        how=BOTH,
        is_chosen=True,
    ),
    case("descriptor 2 closed", reads("import os; os.close(2); os.write(2, b'x')"), ON),
    case(
        "descriptors 1 and 2 to a file",
        reads(
            "import os; f = os.open('/dev/null', 1); os.dup2(f, 1); os.dup2(f, 2); os.close(f); print('still')"
        ),
        reads("import os; r = os.system('echo on')", "on"),
        how=BOTH,
        is_chosen=True,
    ),
    case(
        "descriptors 1 and 2 exchanged",
        reads("import os; k = os.dup(1); os.dup2(2, 1); os.dup2(k, 2); os.close(k)"),
        reads("import os; r = os.system('echo on')", "on"),
    ),
    case("descriptor 0 closed", reads("import os; os.close(0); print('still')"), ON),
    case(
        "all descriptors closed by range",
        reads("import os; os.closerange(3, 1000); print('still')"),
        ON,
        how=BOTH,
        is_chosen=True,
    ),
    case(
        "no descriptors left",
        reads("""
            import os, resource
            before = resource.getrlimit(resource.RLIMIT_NOFILE)
            resource.setrlimit(resource.RLIMIT_NOFILE, (max(map(int, os.listdir('/proc/self/fd'))) + 1, before[1]))
            held = []
            try:
                while True: held.append(os.dup(0))
            except OSError: print('none left')
        """),
        reads("print('on')"),
        after="import os, resource; [os.close(n) for n in held]; resource.setrlimit(resource.RLIMIT_NOFILE, before)",
    ),
    case(
        "the kernel's own stream closed",
        reads("kept.close(); print('still')"),
        before="import sys; kept = sys.stdout",
        how=BOTH,
    ),
    case(
        "the display publisher broken while the run is drawn",
        reads(
            "import time\nget_ipython().display_pub.publish = None\nfor i in range(4): print(i); time.sleep(0.2)",
            "0\n1\n2\n3",
        ),
        ON,
        how=BOTH,
        is_chosen=True,
    ),
    case(
        "the session file's descriptors closed",
        reads(
            """
            import os
            session = [n for n in map(int, os.listdir('/proc/self/fd')) if os.path.exists(p := f'/proc/self/fd/{n}') and os.readlink(p).endswith('.jsonl')]
            for n in session: os.close(n)
            print('closed', len(session) > 0)
            """,
            "closed True",
        ),
        ON,
        how=BOTH,
        is_chosen=True,
    ),
    case(
        "the display publisher replaced",
        reads("get_ipython().display_pub.publish = None\nfrom IPython.display import display; print('on')"),
        reads("from IPython.display import display; display(1)", "1"),
    ),
]


@matrix(WRITTEN)
def test_whatever_is_written_is_read(check, case, how):
    check(case, how)


@matrix(DAMAGED)
def test_what_is_damaged_is_mended(check, case, how):
    check(case, how)
