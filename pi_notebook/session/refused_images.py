"""Leaving pictures out that a provider refuses, so that one of them does not end the session.

A request that is refused for its pictures would be refused again with every prompt to come. Which of
them go is decided here and recorded as edits of the context; that they are the reason, is told by
`models.faults`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

import msgspec

from pi_notebook.agent.events import AgentEvent, Notice
from pi_notebook.agent.messages import (
    AssistantMessage,
    CustomMessage,
    ImageContent,
    TextContent,
    ToolResultMessage,
    UserMessage,
)
from pi_notebook.context.amounts import count_of
from pi_notebook.context.items import ContextItem
from pi_notebook.errors import ContextOverflowError, ModelImageError
from pi_notebook.session.branch import Branch
from pi_notebook.session.pruning import PRUNING_TYPE

_REFUSED = "[a picture left out: the model's provider refused it]"
_TOO_LARGE = "[a picture left out: the request was too large with it]"


class RefusedImages:
    """The pictures of a session's branch that a provider did not take."""

    def __init__(self, branch: Branch, emit: Callable[[AgentEvent], Awaitable[None]]) -> None:
        self._branch = branch
        self._emit = emit

    async def mended(self, error: Exception) -> bool:
        """An `on_failure` hook: whether pictures are left out now that were in what `error` is about.

        First those that most likely are the reason: for a refused one the newest, which were not in a
        request that was answered; for a request too large those before them.
        """
        is_large = isinstance(error, ContextOverflowError) and error.has_too_many_bytes
        if not is_large and not isinstance(error, ModelImageError):
            return False
        older, newest = _by_age(self._branch.items)
        due = (older or newest) if is_large else (newest or older)
        if not due:
            return False
        count = self._leave_out(due, _TOO_LARGE if is_large else _REFUSED)
        told = f"{error} {count_of(count, 'picture')} left out of the conversation, which goes on without."
        await self._emit(Notice(told, "warning"))
        return True

    def _leave_out(self, items: Sequence[ContextItem], note: str) -> int:
        """Put `note` in the place of each picture of `items`; how many there were."""
        targets = [item.entry_id for item in items]
        self._branch.add_record(PRUNING_TYPE, {"by": "provider", "note": note[1:-1], "targetIds": targets})
        count = 0
        for item in items:
            message = item.message
            assert isinstance(message, _HOLDERS)  # by `_has_pictures`
            content = [TextContent(text=note) if _is_picture(block) else block for block in message.content]
            count += sum(map(_is_picture, message.content))
            self._branch.replace(item.entry_id, msgspec.structs.replace(message, content=content))
        return count


_HOLDERS = (UserMessage, CustomMessage, ToolResultMessage)


def _by_age(items: Sequence[ContextItem]) -> tuple[list[ContextItem], list[ContextItem]]:
    """The items with pictures: those before the newest reply, and those behind it."""
    replies = [place for place, item in enumerate(items) if isinstance(item.message, AssistantMessage)]
    start = replies[-1] if replies else 0
    return list(filter(_has_pictures, items[:start])), list(filter(_has_pictures, items[start:]))


def _has_pictures(item: ContextItem) -> bool:
    message = item.message
    return isinstance(message, _HOLDERS) and any(map(_is_picture, message.content))


def _is_picture(block: object) -> bool:
    return isinstance(block, ImageContent)
