"""What the model is told with a prompt: date, folder, kernel, variables; whole at first, then changes.

It stands before the prompt as a message of its own, of about 1.5 kB at the most. What was told last
is read back from the session's messages, so that a resumed session goes on where it was.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from pi_notebook.agent.messages import CustomMessage, Message, now_ms
from pi_notebook.context.previews.budget import largest
from pi_notebook.context.variables import VariableNote, grouped

CUSTOM_TYPE = "pi_notebook/situation"
MAX_VARIABLE_BYTES = 1000
"""For the lines of variables."""
MAX_LIST_BYTES = 200
"""For each list of names."""


@dataclass(frozen=True, kw_only=True)
class Situation:
    """The facts of one moment."""

    facts: Mapping[str, str]
    """Label -> value: date, working folder, Python."""
    variables: Mapping[str, VariableNote] = field(default_factory=dict)
    """By name."""


NOWHERE = Situation(facts={})


def current_situation(folder: Path, variables: Mapping[str, VariableNote]) -> Situation:
    """Today's date, the folder, this Python and `variables`."""
    today = date.today()
    return Situation(
        facts={
            "date": f"{today.isoformat()} ({today:%A})",
            "working folder": str(folder),
            "kernel": f"Python {platform.python_version()}",
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


def situation_message(told: Situation, now: Situation) -> CustomMessage | None:
    """What is in `now` and was not in `told`; None when nothing changed."""
    lines = [f"{label}: {value}" for label, value in now.facts.items() if told.facts.get(label) != value]
    lines += _variable_lines(told, now)
    if not lines:
        return None
    return CustomMessage(
        custom_type=CUSTOM_TYPE,
        content="<situation>\n" + "\n".join(lines) + "\n</situation>",
        display=False,
        details={
            "isWhole": told is NOWHERE,
            "facts": dict(now.facts),
            "variables": {name: note.told for name, note in now.variables.items()},
        },
        timestamp=now_ms(),
    )


def _details(message: CustomMessage) -> dict[str, Any]:
    return message.details if isinstance(message.details, dict) else {}


def _variable_lines(told: Situation, now: Situation) -> list[str]:
    before = {name: note.told for name, note in told.variables.items()}
    changed = [note for name, note in now.variables.items() if before.get(name) != note.told]
    gone = [name for name in before if name not in now.variables]
    own, asides = _shown([note for note in changed if not note.aside]), [n for n in changed if n.aside]
    named = largest(lambda count: _size(", ".join(grouped(asides[:count]))) <= MAX_LIST_BYTES, len(asides))
    lines = [f"  {note.line}" for note in own]
    if named:
        lines.append(f"  also: {', '.join(grouped(asides[:named]))}")
    if omitted := len(changed) - len(own) - named:
        lines.append(f"  ({omitted:,} more; list_variables shows them)")
    if lines:
        lines.insert(0, "variables new or changed:" if told.variables else "variables:")
    return [*lines, *([f"variables gone: {_listed(gone)}"] if gone else [])]


def _shown(notes: Sequence[VariableNote]) -> Sequence[VariableNote]:
    """The newest of `notes` that fit, the oldest of them first."""
    sizes = [_size(f"  {note.line}\n") for note in notes]
    count = largest(lambda n: sum(sizes[len(sizes) - n :]) <= MAX_VARIABLE_BYTES, len(notes))
    return notes[len(notes) - count :]


def _listed(names: Sequence[str]) -> str:
    count = largest(lambda n: _size(", ".join(names[:n])) <= MAX_LIST_BYTES, len(names))
    more = [f"… and {len(names) - count:,} more"] if count < len(names) else []
    return ", ".join([*names[:count], *more])


def _size(text: str) -> int:
    return len(text.encode("utf-8", "backslashreplace"))
