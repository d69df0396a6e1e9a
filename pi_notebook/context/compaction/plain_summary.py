"""A summary that no model wrote: what was asked and answered, what failed, one line each.

It is made when a model cannot be asked or gives nothing, so that a session can always go on. What the
program knows for certain stands in the ledger, which is appended to every summary.
"""

from __future__ import annotations

from collections.abc import Sequence

from pi_notebook.agent.messages import (
    AssistantMessage,
    BranchSummaryMessage,
    Message,
    ToolResultMessage,
    UserMessage,
    text_of,
)
from pi_notebook.context.compaction.conversation_text import shortened, within
from pi_notebook.context.compaction.plan import CompactionPlan

_LINE_CHARS = 300
_CHARS_PER_TOKEN = 3
_PREVIOUS_SHARE = 0.5


def plain_summary(plan: CompactionPlan, *, max_tokens: int) -> str:
    """The summary of what `plan` does not keep, at most about `max_tokens` long."""
    return plain_text(
        [*plan.to_summarise, *plan.turn_prefix], previous=plan.previous_summary, max_tokens=max_tokens
    )


def plain_text(messages: Sequence[Message], *, previous: str | None = None, max_tokens: int) -> str:
    """What was asked, answered and went wrong in `messages`, the newest of each as far as there is room."""
    room = max_tokens * _CHARS_PER_TOKEN
    blocks = ["(Listed by the program: no model summarised this part.)"]
    if previous:
        blocks.append(f"## Before\n{shortened(previous, int(room * _PREVIOUS_SHARE))}")
        room -= len(blocks[-1])
    asked = [text_of(message) for message in messages if isinstance(message, UserMessage)]
    answered = [m.text for m in messages if isinstance(m, AssistantMessage) and not m.tool_calls and m.text]
    failed = [
        f"{m.tool_name}: {_last_line(m.text)}"
        for m in messages
        if isinstance(m, ToolResultMessage) and m.is_error
    ]
    left = [m.summary for m in messages if isinstance(m, BranchSummaryMessage)]
    kinds = (
        ("Goal", asked),
        ("Branches that were left", left),
        ("Progress", answered),
        ("Problems & Errors Found", failed),
    )
    share = room // len(kinds)
    blocks += [f"## {heading}\n{_newest(texts, share)}" for heading, texts in kinds if texts]
    return within("\n\n".join(blocks), max_tokens)


def _newest(texts: Sequence[str], max_chars: int) -> str:
    """One line for each of the newest `texts` that fit, oldest first."""
    lines: list[str] = []
    for text in reversed(texts):
        line = f"- {shortened(' '.join(text.split()), _LINE_CHARS)}"
        max_chars -= len(line) + 1
        if max_chars < 0 and lines:
            break
        lines.append(" ".join(line.split("\n")))
    left = len(texts) - len(lines)
    return "\n".join([*([f"- ({left} earlier not listed)"] if left else []), *reversed(lines)])


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "failed"
