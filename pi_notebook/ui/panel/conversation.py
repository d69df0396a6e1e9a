"""A session's conversation as the panel shows it: the newest segments, each bounded and with an id.

It is replayed from the session's messages and then follows events; what an event changes comes
back as events for the panel. Nothing is sent from here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Union

from pi_notebook.agent.events import (
    AgentEnd,
    AgentEvent,
    AgentStart,
    MessageEnd,
    MessageUpdate,
    Notice,
    ToolExecutionEnd,
    ToolExecutionStart,
    ToolExecutionUpdate,
    TurnStart,
)
from pi_notebook.agent.messages import (
    AssistantMessage,
    CompactionSummaryMessage,
    CustomMessage,
    Message,
    UserMessage,
    text_of,
    without_surrogates,
)
from pi_notebook.ui.excerpt import excerpt
from pi_notebook.ui.given import given
from pi_notebook.ui.protocol import segments as wire
from pi_notebook.ui.protocol.events import (
    CallOutputEvent,
    PanelEvent,
    RunEndedEvent,
    SegmentEvent,
    TextDeltaEvent,
)
from pi_notebook.ui.render import for_person, spill_path
from pi_notebook.ui.replay import events_of
from pi_notebook.ui.transcript import CallSegment, NoticeSegment, Segment, TextSegment, Transcript

MAX_SEGMENTS = 300
MAX_SNAPSHOT_CHARS = 400_000
MAX_TEXT_CHARS = 100_000
"""Of one answer; the session file has the rest."""
MAX_GIVEN_CHARS = 20_000
"""Of a prompt, or of the code of a call that is not being asked about."""


@dataclass
class _Shown:
    """A segment the panel has, or the words of a prompt, with the id it is known by."""

    id: str
    source: Union[Segment, str]
    sent_chars: int = 0


class Conversation:
    """What a panel shows of one session; `messages` are those the session has already."""

    def __init__(self, messages: Iterable[Message] = (), *, is_running: bool = False) -> None:
        self.is_running = is_running
        self._shown: dict[int, _Shown] = {}
        self._count = 0
        self._transcript = Transcript()
        self._is_shortened = False
        for event in events_of(messages):
            self._follow(event)

    def add(self, event: AgentEvent) -> list[PanelEvent]:
        """Follow one event; what it changed, in order."""
        if isinstance(event, AgentStart):
            self.is_running = True
        elif isinstance(event, AgentEnd):
            self.is_running = False
        changed = self._follow(event)
        events = [] if changed is None else self._told(changed, event)
        return [*events, RunEndedEvent(reason=event.reason)] if isinstance(event, AgentEnd) else events

    def segments(self) -> tuple[list[wire.Segment], bool]:
        """The newest segments that fit a snapshot, and whether older ones are left out."""
        kept: list[wire.Segment] = []
        room = MAX_SNAPSHOT_CHARS
        for shown in reversed(self._shown.values()):
            segment = self._segment(shown)
            room -= _size(segment)
            if room < 0 and kept:
                return kept[::-1], True
            kept.append(segment)
        return kept[::-1], self._is_shortened

    def _follow(self, event: AgentEvent) -> _Shown | None:
        if isinstance(event, TurnStart):
            self._transcript = Transcript()  # a turn's segments do not change once the next begins
            return None
        if isinstance(event, MessageEnd) and isinstance(event.message, UserMessage):
            return self._begin(text_of(event.message))
        event = _notice(event) or event
        if isinstance(event, (ToolExecutionUpdate, ToolExecutionEnd)):
            self._expect(event)
        segment = self._transcript.add(event)
        if segment is None:
            return None
        if isinstance(event, MessageEnd) and isinstance(segment, TextSegment):
            _make_whole(segment, event.message)
        return self._shown.get(id(segment)) or self._begin(segment)

    def _expect(self, event: ToolExecutionUpdate | ToolExecutionEnd) -> None:
        """Begin the call when it began before anyone followed."""
        known = (shown.source for shown in self._shown.values())
        if not any(isinstance(source, CallSegment) and source.call.id == event.call.id for source in known):
            segment = self._transcript.add(ToolExecutionStart(event.call))
            if segment is not None:
                self._begin(segment)

    def _begin(self, source: Segment | str) -> _Shown:
        self._count += 1
        shown = _Shown(f"s{self._count}", source)
        # A prompt is no object of its own: its place among the segments is its key.
        self._shown[id(source) if not isinstance(source, str) else -self._count] = shown
        if len(self._shown) > MAX_SEGMENTS:
            del self._shown[next(iter(self._shown))]
            self._is_shortened = True
        return shown

    def _told(self, shown: _Shown, event: AgentEvent) -> list[PanelEvent]:
        if isinstance(event, MessageUpdate) and shown.sent_chars:
            return self._grown(shown, event)
        if isinstance(event, ToolExecutionUpdate):
            output, hidden = excerpt(event.text)
            return [
                CallOutputEvent(segment_id=shown.id, output=without_surrogates(output), hidden_lines=hidden)
            ]
        segment = self._segment(shown)
        if isinstance(segment, wire.TextSegment):
            shown.sent_chars = len(segment.text)
        return [SegmentEvent(segment=segment)]

    def _grown(self, shown: _Shown, event: MessageUpdate) -> list[PanelEvent]:
        room = MAX_TEXT_CHARS - shown.sent_chars
        text = without_surrogates(getattr(event.delta, "text", ""))[:room] if room > 0 else ""
        shown.sent_chars += len(text)
        return [TextDeltaEvent(segment_id=shown.id, text=text)] if text else []

    def _segment(self, shown: _Shown) -> wire.Segment:
        source = shown.source
        if isinstance(source, TextSegment):
            return wire.TextSegment(
                id=shown.id,
                text=_bounded(source.text, MAX_TEXT_CHARS),
                is_whole=source.is_whole,
                interrupted=source.interrupted,
            )
        if isinstance(source, CallSegment):
            return _call_segment(shown.id, source, is_running=self.is_running)
        if isinstance(source, NoticeSegment):
            return wire.NoticeSegment(
                id=shown.id, text=_bounded(source.text, MAX_GIVEN_CHARS), is_warning=source.is_warning
            )
        return wire.PromptSegment(id=shown.id, entry_id="", text=_bounded(source, MAX_GIVEN_CHARS), images=[])


def _call_segment(segment_id: str, source: CallSegment, *, is_running: bool) -> wire.CallSegment:
    result = source.result
    output, hidden = excerpt(source.glance if result is None else for_person(result))
    if result is None:
        state = "running" if is_running else "failed"
    else:
        state = "failed" if result.is_error else "done"
    return wire.CallSegment(
        id=segment_id,
        call_id=source.call.id,
        tool=without_surrogates(source.call.name),
        given=_bounded(given(source.call, whole=True), MAX_GIVEN_CHARS),
        output=without_surrogates(output),
        hidden_lines=hidden,
        path=spill_path(result) if hidden else "",
        images=[],
        state=state,  # type: ignore[arg-type]  # mypy widens the branches to str
        seconds=(result.duration_ms or 0) / 1000 if result is not None else 0.0,
    )


def _notice(event: AgentEvent) -> Notice | None:
    """The line that is shown for an event which has no other form."""
    if isinstance(event, AgentEnd) and event.error is not None:
        return Notice(str(event.error), "warning")
    if not isinstance(event, MessageEnd):
        return None
    if isinstance(event.message, CompactionSummaryMessage):
        return Notice("What came before was summarised for the model.")
    if isinstance(event.message, CustomMessage) and event.message.display:
        return Notice(text_of(event.message))
    return None


def _make_whole(segment: TextSegment, message: Message) -> None:
    """Give a segment that was joined in the middle the text it would have from the start."""
    if isinstance(message, AssistantMessage) and len(segment.text) < len(message.text):
        segment.pieces = [message.text]


def _bounded(text: str, max_chars: int) -> str:
    kept = without_surrogates(text[:max_chars])
    left = len(text) - max_chars
    return f"{kept}\n… ({left:,} more characters)" if left > 0 else kept


def _size(segment: wire.Segment) -> int:
    if isinstance(segment, wire.CallSegment):
        return len(segment.given) + len(segment.output)
    return len(segment.summary if isinstance(segment, wire.CompactionSegment) else segment.text)
