"""Telling that the context fills: once each time it does, the person at once, the model where it reads."""

from __future__ import annotations

from pi_notebook.agent.messages import CustomMessage, now_ms
from pi_notebook.context.amounts import count_of

CUSTOM_TYPE = "pi_notebook/context_warning"
_TO_MODEL = (
    "[The context is filling: about {left} until {end}. Keep what you will need in variables or files; look "
    "at less at a time.]"
)
_TO_PERSON = (
    "The context is filling: about {left} until {end}. "
    "%agent compact summarises its older part now, %agent new begins afresh."
)
_SUMMARISED, _FULL = "its older part is summarised", "it is full"


class Filling:
    """Remembers whether it is told that the context is well filled."""

    def __init__(self) -> None:
        self._is_told = False
        self._owed: str = ""

    def look(
        self, tokens: int, *, at_tokens: int, trigger: int, tells_model: bool, is_summarised: bool = True
    ) -> str:
        """What to tell the person of a context of `tokens`; empty unless it has just come to be so full.

        `is_summarised` tells what happens at `trigger`.
        """
        if tokens <= at_tokens:
            self._is_told, self._owed = False, ""
            return ""
        if self._is_told or tokens > trigger:
            return ""
        self._is_told = True
        told = {
            "left": count_of(trigger - tokens, "token"),
            "end": _SUMMARISED if is_summarised else _FULL,
        }
        self._owed = _TO_MODEL.format(**told) if tells_model else ""
        return _TO_PERSON.format(**told)

    def take_note(self) -> str:
        """What the model is to be told, once; empty when it is nothing."""
        note, self._owed = self._owed, ""
        return note

    def take_message(self) -> CustomMessage | None:
        """The same as a message to stand before a prompt."""
        note = self.take_note()
        if not note:
            return None
        return CustomMessage(custom_type=CUSTOM_TYPE, content=note, display=False, timestamp=now_ms())
