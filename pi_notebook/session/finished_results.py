"""What is done to a tool's result before it is recorded: repeats are named, long ones get a name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from pi_notebook.agent.messages import TextContent, ToolCall
from pi_notebook.agent.tools import ToolResult
from pi_notebook.context.items import ContextItem
from pi_notebook.context.pruning import SAME_AS
from pi_notebook.context.repeats import repeated_text
from pi_notebook.context.result_notes import label, result_name, with_note


class FinishedResults:
    """The `after_tool_call` hook that is the last of the session's own, and the one for refused calls.

    Parameters
    ----------
    label_chars
        Gives from where on a result is long; None when none has a name.
    repeated
        Gives the earlier result that stands for a new one.
    note
        Given a call and its result, what else the model is to be told at its end.
    """

    def __init__(
        self,
        *,
        label_chars: Callable[[], int | None],
        repeated: Callable[[ToolCall, ToolResult], ContextItem | None],
        note: Callable[[ToolCall, ToolResult], Awaitable[str]],
    ) -> None:
        self._label_chars = label_chars
        self._repeated = repeated
        self._note = note

    async def after(self, call: ToolCall, result: ToolResult) -> ToolResult:
        """`result` as it is recorded."""
        long_chars = self._label_chars()
        repeated = self._repeated(call, result)
        if repeated is not None:
            details = result.details if isinstance(result.details, dict) else {}
            result = replace(
                result,
                content=[TextContent(text=repeated_text(call))],
                details={**details, SAME_AS: repeated.entry_id},
            )
        elif long_chars is not None and _chars(result) >= long_chars:
            result = with_note(result, label(result_name(call.id)))
        return await self.noted(call, result)

    async def noted(self, call: ToolCall, result: ToolResult) -> ToolResult:
        """`result` with what the model is to be told at its end; a refused call's has nothing else done."""
        note = await self._note(call, result)
        return with_note(result, note) if note else result


def _chars(result: ToolResult) -> int:
    return sum(len(block.text) for block in result.content if isinstance(block, TextContent))
