"""What the person typed for a prompt that stands in a session."""

from __future__ import annotations

from pi_notebook.agent.entries import CustomEntry, MessageEntry
from pi_notebook.agent.messages import text_of
from pi_notebook.session.store import SessionStore
from pi_notebook.session.typed_prompt import TYPED_TYPE


def typed_words(store: SessionStore, prompt: MessageEntry) -> str:
    """The words as they were typed; the model may have got the text of a template."""
    before = store.get(prompt.parent_id) if prompt.parent_id is not None else None
    if isinstance(before, CustomEntry) and before.custom_type == TYPED_TYPE and isinstance(before.data, dict):
        return str(before.data.get("typed") or "") or text_of(prompt.message)
    return text_of(prompt.message)
