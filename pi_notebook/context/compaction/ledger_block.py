"""What the program puts at the end of a summary, never the model: last request and answer, and the ledger."""

from __future__ import annotations

from collections.abc import Sequence

from pi_notebook.agent.messages import Message
from pi_notebook.context.ledger import Ledger

_BLOCKS = ("ledger", "last-answer", "last-request")
"""From the end."""
MAX_CHARS = 4_000


def with_ledger(
    summary: str,
    ledger: Ledger,
    *,
    request: str = "",
    answer: str = "",
    messages: Sequence[Message] = (),
    max_chars: int = MAX_CHARS,
) -> str:
    """`summary` with the facts of `ledger` behind it, first what `messages`, those of the context, use.

    `request` is what the person asked last and `answer` what they were answered, word for word, where no
    kept message says it.
    """
    told = {
        "last-request": request,
        "last-answer": answer,
        "ledger": ledger.text(max_chars=max_chars, messages=messages),
    }
    blocks = [f"<{name}>\n{text.rstrip()}\n</{name}>" for name, text in told.items() if text]
    return "\n\n".join([summary.rstrip(), *blocks]) if blocks else summary


def without_ledger(summary: str) -> str:
    """`summary` as the model wrote it: the next one gets blocks of its own."""
    for name in _BLOCKS:
        if summary.rstrip().endswith(f"</{name}>"):
            written, start, _ = summary.rpartition(f"<{name}>\n")
            summary = written.rstrip() if start else summary
    return summary
