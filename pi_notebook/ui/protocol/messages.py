"""What the kernel sends."""

from __future__ import annotations

from typing import Any, Literal, Union

import msgspec

from pi_notebook.agent.messages import without_surrogates
from pi_notebook.ui.protocol.events import PanelEvent, StatusEvent
from pi_notebook.ui.protocol.inspection import InspectorMessage
from pi_notebook.ui.protocol.record import Record, Tagged
from pi_notebook.ui.protocol.segments import Segment


class HelloMessage(Tagged, frozen=True, kw_only=True, tag="hello"):
    """The answer to the panel's hello; a snapshot follows."""

    protocol_version: int
    version: str
    """Of the package in the kernel."""
    nonce: str
    modes: list[str]


class SnapshotMessage(Tagged, frozen=True, kw_only=True, tag="snapshot"):
    """The conversation so far, in place of whatever the panel has."""

    status: StatusEvent
    segments: list[Segment]
    is_shortened: bool
    """True when older segments were left out."""


class EventsMessage(Tagged, frozen=True, kw_only=True, tag="events"):
    """What happened since the last message, in order."""

    events: list[PanelEvent]


class AskMessage(Tagged, frozen=True, kw_only=True, tag="ask"):
    """A call waits for the person's word."""

    request_id: str
    fingerprint: str
    tool: str
    code: str | None
    """The whole code or command; null when the call has none. It may be changed in the answer."""
    arguments: str
    """The other arguments, whole, on one line each."""
    preview: str
    """All that the call would do, where the arguments do not say it: what goes begins with `-`, what
    comes with `+`. They are left out then; otherwise this is empty."""


class RunMessage(Tagged, frozen=True, kw_only=True, tag="run"):
    """Code to execute: announce it, and wait for `proceed`."""

    request_id: str
    code: str
    is_hidden: bool
    """True for a request that leaves no cell and no count behind."""
    cell_id: str
    """The cell to run; empty when one is to be put in."""


class ProceedMessage(Tagged, frozen=True, kw_only=True, tag="proceed"):
    """Execute what was announced now; only the panel that announced it first is told."""

    request_id: str


class WithdrawnMessage(Tagged, frozen=True, kw_only=True, tag="withdrawn"):
    """A question or a request to run is no longer open."""

    request_id: str


class ErrorMessage(Tagged, frozen=True, kw_only=True, tag="error"):
    """A request was not carried out; one sentence says why and what to do."""

    text: str


class NotebookMessage(Tagged, frozen=True, kw_only=True, tag="notebook"):
    """Read or change the cells of the live notebook; answered by `notebook_done`."""

    request_id: str
    action: Literal["look", "read", "insert", "edit", "delete", "move"]
    """`look` asks for no cell, only what is told of the notebook."""
    cell_id: str
    """The cell it is about, or how its id begins; for `insert` the one before, empty for the top; for `read`
    empty for all."""
    index: int
    """Where `move` takes it."""
    cell_type: Literal["code", "markdown", "raw"]
    source: str
    """The new source of `insert` and `edit`."""
    expected: str | None
    """The source that the cell must still have; null when it is not looked at."""


class Completion(Record, frozen=True, kw_only=True):
    """What a word may become."""

    text: str
    kind: Literal["variable", "file", "skill", "template", "other"]
    detail: str
    """A type, or what it is for; may be empty."""


class CompletionsReply(Tagged, frozen=True, kw_only=True, tag="completions"):
    """What the word before the caret may become."""

    request_id: str
    start: int
    """Where the word begins, in UTF-16 units as a browser counts."""
    items: list[Completion]


class ModelsReply(Tagged, frozen=True, kw_only=True, tag="models"):
    """What can be chosen; any other name that the provider library knows can be typed."""

    request_id: str
    models: list[str]
    policies: list[str]


class OutputReply(Tagged, frozen=True, kw_only=True, tag="output"):
    """The output of a call, or a part of it."""

    request_id: str
    text: str
    path: str
    """Of the file that has all of it; empty when there is none."""
    is_cut: bool
    """True when there is more behind `text`."""
    next_offset: int
    """Where that begins."""


class EarlierReply(Tagged, frozen=True, kw_only=True, tag="earlier"):
    """Older segments, in order."""

    request_id: str
    segments: list[Segment]
    is_shortened: bool
    """True when there are older ones."""


class SessionRow(Record, frozen=True, kw_only=True):
    """A session in a list."""

    session_id: str
    name: str
    """Given by the person, else how it began."""
    time: float
    """Of its last entry, in seconds since 1970."""
    prompts: int
    is_current: bool
    excerpt: str
    """Around what was searched for; empty otherwise."""


class SessionsReply(Tagged, frozen=True, kw_only=True, tag="sessions"):
    """Sessions, newest first."""

    request_id: str
    sessions: list[SessionRow]
    more: int
    """So many more there are."""


KernelMessage = Union[
    HelloMessage,
    SnapshotMessage,
    EventsMessage,
    AskMessage,
    RunMessage,
    ProceedMessage,
    NotebookMessage,
    WithdrawnMessage,
    ErrorMessage,
    CompletionsReply,
    ModelsReply,
    OutputReply,
    EarlierReply,
    SessionsReply,
    InspectorMessage,
]


def encode_message(message: KernelMessage) -> dict[str, Any]:
    """`message` as the plain data that a comm sends."""
    encoded: dict[str, Any] = _encodable(msgspec.to_builtins(message))
    return encoded


def _encodable(value: Any) -> Any:
    """`value` with what no message can hold, half a character, replaced."""
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, dict):
        return {key: _encodable(item) for key, item in value.items()}
    return [_encodable(item) for item in value] if isinstance(value, (list, tuple)) else value
