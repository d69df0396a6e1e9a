"""Numbers, tables and names as an answer shows them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from pi_notebook.models.offline.schema import as_number

SIGNIFICANT_DIGITS = 5


def number(value: object, decimals: int | None = None) -> str:
    """`value` for people: whole numbers whole, others to five digits that count, or to `decimals`."""
    found = as_number(value)
    if found is None:
        return "—"
    if decimals is not None:
        return f"{found:,.{decimals}f}"
    if float(found).is_integer() and abs(found) < 1e15:
        return f"{int(found):,}"
    magnitude = math.floor(math.log10(abs(found)))
    if not -4 <= magnitude < 15:
        return f"{found:.{SIGNIFICANT_DIGITS - 1}e}"
    return _trimmed(f"{found:,.{max(SIGNIFICANT_DIGITS - 1 - magnitude, 1)}f}")


def _trimmed(text: str) -> str:
    return text.rstrip("0").rstrip(".")


def percent(part: float, whole: float, decimals: int | None = None) -> str:
    if not whole:
        return "—"
    return f"{100 * part / whole:.{1 if decimals is None else decimals}f} %"


def code(name: object, max_chars: int = 60) -> str:
    """A name in backticks, whatever is in it."""
    text = " ".join(str(name).replace("`", "'").split()) or " "
    return f"`{text[:max_chars]}…`" if len(text) > max_chars + 1 else f"`{text}`"


def label(value: object, missing: str) -> str:
    """A group's value as text; years and codes stay as they are."""
    if value is None or value != value:
        return missing
    text = str(value)
    return text[:-2] if isinstance(value, float) and value.is_integer() else text


def table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A markdown table; the first column reads from the left, the others are numbers."""
    lines = [headers, ["---", *["---:"] * (len(headers) - 1)], *rows]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)


def _cell(text: str) -> str:
    text = " ".join(text.split()).replace("|", "\\|")
    return f"{text[:60]}…" if len(text) > 61 else text
