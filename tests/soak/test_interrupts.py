"""Interrupts at hundreds of moments of a run, in one kernel."""

import random

import pytest

from tests.provider import Provider
from tests.ui.interrupts import PHASES, check_interrupts, interruptible_kernel

pytestmark = [pytest.mark.soak, pytest.mark.kernel, pytest.mark.timeout(1800)]

SEED = 20_240_502
RUNS = 300
ROUNDS = 4


def test_an_interrupt_at_any_moment_gives_the_prompt_back_and_leaves_nothing(tmp_path):
    moments = random.Random(SEED)
    with Provider() as provider, interruptible_kernel(provider, tmp_path) as kernel:
        for _ in range(ROUNDS):
            for phase in moments.sample(list(PHASES), len(PHASES)):
                check_interrupts(kernel, provider, phase, runs=RUNS // ROUNDS // len(PHASES), moments=moments)
