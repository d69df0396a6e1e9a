"""The moments at which others may look at a session and change its course, and what each allows.

| event | is called with | may give |
|---|---|---|
| `before_prompt` | the person's words, said to a run that is on too | a text or texts that go before them |
| `before_tool_call` | the tool, the call | a reason, and the call is not run; or a `ToolCallDecision` |
| `after_tool_call` | the call, its result | a text or a `ToolResult` in its place |
| `context` | copies of the messages that would be sent | as many: changed ones, None for one to leave out |
| `before_compaction` | a `ComingCompaction` | the summary; or a `CompactionDecision` |
| `after_compaction` | the `CompactionEntry` | |
| `before_session_change` | a `SessionChange` | a reason, and the session stays |
| `after_session_change` | the new session | |

Nothing given, or None, changes nothing. A hook may be a plain function, which runs on a thread of its
own, or a coroutine function. One that raises is told to the person once and passed over; the gates
`before_tool_call` and `before_session_change` then stay shut.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from pi_notebook.agent.events import CompactionReason
from pi_notebook.agent.messages import Message

HookEvent = Literal[
    "before_prompt",
    "before_tool_call",
    "after_tool_call",
    "context",
    "before_compaction",
    "after_compaction",
    "before_session_change",
    "after_session_change",
]
HOOK_EVENTS: tuple[HookEvent, ...] = get_args(HookEvent)


@dataclass(frozen=True, kw_only=True)
class ComingCompaction:
    """A compaction that is about to be made."""

    reason: CompactionReason
    focus: str
    """The person's own wish for the summary."""
    tokens_before: int
    to_summarise: Sequence[Message]
    """What the summary will stand for, the beginning of a turn that is split included."""
    kept: Sequence[Message]
    """What stays word for word."""
    previous_summary: str | None
    max_summary_tokens: int


@dataclass(frozen=True, kw_only=True)
class CompactionDecision:
    """What a `before_compaction` hook decides."""

    cancel: bool = False
    reason: str = ""
    """Told to the person when `cancel` is true."""
    summary: str | None = None
    """Takes the place of the model's; cut to `max_summary_tokens`. The ledger is added to it."""
