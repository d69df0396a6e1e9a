"""What the inspector's replies are made of: sizes, shares, parts and rows."""

from __future__ import annotations

from typing import Literal

from pi_notebook.ui.protocol.record import Record


class Sizes(Record, frozen=True, kw_only=True):
    """How large a request is, and what it has room for; in tokens."""

    number: int | None
    model: str
    tokens: int
    context_window: int
    trigger: int
    free: int
    """What may be added before the context is compacted."""
    reserve: int
    """What is kept for the reply."""
    is_estimate: bool


class CategoryShare(Record, frozen=True, kw_only=True):
    """What one category, or one name within it, has of a request; the shares add up to its tokens."""

    category: str
    name: str
    """The tool, or the kind of a note; empty where there are no names."""
    tokens: int
    count: int


class Part(Record, frozen=True, kw_only=True):
    """A section of the system prompt, a tool definition, or a message."""

    key: str
    entry_id: str
    """Of the session's entry; empty for what comes before the messages."""
    category: str
    label: str
    """One line: the tool, and how it begins; empty where its category says all there is to say."""
    tokens: int
    age: int
    """Requests that were sent since the part was first in one; 0 when none has it."""
    is_cached: bool
    """True in the part of the prefix that the request before had too."""
    is_shortened: bool
    """True when the model sees less than there is."""
    can_hide: bool


class HiddenEntry(Record, frozen=True, kw_only=True):
    """An entry that an edit of the context keeps out of requests, or shortens in them."""

    entry_id: str
    label: str
    is_hidden: bool
    """False when it is shortened."""
    reason: str


class TimelinePoint(Record, frozen=True, kw_only=True):
    """A request that was sent."""

    number: int
    time: float
    """In seconds since 1970."""
    tokens: int
    context_window: int
    is_estimate: bool
    outcome: Literal["done", "aborted", "failed"]
    compactions: int
    """Between the request before and this one."""
    edits: int
    """Of the context, between the request before and this one."""


class CompactionRow(Record, frozen=True, kw_only=True):
    """The record of a compaction."""

    entry_id: str
    time: float
    reason: str
    tokens_before: int
    tokens_after: int
    folded: int
    """Messages that went into the summary."""
    kept: int
    """Messages that stayed word for word."""
    seconds: float
    cost_usd: float | None
    model: str
    by: Literal["model", "program", "hook", ""]
    """Who wrote the summary; empty where another program did not say."""
    focus: str
    """What the person asked the summary to keep."""
    previous_id: str
    """Of the compaction before; empty for the first."""


class FileRow(Record, frozen=True, kw_only=True):
    """A file of the ledger."""

    path: str
    reads: int
    writes: int
    modifications: int
    last: Literal["read", "written", "modified", "deleted"]
    """What was done to it last besides reading; `read` when nothing was."""
    renamed_to: str
    """The path it has now when it was renamed; else empty."""
    by: list[Literal["agent", "you"]]
    time: float


class VariableRow(Record, frozen=True, kw_only=True):
    """A variable of the ledger."""

    name: str
    kind: str
    shape: str
    state: Literal["alive", "lost", "deleted"]
    """Lost with the kernel that had it, or deleted by code."""
    spill: str
    """Where a copy of it is; empty when nowhere."""
    by: Literal["agent", "you", ""]
    time: float
