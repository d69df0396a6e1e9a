"""The code of a run that worked, in order, as one cell a person could run."""

from __future__ import annotations

from collections.abc import Sequence

from pi_notebook.agent.messages import AssistantMessage, Message, ToolResultMessage, UserMessage


def working_code(messages: Sequence[Message]) -> str:
    """The code of the last run's `run_code` calls that did not fail; empty when there is none."""
    run = _last_run(messages)
    worked = {
        message.tool_call_id
        for message in run
        if isinstance(message, ToolResultMessage) and not message.is_error
    }
    pieces = [
        str(call.arguments.get("code", "")).strip("\n")
        for message in run
        if isinstance(message, AssistantMessage)
        for call in message.tool_calls
        if call.name == "run_code" and call.id in worked
    ]
    return "\n\n".join(piece for piece in pieces if piece.strip())


def _last_run(messages: Sequence[Message]) -> Sequence[Message]:
    for place in range(len(messages) - 1, -1, -1):
        if isinstance(messages[place], UserMessage):
            return messages[place:]
    return messages
