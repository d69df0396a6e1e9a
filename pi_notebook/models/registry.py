"""Models by the names that people type."""

from __future__ import annotations

from pi_notebook._nearest import nearest, one_of
from pi_notebook.agent.protocols import Model
from pi_notebook.errors import ModelNotFoundError
from pi_notebook.models.catalog import chat_model_names, entries
from pi_notebook.models.providers import PROVIDERS

OFFLINE = "offline"

WELL_KNOWN_NAMES = (
    OFFLINE,
    "anthropic/claude-haiku-4-5",
    "anthropic/claude-opus-4-5",
    "anthropic/claude-sonnet-4-5",
    "deepseek/deepseek-chat",
    "gemini/gemini-2.5-flash",
    "gemini/gemini-2.5-pro",
    "groq/llama-3.3-70b-versatile",
    "mistral/mistral-large-latest",
    "ollama_chat/llama3.1",
    "openai/gpt-4o",
    "openai/gpt-4o-mini",
    "openai/gpt-5",
    "openai/gpt-5-mini",
    "openrouter/auto",
    "xai/grok-4",
)


def get_model(
    name: str,
    *,
    api_base: str | None = None,
    context_window: int | None = None,
    thinking: str | None = None,
) -> Model:
    """The model that `name` stands for: `offline`, or `provider/NAME` for any provider of litellm's.

    Nothing is asked or imported yet. Raises `ModelNotFoundError` for a name that can be no model.
    """
    name = name.strip()
    if name == OFFLINE:
        from pi_notebook.models.offline import OfflineModel

        return OfflineModel(context_window=context_window)
    check_name(name)
    from pi_notebook.models.litellm_model import LiteLLMModel

    return LiteLLMModel(name, api_base=api_base, context_window=context_window, thinking=thinking)


def check_name(name: str) -> None:
    """Raise `ModelNotFoundError`, naming what is near, unless `name` may be a model's."""
    provider, slash, model_id = name.partition("/")
    if name == OFFLINE or (slash and len(model_id.split()) == 1 and _is_provider(provider)):
        return
    raise ModelNotFoundError(f"No model is called {name!r}. {_hint(name)}", model=name)


def needs_litellm(name: str) -> bool:
    """True when asking the model will import litellm."""
    return name.strip() != OFFLINE


def model_names() -> list[str]:
    """Names to offer for completion: well-known ones, not all there are."""
    return list(WELL_KNOWN_NAMES)


def _is_provider(name: str) -> bool:
    return name in PROVIDERS or name in {str(entry.litellm_provider) for entry in entries().values()}


def _hint(name: str) -> str:
    if near := find_near_names(name):
        return one_of(near)
    return f"Use {OFFLINE}, or PROVIDER/NAME with one of these: {', '.join(sorted(PROVIDERS))}."


def find_near_names(name: str) -> list[str]:
    """Up to three names of models that `name` may have been meant to be, nearest first."""
    provider, slash, model_id = name.partition("/")
    if slash and not _is_provider(provider):
        return [f"{found}/{model_id or 'NAME'}" for found in nearest(provider, PROVIDERS)]
    known = [full for full in (*WELL_KNOWN_NAMES, *chat_model_names()) if full != name]
    same = [full for full in dict.fromkeys(known) if full.rpartition("/")[2] == name]
    return same[:3] or nearest(name, known)
