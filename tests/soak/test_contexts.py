"""Twenty thousand requests of sessions to which anything happens."""

import pytest
from hypothesis import HealthCheck, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.session.context_machine import ContextMachine

pytestmark = [pytest.mark.soak, pytest.mark.timeout(7_200)]

REQUESTS = 20_000
LONG = settings(
    max_examples=50,
    stateful_step_count=40,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


def test_twenty_thousand_requests_are_valid_fit_and_are_explained():
    made, number = 0, 0
    while made < REQUESTS:
        number += 1
        machine = type("Long", (ContextMachine,), {"requests": []})
        run_state_machine_as_test(seed(number)(machine), settings=LONG)
        made += sum(machine.requests)
