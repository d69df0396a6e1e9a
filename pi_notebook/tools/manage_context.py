"""`manage_context`: the model says itself which results it is done with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Literal, Protocol

from pi_notebook.agent.tools import ToolContext, ToolError, tool
from pi_notebook.context.amounts import count_of

Action = Literal["drop", "shorten", "pin"]

_DONE: dict[Action, str] = {"drop": "Dropped", "shorten": "Shortened", "pin": "Pinned"}
_MAX_NOTE_CHARS = 200
_WORD = re.compile(r"[\w-]+")


class ResultEdits(Protocol):
    """Changes what the context holds of tool results. The session's file keeps them whole."""

    def edit(self, action: Action, names: Sequence[str], note: str) -> int:
        """Do so with the results of these names, all of them or none; how many tokens that frees.

        Raises `KeyError` with the first name that no result in the context has.
        """
        ...

    def names(self) -> Sequence[str]:
        """The names of the results that can be managed, oldest first."""
        ...


@tool(risk="read", needs=(ResultEdits,))
async def manage_context(
    context: ToolContext,
    action: Action,
    results: Annotated[list[str], "As in [result x] or [id]"],
    note: str = "",
) -> str:
    """Drop or shorten results you are done with, pin what must stay whole. search_history keeps all."""
    edits, names = context.need(ResultEdits), [name for name in dict.fromkeys(map(_name, results)) if name]
    if not names:
        raise ToolError("Name at least one result.")
    try:
        freed = edits.edit(action, names, note.strip()[:_MAX_NOTE_CHARS])
    except KeyError as error:
        there = ", ".join(edits.names()[-10:]) or "none; only long results have a name"
        raise ToolError(f"No result in the context is named {error.args[0]}. There are: {there}.") from None
    gain = f", which frees about {count_of(freed, 'token')}" if freed > 0 else ""
    return f"{_DONE[action]} {count_of(len(names), 'result')}{gain}."


def _name(given: str) -> str:
    """The name in `[result r12345]` or `search_history("[1a2b3c4d]")`."""
    words: list[str] = _WORD.findall(given)
    return words[-1] if words else given.strip()
