"""What the model is told with a prompt: date, folder, kernel, variables; whole at first, then changes.

It stands before the prompt as a message of its own, of about 1.5 kB at the most. What was told last
is read back from the session's messages, so that a resumed session goes on where it was.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

from pi_notebook.agent.entries import CustomMessageEntry, Entry
from pi_notebook.agent.messages import CustomMessage, Message, now_ms
from pi_notebook.agent.protocols import ModelInfo
from pi_notebook.context.call_record import CallRecord
from pi_notebook.context.previews.budget import largest
from pi_notebook.context.variables import VariableNote, grouped
from pi_notebook.kernel.effects import Doer

CUSTOM_TYPE = "pi_notebook/situation"
MAX_VARIABLE_BYTES = 1000
"""For the lines of variables."""
MAX_LIST_BYTES = 200
"""For each list of names."""
_Columns = tuple[tuple[str, str], ...]
_MANY_COLUMNS = 4
"""Fewer are told anew."""
_YOURS, _PERSONS = "  [yours]", "  [by the person]"


@dataclass(frozen=True, kw_only=True)
class Situation:
    """The facts of one moment."""

    facts: Mapping[str, str]
    """Label -> value: date, working folder, Python."""
    variables: Mapping[str, VariableNote] = field(default_factory=dict)
    """By name."""


NOWHERE = Situation(facts={})


@dataclass(frozen=True, kw_only=True)
class Traces:
    """Who did what, as far as the ledger knows."""

    variables: Mapping[str, Doer] = field(default_factory=dict)
    """Who set or changed each of them last."""
    files: Sequence[str] = ()
    """Those that the person changed, and how."""

    @classmethod
    def of(cls, records: Iterable[CallRecord], *, in_place: Iterable[str] = ()) -> Traces:
        """What `records` tell, the oldest first; the person changed the variables `in_place` since."""
        variables: dict[str, Doer] = {}
        files: dict[str, str] = {}
        for record in records:
            variables |= {note.name: record.by for note in record.variables}
            if record.by == "person":
                names = {note.renamed_to for note in record.files}
                changed = (n for n in record.files if n.action != "read" and n.path not in names)
                files |= {note.path: note.told for note in changed}
        variables |= dict.fromkeys(in_place, "person")
        return cls(variables=variables, files=list(files.values()))


def current_situation(folder: Path, info: ModelInfo, variables: Mapping[str, VariableNote]) -> Situation:
    """Today's date, the folder, this Python, the window of the model that is asked and `variables`."""
    today = date.today()
    return Situation(
        facts={
            "date": f"{today.isoformat()} ({today:%A})",
            "working folder": str(folder),
            "kernel": f"Python {platform.python_version()}",
            "your context window": f"{info.context_window:,} tokens",
        },
        variables=variables,
    )


def told_situation(messages: Iterable[Message]) -> Situation:
    """What the newest situation message told, read from its details.

    Once the message that told the whole has left the context, as after a compaction, nothing is told.
    """
    found = [
        _details(one) for one in messages if isinstance(one, CustomMessage) and one.custom_type == CUSTOM_TYPE
    ]
    if not any(details.get("isWhole", True) for details in found):
        return NOWHERE
    told = found[-1].get("variables", {})
    notes = {name: VariableNote(name=name, line=line) for name, line in told.items()}
    return Situation(facts=found[-1].get("facts", {}), variables=notes)


def passing_before(entries: Sequence[Entry]) -> list[str]:
    """What was passing at the newest message of `entries`; the code that says so may be gone since."""
    newest = entries[-1] if entries else None
    details = newest.details if isinstance(newest, CustomMessageEntry) else None
    names = details.get("passing", ()) if isinstance(details, dict) else ()
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def situation_message(told: Situation, now: Situation, traces: Traces | None = None) -> CustomMessage | None:
    """What is in `now` and was not in `told`, and who did it; None when nothing changed."""
    known = traces or Traces()
    lines = [f"{label}: {value}" for label, value in now.facts.items() if told.facts.get(label) != value]
    lines += _variable_lines(told, now, known.variables)
    if known.files and told is not NOWHERE:
        lines.append(f"files the person changed: {_listed(known.files)}")
    if not lines:
        return None
    return CustomMessage(
        custom_type=CUSTOM_TYPE,
        content=_text(lines),
        display=False,
        details={
            "isWhole": told is NOWHERE,
            "facts": dict(now.facts),
            "variables": {name: n.told for name, n in now.variables.items() if not n.is_passing},
            "passing": [name for name, n in now.variables.items() if n.is_passing],
        },
        timestamp=now_ms(),
    )


