"""The entries of a branch in which code ran and was recorded, without a kernel."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pi_notebook.agent.entries import CustomEntry, Entry, MessageEntry
from pi_notebook.agent.messages import (
    NO_USAGE,
    AssistantMessage,
    TextContent,
    ToolCall,
    ToolResultMessage,
)
from pi_notebook.context.call_record import LEDGER_TYPE, CallRecord, FrameNote, VariableNote


def recorded_branch(*cells: tuple[str, Sequence[str]] | tuple[str, Sequence[str], Path]) -> list[Entry]:
    """A branch of calls of `run_code`: the code, the variables it made, the file of the first of them."""
    entries: list[Entry] = []
    for number, (code, names, *spill) in enumerate(cells):
        call = ToolCall(id=f"call{number}", name="run_code", arguments={"code": code})
        record = CallRecord(
            tool_call_id=call.id,
            tool="run_code",
            variables=[VariableNote(name=name, action="created", type="int") for name in names],
            frames=[FrameNote(name=names[0], path=str(path)) for path in spill],
        )
        reply = AssistantMessage(
            content=[call],
            api="a",
            provider="p",
            model="m",
            usage=NO_USAGE,
            stop_reason="toolUse",
            timestamp=0,
        )
        result = ToolResultMessage(
            tool_call_id=call.id,
            tool_name=call.name,
            content=[TextContent(text="")],
            is_error=False,
            timestamp=0,
        )
        for kind, fields in (
            (MessageEntry, {"message": reply}),
            (CustomEntry, {"custom_type": LEDGER_TYPE, "data": record.data()}),
            (MessageEntry, {"message": result}),
        ):
            parent = entries[-1].id if entries else None
            entries.append(kind(id=f"{len(entries):08x}", parent_id=parent, timestamp="", **fields))
    return entries
