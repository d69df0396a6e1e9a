"""Gigabytes of output, and children for which there is no memory."""

import re
from pathlib import Path

import pytest

from tests.kernel.matrix.case import ON, fails, reads
from tests.kernel.matrix.harness import MatrixKernel, spill_files

pytestmark = [pytest.mark.soak, pytest.mark.kernel, pytest.mark.timeout(1800)]

MB = 1_000_000
MAX_GROWTH_BYTES = 64 * MB
QUOTA_BYTES = 256 << 20
FLOODS = {
    "printed lines": "for i in range(10_000_000): print('x' * 99)",
    "printed in pieces of 10 MB": "for i in range(100): print('x' * 10_000_000)",
    "written by a child": "!head -c 1000000000 /dev/zero | tr '\\0' x | fold -w 99",
    "written by C code": """
        import ctypes
        libc = ctypes.CDLL(None)
        for i in range(10_000_000): r = libc.puts(b'x' * 99)
        """,
    "written by threads": """
        import threading
        def flood():
            for i in range(1_000_000): print('x' * 99)
        threads = [threading.Thread(target=flood) for i in range(10)]
        for t in threads: t.start()
        for t in threads: t.join()
        """,
}


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    kernel = MatrixKernel(tmp_path_factory.mktemp("floods"))
    yield kernel
    kernel.close()


def peak_bytes(kernel: MatrixKernel) -> int:
    status = Path(f"/proc/{kernel.kernel.pid}/status").read_text()
    return 1024 * int(re.search(r"VmHWM:\s+(\d+)", status)[1])


@pytest.mark.parametrize("code", FLOODS.values(), ids=FLOODS.keys())
def test_a_gigabyte_of_output_is_bounded_in_memory_and_on_disk_and_the_bound_is_told(kernel, code):
    kernel.new_session()
    for path in spill_files(kernel):
        path.unlink()
    Path(f"/proc/{kernel.kernel.pid}/clear_refs").write_text("5")  # the peak counts from here
    before = peak_bytes(kernel)
    execution = kernel.agent(reads(code, None, "xxx", "The first "), ON, timeout=1200)
    assert peak_bytes(kernel) - before < MAX_GROWTH_BYTES
    assert sum(path.stat().st_size for path in spill_files(kernel)) <= QUOTA_BYTES
    assert sum(len(str(message["content"])) for message in execution.messages) < 256_000 * execution.seconds
    kernel.check_health()


LIMITED = "import resource; resource.setrlimit(resource.RLIMIT_AS, (400_000_000,) * 2); x = bytearray(10**9)"
CHILDREN = {
    "of a shell line": reads(f'import sys\n!"{{sys.executable}}" -c "{LIMITED}"', None, "MemoryError"),
    "of subprocess": fails(
        f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {LIMITED!r}], check=True)",
        None,
        "CalledProcessError",
    ),
    "of a fork": reads(
        f"""
        import os
        if not (pid := os.fork()):
            try: exec({LIMITED!r})
            except MemoryError: os._exit(9)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        """,
        "9",
    ),
    "killed by the system": reads(
        "import subprocess\nsubprocess.run(['sh', '-c', 'kill -9 $$']).returncode", "-9"
    ),
}


@pytest.mark.parametrize("call", CHILDREN.values(), ids=CHILDREN.keys())
def test_a_child_without_memory_takes_nothing_with_it(kernel, call):
    for _ in range(20):
        kernel.agent(call, ON)
    kernel.check_health()