def facts_again(kept: Iterable[Message], now: Situation) -> CustomMessage | None:
    """The facts of `now`, where `kept`, all that is left of the context, do not tell them; else None.

    The next prompt tells the whole, as if this had not been said.
    """
    if told_situation(kept) is not NOWHERE:
        return None
    return CustomMessage(
        custom_type=CUSTOM_TYPE,
        content=_text([f"{label}: {value}" for label, value in now.facts.items()]),
        display=False,
        details={"isWhole": False},
        timestamp=now_ms(),
    )


def _text(lines: Iterable[str]) -> str:
    return "<situation>\n" + "\n".join(lines) + "\n</situation>"


def _details(message: CustomMessage) -> dict[str, Any]:
    return message.details if isinstance(message.details, dict) else {}


def _variable_lines(told: Situation, now: Situation, by: Mapping[str, Doer]) -> list[str]:
    before = {name: note.told for name, note in told.variables.items()}
    changed = [n for name, n in now.variables.items() if not n.is_passing and before.get(name) != n.told]
    if told is not NOWHERE:  # what the agent has just set needs no line where a word says all
        changed = [n for n in changed if not (n.aside and by.get(n.name) == "agent")]
        changed = [_without_columns(n) if by.get(n.name) == "agent" else n for n in changed]
    mark, doer = (_YOURS, "agent") if told is NOWHERE else (_PERSONS, "person")
    marks = {name: mark for name, who in by.items() if who == doer}
    gone = [name for name in before if name not in now.variables]
    own = _shown([note for note in changed if not note.aside], marks)
    asides = [note for note in changed if note.aside]
    known = {n.columns: name for name, n in now.variables.items() if before.get(name) == n.told}
    named = largest(lambda count: _size(", ".join(grouped(asides[:count]))) <= MAX_LIST_BYTES, len(asides))
    worded = zip(own, _lines(own, before, known), strict=True)
    lines = [f"  {line}{marks.get(note.name, '')}" for note, line in worded]
    if named:
        lines.append(f"  also: {', '.join(grouped(asides[:named]))}")
    if omitted := len(changed) - len(own) - named:
        lines.append(f"  ({omitted:,} more; list_variables shows them)")
    if lines:
        lines.insert(0, "variables new or changed:" if told.variables else "variables:")
    set_anew = _set_anew(told, now, by, {note.name for note in changed})
    lines += [f"changed by the person, same type and size: {_listed(set_anew)}"] if set_anew else []
    return [*lines, *([f"variables gone: {_listed(gone)}"] if gone else [])]


def _without_columns(note: VariableNote) -> VariableNote:
    """For what the agent's own code has just made."""
    return replace(note, line=note.head or note.line, columns=())


def _lines(
    notes: Sequence[VariableNote], told: Mapping[str, str], known: dict[_Columns, str]
) -> Iterator[str]:
    """The lines of `notes`, of which `told` had those; columns that were told are not told again.

    Those in `known`, and of the notes before, go by the name of what has them.
    """
    for note in notes:
        columns = note.line.removeprefix(note.head)
        like = known.setdefault(note.columns, note.name)
        if len(note.columns) < _MANY_COLUMNS:
            yield note.line
        elif told.get(note.name, "").endswith(columns):
            yield f"{note.head}; columns as before"
        else:
            yield note.line if like == note.name else f"{note.head}; columns as in {like}"


def _set_anew(told: Situation, now: Situation, by: Mapping[str, Doer], listed: set[str]) -> list[str]:
    """What the person set and no line tells of: it looks as it did."""
    named = told.variables.keys() & now.variables.keys() - listed
    return [
        name
        for name, note in now.variables.items()
        if name in named and by.get(name) == "person" and not note.aside and not note.is_passing
    ]


def _shown(notes: Iterable[VariableNote], marks: Mapping[str, str]) -> Sequence[VariableNote]:
    """Those of `notes` that fit, the newest tables before others; tables first, of each the oldest."""
    ranked = sorted(notes, key=lambda note: note.has_shape)
    sizes = [_size(f"  {note.line}{marks.get(note.name, '')}\n") for note in ranked]
    count = largest(lambda n: sum(sizes[len(sizes) - n :]) <= MAX_VARIABLE_BYTES, len(ranked))
    return sorted(ranked[len(ranked) - count :], key=lambda note: not note.has_shape)


def _listed(names: Sequence[str]) -> str:
    count = largest(lambda n: _size(", ".join(names[:n])) <= MAX_LIST_BYTES, len(names))
    more = [f"… and {len(names) - count:,} more"] if count < len(names) else []
    return ", ".join([*names[:count], *more])


def _size(text: str) -> int:
    return len(text.encode("utf-8", "backslashreplace"))
