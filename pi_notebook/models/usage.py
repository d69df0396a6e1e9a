"""The tokens a provider reports, and what they cost.

Providers count differently: some put what was read from a cache into the prompt's figure, some
beside it; some report a cache in two places and fill one. What none reported stays unknown.
"""

from __future__ import annotations

from typing import Any

import msgspec

from pi_notebook.agent.messages import NO_USAGE, Cost, Usage
from pi_notebook.models.catalog import CatalogEntry

_MOST_TOKENS = 10**12
"""A figure beyond that is no count."""


def read_usage(reported: Any, entry: CatalogEntry | None) -> Usage:
    """The usage in a provider's report, an object or a dict; `NO_USAGE` when it reports nothing."""
    prompt, output = _count(reported, "prompt_tokens"), _count(reported, "completion_tokens")
    details = _field(reported, "prompt_tokens_details")
    read = max(
        _count(details, "cached_tokens"),
        _count(reported, "cache_read_input_tokens"),
        _count(reported, "prompt_cache_hit_tokens"),
    )
    written = max(
        _count(details, "cache_creation_tokens"),
        _count(details, "cache_write_tokens"),
        _count(reported, "cache_creation_input_tokens"),
    )
    cached = read + written
    fresh = prompt - cached if prompt >= cached else prompt
    if not fresh + cached + output:
        return NO_USAGE
    usage = Usage(
        input=fresh,
        output=output,
        cache_read=read,
        cache_write=written,
        total_tokens=fresh + cached + output,
        cost=Cost(),
        reasoning=_count(_field(reported, "completion_tokens_details"), "reasoning_tokens") or None,
    )
    return msgspec.structs.replace(usage, cost=cost_of(usage, entry))


def cost_of(usage: Usage, entry: CatalogEntry | None) -> Cost:
    """Each class of token at its own price; all zero when the price is not known."""
    if entry is None:
        return Cost()
    prompt = usage.input + usage.cache_read + usage.cache_write
    fresh = entry.price("input_cost_per_token", prompt) or 0.0
    read = entry.price("cache_read_input_token_cost", prompt)
    written = entry.price("cache_creation_input_token_cost", prompt)
    costs = {
        "input": usage.input * fresh,
        "output": usage.output * (entry.price("output_cost_per_token", prompt) or 0.0),
        "cache_read": usage.cache_read * (fresh if read is None else read),
        "cache_write": usage.cache_write * (fresh if written is None else written),
    }
    return Cost(**costs, total=sum(costs.values()))


def _field(record: Any, name: str) -> Any:
    return record.get(name) if isinstance(record, dict) else getattr(record, name, None)


def _count(record: Any, name: str) -> int:
    value = _field(record, name)
    return int(value) if isinstance(value, (int, float)) and 0 < value <= _MOST_TOKENS else 0
