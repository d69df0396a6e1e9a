"""The long versions of what `tests/session/crash` tries in short."""

import pytest

from tests.session.crash.mutants import MUTANTS, Laboratory
from tests.session.crash.nursery import Nursery
from tests.session.crash.test_faults import ERRORS, fail_each, names
from tests.session.crash.test_kills import kills

pytestmark = [pytest.mark.soak, pytest.mark.timeout(3600)]

SEED = 20_260_103


def test_a_thousand_kills_at_random_moments(tmp_path):
    with Nursery() as nursery:
        kills(nursery, tmp_path, count=1000, seed=SEED)


@pytest.mark.parametrize("lasting", [False, True], ids=["once", "from then on"])
@pytest.mark.parametrize("error", ERRORS, ids=names)
def test_a_run_survives_the_failure_of_any_call(tmp_path, error, lasting):
    fail_each(tmp_path, error=error, lasting=lasting)


@pytest.fixture(scope="module")
def laboratory(tmp_path_factory):
    laboratory = Laboratory(tmp_path_factory.mktemp("mutants"))
    laboratory.check_that_all_is_well(MUTANTS)
    return laboratory


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_every_guard_that_is_missing_is_noticed(laboratory, mutant):
    laboratory.check_that_it_is_noticed(mutant)
