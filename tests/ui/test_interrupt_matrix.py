"""Interrupts in every phase of a run: the prompt is back at once, and nothing is left of them."""

import random

import pytest

from tests.provider import Provider
from tests.ui.interrupts import PHASES, check_interrupts, interruptible_kernel

pytestmark = pytest.mark.kernel

SEED = 20_240_501
RUNS = 4


@pytest.fixture(scope="module")
def provider():
    with Provider() as provider:
        yield provider


@pytest.fixture(scope="module")
def kernel(provider, tmp_path_factory):
    with interruptible_kernel(provider, tmp_path_factory.mktemp("folder")) as kernel:
        yield kernel


@pytest.mark.parametrize("phase", PHASES)
def test_an_interrupt_at_any_moment_gives_the_prompt_back_and_leaves_nothing(kernel, provider, phase):
    check_interrupts(kernel, provider, phase, runs=RUNS, moments=random.Random(f"{SEED} {phase}"))
