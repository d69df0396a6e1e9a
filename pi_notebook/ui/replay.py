"""Recorded messages as the events that show them, and a cell that shows a recorded run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pi_notebook.agent.events import (
    AgentEvent,
    MessageEnd,
    Notice,
    ToolExecutionEnd,
    ToolExecutionStart,
    TurnStart,
)
from pi_notebook.agent.messages import AssistantMessage, ImageContent, Message, ToolResultMessage
from pi_notebook.session.export.texts import is_picture
from pi_notebook.session.replay import RecordedRun
from pi_notebook.ui.displays import display_for
from pi_notebook.ui.tables import when


def events_of(messages: Iterable[Message]) -> Iterator[AgentEvent]:
    """The events that show `messages`."""
    calls = {}
    for message in messages:
        if isinstance(message, AssistantMessage):
            yield TurnStart(0)
            calls = {call.id: call for call in message.tool_calls}
        if isinstance(message, ToolResultMessage):
            if message.tool_call_id in calls:
                yield ToolExecutionEnd(calls[message.tool_call_id], message)
            continue
        yield MessageEnd(message)
        if isinstance(message, AssistantMessage):
            yield from map(ToolExecutionStart, calls.values())
            if message.stop_reason == "error":
                yield Notice(message.error_message or "The model failed.", "warning")


def show_recorded(shell: Any, run: RecordedRun) -> str:
    """Show a run as it was, pictures included; its answer. Nothing is asked and nothing runs."""
    shown = display_for(shell, stream=False)
    told = f"Recorded on {when(run.timestamp)} in session {run.session_id}: no model was asked."
    shown.on_event(Notice(told))
    for event in events_of(run.messages):
        shown.on_event(event)
        if isinstance(event, ToolExecutionEnd):
            _show_pictures(shell, event.result)
    shown.finish()
    return shown.transcript.answer


def _show_pictures(shell: Any, result: ToolResultMessage) -> None:
    """Those that only show: a session may have been written by anything."""
    for block in result.content:
        if isinstance(block, ImageContent) and is_picture(block):
            data = {block.mime_type: block.data, "text/plain": "[picture]"}
            shell.display_pub.publish(data=data, metadata={})
