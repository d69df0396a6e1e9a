"""What is known of models without asking anyone: windows, prices, names.

The figures come from the table that litellm ships, read as data so that litellm itself need not be
imported; the first look costs about 20 ms. Without the table nothing is known and nothing fails.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from pi_notebook._loading import find_installed
from pi_notebook.agent.protocols import ModelInfo

UNKNOWN_WINDOW = 32_768
"""A cautious guess for a model nobody has described."""

UNKNOWN_OUTPUT = 4_096

_TABLE = "model_prices_and_context_window_backup.json"


_LONG_PROMPTS = (272, 200)
"""Thousands of tokens above which the table tells other prices."""


class CatalogEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One model of the table; prices are US dollars a token. Figures may be missing or be prose."""

    litellm_provider: Any = ""
    mode: Any = ""
    max_input_tokens: Any = None
    max_output_tokens: Any = None
    max_tokens: Any = None
    supports_vision: Any = False
    input_cost_per_token: Any = None
    output_cost_per_token: Any = None
    cache_read_input_token_cost: Any = None
    cache_creation_input_token_cost: Any = None
    input_cost_per_token_above_200k_tokens: Any = None
    output_cost_per_token_above_200k_tokens: Any = None
    cache_read_input_token_cost_above_200k_tokens: Any = None
    cache_creation_input_token_cost_above_200k_tokens: Any = None
    input_cost_per_token_above_272k_tokens: Any = None
    output_cost_per_token_above_272k_tokens: Any = None
    cache_read_input_token_cost_above_272k_tokens: Any = None
    cache_creation_input_token_cost_above_272k_tokens: Any = None

    def price(self, name: str, prompt_tokens: int) -> float | None:
        """What a token of the class `name` costs in a request with that many; None when it is not told.

        Some models are dearer as a whole where the prompt is long.
        """
        for thousands in _LONG_PROMPTS:
            if prompt_tokens > thousands * 1000:
                found = getattr(self, f"{name}_above_{thousands}k_tokens")
                if _is_price(found):
                    return float(found)
        found = getattr(self, name)
        return float(found) if _is_price(found) else None


@lru_cache(maxsize=1)
def entries() -> dict[str, CatalogEntry]:
    """The table, by litellm's name of the model; empty when there is none to read."""
    found = find_installed("litellm")
    if found is None or not found.submodule_search_locations:
        return {}
    path = Path(next(iter(found.submodule_search_locations))) / _TABLE
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, CatalogEntry])
    except (OSError, msgspec.DecodeError):
        return {}


def find_entry(provider: str, model_id: str) -> CatalogEntry | None:
    """The entry of a model; the table names some with their provider and some without."""
    table = entries()
    named = table.get(f"{provider}/{model_id}")
    if named is not None:
        return named
    bare = table.get(model_id)
    return bare if bare is not None and _serves(bare, provider) else None


def _serves(entry: CatalogEntry, provider: str) -> bool:
    # The table splits a provider by endpoint: `vertex_ai-language-models`, `cohere_chat`.
    return str(entry.litellm_provider).startswith(provider)


def describe_model(provider: str, model_id: str, *, context_window: int | None = None) -> ModelInfo:
    """What is known of a model; `context_window` is what the person says it is."""
    entry = find_entry(provider, model_id)
    read = _tokens(entry.max_input_tokens) if entry else None
    written = _tokens(entry.max_output_tokens) if entry else None
    window = context_window or read or (entry and _tokens(entry.max_tokens))
    return ModelInfo(
        provider=provider,
        id=model_id,
        api="litellm",
        context_window=window or UNKNOWN_WINDOW,
        max_output_tokens=min(written or UNKNOWN_OUTPUT, window or UNKNOWN_WINDOW),
        sees_images=bool(entry and entry.supports_vision is True),
        window_is_known=bool(window),
    )


def _is_price(value: object) -> bool:
    return isinstance(value, (int, float)) and 0 <= value < float("inf")


def _tokens(value: object) -> int | None:
    return int(value) if isinstance(value, (int, float)) and value > 0 else None


def chat_model_names() -> list[str]:
    """The names of all chat models, as a person types them: `provider/NAME`."""
    return [
        name if name.startswith(f"{entry.litellm_provider}/") else f"{entry.litellm_provider}/{name}"
        for name, entry in entries().items()
        if entry.mode == "chat" and entry.litellm_provider
    ]
