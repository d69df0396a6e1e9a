"""What a session's entries say was chosen in it: settings, and the model that answered last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pi_notebook.agent.entries import CustomEntry, Entry, ModelChangeEntry

SETTING_TYPE = "pi_notebook/setting"
QUEUED_TYPE = "pi_notebook/queued"
"""The record before a message that was said to a run and begins none."""


def recorded_settings(entries: Sequence[Entry]) -> dict[str, Any]:
    """What was set in the session before, the newest of each; whether it is still valid is not looked at."""
    return {
        str(entry.data.get("name")): entry.data.get("value")
        for entry in entries
        if isinstance(entry, CustomEntry)
        and entry.custom_type == SETTING_TYPE
        and isinstance(entry.data, dict)
    }


def recorded_model(entries: Sequence[Entry]) -> tuple[str, str] | None:
    """Provider and id of the newest model change."""
    for entry in reversed(entries):
        if isinstance(entry, ModelChangeEntry):
            return entry.provider, entry.model_id
    return None
