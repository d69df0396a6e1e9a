"""A session's conversation as panels follow it: the newest segments, each bounded and with an id.

It begins with what is recorded and then follows events; what an event changes comes back as events for
the panel. Nothing is sent from here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from pi_notebook.agent.entries import CompactionEntry, MessageEntry
from pi_notebook.agent.events import (
    AgentEnd,
    AgentEvent,
    AgentStart,
    CompactionEnd,
    CompactionStart,
    MessageEnd,
    MessageUpdate,
    Notice,
    TextDelta,
    ThinkingDelta,
    ToolExecutionEnd,
    ToolExecutionStart,
    ToolExecutionUpdate,
    TurnEnd,
    TurnStart,
)
from pi_notebook.agent.messages import (
    AssistantMessage,
    CustomMessage,
    ImageContent,
    Message,
    ToolCall,
    UserMessage,
    text_of,
    without_surrogates,
)
from pi_notebook.session.store import SessionStore
from pi_notebook.session.typed_words import typed_words
from pi_notebook.ui.excerpt import excerpt
from pi_notebook.ui.panel.kept_segments import MAX_BYTES, MAX_SEGMENTS, KeptSegments
from pi_notebook.ui.panel.pages import page_before
from pi_notebook.ui.panel.reply import GrowingReply
from pi_notebook.ui.panel.segments import (
    call_id,
    call_segment,
    compaction_segment,
    notice_segment,
    pictures_of,
    prompt_segment,
)
from pi_notebook.ui.protocol import segments as wire
from pi_notebook.ui.protocol.events import CallOutputEvent, PanelEvent, RunEndedEvent, SegmentEvent
from pi_notebook.ui.protocol.record import Image
from pi_notebook.ui.transcript import notice_of

_NEAR = 8
"""How many entries back a message is looked for that was recorded just now."""


class Conversation:
    """What panels show of the session in `store`."""

    def __init__(self, store: SessionStore, *, is_running: bool = False) -> None:
        self.is_running = is_running
        self.unshown: dict[str, Sequence[ImageContent]] = {}
        """Pictures by segment that still have to be made small; whoever does it takes them out."""
        self._store = store
        self._count = 0
        branch = store.branch()
        page = page_before(store, len(branch), max_segments=MAX_SEGMENTS, max_bytes=MAX_BYTES)
        self._kept = KeptSegments(page.segments, is_shortened=page.has_earlier)
        calls = (one for one in page.segments if isinstance(one, wire.CallSegment))
        self._calls = {one.call_id: one.id for one in calls if one.state == "running"}
        """The segments of calls that have not ended."""
        self.unshown |= page.pictures
        self._reply = GrowingReply(self._new_id)
        self._retrying: list[str] = []
        """Text segments of an attempt that failed, until it is known whether another follows."""
        self._compacting = ""
        self._turn: int | None = None
        """Of the turn that is on, how many entries were there before it: all of it has ids with that."""
        self._tip = self._place_of_tip()

    @property
    def is_current(self) -> bool:
        """False once the session goes on from elsewhere."""
        count, place = self._tip
        branch = self._store.branch()
        return count <= len(branch) and (count == 0 or branch.places[count - 1] == place)

    def add(self, event: AgentEvent) -> list[PanelEvent]:
        """Follow one event; what it changed, in order."""
        events = self._followed(event)
        if isinstance(event, MessageEnd):
            self._tip = self._place_of_tip()
        return events

    def show_pictures(self, segment_id: str, images: list[Image]) -> list[PanelEvent]:
        """Put pictures into a segment, now that they are small."""
        segment = self._kept.put_pictures(segment_id, images)
        return [] if segment is None else [SegmentEvent(segment=segment)]

    def segments(self) -> tuple[list[wire.Segment], bool]:
        """The newest segments that fit a snapshot, and whether older ones are left out."""
        if (growing := self._reply.growing) is not None:
            self._kept.put(growing)
        return self._kept.snapshot(is_running=self.is_running)

    def _followed(self, event: AgentEvent) -> list[PanelEvent]:
        follow = _FOLLOWS.get(type(event))
        return follow(self, event) if follow is not None else []

    def _started(self, event: AgentStart) -> list[PanelEvent]:
        self.is_running = True
        return []

    def _ended(self, event: AgentEnd) -> list[PanelEvent]:
        self.is_running, self._retrying, self._turn = False, [], None
        error = [] if event.error is None else [Notice(str(event.error), "warning")]
        told = notice_of(event)
        notices = [*error, *([] if told is None else [told])]
        events = [told for notice in notices for told in self._noticed(notice)]
        return [*events, RunEndedEvent(reason=event.reason)]

    def _turn_begun(self, event: TurnStart) -> list[PanelEvent]:
        """Another reply comes: one that failed before it was an attempt."""
        self._turn = len(self._store.branch())
        self._reply.begin()
        tried = [self._kept.get(segment_id) for segment_id in self._retrying]
        self._retrying = []
        return [
            told
            for segment in tried
            if isinstance(segment, wire.TextSegment) and segment.interrupted
            for told in self._put(msgspec.structs.replace(segment, interrupted="retried"))
        ]

    def _turn_ended(self, event: TurnEnd) -> list[PanelEvent]:
        self._turn = None
        return []

    def _grown(self, event: MessageUpdate) -> list[PanelEvent]:
        delta = event.delta
        if isinstance(delta, TextDelta):
            return self._shown(self._reply.grow("text", delta.text))
        if isinstance(delta, ThinkingDelta):
            return self._shown(self._reply.grow("thinking", delta.thinking))
        return []

    def _said(self, event: MessageEnd) -> list[PanelEvent]:
        message = event.message
        if isinstance(message, AssistantMessage):
            events = self._shown(self._reply.end(message))
            if message.stop_reason == "error":
                self._retrying = [one.segment.id for one in events if isinstance(one, SegmentEvent)]
            return events
        if isinstance(message, UserMessage):
            return self._prompted(message)
        if isinstance(message, CustomMessage) and message.display:
            segment_id = self._new_id(before=len(self._store.branch()) - 1)
            return self._put(notice_segment(segment_id, text_of(message)))
        return []

    def _prompted(self, message: UserMessage) -> list[PanelEvent]:
        index, entry = self._recorded()
        text = text_of(message) if entry is None else typed_words(self._store, entry)
        segment_id = self._new_id(before=index)
        segment = prompt_segment(segment_id, text, entry_id="" if entry is None else entry.id)
        self._take_pictures(segment.id, message)
        return self._put(segment)

    def _called(self, event: ToolExecutionStart) -> list[PanelEvent]:
        return self._put(call_segment(self._id_of(event.call), event.call))

    def _call_went_on(self, event: ToolExecutionUpdate) -> list[PanelEvent]:
        segment_id = self._id_of(event.call)
        segment = self._kept.get(segment_id)
        begun = call_segment(segment_id, event.call, glance=event.text)
        if not isinstance(segment, wire.CallSegment) or segment.given != begun.given:
            return self._put(begun)
        output, hidden = excerpt(event.text)
        shown = without_surrogates(output)
        self._kept.put(msgspec.structs.replace(segment, output=shown, hidden_lines=hidden))
        return [CallOutputEvent(segment_id=segment_id, output=shown, hidden_lines=hidden)]

    def _call_ended(self, event: ToolExecutionEnd) -> list[PanelEvent]:
        segment = call_segment(self._id_of(event.call), event.call, event.result)
        del self._calls[event.call.id]
        self._take_pictures(segment.id, event.result)
        return self._put(segment)

    def _noticed(self, notice: Notice) -> list[PanelEvent]:
        if notice.of_queue:  # the status has what waits
            return []
        is_warning = notice.level == "warning"
        return self._put(notice_segment(self._new_id(), notice.text, is_warning=is_warning))

    def _compaction_begun(self, event: CompactionStart) -> list[PanelEvent]:
        self._compacting = self._new_id()
        told = notice_of(event)
        return [] if told is None else self._put(notice_segment(self._compacting, told.text))

    def _compaction_ended(self, event: CompactionEnd) -> list[PanelEvent]:
        """The divider takes the place of the line that said it had begun."""
        segment_id, self._compacting = self._compacting or self._new_id(), ""
        entry = next(reversed(self._store.branch().of_kind("compaction")), None)
        told = notice_of(event)
        if isinstance(entry, CompactionEntry) and not event.error:
            return self._put(compaction_segment(segment_id, entry, tokens_after=event.tokens_after))
        if told is None:
            return []
        return self._put(notice_segment(segment_id, told.text, is_warning=told.level == "warning"))

    def _shown(self, events: list[PanelEvent]) -> list[PanelEvent]:
        for event in events:
            if isinstance(event, SegmentEvent):
                self._kept.put(event.segment)
        return events

    def _put(self, segment: wire.Segment) -> list[PanelEvent]:
        self._kept.put(segment)
        return [SegmentEvent(segment=segment)]

    def _take_pictures(self, segment_id: str, message: Message) -> None:
        if pictures := pictures_of(message):
            self.unshown[segment_id] = pictures

    def _id_of(self, call: ToolCall) -> str:
        """The segment of `call`, which may have begun before anyone followed."""
        return self._calls.setdefault(call.id, call_id(f"l{self._index}", call))

    @property
    def _index(self) -> int:
        """How many entries were there before what is told now."""
        return len(self._store.branch()) if self._turn is None else self._turn

    def _new_id(self, *, before: int | None = None) -> str:
        self._count += 1
        return f"l{self._index if before is None else before}.{self._count}"

    def _recorded(self) -> tuple[int, MessageEntry | None]:
        """The entry of the prompt that was recorded just now, and how many stand before it."""
        branch = self._store.branch()
        for index in range(len(branch) - 1, max(-1, len(branch) - 1 - _NEAR), -1):
            entry = branch[index]
            if isinstance(entry, MessageEntry) and isinstance(entry.message, UserMessage):
                return index, entry
        return len(branch), None

    def _place_of_tip(self) -> tuple[int, int]:
        """How long the branch is, and the place of its last entry."""
        branch = self._store.branch()
        return len(branch), branch.places[len(branch) - 1] if len(branch) else -1


_FOLLOWS: dict[type, Callable[[Conversation, Any], list[PanelEvent]]] = {
    AgentStart: Conversation._started,
    AgentEnd: Conversation._ended,
    TurnStart: Conversation._turn_begun,
    MessageUpdate: Conversation._grown,
    MessageEnd: Conversation._said,
    ToolExecutionStart: Conversation._called,
    ToolExecutionUpdate: Conversation._call_went_on,
    ToolExecutionEnd: Conversation._call_ended,
    TurnEnd: Conversation._turn_ended,
    Notice: Conversation._noticed,
    CompactionStart: Conversation._compaction_begun,
    CompactionEnd: Conversation._compaction_ended,
}
