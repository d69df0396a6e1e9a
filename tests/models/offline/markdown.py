"""Reading an answer back: its tables, and its numbers as the offline model writes them."""

from __future__ import annotations

import math
import re


def tables(text: str) -> list[list[dict[str, str]]]:
    """The markdown tables in `text`, each as its rows; backticks are taken off."""
    found = []
    for block in re.findall(r"(?:^\|.*\|\n?)+", text, re.MULTILINE):
        head, _, *rows = [_cells(line) for line in block.strip().splitlines()]
        found.append([dict(zip(head, row, strict=True)) for row in rows])
    return found


def _cells(line: str) -> list[str]:
    parts = re.split(r"(?<!\\)\|", line.strip().strip("|"))
    return [part.strip().replace("`", "").replace("\\|", "|") for part in parts]


def figure(text: str) -> float:
    """A number as it is written in an answer."""
    return float(text.replace(",", "").replace("%", "").strip().strip("*"))


def rounded(value: float) -> str:
    """`value` to five digits that count, written the plain way."""
    if float(value).is_integer():
        return f"{int(value):,}"
    digits = max(4 - math.floor(math.log10(abs(value))), 1)
    text = f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".")
