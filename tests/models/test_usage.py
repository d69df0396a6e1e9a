from __future__ import annotations

from types import SimpleNamespace

import pytest

from pi_notebook.agent.messages import NO_USAGE
from pi_notebook.models.catalog import CatalogEntry, entries
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


@pytest.mark.parametrize(
    ("tokens", "price"), [(200_000, 1.0), (200_001, 2.0), (272_000, 2.0), (272_001, 3.0)]
)
def test_a_long_prompt_costs_what_the_table_says_of_long_prompts(tokens, price):
    entry = CatalogEntry(
        input_cost_per_token=1e-6,
        output_cost_per_token=5e-6,
        cache_read_input_token_cost=1e-7,
        input_cost_per_token_above_200k_tokens=2e-6,
        output_cost_per_token_above_200k_tokens=10e-6,
        cache_read_input_token_cost_above_200k_tokens=2e-7,
        input_cost_per_token_above_272k_tokens=3e-6,
        output_cost_per_token_above_272k_tokens=15e-6,
        cache_read_input_token_cost_above_272k_tokens=3e-7,
    )
    reported = {"prompt_tokens": tokens, "completion_tokens": 100, "cache_read_input_tokens": tokens - 1_000}
    cost = read_usage(reported, entry).cost
    assert cost.input == pytest.approx(1_000 * price * 1e-6)
    assert cost.cache_read == pytest.approx((tokens - 1_000) * price * 1e-7)
    assert cost.output == pytest.approx(100 * price * 5e-6)


def test_a_class_without_a_price_for_long_prompts_keeps_its_own():
    entry = CatalogEntry(
        input_cost_per_token=1e-6, input_cost_per_token_above_272k_tokens=2e-6, output_cost_per_token=4e-6
    )
    cost = read_usage({"prompt_tokens": 300_000, "completion_tokens": 10}, entry).cost
    assert (cost.input, cost.output) == (pytest.approx(0.6), pytest.approx(4e-5))


def test_the_table_tells_prices_of_long_prompts():
    dearer = [
        entry
        for entry in entries().values()
        if entry.mode == "chat"
        and (entry.price("input_cost_per_token", 300_000) or 0)
        > (entry.price("input_cost_per_token", 1) or 0)
    ]
    assert len(dearer) > 10


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), -1.0, "free"])
def test_an_odd_figure_is_neither_count_nor_price(odd):
    entry = CatalogEntry(input_cost_per_token=odd, output_cost_per_token=2e-6)
    assert read_usage({"prompt_tokens": 50, "completion_tokens": 10}, entry).cost.total == pytest.approx(2e-5)
    assert counts(read_usage({"prompt_tokens": odd, "completion_tokens": 10}, None)) == (0, 0, 0, 10, 10)


def test_a_figure_of_thirty_digits_is_no_count():
    assert counts(read_usage({"prompt_tokens": 10**30, "completion_tokens": 10}, None)) == (0, 0, 0, 10, 10)
