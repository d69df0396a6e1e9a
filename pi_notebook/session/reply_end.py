"""Where a reply of the model ends: with itself, or with the results of its calls."""

from __future__ import annotations

from collections.abc import Iterator

from pi_notebook.agent.entries import MessageEntry
from pi_notebook.agent.messages import AssistantMessage, ToolResultMessage
from pi_notebook.errors import UsageError
from pi_notebook.session.store import SessionStore


def reply_end(store: SessionStore, start: int) -> tuple[str, int]:
    """The entry with which the first reply behind `start` entries of the branch ends, and its calls.

    A copy of the branch up to that entry has the result of each of them. Raises `UsageError` when
    there is no such reply, or no result of a call.
    """
    messages = _messages(store, start)
    reply = next((entry for entry in messages if isinstance(entry.message, AssistantMessage)), None)
    if reply is None:
        raise UsageError("This message is no longer in the session. Load the conversation again.")
    assert isinstance(reply.message, AssistantMessage)
    calls = {call.id for call in reply.message.tool_calls}
    end, waiting = reply.id, set(calls)
    while waiting:
        entry = next(messages, None)
        if entry is None or not isinstance(entry.message, ToolResultMessage):
            raise UsageError(
                "A call of this answer has no result. Wait until it has ended, or fork from another message."
            )
        end = entry.id
        waiting.discard(entry.message.tool_call_id)
    return end, len(calls)


def _messages(store: SessionStore, start: int) -> Iterator[MessageEntry]:
    """The replies and results behind `start` entries of the branch."""
    branch = store.branch()
    places = branch.places[start : len(branch)]
    kinds = ("message:assistant", "message:toolResult")
    for entry in branch.at(branch.tree.of_kind(places, len(places), kinds)):
        if isinstance(entry, MessageEntry):
            yield entry
