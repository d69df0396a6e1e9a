"""Tests of the tests: a session without one of its guards does not pass."""

import pytest

from tests.session.crash.mutants import MUTANTS, Laboratory

EACH = 10
"""Every so manieth mutant is tried here; all of them are in `tests/soak`."""


@pytest.mark.timeout(600)
def test_a_guard_that_is_missing_is_noticed(tmp_path):
    laboratory = Laboratory(tmp_path)
    chosen = MUTANTS[1::EACH]
    laboratory.check_that_all_is_well(chosen)
    for mutant in chosen:
        laboratory.check_that_it_is_noticed(mutant)
