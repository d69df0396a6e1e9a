"""What is done to a tool's result before it is recorded: repeats are named, long ones get a name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from pi_notebook.agent.messages import TextContent, ToolCall
from pi_notebook.agent.tools import ToolResult
from pi_notebook.context.policies.policy import ContextPolicy
from pi_notebook.context.pruning import SAME_AS
from pi_notebook.context.repeats import repeated_text
from pi_notebook.context.result_notes import label, result_name, with_note
from pi_notebook.session.branch import Branch


class FinishedResults:
    """An `after_tool_call` hook, the last of the session's own.

    Parameters
    ----------
    branch
        What the model sees already.
    policy
        Gives the policy that holds now.
    note
        Given a result, what else the model is to be told at its end.
    """

    def __init__(
        self,
        branch: Branch,
        *,
        policy: Callable[[], ContextPolicy],
        note: Callable[[ToolResult], Awaitable[str]],
    ) -> None:
        self._branch = branch
        self._policy = policy
        self._note = note

    async def after(self, call: ToolCall, result: ToolResult) -> ToolResult:
        """`result` as it is recorded."""
        policy = self._policy()
        repeated = policy.repeated(call, result, self._branch.items)
        if repeated is not None:
            details = result.details if isinstance(result.details, dict) else {}
            result = replace(
                result,
                content=[TextContent(text=repeated_text(call))],
                details={**details, SAME_AS: repeated.entry_id},
            )
        elif policy.label_chars is not None and _chars(result) >= policy.label_chars:
            result = with_note(result, label(result_name(call.id)))
        note = await self._note(result)
        return with_note(result, note) if note else result


def _chars(result: ToolResult) -> int:
    return sum(len(block.text) for block in result.content if isinstance(block, TextContent))
