"""What the person has run, in words for the model: the newest cells that fit."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pi_notebook.agent.secrets import secret_values, without_secrets
from pi_notebook.context.amounts import count_of
from pi_notebook.context.cleaning import clean, fold_blank_lines
from pi_notebook.context.previews.budget import count_tokens, cut_to_fit, fits, largest
from pi_notebook.kernel.person_cells import PersonCell

_LEAST_TOKENS = 60
"""A smaller part of a cell is of no use."""
_SEAM_TOKENS = 10
"""Two texts together may be of a few tokens more than each alone."""


@dataclass(frozen=True, kw_only=True)
class CellsText:
    """The text, and how many cells it tells of."""

    text: str
    shown: int
    omitted: int


def describe_cells(cells: Sequence[PersonCell], *, max_tokens: int) -> CellsText | None:
    """The newest of `cells` within `max_tokens`, the oldest of them first; None when there are none.

    A cell that is too long alone keeps its beginning and its end.
    """
    if not cells or max_tokens <= 0:
        return None
    plain = functools.partial(_plain, secrets=secret_values())
    blocks = [_block(cell, plain) for cell in cells]

    def text(count: int, cut: str = "") -> str:
        kept = blocks[len(blocks) - count :]
        return _wrapped([cut, *kept] if cut else kept, len(blocks) - count - bool(cut))

    count = largest(lambda n: fits(text(n), max_tokens), len(blocks))
    cut = "" if count == len(blocks) else _cut(blocks[-count - 1], text(count, "\n"), max_tokens)
    if not count and not cut:
        return None
    shown = count + bool(cut)
    return CellsText(text=text(count, cut), shown=shown, omitted=len(blocks) - shown)


def _cut(block: str, rest: str, max_tokens: int) -> str:
    """As much of `block` as fits beside `rest`; nothing when that is too little to be of use."""
    room = max_tokens - count_tokens(rest) - _SEAM_TOKENS
    return cut_to_fit(block, room) if room >= _LEAST_TOKENS else ""


def _wrapped(blocks: Sequence[str], omitted: int) -> str:
    left_out = f" ({count_of(omitted, 'earlier one', 'earlier ones')} left out)" if omitted else ""
    head = f"<cells>\nRun by the person since the last prompt{left_out}:"
    return "\n".join([head, *blocks, "</cells>"])


def _block(cell: PersonCell, plain: Callable[[str], str]) -> str:
    code = cell.code.strip("\n")
    if cell.code_chars > len(cell.code):
        code += f"\n[… {count_of(cell.code_chars - len(cell.code), 'more character')}]"
    parts = [f"In[{cell.number}]:\n{plain(code)}"]
    if output := _output(cell, plain):
        parts.append(f"Output:\n{output}")
    if cell.value:
        parts.append(f"Out[{cell.number}]: {plain(cell.value)}")
    if cell.error:
        parts.append(f"Error: {plain(cell.error)}")
    return "\n".join(parts)


def _output(cell: PersonCell, plain: Callable[[str], str]) -> str:
    printed = plain(cell.output)
    if printed and cell.output_chars > len(cell.output):
        printed = f"[… the end of {cell.output_chars:,} characters]\n{printed}"
    return "\n".join(part for part in (printed, plain(cell.displayed)) if part)


def _plain(text: str, secrets: Sequence[str]) -> str:
    return fold_blank_lines(without_secrets(clean(text), secrets)).rstrip()
