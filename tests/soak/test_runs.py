"""Many runs in one kernel leave nothing behind."""

import pytest

from benchmarks.resting import runs

pytestmark = [pytest.mark.soak, pytest.mark.kernel, pytest.mark.timeout(1800)]


def test_2000_runs_leave_neither_memory_nor_descriptors_nor_threads():
    assert [row.line() for row in runs() if not row.ok] == []
