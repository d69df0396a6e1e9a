"""Short tables for a person: markdown where the front end renders it, aligned text elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pi_notebook.context.cleaning import show_controls
from pi_notebook.session.export.texts import quiet_line, quiet_markdown


@dataclass(frozen=True, kw_only=True)
class Report:
    """Lines and a table, shown by its mimebundle."""

    lines: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    footer: tuple[str, ...] = ()
    parts: tuple[Report, ...] = ()
    """What follows: further tables."""

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/markdown": self.markdown, "text/plain": self.plain}

    def __str__(self) -> str:
        return self.plain

    @property
    def markdown(self) -> str:
        table = _markdown_table(self.header, self.rows)
        blocks = [_paragraph(self.lines), table, _paragraph(self.footer)]
        blocks += [part.markdown for part in self.parts]
        return "\n\n".join(block for block in blocks if block)

    @property
    def plain(self) -> str:
        blocks = [
            *map(_unmarked, self.lines),
            *_aligned(self.header, self.rows),
            *map(_unmarked, self.footer),
            *(f"\n{part.plain}" for part in self.parts),
        ]
        return "\n".join(blocks)


def when(timestamp: str) -> str:
    """An ISO 8601 time as a person reads it, in their zone."""
    try:
        moment = datetime.fromisoformat(timestamp.replace("Z", "+00:00"))
    except ValueError:
        return timestamp
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"


def verbatim(text: str) -> str:
    """`text` of a foreign file as it stands, so that nothing in it is taken for a picture or a link."""
    plain = text.replace("`", "'")
    return f"`{plain}`" if plain else ""


def _paragraph(lines: Sequence[str]) -> str:
    """Lines below each other; names and words in them may come from anywhere and load nothing."""
    return quiet_markdown("  \n".join(lines))


def _markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return ""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)


def _cell(text: str) -> str:
    return quiet_line(" ".join(text.split()).replace("<", "&lt;")).replace("|", "\\|")


def _aligned(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    if not rows:
        return []
    lines = [[_unmarked(" ".join(text.splitlines())) for text in row] for row in [header, *rows]]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    return [
        "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]


def _unmarked(text: str) -> str:
    """`text` without its marks; names and words in it may come from anywhere and drive no terminal."""
    return show_controls(text).replace("`", "").replace("**", "")
