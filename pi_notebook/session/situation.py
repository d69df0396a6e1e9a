"""What the model is told with a prompt: date, folder, kernel, variables; whole at first, then changes.

It stands before the prompt as a message of its own. What was told last is read back from the
session's messages, so that a resumed session goes on where it was.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from pi_notebook.agent.messages import CustomMessage, Message, now_ms
from pi_notebook.context.variables import changes

CUSTOM_TYPE = "pi_notebook/situation"
MAX_VARIABLES = 30


@dataclass(frozen=True, kw_only=True)
class Situation:
    """The facts of one moment."""

    facts: Mapping[str, str]
    """Label -> value: date, working folder, Python."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """Name -> line; see `context.variables`."""


NOWHERE = Situation(facts={})


def current_situation(folder: Path, variables: Mapping[str, str]) -> Situation:
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
    """What the newest situation message told, read from its details."""
    for message in reversed(list(messages)):
        if isinstance(message, CustomMessage) and message.custom_type == CUSTOM_TYPE:
            details = message.details if isinstance(message.details, dict) else {}
            return Situation(facts=details.get("facts", {}), variables=details.get("variables", {}))
    return NOWHERE


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
        details={"facts": dict(now.facts), "variables": dict(now.variables)},
        timestamp=now_ms(),
    )


def _variable_lines(told: Situation, now: Situation) -> list[str]:
    changed, gone = changes(told.variables, now.variables)
    heading = "variables new or changed:" if told.variables else "variables:"
    lines = [heading, *(f"  {line}" for line in changed[:MAX_VARIABLES])] if changed else []
    if len(changed) > MAX_VARIABLES:
        lines.append(f"  ({len(changed) - MAX_VARIABLES} more; list_variables shows them)")
    if gone:
        lines.append(f"variables gone: {', '.join(gone[:MAX_VARIABLES])}")
    return lines
