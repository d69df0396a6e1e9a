"""Row 8: code that ends the kernel. It is told of in the session, and nothing is run again."""

import json

import pytest

from tests.kernel.matrix.case import ON
from tests.kernel.matrix.harness import MatrixKernel

pytestmark = [pytest.mark.kernel, pytest.mark.timeout(300)]

LOST = "No result was recorded: the run or the kernel ended during this call. It may have run; it was not run again."
DEATHS = {
    "os._exit": "import os; os._exit(1)",
    "SIGKILL": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    "abort": "import os; os.abort()",
    "segmentation fault": "import ctypes; ctypes.string_at(0)",
    "stack overflow": "import sys; sys.setrecursionlimit(10**8)\nx = []\nfor _ in range(10**6): x = [x]\nrepr(x)",
}
_SHORT = ("SIGKILL", "segmentation fault")
_SOME = [
    pytest.param(code, id=name, marks=[] if name in _SHORT else [pytest.mark.soak])
    for name, code in DEATHS.items()
]


@pytest.fixture(scope="module")
def mortal(tmp_path_factory):
    kernel = MatrixKernel(tmp_path_factory.mktemp("mortal"))
    yield kernel
    kernel.close()


def die(mortal, code):
    """Let the agent run `code`, which ends the kernel; what the session holds then."""
    mortal.new_session()
    path = mortal.session_file
    marked = f"open('ran', 'a').write('x');\n{code}"
    mortal.kernel.run(f"script.say({marked!r})")
    mortal.kernel.client.execute("%%agent --auto\ngo")
    assert mortal.kernel.manager.provisioner.process.wait(60) != 0
    return path


def revive(mortal):
    mortal.kernel.manager.restart_kernel(now=True)
    mortal.kernel.client.wait_for_ready(timeout=60)
    mortal.load()


@pytest.mark.parametrize("code", _SOME)
def test_a_call_that_ends_the_kernel_is_on_disk_and_not_run_again(mortal, code):
    path = die(mortal, code)
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    calls = [part for line in lines for part in _parts(line) if part.get("type") == "toolCall"]
    assert code in calls[-1]["arguments"]["code"]
    revive(mortal)
    resumed = mortal.kernel.run(f"%agent resume {path.stem.rpartition('_')[2]}")
    assert resumed.errors == []
    mortal.session_is(path)
    _, said = mortal.run_calls(ON.code, how="awaited")
    assert [(told.text, told.is_error) for told in said] == [(LOST, True), ("on", False)]
    assert (mortal.folder / "ran").read_text() == "x"
    (mortal.folder / "ran").unlink()


def _parts(line):
    content = (line.get("message") or {}).get("content")
    return content if isinstance(content, list) else []


@pytest.mark.soak
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("code", DEATHS.values(), ids=DEATHS.keys())
def test_a_kernel_that_dies_20_times_loses_nothing_of_the_session(mortal, code):
    for _ in range(20):
        test_a_call_that_ends_the_kernel_is_on_disk_and_not_run_again(mortal, code)
