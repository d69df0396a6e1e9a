"""Segments of a conversation, made from what was said; each is bounded. Which there are, others decide."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Literal, Union

import msgspec

from pi_notebook.agent.entries import CompactionEntry
from pi_notebook.agent.messages import (
    AssistantMessage,
    ImageContent,
    Message,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    without_surrogates,
)
from pi_notebook.ui.excerpt import excerpt
from pi_notebook.ui.given import given
from pi_notebook.ui.protocol import segments as wire
from pi_notebook.ui.render import spill_path

MAX_TEXT_CHARS = 100_000
"""Of one answer; the session file has the rest."""
MAX_GIVEN_CHARS = 20_000
"""Of a prompt, or of the code of a call that is not being asked about."""

Kind = Literal["text", "thinking"]
Saying = Union[wire.TextSegment, wire.ThinkingSegment]
"""What a reply is made of beside its calls."""

INTERRUPTED = {"aborted": "stopped", "error": "failed"}
"""By the stop reason of a reply."""

_INDEX = re.compile(r"l?(\d{1,18})\.")


def index_of(segment_id: str) -> int | None:
    """How many entries the branch had before the one that the segment shows; None for what is no id."""
    found = _INDEX.match(segment_id)
    return int(found[1]) if found else None


def call_of(segment_id: str) -> str:
    """The call that a segment shows; empty when it shows none."""
    return segment_id.partition(".c:")[2]


def call_id(start: str, call: ToolCall) -> str:
    """The id of the segment of `call`, whose entry has the id `start`."""
    return f"{start}.c:{call.id}"


def sayings(message: AssistantMessage) -> list[tuple[Kind, str]]:
    """The text and thinking of a reply in the order they came, neighbours joined, without blank ones."""
    joined: list[tuple[Kind, str]] = []
    for kind, text in _blocks(message):
        if joined and joined[-1][0] == kind:
            joined[-1] = kind, joined[-1][1] + text
        else:
            joined.append((kind, text))
    return [(kind, text) for kind, text in joined if text.strip()]


def _blocks(message: AssistantMessage) -> Iterator[tuple[Kind, str]]:
    for block in message.content:
        if isinstance(block, TextContent):
            yield "text", block.text
        elif isinstance(block, ThinkingContent):
            yield "thinking", block.thinking


def saying(segment_id: str, kind: Kind, text: str, *, is_whole: bool, interrupted: str = "") -> Saying:
    """A stretch of a reply."""
    shown = bounded(text, MAX_TEXT_CHARS)
    if kind == "thinking":
        return wire.ThinkingSegment(id=segment_id, text=shown, is_whole=is_whole)
    return wire.TextSegment(id=segment_id, text=shown, is_whole=is_whole, interrupted=interrupted)


def prompt_segment(segment_id: str, text: str, *, entry_id: str) -> wire.PromptSegment:
    """What the person asked; pictures are added where there is room."""
    return wire.PromptSegment(
        id=segment_id, entry_id=entry_id, text=bounded(text, MAX_GIVEN_CHARS), images=[]
    )


def notice_segment(segment_id: str, text: str, *, is_warning: bool = False) -> wire.NoticeSegment:
    """One line from the program."""
    return wire.NoticeSegment(id=segment_id, text=bounded(text, MAX_GIVEN_CHARS), is_warning=is_warning)


def compaction_segment(
    segment_id: str, entry: CompactionEntry, *, tokens_after: int | None = None
) -> wire.CompactionSegment:
    """The divider of a compaction; one of another program may not say how far the context went down."""
    details = entry.details if isinstance(entry.details, dict) else {}
    after = details.get("tokensAfter") if tokens_after is None else tokens_after
    return wire.CompactionSegment(
        id=segment_id,
        entry_id=entry.id,
        summary=bounded(entry.summary, MAX_TEXT_CHARS),
        tokens_before=entry.tokens_before,
        tokens_after=after if isinstance(after, int) else 0,
    )


def call_segment(
    segment_id: str, call: ToolCall, result: ToolResultMessage | None = None, *, glance: str = ""
) -> wire.CallSegment:
    """A call with the end of its output, or with what it shows while it runs."""
    output, hidden = excerpt(glance if result is None else result.text)
    return wire.CallSegment(
        id=segment_id,
        call_id=call.id,
        tool=without_surrogates(call.name),
        given=bounded(given(call, whole=True), MAX_GIVEN_CHARS),
        output=without_surrogates(output),
        hidden_lines=hidden,
        path=spill_path(result) if hidden else "",
        images=[],
        state="running" if result is None else "failed" if result.is_error else "done",
        seconds=(result.duration_ms or 0) / 1000 if result is not None else 0.0,
    )


def pictures_of(message: Message) -> Sequence[ImageContent]:
    """The pictures in a message of the person's or of a tool."""
    content = getattr(message, "content", "")
    return [] if isinstance(content, str) else [block for block in content if isinstance(block, ImageContent)]


def ended(segment: wire.Segment, *, is_running: bool) -> wire.Segment:
    """`segment` as it stands when no run is on: a call without a result runs no longer."""
    if isinstance(segment, wire.CallSegment) and segment.state == "running" and not is_running:
        return msgspec.structs.replace(segment, state="failed")
    return segment


def newest(
    segments: Iterable[wire.Segment], *, max_segments: int, max_bytes: int
) -> tuple[list[wire.Segment], bool]:
    """The last of `segments` that fit, and whether others stand before them; of one reply all or none.

    What the last reply is made of is kept however much it is.
    """
    kept: list[wire.Segment] = []
    room = max_bytes
    for _, group in groupby(reversed([*segments]), lambda segment: index_of(segment.id)):
        together = [*group]
        room -= sum(map(size_of, together))
        if kept and (room < 0 or len(kept) + len(together) > max_segments):
            return kept[::-1], True
        kept += together
    return kept[::-1], False


def size_of(segment: wire.Segment) -> int:
    """How many bytes it takes in a message."""
    return len(msgspec.json.encode(segment))


def bounded(text: str, max_chars: int) -> str:
    """`text`, or its beginning with a line that says how much more there is."""
    kept = without_surrogates(text[:max_chars])
    left = len(text) - max_chars
    return f"{kept}\n{_left_out(left)}" if left > 0 else kept


def _left_out(characters: int) -> str:
    return f"… ({characters:,} more characters)"
