"""What happens to a conversation, many in one message."""

from __future__ import annotations

from typing import Literal, Union

from pi_notebook.ui.protocol.record import Record, Tagged
from pi_notebook.ui.protocol.segments import Segment


class SegmentEvent(Tagged, frozen=True, kw_only=True, tag="segment"):
    """A segment began or changed; it takes the place of the one with its id."""

    segment: Segment


class TextDeltaEvent(Tagged, frozen=True, kw_only=True, tag="text_delta"):
    """A text or thinking segment grew."""

    segment_id: str
    text: str


class CallOutputEvent(Tagged, frozen=True, kw_only=True, tag="call_output"):
    """The end of a running call's output, in place of what was shown before."""

    segment_id: str
    output: str
    hidden_lines: int


class RunEndedEvent(Tagged, frozen=True, kw_only=True, tag="run_ended"):
    """A run is over; what went wrong stands in a notice before this."""

    reason: Literal["done", "aborted", "error", "max_turns"]


class QueuedPrompt(Record, frozen=True, kw_only=True):
    """What the person has said to a run that has not come to it."""

    delivery: Literal["steer", "follow_up"]
    text: str


class StatusEvent(Tagged, frozen=True, kw_only=True, tag="status"):
    """The session as it stands."""

    session_id: str
    last_session: str
    """The one that the notebook had before, while this is what the kernel began with and nobody chose;
    empty when there is none, or it is no longer kept."""
    session_name: str
    model: str
    mode: str
    policy: str
    is_running: bool
    is_compacting: bool
    can_continue: bool
    """True when the run before stopped in the middle and can go on without a new prompt."""
    context_tokens: int
    context_window: int
    context_trigger: int
    """A context of more tokens than this is compacted."""
    is_estimate: bool
    """True when no provider has counted any part of the context."""
    cost_usd: float | None
    """What the session has cost; null when a price is not known."""
    queued: list[QueuedPrompt]


PanelEvent = Union[SegmentEvent, TextDeltaEvent, CallOutputEvent, RunEndedEvent, StatusEvent]
