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
from pi_notebook.agent.messages import CustomMessage, Message, TextContent, ToolResultMessage, text_of
from pi_notebook.context.call_record import CallRecord
from pi_notebook.context.instruction_reads import calls_by_id, is_instruction_file, is_skill_read
from pi_notebook.context.ledger import Ledger, VariableState
from pi_notebook.context.scratch import codes_in, loop_names
from pi_notebook.context.worth import FADING, WORD

CUSTOM_TYPE = "pi_notebook/reattached"
_WHY = "[As it is now; shown again because what stood above was summarised.]"
_NEARLY = 0.9
_AGAIN = "again"
"""Key of the details of a message of another kind that a compaction shows again because it still holds."""
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


def things_in_use(records: Sequence[CallRecord], messages: Sequence[Message]) -> list[InUse]:
    """Variables that are alive and files that tools read or changed, those the work goes on with first.

    Told from `records`, those of the branch, and from the calls in `messages`, those of the context: what
    is used often and lately comes first, tables and files before smaller things, nothing that code
    needed for a moment only.
    """
    ledger = Ledger(records)
    loops = loop_names(codes_in(messages))
    weights = {
        InUse(kind="variable", name=name): weight
        for name, state in ledger.variables.items()
        if (weight := _weight(state, loops))
    }
    told = [thing for record in records for thing in _files(record, ledger)]
    weights |= dict.fromkeys(told, 1.0)
    uses: dict[InUse, float] = {}
    for age, moment in enumerate(reversed(_moments(records, messages, ledger))):
        for thing in moment & weights.keys():
            uses[thing] = uses.get(thing, 0.0) + weights[thing] * FADING**age
    return sorted(uses, key=lambda thing: uses[thing], reverse=True)


def _moments(records: Sequence[CallRecord], messages: Sequence[Message], ledger: Ledger) -> list[set[InUse]]:
    """What each call had to do with, oldest first; calls that are in the context by what they name too."""
    found: dict[str, set[InUse]] = {}
    for number, record in enumerate(records):
        found[record.tool_call_id or f"person {number}"] = {
            *(InUse(kind="variable", name=note.name) for note in record.variables),
            *_files(record, ledger),
        }
    for call in calls_by_id(messages).values():
        words = set(WORD.findall(" ".join(value for value in call.arguments.values() if type(value) is str)))
        named = {InUse(kind="variable", name=name) for name in words & ledger.variables.keys()}
        found[call.id] = found.pop(call.id, set()) | named
    return list(found.values())


def _weight(state: VariableState, loops: set[str]) -> float:
    """How much a variable of that kind counts; nothing for what is not worth showing."""
    return 0.0 if state.type in _NOT_SHOWN_TYPES or state.name in loops else state.worth


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


def shows_the_same(result: str, text: str) -> bool:
    """Whether `result` holds what `text` shows, whole or in a smaller room: from its first line on."""
    first, _, rest = text.strip().partition("\n")
    if first not in result:
        return False
    wanted = _told_lines(rest)
    there = _told_lines(result[result.index(first) + len(first) :])
    shared = len(wanted & there)
    return shared >= _NEARLY * min(len(wanted), len(there))


def reattached_message(thing: InUse, text: str) -> CustomMessage:
    """`text`, which shows `thing` as it is now, for the model."""
    content = f'<in_use {thing.kind}="{thing.name}">\n{_WHY}\n{text}\n</in_use>'
    return CustomMessage(
        custom_type=CUSTOM_TYPE,
        content=[TextContent(text=content)],
        display=False,
        details={"kind": thing.kind, "name": thing.name},
        timestamp=0,
    )


def shown_again(message: CustomMessage) -> CustomMessage:
    """`message`, which still holds, as a compaction shows it again."""
    details = message.details if isinstance(message.details, dict) else {}
    return msgspec.structs.replace(
        message, content=[TextContent(text=text_of(message))], details={**details, _AGAIN: "yes"}
    )


def is_reattached(message: Message) -> bool:
    """Whether a message was shown again by a compaction; the next one shows anew what is in use and holds."""
    if not isinstance(message, CustomMessage):
        return False
    details = message.details if isinstance(message.details, dict) else {}
    return message.custom_type == CUSTOM_TYPE or _AGAIN in details


def stored(messages: Iterable[CustomMessage]) -> list[dict[str, Any]]:
    """What a compaction's details keep."""
    return [
        {
            "content": msgspec.to_builtins(message.content),
            "details": message.details,
            **({"customType": message.custom_type} if message.custom_type != CUSTOM_TYPE else {}),
        }
        for message in messages
    ]


def reattached_messages(entry: CompactionEntry) -> list[CustomMessage]:
    """What the compaction `entry` shows again; what cannot be read as that is left out."""
    details = entry.details if isinstance(entry.details, dict) else {}
    kept = details.get(DETAILS_KEY)
    found = []
    for item in kept if isinstance(kept, list) else ():
        try:
            content = msgspec.convert(item["content"], list[TextContent])
            custom_type = msgspec.convert(item.get("customType", CUSTOM_TYPE), str)
        except (msgspec.ValidationError, TypeError, KeyError):
            continue
        found.append(
            CustomMessage(
                custom_type=custom_type,
                content=list(content),
                display=False,
                details=item.get("details"),
                timestamp=_milliseconds(entry.timestamp),
            )
        )
    return found


def _told_lines(text: str) -> set[str]:
    """The lines that say something of the value; not those that say what is left out."""
    return {line for line in text.splitlines() if line.strip() and not line.startswith(("…", "[", "rows ("))}


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
