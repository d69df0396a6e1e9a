"""A header over lines, as many of them as fit; what previews of described things are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pi_notebook.context.amounts import count_of
from pi_notebook.context.previews.budget import fits, largest
from pi_notebook.context.previews.preview import Preview, PreviewKind

MAX_LINES = 200
MAX_NAMES = 8


def preview_lines(
    header: str,
    lines: Sequence[str],
    *,
    max_tokens: int,
    kind: PreviewKind = "object",
    total: int | None = None,
    details: Mapping[str, Any] | None = None,
) -> Preview:
    """`header`, then the first of `lines` that fit, then how many of `total` there are besides."""
    total = len(lines) if total is None else total
    lines = lines[:MAX_LINES]

    def draft(count: int) -> str:
        omitted = [f"… {count_of(total - count, 'more line')} …"] if count < total else []
        return "\n".join([header, *lines[:count], *omitted])

    count = largest(lambda n: fits(draft(n), max_tokens), len(lines))
    text = draft(count) if count or not lines else header
    return Preview(text=text, kind=kind, is_complete=False, details=details or {})


def listed(names: Sequence[str], most: int = MAX_NAMES) -> str:
    """The first of `names` on one line, and how many more there are."""
    more = f", … {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
