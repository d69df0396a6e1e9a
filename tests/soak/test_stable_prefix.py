"""The long version of `tests/session/test_stable_prefix.py`."""

import pytest
from hypothesis import HealthCheck, given, settings

from tests.session.random_runs import programs, run_program
from tests.session.test_stable_prefix import check_prefixes

pytestmark = [pytest.mark.soak, pytest.mark.timeout(7200)]


@settings(
    max_examples=4_000,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(programs)
def test_what_was_sent_before_is_sent_again_as_it_was(home, program):
    check_prefixes(run_program(program))
