"""What the person typed for a prompt that stands in a session."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from pi_notebook.agent.entries import CustomEntry, Entry, MessageEntry
from pi_notebook.agent.messages import text_of
from pi_notebook.session.store import SessionStore
from pi_notebook.session.typed_prompt import TYPED_TYPE

_NEAR = 30
"""Entries that may stand between what was typed and the prompt."""


def typed_words(store: SessionStore, prompt: MessageEntry) -> str:
    """The words as they were typed; the model may have got the text of a template."""
    for entry in islice(_before(store, prompt), _NEAR):
        data = entry.data if isinstance(entry, CustomEntry) and entry.custom_type == TYPED_TYPE else None
        if isinstance(data, dict) and data.get("typed"):
            return str(data["typed"])
    return text_of(prompt.message)


def _before(store: SessionStore, prompt: MessageEntry) -> Iterator[Entry]:
    """What the program put before `prompt`, the last first."""
    parent_id = prompt.parent_id
    while parent_id is not None:
        entry = store.get(parent_id)
        if isinstance(entry, MessageEntry):
            return
        yield entry
        parent_id = entry.parent_id
