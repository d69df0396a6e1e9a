"""The models that can be asked as things are: those whose key or address is set."""

from __future__ import annotations

from pi_notebook.models.providers import find_base, is_local, missing_key
from pi_notebook.models.registry import OFFLINE, model_names
from pi_notebook.session.session import AgentSession


def usable_models(session: AgentSession) -> list[str]:
    """Names to choose from: what `session` has and names in its settings, then well-known ones."""
    others = (session.settings.get("fallback_models") or "").split(",")
    named = (session.model.name, *(name.strip() for name in others if name.strip()))
    return list(dict.fromkeys((*named, *filter(_is_usable, model_names()))))


def _is_usable(name: str) -> bool:
    provider = name.partition("/")[0]
    if name == OFFLINE:
        return True
    if is_local(provider, None):
        return find_base(provider) is not None
    return missing_key(provider, api_base=None) is None
