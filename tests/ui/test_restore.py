"""The ledger as a person sees it, and a session's variables after a restart of the kernel."""

import pytest

from tests.kernel.client import Kernel
from tests.provider import Provider, calls, text

pytestmark = pytest.mark.kernel


@pytest.fixture(scope="module")
def provider():
    with Provider() as provider:
        yield provider


@pytest.fixture
def started(provider, tmp_path):
    """Starts a kernel, each time on the same folder and the same sessions."""
    folder = tmp_path / "folder"
    folder.mkdir()
    env = {
        "PI_NOTEBOOK_HOME": str(tmp_path / "home"),
        "PI_NOTEBOOK_MODEL": "openai/test",
        "OPENAI_API_KEY": "sk-test-0123456789",
        "OPENAI_API_BASE": provider.base_url,
    }
    kernels = []

    def start():
        for kernel in kernels:
            kernel.close()
        kernels[:] = [Kernel(env=env, cwd=folder)]
        kernels[0].run("%load_ext pi_notebook")
        return kernels[0]

    yield start
    for kernel in kernels:
        kernel.close()


def shown(execution):
    assert not execution.errors, execution.errors
    return "\n".join(execution.values())


FRAME = """
import pandas as pd
frame = pd.DataFrame({"n": range(500)}, index=pd.Index([f"r{i}" for i in range(500)], name="key"))
frame
"""


def ask(kernel, provider, *codes):
    provider.script(calls(*(("run_code", {"code": code}) for code in codes)), text("done"))
    execution = kernel.run("%%agent --auto\ngo")
    assert not execution.errors
    return execution


def test_a_restarted_kernel_gets_its_frames_from_files_and_the_rest_by_the_recorded_cells(
    started, provider, tmp_path
):
    pytest.importorskip("pyarrow")
    kernel = started()
    assert "touched no file" in shown(kernel.run("%agent ledger"))
    ask(
        kernel,
        provider,
        FRAME,
        "limit = 3\nopen('out.txt', 'w').write('x')",
        "small = frame.head(limit)\nimport subprocess\nsubprocess.run('echo 1 > child.txt', shell=True)",
        "gone = 1\n1 / 0",
    )
    ledger = shown(kernel.run("%agent ledger"))
    for expected in ("out.txt", "child.txt", "child processes or native code", "limit", "500 x 1", "pandas"):
        assert expected in ledger
    assert "%agent restore" not in ledger

    kernel = started()
    kernel.run("limit = 99")
    shown(kernel.run("%agent resume"))
    assert "no: %agent restore" in shown(kernel.run("%agent ledger"))
    asked = kernel.run("%agent restore", answers=["y"])
    table = shown(asked)
    assert "loaded from its file" in table
    assert "made again by the session's cells" in table
    assert "cells were run again" in table
    seen = kernel.run("frame.shape, frame.index.name, small.shape, limit").values()
    assert seen == ["((500, 1), 'key', (3, 1), 99)"]  # as it was, and the person's own limit as it is
    kernel.check_health()


def test_where_nobody_can_be_asked_frames_are_loaded_and_no_cell_is_run(started, provider):
    pytest.importorskip("pyarrow")
    kernel = started()
    ask(kernel, provider, FRAME, "limit = 3\nopen('out.txt', 'a').write('x')")
    kernel = started()
    shown(kernel.run("%agent resume"))
    table = shown(kernel.run("%agent restore"))
    assert "Nobody can be asked here" in table
    assert "still lost" in table
    assert kernel.run("len(frame), 'limit' in globals(), open('out.txt').read()").values() == [
        "(500, False, 'x')"
    ]
    assert "Not run again: 1 cell." in shown(kernel.run("%agent restore", answers=["n"]))
    assert kernel.run("'limit' in globals()").values() == ["False"]
    assert "1 of the session's cells" in shown(kernel.run("%agent restore", answers=["yes"]))
    assert kernel.run("limit").values() == ["3"]
    assert "Nothing is lost" in shown(kernel.run("%agent restore"))
    kernel.check_health()


def test_a_cell_that_fails_again_ends_the_restoring_and_is_named(started, provider, tmp_path):
    (tmp_path / "folder" / "in.txt").write_text("7")
    kernel = started()
    ask(kernel, provider, "first = 1", "second = int(open('in.txt').read()) + first", "third = second")
    (tmp_path / "folder" / "in.txt").unlink()
    kernel = started()
    shown(kernel.run("%agent resume"))
    table = shown(kernel.run("%agent restore", answers=["y"]))
    assert "Cell 2 of 3 failed (FileNotFoundError" in table
    assert kernel.run("first, 'second' in globals()").values() == ["(1, False)"]
    kernel.check_health()
