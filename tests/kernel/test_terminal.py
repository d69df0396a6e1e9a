"""A terminal's shell: no kernel, no streams of a kernel, descriptors that are the terminal's."""

import json
import os
import subprocess
import sys

import pytest

from tests.kernel.client import ROOT

pytestmark = pytest.mark.kernel

SCRIPT = """
import json, sys
from IPython.terminal.interactiveshell import TerminalInteractiveShell
shell = TerminalInteractiveShell.instance()
shell.history_manager.enabled = False
import tests.kernel.driver as driver
driver.tell = lambda outcome: print('REPORT' + json.dumps(outcome, default=repr))
driver.load_demo()
shell.run_cell(sys.argv[1])
print('running', shell.keep_running)
"""


def run(cell):
    python = os.environ.get("PI_NOTEBOOK_TEST_PYTHON", sys.executable)
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "dumb"}
    env.pop("PYTEST_CURRENT_TEST", None)
    done = subprocess.run(
        [python, "-c", SCRIPT, cell], capture_output=True, text=True, env=env, timeout=60, check=True,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    reports = [line for line in done.stdout.splitlines() if line.startswith("REPORT")]
    assert "running True" in done.stdout
    assert reports, done.stderr
    how, report = json.loads(reports[0].removeprefix("REPORT"))
    return how, report, done.stdout


def test_output_of_all_ways_is_captured():
    code = (
        "%%demo\nimport os, sys\nprint('print')\nr = os.system('echo child')\nr = os.write(2, b'error\\n')\n"
        "sys.stdout.buffer.write(b'bytes\\n')\nsys.stdout.flush()\n!echo shell"
    )
    how, report, shown = run(code)
    assert how == "awaited"
    assert report["stdout"] == "print\nchild\nbytes\nshell\n"
    assert report["stderr"] == "error\n"
    assert "\nchild\n" not in shown


def test_a_display_is_shown_once_and_is_no_text_of_the_code():
    _, report, shown = run("%%demo\nfrom IPython.display import display\ndisplay({'a': 1})\nprint('text')")
    assert [item[0] for item in report["items"]] == ["display", "stdout"]
    assert shown.startswith("{'a': 1}\n")


@pytest.mark.parametrize("code", ["exit()", "input('x')", "import sys; sys.stdout.close()", "1/0"])
def test_the_shell_survives_what_the_code_does(code):
    assert run(f"%%demo\n{code}")[1]["status"] in ("ok", "error")


def test_an_await_works_in_a_cell_that_cannot_await():
    how, report, _ = run("%%time\n%%demo\nimport asyncio\nawait asyncio.sleep(0.01)\n6 * 7")
    assert (how, report["data"]["text/plain"]) == ("blocking", "42")
