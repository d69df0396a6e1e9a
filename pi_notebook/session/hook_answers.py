"""What hooks of others gave, looked at before it is recorded and sent: they may give anything."""

from __future__ import annotations

from typing import Any, TypeGuard

import msgspec

from pi_notebook.agent.messages import CustomMessage, Message, ToolResultMessage
from pi_notebook.context.tokens import message_tokens
from pi_notebook.session.hook_events import CompactionDecision
from pi_notebook.session.lines import as_json


def replacement(given: Any, of: Message, *, max_tokens: int) -> Message | None:
    """What a `context` hook gave in the place of `of`, as its edit will be read; `of` where it is the same.

    Raises `ValueError` with what is wrong with it; one that is larger than it was has `max_tokens`.
    """
    if given is None or given == of:
        return None if given is None else of
    if type(given) is not type(of) or _call_id(given) != _call_id(of):
        raise ValueError("it gave a message of another kind in the place of one")
    try:
        msgspec.to_builtins(_without_details(given))
        message: Message = msgspec.convert(as_json(given), Message)
    except (msgspec.ValidationError, TypeError, RecursionError) as error:
        raise ValueError(f"it gave a message that cannot be recorded ({error})") from error
    if message_tokens(message) > max(max_tokens, message_tokens(of)):
        raise ValueError(f"it gave a message of more than {max_tokens:,} tokens")
    return message


def is_decision(given: object) -> TypeGuard[CompactionDecision]:
    """Whether a `before_compaction` hook gave what it may."""
    return isinstance(given, CompactionDecision) and isinstance(given.summary, (str, type(None)))


def _without_details(message: Message) -> Message:
    """`message` without what may hold any object: of that a file keeps the name of its type."""
    if isinstance(message, (ToolResultMessage, CustomMessage)):
        return msgspec.structs.replace(message, details=None)
    return message


def _call_id(message: object) -> str | None:
    return message.tool_call_id if isinstance(message, ToolResultMessage) else None
