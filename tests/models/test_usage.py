from __future__ import annotations

from types import SimpleNamespace

import pytest

from pi_notebook.agent.messages import NO_USAGE
from pi_notebook.models.catalog import CatalogEntry
from pi_notebook.models.usage import read_usage

CLAUDE = CatalogEntry(
    input_cost_per_token=3e-6,
    output_cost_per_token=15e-6,
    cache_read_input_token_cost=0.3e-6,
    cache_creation_input_token_cost=3.75e-6,
)


def counts(usage):
    return usage.input, usage.cache_read, usage.cache_write, usage.output, usage.total_tokens


def test_what_was_read_from_a_cache_is_not_input():
    reported = {"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 64}}
    assert counts(read_usage(reported, None)) == (36, 64, 0, 7, 107)


def test_each_class_of_token_has_its_own_price():
    reported = {
        "prompt_tokens": 98_805,
        "completion_tokens": 5_120,
        "cache_read_input_tokens": 66_360,
        "cache_creation_input_tokens": 32_435,
    }
    usage = read_usage(reported, CLAUDE)
    assert counts(usage) == (10, 66_360, 32_435, 5_120, 103_925)
    expected = 10 * 3e-6 + 66_360 * 0.3e-6 + 32_435 * 3.75e-6 + 5_120 * 15e-6
    assert usage.cost.total == pytest.approx(expected)


def test_a_cache_reported_in_two_places_counts_once():
    reported = {
        "prompt_tokens": 2_459,
        "completion_tokens": 12,
        "cache_read_input_tokens": 2_455,
        "prompt_tokens_details": {"cached_tokens": 0},
    }
    assert counts(read_usage(reported, CLAUDE)) == (4, 2_455, 0, 12, 2_471)


def test_a_prompt_reported_without_its_cache_is_taken_as_it_is():
    reported = {"prompt_tokens": 5, "completion_tokens": 1, "cache_read_input_tokens": 200}
    assert counts(read_usage(reported, None)) == (5, 200, 0, 1, 206)


def test_usage_may_be_an_object():
    details = SimpleNamespace(reasoning_tokens=3)
    reported = SimpleNamespace(prompt_tokens=10, completion_tokens=5, completion_tokens_details=details)
    usage = read_usage(reported, None)
    assert counts(usage) == (10, 0, 0, 5, 15)
    assert usage.reasoning == 3


@pytest.mark.parametrize(
    "reported",
    [
        None,
        {},
        {"prompt_tokens": 0, "completion_tokens": 0},
        {"prompt_tokens": None, "completion_tokens": None},
        {"prompt_tokens": -5, "completion_tokens": "many"},
        {"prompt_tokens": float("inf"), "completion_tokens": float("nan")},
    ],
)
def test_nothing_usable_is_no_usage(reported):
    assert read_usage(reported, CLAUDE) is NO_USAGE


def test_a_model_without_a_price_costs_nothing_that_is_known():
    usage = read_usage({"prompt_tokens": 10, "completion_tokens": 5}, None)
    assert usage.cost.total == 0
    assert usage.total_tokens == 15


def test_a_cache_without_a_price_of_its_own_is_charged_as_input():
    entry = CatalogEntry(input_cost_per_token=1e-6, output_cost_per_token=2e-6)
    reported = {"prompt_tokens": 100, "completion_tokens": 0, "cache_read_input_tokens": 60}
    assert read_usage(reported, entry).cost.total == pytest.approx(100e-6)
