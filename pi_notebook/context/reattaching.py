"""What is shown again after a compaction: variables and files used last, and the skills that were read.

They stand in the record of the compaction, between its summary and the messages that were kept, as
they were when it was made: requests that follow have the same beginning.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import msgspec

from pi_notebook.agent.entries import CompactionEntry
from pi_notebook.agent.messages import CustomMessage, Message, TextContent, ToolResultMessage
from pi_notebook.context.call_record import CallRecord
from pi_notebook.context.instruction_reads import calls_by_id, is_instruction_file, is_skill_read
from pi_notebook.context.ledger import Ledger

CUSTOM_TYPE = "pi_notebook/reattached"
DETAILS_KEY = "attached"
"""Under which a compaction's details hold what was shown again."""
_NOT_SHOWN_TYPES = frozenset({"function", "builtin_function_or_method", "type", "module", "method"})

Kind = Literal["variable", "file", "skill"]


@dataclass(frozen=True, kw_only=True)
class InUse:
    """One thing that the work goes on with."""

    kind: Kind
    name: str
    """A variable's name or a path."""


def things_in_use(records: Sequence[CallRecord]) -> Iterator[InUse]:
    """Variables that are alive and files that tools read or changed, those used last first."""
    ledger = Ledger(records)
    seen: set[InUse] = set()
    for record in reversed(records):
        for thing in (*_variables(record, ledger), *_files(record, ledger)):
            if thing not in seen:
                seen.add(thing)
                yield thing


def skills_in_use(messages: Sequence[Message]) -> list[InUse]:
    """The skills whose bodies are in the context, those read last first."""
    calls = calls_by_id(messages)
    paths: dict[str, None] = {}
    for message in reversed(messages):
        if isinstance(message, ToolResultMessage) and not message.is_error:
            call = calls.get(message.tool_call_id)
            if call is not None and is_skill_read(call):
                paths.setdefault(str(call.arguments["path"]))
        elif isinstance(message, CustomMessage) and message.custom_type == CUSTOM_TYPE:
            details = message.details if isinstance(message.details, dict) else {}
            if details.get("kind") == "skill":
                paths.setdefault(str(details.get("name")))
    return [InUse(kind="skill", name=path) for path in paths]


def reattached_message(thing: InUse, text: str) -> CustomMessage:
    """`text`, which shows `thing` as it is now, for the model."""
    content = f'<in_use {thing.kind}="{thing.name}">\n{text}\n</in_use>'
    return CustomMessage(
        custom_type=CUSTOM_TYPE,
        content=[TextContent(text=content)],
        display=False,
        details={"kind": thing.kind, "name": thing.name},
        timestamp=0,
    )


def is_reattached(message: Message) -> bool:
    """Whether a message was shown again by a compaction; the next one shows anew what is in use."""
    return isinstance(message, CustomMessage) and message.custom_type == CUSTOM_TYPE


def stored(messages: Iterable[CustomMessage]) -> list[dict[str, Any]]:
    """What a compaction's details keep."""
    return [
        {"content": msgspec.to_builtins(message.content), "details": message.details} for message in messages
    ]


def reattached_messages(entry: CompactionEntry) -> list[CustomMessage]:
    """What the compaction `entry` shows again; what cannot be read as that is left out."""
    details = entry.details if isinstance(entry.details, dict) else {}
    kept = details.get(DETAILS_KEY)
    found = []
    for item in kept if isinstance(kept, list) else ():
        try:
            content = msgspec.convert(item["content"], list[TextContent])
        except (msgspec.ValidationError, TypeError, KeyError):
            continue
        found.append(
            CustomMessage(
                custom_type=CUSTOM_TYPE,
                content=list(content),
                display=False,
                details=item.get("details"),
                timestamp=_milliseconds(entry.timestamp),
            )
        )
    return found


def _variables(record: CallRecord, ledger: Ledger) -> Iterator[InUse]:
    for note in reversed(record.variables):
        alive = ledger.variables.get(note.name)
        if alive is not None and alive.type not in _NOT_SHOWN_TYPES:
            yield InUse(kind="variable", name=note.name)


def _files(record: CallRecord, ledger: Ledger) -> Iterator[InUse]:
    for note in reversed(record.files):
        is_there = note.path in ledger.files and ledger.files[note.path].last != "deleted"
        if note.witness == "tools" and is_there and not is_instruction_file(note.path):
            yield InUse(kind="file", name=note.path)


def _milliseconds(timestamp: str) -> int:
    try:
        return round(datetime.fromisoformat(timestamp.replace("Z", "+00:00")).timestamp() * 1000)
    except ValueError:
        return 0
