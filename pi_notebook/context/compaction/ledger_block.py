"""What the program puts at the end of a summary, never the model: the last request and the ledger."""

from __future__ import annotations

from collections.abc import Sequence

from pi_notebook.agent.messages import Message
from pi_notebook.context.ledger import Ledger

_START = "<ledger>"
_END = "</ledger>"
_REQUEST_START = "<last-request>"
_REQUEST_END = "</last-request>"
MAX_CHARS = 4_000


def with_ledger(
    summary: str,
    ledger: Ledger,
    *,
    request: str = "",
    messages: Sequence[Message] = (),
    max_chars: int = MAX_CHARS,
) -> str:
    """`summary` with the facts of `ledger` behind it, first what `messages`, those of the context, use.

    `request` is what the person asked last, word for word, when no kept message says it.
    """
    blocks = [summary.rstrip()] if request else [summary]
    if request:
        blocks.append(f"{_REQUEST_START}\n{request}\n{_REQUEST_END}")
    if text := ledger.text(max_chars=max_chars, messages=messages):
        blocks = [block.rstrip() for block in blocks]
        blocks.append(f"{_START}\n{text}\n{_END}")
    return "\n\n".join(blocks)


def without_ledger(summary: str) -> str:
    """`summary` as the model wrote it: the next one gets blocks of its own."""
    return _without(_without(summary, _START, _END), _REQUEST_START, _REQUEST_END)


def _without(summary: str, block_start: str, block_end: str) -> str:
    if not summary.rstrip().endswith(block_end):
        return summary
    written, start, _ = summary.rpartition(f"{block_start}\n")
    return written.rstrip() if start else summary
