"""The long versions of what `tests/session/crash` tries in short."""

import pytest

from tests.session.crash.mutants import MUTANTS, Laboratory
from tests.session.crash.nursery import Nursery
from tests.session.crash.test_damage import check_cut, check_flip, long_session
from tests.session.crash.test_faults import ERRORS, fail_each, names
from tests.session.crash.test_kills import kill_at_calls, kills
from tests.session.crash.test_power_loss import PLANS, check_states
from tests.session.crash.test_writers import add_together

pytestmark = [pytest.mark.soak, pytest.mark.timeout(3600)]

SEED = 20_260_103


def test_a_thousand_kills_at_random_moments(tmp_path):
    with Nursery() as nursery:
        kills(nursery, tmp_path, count=1000, seed=SEED)


def test_a_kill_at_any_call_of_the_system(tmp_path):
    with Nursery() as nursery:
        kill_at_calls(nursery, tmp_path)


@pytest.mark.parametrize("lasting", [False, True], ids=["once", "from then on"])
@pytest.mark.parametrize("error", ERRORS, ids=names)
def test_a_run_survives_the_failure_of_any_call(tmp_path, error, lasting):
    fail_each(tmp_path, error=error, lasting=lasting)


def test_ten_thousand_states_after_the_power_went():
    assert sum(check_states(plan=plan, each=45, seed=SEED) for plan in PLANS) > 10_000


@pytest.mark.parametrize("check", [check_cut, check_flip], ids=["cut", "a bit turned"])
def test_a_long_session_survives_damage_at_every_byte(tmp_path, check):
    data = long_session(tmp_path)
    for position in range(len(data)):
        check(tmp_path / "2026-01-02T03-04-05-678Z_damaged.jsonl", data, position)


@pytest.mark.parametrize("lockless", [False, True], ids=["by lock", "by record"])
def test_eight_processes_add_a_thousand_entries_each(tmp_path, lockless):
    add_together(tmp_path, processes=8, count=1000, lockless=lockless)


@pytest.fixture(scope="module")
def laboratory(tmp_path_factory):
    laboratory = Laboratory(tmp_path_factory.mktemp("mutants"))
    laboratory.check_that_all_is_well(MUTANTS)
    return laboratory


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_every_guard_that_is_missing_is_noticed(laboratory, mutant):
    laboratory.check_that_it_is_noticed(mutant)
