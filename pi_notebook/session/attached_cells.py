"""Cells of the notebook that the person gives with a prompt: one bounded message that stands before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pi_notebook.agent.messages import CustomMessage, now_ms
from pi_notebook.agent.secrets import without_secrets
from pi_notebook.context.amounts import count_of
from pi_notebook.context.policies.bounds import Bounds
from pi_notebook.context.previews.budget import count_tokens, cut_to_fit
from pi_notebook.session.attachments import CUSTOM_TYPE, MAX_TOKENS

MAX_CELLS = 50
_LEAST_TOKENS = 100


@dataclass(frozen=True, kw_only=True)
class AttachedCell:
    """A cell as the person sees it."""

    number: int
    """In the notebook, the first is 1."""
    source: str
    output: str = ""
    """As text; empty when it is not given."""

    @property
    def text(self) -> str:
        """The cell as a model reads it; an output that is given alone is named as one."""
        if not self.source.strip() and self.output.strip():
            return without_secrets(f"Output of cell {self.number}:\n{self.output.rstrip()}")
        output = f"\nIts output:\n{self.output.rstrip()}" if self.output.strip() else ""
        return without_secrets(f"Cell {self.number}:\n{self.source.rstrip()}{output}")


def cells_attachment(cells: Sequence[AttachedCell], resources: Mapping[type, Any]) -> list[CustomMessage]:
    """The message that gives `cells`; nothing when there are none."""
    if not cells:
        return []
    most = min(MAX_TOKENS, Bounds.of(resources).asked_tokens)
    message = CustomMessage(
        custom_type=CUSTOM_TYPE,
        content=cells_text(cells, max_tokens=most),
        display=False,
        details={"name": _numbers(cells[:MAX_CELLS]), "kind": "cells"},
        timestamp=now_ms(),
    )
    return [message]


def cells_text(cells: Sequence[AttachedCell], *, max_tokens: int = MAX_TOKENS) -> str:
    """`cells` in tags, within about `max_tokens`: what one leaves of its share the others have."""
    room, shown, kept = max_tokens, [], cells[:MAX_CELLS]
    for left, cell in zip(range(len(kept), 0, -1), kept, strict=True):
        text = cut_to_fit(cell.text, max(_LEAST_TOKENS, room // left)) if room > 0 else _left_out(cell)
        shown.append(text)
        room -= count_tokens(text)
    if more := len(cells) - len(kept):
        shown.append(f"[{count_of(more, 'more cell')} left out.]")
    body = "\n\n".join(shown)
    return f'<attachment cells="{_numbers(kept)}">\n{body}\n</attachment>'


def _numbers(cells: Sequence[AttachedCell]) -> str:
    return ", ".join(str(cell.number) for cell in cells)


def _left_out(cell: AttachedCell) -> str:
    return f"Cell {cell.number}: [left out: the cells before it leave no room.]"
