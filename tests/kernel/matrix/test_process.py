"""Rows 13 and 17: state of the whole process."""

import pytest

from tests.kernel.matrix.case import BOTH, ON, case, fails, matrix, reads

pytestmark = pytest.mark.kernel

HOME = "import os; os.chdir(kept)"
PROCESS = [
    case(
        "another folder",
        reads("import os; os.chdir('/'); os.getcwd()", "str '/'"),
        reads("open('/etc/hostname').close(); print('on')", "on"),
        before="import os; kept = os.getcwd()",
        after=HOME,
        is_chosen=True,
    ),
    case(
        "a folder that is gone",
        reads(
            "import os, tempfile; f = tempfile.mkdtemp(); os.chdir(f); os.rmdir(f); print('gone')",
            "gone\n[The working folder no longer exists.]",
        ),
        reads("print('on')", "on\n[The working folder no longer exists.]"),
        before="import os; kept = os.getcwd()",
        after=HOME,
        how=BOTH,
        is_chosen=True,
    ),
    case(
        "a folder that becomes a file",
        reads(
            "import os, tempfile; f = tempfile.mkdtemp(); os.chdir(f); os.rmdir(f); open(f, 'w').close(); print('file')",
            "file\n[The working folder no longer exists.]",
        ),
        reads("for i in range(20_000): print('long', i)", None, "Full output: "),
        before="import os; kept = os.getcwd()",
        after=HOME,
    ),
    case(
        "umask",
        reads("import os; before = os.umask(0); print('open')", "open"),
        reads("for i in range(20_000): print('long', i)", None, "Full output: "),
        after="import os; r = os.umask(before)",
    ),
    case(
        "umask of nothing",
        reads("import os; before = os.umask(0o777); print('closed')", "closed"),
        reads("for i in range(20_000): print('long', i)", None, "Full output: "),
        after="import os; r = os.umask(before)",
    ),
    case(
        "an alarm",
        reads(
            "import signal; signal.alarm(60); print('set')",
            "set\n[An alarm that the code had set was cleared.]",
        ),
        ON,
        how=BOTH,
        is_chosen=True,
    ),
    case(
        "an interval timer",
        reads(
            "import signal; r = signal.setitimer(signal.ITIMER_REAL, 60, 1); print('set')",
            "set\n[An alarm that the code had set was cleared.]",
        ),
        ON,
    ),
    case(
        "an alarm that is handled",
        reads(
            """
        import signal, time
        def late(*_): raise TimeoutError('rang')
        before = signal.signal(signal.SIGALRM, late)
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        try: time.sleep(9)
        except TimeoutError as error: print(error)
        r = signal.signal(signal.SIGALRM, before)
        """,
            "rang",
        ),
        ON,
        seconds=8,
    ),
    case(
        "interrupts ignored",
        reads(
            "import signal; r = signal.signal(signal.SIGINT, signal.SIG_IGN); print('deaf')",
            "deaf\n[The handler of interrupts was replaced by the code; put back.]",
        ),
        ON,
        how=BOTH,
        is_chosen=True,
    ),
    case(
        "interrupts handled by the code",
        reads(
            "import signal; r = signal.signal(signal.SIGINT, lambda *a: print('mine')); print('set')",
            "set\n[The handler of interrupts was replaced by the code; put back.]",
        ),
        ON,
    ),
    case(
        "interrupts blocked",
        reads(
            "import signal; r = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, signal.SIGTERM]); print('blocked')",
            "blocked\n[Signals that the code had blocked are let through again.]",
        ),
        ON,
        how=BOTH,
        is_chosen=True,
    ),
    case(
        "a low recursion limit",
        reads("import sys; sys.setrecursionlimit(120); print('low')"),
        reads("print('on')"),
        before="import sys; kept = sys.getrecursionlimit()",
        after="import sys; sys.setrecursionlimit(kept)",
    ),
    case(
        "a high recursion limit",
        reads(
            "import sys; sys.setrecursionlimit(50_000); print('high')",
            "high\n[The recursion limit is now 50000.]",
        ),
        ON,
        before="import sys; kept = sys.getrecursionlimit()",
        after="import sys; sys.setrecursionlimit(kept)",
        is_chosen=True,
    ),
    case(
        "a trace function",
        reads(
            "import sys; sys.settrace(lambda *a: None); print('traced')",
            "traced\n[The function of sys.settrace was replaced by the code; put back.]",
        ),
        ON,
        how=BOTH,
        is_chosen=True,
    ),
    case(
        "a profile function",
        reads(
            "import sys; sys.setprofile(lambda *a: None); print('profiled')",
            "profiled\n[The function of sys.setprofile was replaced by the code; put back.]",
        ),
        ON,
    ),
    case(
        "a trace function that fails",
        fails(
            "import sys\ndef bad(*a): raise ValueError('traced')\nsys.settrace(bad)",
            None,
            "ValueError: traced",
        ),
        ON,
    ),
    case(
        "an audit hook", reads("import sys; sys.addaudithook(lambda *a: None); print('hooked')", "hooked"), ON
    ),
    case(
        "garbage collection off",
        reads("import gc; gc.disable(); print('off')", "off"),
        ON,
        after="import gc; gc.enable()",
    ),
    case(
        "warnings as errors",
        reads("import warnings; warnings.simplefilter('error'); print('strict')", "strict"),
        ON,
        before="import warnings; kept = warnings.filters[:]",
        after="warnings.filters[:] = kept; warnings._filters_mutated()",
    ),
    case(
        "warnings without a way to show them",
        reads(
            "import warnings; kept = warnings.showwarning; warnings.showwarning = None; print('set')", "set"
        ),
        ON,
        after="warnings.showwarning = kept",
    ),
    case(
        "the locale",
        reads(
            "import locale; kept = locale.setlocale(locale.LC_ALL); r = locale.setlocale(locale.LC_ALL, 'C'); print('C')",
            "C",
        ),
        reads("print('é 猫')", "é 猫"),
        after="r = locale.setlocale(locale.LC_ALL, kept)",
    ),
    case(
        "sys.path emptied",
        reads("import sys; kept = sys.path[:]; sys.path.clear(); print('empty')", "empty"),
        ON,
        after="import sys; sys.path[:] = kept",
    ),
    case(
        "sys.argv and sys.modules' main",
        reads("import sys; kept = sys.argv; del sys.argv; print('gone')", "gone"),
        ON,
        after="import sys; sys.argv = kept",
    ),
    case(
        "environment emptied",
        reads("import os; kept = dict(os.environ); os.environ.clear(); print('empty')", "empty"),
        ON,
        after="import os; os.environ.update(kept)",
        is_chosen=True,
    ),
    case(
        "a random seed",
        reads(
            "import random; random.seed(1); a = random.random(); random.seed(1); a == random.random()", "True"
        ),
        ON,
    ),
    case(
        "a switch of threads that is rare",
        reads("import sys; kept = sys.getswitchinterval(); sys.setswitchinterval(1); print('rare')", "rare"),
        ON,
        after="import sys; sys.setswitchinterval(kept)",
    ),
    case(
        "threads' stacks of the least size",
        reads("import threading; r = threading.stack_size(32 * 1024); print('small')", "small"),
        ON,
        after="import threading; r = threading.stack_size(0)",
    ),
    case(
        "another matplotlib backend",
        reads(
            "import matplotlib; matplotlib.use('svg'); import matplotlib.pyplot as plt; p = plt.plot([1]); print('drawn')",
            None,
            "drawn",
        ),
        ON,
        after="import matplotlib.pyplot as plt; plt.close('all'); %matplotlib inline".replace("; %", "\n%"),
        seconds=60,
    ),
    case(
        "threads of the person's",
        reads(
            "import threading\nstop = threading.Event()\nt = threading.Thread(target=stop.wait, daemon=True); t.start(); print('begun')",
            "begun",
        ),
        ON,
        after="stop.set(); t.join()",
    ),
    case(
        "a thread that never ends its output",
        reads(
            "import threading, time\nstop = threading.Event()\ndef chat():\n    while not stop.wait(0.01): print('chat')\nt = threading.Thread(target=chat, daemon=True); t.start(); time.sleep(0.05); stop.set(); t.join()",
            None,
            "chat",
        ),
        ON,
    ),
    case(
        "a debugger's trace on all threads",
        reads("import threading; threading.settrace(None); print('on')", "on"),
        ON,
    ),
    case(
        "a limit on files' size",
        reads(
            "import resource; kept = resource.getrlimit(resource.RLIMIT_FSIZE); r = resource.setrlimit(resource.RLIMIT_FSIZE, (4_000_000, kept[1])); print('small')",
            "small",
        ),
        reads(
            "print('x' * 20_000_000)", None, "The first ", "the file could not be written (File too large)"
        ),
        after="import resource; resource.setrlimit(resource.RLIMIT_FSIZE, kept)",
    ),
]


@matrix(PROCESS)
def test_the_process_stays_usable(check, case, how):
    check(case, how)
