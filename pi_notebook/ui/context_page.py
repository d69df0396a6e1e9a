"""The page of a context report: bars to scale and tables, as HTML that needs nothing but itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from pi_notebook.context.composition import Category
from pi_notebook.ui.render import AS_IT_STANDS

COLOURS: dict[Category, str] = {
    "system_prompt": "#64748b",
    "instructions": "#8594a8",
    "skills": "#a3aebd",
    "tool_definitions": "#4a7fb5",
    "summaries": "#8b6fc0",
    "ledger": "#b39ddb",
    "user": "#2e9d68",
    "program": "#7cbf9c",
    "retrieved": "#6d9b3a",
    "previews": "#2fa4b5",
    "images": "#d077ab",
    "assistant": "#d69a2d",
    "thinking": "#e3c27c",
    "tool_calls": "#c9713f",
    "tool_results": "#c8504f",
}
"""Of middle lightness, so that they are seen on a light and on a dark page."""

_BAR_CHARS = 30
_FAINT = "opacity:0.65"
_LINE = "rgba(128,128,128,0.35)"
_HATCH = "repeating-linear-gradient(45deg,rgba(128,128,128,0.45) 0 2px,transparent 2px 6px)"
_PAGE = (
    "font-family:var(--jp-ui-font-family,system-ui,sans-serif);font-size:13px;line-height:1.5;max-width:860px"
)
_SQUARE = "display:inline-block;width:10px;height:10px;border-radius:2px;margin-right:7px"
_CELL = "padding:1px 14px 1px 0;border:0;text-align:left;vertical-align:baseline"


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One cell of a table."""

    text: str
    colour: str = ""
    """Of the square before a name, or of the bar."""
    share: float | None = None
    """Drawn as a bar in place of a text, 1 as its whole width."""
    is_number: bool = False
    is_faint: bool = False
    is_part: bool = False
    """Whether the row is a part of the one above."""

    @property
    def plain(self) -> str:
        """The cell in characters."""
        if self.share is not None:
            return "█" * round(_BAR_CHARS * min(1.0, self.share))
        return f"  {self.text}" if self.is_part else self.text


def page(lines: Sequence[str], *blocks: str) -> str:
    """The first line as a heading, the others below it, then the blocks."""
    first, *others = lines
    head = f'<div style="font-weight:600">{escape(first)}</div>'
    head += "".join(f'<div style="{_FAINT}">{escape(line)}</div>' for line in others)
    return f'<div class="{AS_IT_STANDS}" style="{_PAGE}">{head}{"".join(blocks)}</div>'


def bar(segments: Sequence[tuple[str, int, str]], *, window: int, mark: int) -> str:
    """Stretches of `window` by name, tokens and colour; a line at `mark`, hatched behind it."""
    used = sum(tokens for _, tokens, _ in segments)
    whole = max(used, window, 1)
    drawn = [
        _stretch(100 * tokens / whole, f"{name}: {tokens:,}", f"background:{colour}")
        for name, tokens, colour in segments
    ]
    free, behind = max(0, min(mark, whole) - used), whole - max(used, min(mark, whole))
    drawn.append(_stretch(100 * free / whole, f"free: {free:,}", ""))
    drawn.append(_stretch(100 * behind / whole, f"reserve: {behind:,}", f"background:{_HATCH}"))
    line = (
        f'<div title="compacted from {mark:,} on" style="position:absolute;top:-3px;bottom:-3px;width:2px;'
        f'background:currentColor;left:{min(100.0, 100 * mark / whole):.3f}%"></div>'
    )
    box = f"display:flex;height:14px;border:1px solid {_LINE};border-radius:3px;overflow:hidden"
    return (
        f'<div style="position:relative;margin:8px 0"><div style="{box}">{"".join(drawn)}</div>{line}</div>'
    )


def table(header: Sequence[str], rows: Sequence[Sequence[Cell]], *, footer: str = "") -> str:
    """A table; empty when it has no rows."""
    if not rows:
        return ""
    numbers = [cell.is_number for cell in rows[0]]
    heads = "".join(
        f'<th style="{_CELL};{_FAINT};font-weight:500{_right(is_number)}">{escape(name)}</th>'
        for name, is_number in zip(header, numbers, strict=True)
    )
    lines = "".join(f'<tr style="background:none">{"".join(map(_cell, row))}</tr>' for row in rows)
    note = f'<div style="{_FAINT}">{escape(footer)}</div>' if footer else ""
    style = "border-collapse:collapse;border:0;margin:8px 0 2px;color:inherit;font-size:inherit"
    return f'<table style="{style}"><tr style="background:none">{heads}</tr>{lines}</table>{note}'


def _cell(cell: Cell) -> str:
    style = _CELL + _right(cell.is_number) + (f";{_FAINT}" if cell.is_faint or cell.is_part else "")
    if cell.is_number:
        style += ";font-variant-numeric:tabular-nums;white-space:nowrap"
    elif cell.is_part and cell.share is None:
        style += ";padding-left:20px"
    inside = _small_bar(cell) or f"{_square(cell)}{escape(cell.text)}"
    return f'<td style="{style}">{inside}</td>'


def _square(cell: Cell) -> str:
    if not cell.colour:
        return ""
    return f'<span style="{_SQUARE};background:{cell.colour}"></span>'


def _small_bar(cell: Cell) -> str:
    if cell.share is None:
        return ""
    height = 4 if cell.is_part else 8
    box = "display:inline-block;width:200px;height:8px;vertical-align:middle"
    style = (
        f"display:block;height:{height}px;background:{cell.colour};width:{100 * min(1.0, cell.share):.2f}%"
    )
    return f'<span style="{box}"><span style="{style}"></span></span>'


def _stretch(percent: float, title: str, style: str) -> str:
    if percent <= 0:
        return ""
    return f'<div title="{escape(title)}" style="width:{percent:.3f}%;{style}"></div>'


def _right(is_number: bool) -> str:
    return ";text-align:right" if is_number else ""
