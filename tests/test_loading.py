"""Parts of the package are loaded late, by several threads at once."""

import subprocess
import sys

import pytest

RACE = """
import sys, threading, time

class Slow:
    # Lets other threads come in between any two modules.

    def find_spec(self, name, path=None, target=None):
        if name.startswith("pi_notebook."):
            time.sleep(0.002)

sys.meta_path.insert(0, Slow())
import pi_notebook.ui.extension as extension
from pathlib import Path
from IPython.core.interactiveshell import InteractiveShell
from pi_notebook.ui.magics import AgentMagics

shell = InteractiveShell.instance()
magics, failures, start = AgentMagics(shell), [], threading.Barrier(4)

def attempt(work):
    start.wait()
    try:
        work()
    except BaseException as error:
        failures.append(repr(error))

def public():
    import pi_notebook
    return [getattr(pi_notebook, name) for name in pi_notebook.__all__]

warm = lambda: extension._warm(Path.cwd())
jobs = [lambda: magics.cells, lambda: magics.complete("%agent se"), warm, public]
threads = [threading.Thread(target=attempt, args=(job,)) for job in jobs]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(failures)
"""


@pytest.mark.parametrize("attempt", range(5))
def test_threads_that_load_the_package_at_once_all_get_it_whole(attempt):
    done = subprocess.run([sys.executable, "-c", RACE], capture_output=True, text=True, timeout=100)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr
