"""The ledger as it stands at the end of a summary: written by the program, never by the model."""

from __future__ import annotations

from pi_notebook.context.ledger import Ledger

_START = "<ledger>"
_END = "</ledger>"
MAX_CHARS = 4_000


def with_ledger(summary: str, ledger: Ledger, *, max_chars: int = MAX_CHARS) -> str:
    """`summary` with the facts of `ledger` behind it."""
    text = ledger.text(max_chars=max_chars)
    return f"{summary.rstrip()}\n\n{_START}\n{text}\n{_END}" if text else summary


def without_ledger(summary: str) -> str:
    """`summary` as the model wrote it: the next one gets a ledger of its own."""
    if not summary.rstrip().endswith(_END):
        return summary
    written, start, _ = summary.rpartition(f"{_START}\n")
    return written.rstrip() if start else summary
