"""Telling that the context fills: once each time it does, the person at once, the model where it reads."""

from __future__ import annotations

from collections.abc import Sequence

from pi_notebook.agent.messages import (
    AssistantMessage,
    CustomMessage,
    Message,
    ToolCall,
    ToolResultMessage,
    now_ms,
)
from pi_notebook.agent.tools import ToolResult
from pi_notebook.context.amounts import count_of
from pi_notebook.context.result_notes import WARNING_TYPE
from pi_notebook.context.tokens import message_tokens

_TO_MODEL = (
    "[The context is filling: about {left} until {end}. Keep what you will need in variables or files; look "
    "at less at a time.]"
)
_TO_PERSON = (
    "The context is filling: about {left} until {end}. "
    "%agent compact summarises its older part now, %agent new begins afresh."
)
_SUMMARISED, _FULL = "its older part is summarised", "it is full"
_AGAIN_SHARE = 0.8
"""Of the size it is told at: below this it is told again when it is reached. Estimates go up and down."""


class Filling:
    """Remembers whether it is told that the context is well filled."""

    def __init__(self) -> None:
        self._is_told = False
        self._is_noted = False
        """Whether the model was told too."""
        self._owed: str = ""

    def look(
        self, tokens: int, *, at_tokens: int, trigger: int, tells_model: bool, is_summarised: bool = True
    ) -> str:
        """What to tell the person of a context of `tokens`; empty unless it has just come to be so full.

        `is_summarised` tells what happens at `trigger`. What the model is owed is brought up to date.
        """
        if tokens <= at_tokens * _AGAIN_SHARE:
            self.forget()
        if tokens > trigger:
            self._owed = ""
        if tokens <= at_tokens or tokens > trigger:
            return ""
        told = {
            "left": count_of(trigger - tokens, "token"),
            "end": _SUMMARISED if is_summarised else _FULL,
        }
        is_new, self._is_told = not self._is_told, True
        if tells_model and not self._is_noted:
            self._owed = _TO_MODEL.format(**told)
        return _TO_PERSON.format(**told) if is_new else ""

    def forget(self) -> None:
        """Room was made: when the context fills again, that is told again."""
        self._is_told, self._is_noted, self._owed = False, False, ""

    def drop_note(self) -> None:
        """A little room was made: what the model was to be told holds no more, and may again."""
        self._owed = ""

    def take_note(self) -> str:
        """What the model is to be told, once; empty when it is nothing."""
        note, self._owed = self._owed, ""
        self._is_noted = self._is_noted or bool(note)
        return note

    def take_message(self) -> CustomMessage | None:
        """The same as a message to stand before a prompt."""
        note = self.take_note()
        if not note:
            return None
        return CustomMessage(custom_type=WARNING_TYPE, content=note, display=False, timestamp=now_ms())


class PendingResults:
    """The results of the newest reply's calls: they are recorded together, when all have ended."""

    def __init__(self) -> None:
        self._tokens: dict[str, int] = {}

    @property
    def tokens(self) -> int:
        """What those that have ended come to."""
        return sum(self._tokens.values())

    def add(self, call: ToolCall, result: ToolResult, messages: Sequence[Message]) -> bool:
        """Take in one that has ended; whether it is the last of the reply that `messages` end with."""
        reply = next((one for one in reversed(messages) if isinstance(one, AssistantMessage)), None)
        ids = [one.id for one in reply.tool_calls] if reply is not None else [call.id]
        ended = {known: tokens for known, tokens in self._tokens.items() if known in ids}
        self._tokens = ended | {call.id: _result_tokens(result)}
        return call.id == ids[-1] or len(self._tokens) == len(ids)


def _result_tokens(result: ToolResult) -> int:
    return message_tokens(
        ToolResultMessage(
            tool_call_id="",
            tool_name="",
            content=list(result.content),
            is_error=result.is_error,
            timestamp=now_ms(),
        )
    )
