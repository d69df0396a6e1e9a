"""Many runs in one kernel leave nothing behind; more of them are tried in the soak."""

import pytest

from benchmarks.resting import runs

pytestmark = pytest.mark.kernel


def test_100_runs_leave_neither_descriptors_nor_threads():
    held = {row.name: row.value for row in runs(100, warm_runs=50)}
    assert (held["runs.descriptors"], held["runs.threads"]) == (0, 0)
    assert held["runs.memory_slope"] < 100  # kB a run; so few cannot tell it from noise
