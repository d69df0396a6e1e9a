"""In any order of prompts, failures, stops, compactions, edits, forks, moves, models and resumes each
request is one that a strict provider takes, fits the window, and leaves out only what the file explains.
"""

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.session.context_machine import ContextMachine

pytestmark = pytest.mark.timeout(300)

BOUNDED = settings(
    max_examples=25,
    stateful_step_count=15,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


def test_every_request_is_valid_fits_and_is_explained():
    machine = type("Bounded", (ContextMachine,), {"requests": []})
    run_state_machine_as_test(machine, settings=BOUNDED)
    assert sum(machine.requests) > 200
