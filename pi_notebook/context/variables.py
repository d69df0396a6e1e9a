"""The person's variables as lines of text, for the model and for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pi_notebook.kernel.namespace import VariableInfo

_MAX_LINE_CHARS = 300


def variable_lines(variables: Iterable[VariableInfo]) -> dict[str, str]:
    """Name -> `name: type, what is known of it`, each on one bounded line."""
    return {info.name: _shortened(f"{info.name}: {info.describe()}") for info in variables}


def changes(before: Mapping[str, str], now: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """The lines that are new or different in `now`, and the names that are gone."""
    changed = [line for name, line in now.items() if before.get(name) != line]
    return changed, [name for name in before if name not in now]


def _shortened(line: str) -> str:
    line = " ".join(line.split())
    return line if len(line) <= _MAX_LINE_CHARS else line[: _MAX_LINE_CHARS - 1] + "…"
