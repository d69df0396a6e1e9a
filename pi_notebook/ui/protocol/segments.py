"""What a conversation is made of, as the panel shows it."""

from __future__ import annotations

from typing import Literal, Union

from pi_notebook.ui.protocol.record import Image, Tagged


class PromptSegment(Tagged, frozen=True, kw_only=True, tag="prompt"):
    """What the person asked."""

    id: str
    entry_id: str
    """Of the session's entry, from which one may fork; empty until it is recorded."""
    text: str
    images: list[Image]


class TextSegment(Tagged, frozen=True, kw_only=True, tag="text"):
    """A stretch of the model's answer, in markdown."""

    id: str
    text: str
    is_whole: bool
    interrupted: str
    """Why it ended before it was whole: `stopped`, `failed` or `retried`; empty otherwise."""


class ThinkingSegment(Tagged, frozen=True, kw_only=True, tag="thinking"):
    """What the model thought before it answered."""

    id: str
    text: str
    is_whole: bool


class CallSegment(Tagged, frozen=True, kw_only=True, tag="call"):
    """A tool call with the end of its output."""

    id: str
    call_id: str
    tool: str
    given: str
    """Its code or command, or its arguments on one line each."""
    output: str
    hidden_lines: int
    """Lines of output that stand before those shown; `output` requests bring them."""
    path: str
    """Where all of the output is; empty when it is all here or nowhere."""
    images: list[Image]
    """What the call drew, as far as it fits."""
    state: Literal["running", "done", "failed"]
    seconds: float


class CompactionSegment(Tagged, frozen=True, kw_only=True, tag="compaction"):
    """A divider: what stands before was summarised for the model."""

    id: str
    entry_id: str
    summary: str
    tokens_before: int
    tokens_after: int


class NoticeSegment(Tagged, frozen=True, kw_only=True, tag="notice"):
    """One line from the program."""

    id: str
    text: str
    is_warning: bool


Segment = Union[PromptSegment, TextSegment, ThinkingSegment, CallSegment, CompactionSegment, NoticeSegment]
