"""What a run has shown so far, as data: text, tool calls and notices, in the order they began.

A `Transcript` takes events and draws nothing; `render` turns its segments into markup, and a
display decides when.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Union

from pi_notebook.agent.events import (
    AgentEnd,
    AgentEvent,
    CompactionEnd,
    CompactionStart,
    MessageEnd,
    MessageUpdate,
    Notice,
    TextDelta,
    ToolExecutionEnd,
    ToolExecutionStart,
    ToolExecutionUpdate,
    TurnStart,
)
from pi_notebook.agent.messages import (
    AssistantMessage,
    Message,
    ToolCall,
    ToolResultMessage,
    UserMessage,
    text_of,
)


@dataclass
class TextSegment:
    """A stretch of the model's answer."""

    pieces: list[str] = field(default_factory=list)
    is_whole: bool = False
    interrupted: str = ""
    """Why it ended before it was whole: `stopped` or `failed`; empty otherwise."""

    @property
    def text(self) -> str:
        if len(self.pieces) > 1:
            self.pieces = ["".join(self.pieces)]
        return self.pieces[0] if self.pieces else ""


@dataclass
class CallSegment:
    """A tool call, what it shows while it runs, and its result."""

    call: ToolCall
    glance: str = ""
    result: ToolResultMessage | None = None


@dataclass
class NoticeSegment:
    """One line from the program."""

    text: str
    is_warning: bool = False


Segment = Union[TextSegment, CallSegment, NoticeSegment]


class Transcript:
    """The segments of one run; `add` returns the one an event began or changed."""

    def __init__(self) -> None:
        self.segments: list[Segment] = []
        self._calls: dict[str, CallSegment] = {}
        self._has_begun = False

    @property
    def answer(self) -> str:
        """The text after the last tool call: what the run came to."""
        answer: list[str] = []
        for segment in reversed(self.segments):
            if isinstance(segment, CallSegment):
                break
            if isinstance(segment, TextSegment):
                answer.append(segment.text)
        return "\n\n".join(reversed(answer)).strip()

    def add(self, event: AgentEvent) -> Segment | None:
        """Follow one event; None when it shows nothing."""
        if isinstance(event, MessageUpdate):
            return self._grown(event.delta.text) if isinstance(event.delta, TextDelta) else None
        if isinstance(event, MessageEnd):
            return self._said(event.message)
        if isinstance(event, TurnStart):
            self._has_begun = True
        if isinstance(event, ToolExecutionStart):
            return self._begun(CallSegment(event.call))
        if isinstance(event, ToolExecutionUpdate):
            segment = self._calls[event.call.id]
            segment.call, segment.glance = event.call, event.text
            return segment
        if isinstance(event, ToolExecutionEnd):
            segment = self._calls[event.call.id]
            segment.call, segment.result = event.call, event.result
            return segment
        notice = notice_of(event)
        return None if notice is None else self._begun(NoticeSegment(notice.text, notice.level == "warning"))

    def _said(self, message: Message) -> Segment | None:
        if isinstance(message, AssistantMessage):
            return self._ended(message)
        if isinstance(message, UserMessage) and self._has_begun:  # what came before is the cell's own prompt
            return self._begun(NoticeSegment(f"You: {text_of(message)}"))
        return None

    def _begun(self, segment: Segment) -> Segment:
        self.segments.append(segment)
        if isinstance(segment, CallSegment):
            self._calls[segment.call.id] = segment
        return segment

    def _open_text(self) -> TextSegment | None:
        last = self.segments[-1] if self.segments else None
        return last if isinstance(last, TextSegment) and not last.is_whole else None

    def _grown(self, text: str) -> Segment:
        segment = self._open_text() or self._begun(TextSegment())
        assert isinstance(segment, TextSegment)
        segment.pieces.append(text)
        return segment

    def _ended(self, message: AssistantMessage) -> Segment | None:
        segment = self._open_text()
        if segment is None and message.text:
            segment = TextSegment([message.text])  # an answer that came without a stream
            self._begun(segment)
        if segment is not None:
            segment.is_whole = True
            segment.interrupted = {"aborted": "stopped", "error": "failed"}.get(message.stop_reason, "")
        return segment


def notice_of(event: AgentEvent) -> Notice | None:
    """The line that an event is told by which has no other form; None for those that have one."""
    if isinstance(event, Notice):
        return event
    if isinstance(event, AgentEnd) and event.reason == "max_turns":
        return Notice("Stopped after the turns it was given (--max-turns). %agent continue goes on.")
    if isinstance(event, CompactionStart):
        return Notice(f"The context is at {event.tokens:,} tokens: what is old is being summarised.")
    if not isinstance(event, CompactionEnd):
        return None
    if event.error:
        return Notice(f"Nothing was summarised. {event.error}", "warning")
    sizes = f"{event.tokens_before:,} to {event.tokens_after:,} tokens"
    return Notice(f"Summarised: the context went from {sizes}. %agent compactions shows how.")
