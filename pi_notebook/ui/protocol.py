"""The messages between the side panel and the kernel, both ways, and the reading of what a panel sends.

Owns the wire: names are snake_case and permanent. `labextension/src/protocol.ts` is generated from
here. What a message does is up to `bridge` and `panels`; what text goes into one, and how much, to
`segments`.
"""

from __future__ import annotations

from typing import Any, Literal, Union

import msgspec

PROTOCOL_VERSION = 1
"""Raised when an older panel would misread what is sent."""

MAX_REQUEST_BYTES = 1_000_000


class _Message(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """A record on the wire; every field is always sent, so that the panel need not know defaults."""


class HelloRequest(_Message, frozen=True, kw_only=True, tag="hello"):
    """The first message of a panel; the answer gives the nonce that all others must carry."""

    protocol_version: int
    session_hint: str = ""
    """The id of the session that the notebook says it had last; nothing is done on its word alone."""


class PromptRequest(_Message, frozen=True, kw_only=True, tag="prompt"):
    """Begin a run with the person's words."""

    nonce: str
    text: str


class StopRequest(_Message, frozen=True, kw_only=True, tag="stop"):
    """End the run."""

    nonce: str


class AnnouncedRequest(_Message, frozen=True, kw_only=True, tag="announced"):
    """The panel will execute the code of `request_id` once it is told to proceed."""

    nonce: str
    request_id: str
    cell_id: str | None = None
    """The id the cell will have; null for a hidden request."""


class RanRequest(_Message, frozen=True, kw_only=True, tag="ran"):
    """How the code of `request_id` ended, as the panel saw it."""

    nonce: str
    request_id: str
    status: Literal["ok", "error", "aborted", "refused"]


class ApproveRequest(_Message, frozen=True, kw_only=True, tag="approve"):
    """The person's word on exactly the call that was asked about."""

    nonce: str
    request_id: str
    fingerprint: str
    allowed: bool
    scope: Literal["once", "run", "session"] = "once"
    reason: str = ""
    code: str | None = None
    """The code as the person changed it; null when they did not."""


class SnapshotRequest(_Message, frozen=True, kw_only=True, tag="snapshot"):
    """Send everything again."""

    nonce: str


class SetModeRequest(_Message, frozen=True, kw_only=True, tag="set_mode"):
    """Use another permission mode from now on."""

    nonce: str
    mode: str


class SetModelRequest(_Message, frozen=True, kw_only=True, tag="set_model"):
    """Use another model from the next request on."""

    nonce: str
    model: str


PanelRequest = Union[
    HelloRequest,
    PromptRequest,
    StopRequest,
    AnnouncedRequest,
    RanRequest,
    ApproveRequest,
    SnapshotRequest,
    SetModeRequest,
    SetModelRequest,
]


# What the conversation is made of.


class PromptSegment(_Message, frozen=True, kw_only=True, tag="prompt"):
    """What the person asked."""

    id: str
    text: str


class TextSegment(_Message, frozen=True, kw_only=True, tag="text"):
    """A stretch of the model's answer, in markdown."""

    id: str
    text: str
    is_whole: bool
    interrupted: str
    """Why it ended before it was whole: `stopped` or `failed`; empty otherwise."""


class CallSegment(_Message, frozen=True, kw_only=True, tag="call"):
    """A tool call with the end of its output."""

    id: str
    tool: str
    given: str
    """Its code or command, or its arguments on one line each."""
    output: str
    hidden_lines: int
    """Lines of output that stand before those shown."""
    path: str
    """Where all of the output is; empty when it is all here or nowhere."""
    state: Literal["running", "done", "failed"]
    seconds: float


class NoticeSegment(_Message, frozen=True, kw_only=True, tag="notice"):
    """One line from the program."""

    id: str
    text: str
    is_warning: bool


Segment = Union[PromptSegment, TextSegment, CallSegment, NoticeSegment]


# What happens to it, many in one message.


class SegmentEvent(_Message, frozen=True, kw_only=True, tag="segment"):
    """A segment began or changed; it takes the place of the one with its id."""

    segment: Segment


class TextDeltaEvent(_Message, frozen=True, kw_only=True, tag="text_delta"):
    """A text segment grew."""

    segment_id: str
    text: str


class CallOutputEvent(_Message, frozen=True, kw_only=True, tag="call_output"):
    """The end of a running call's output, in place of what was shown before."""

    segment_id: str
    output: str
    hidden_lines: int


class RunEndedEvent(_Message, frozen=True, kw_only=True, tag="run_ended"):
    """A run is over; what went wrong stands in a notice before this."""

    reason: Literal["done", "aborted", "error", "max_turns"]


class StatusEvent(_Message, frozen=True, kw_only=True, tag="status"):
    """The session as it stands."""

    session_id: str
    model: str
    mode: str
    is_running: bool
    context_tokens: int
    context_window: int


PanelEvent = Union[SegmentEvent, TextDeltaEvent, CallOutputEvent, RunEndedEvent, StatusEvent]


# From the kernel.


class HelloMessage(_Message, frozen=True, kw_only=True, tag="hello"):
    """The answer to the panel's hello; a snapshot follows."""

    protocol_version: int
    version: str
    """Of the package in the kernel."""
    nonce: str
    modes: list[str]


class SnapshotMessage(_Message, frozen=True, kw_only=True, tag="snapshot"):
    """The conversation so far, in place of whatever the panel has."""

    status: StatusEvent
    segments: list[Segment]
    is_shortened: bool
    """True when older segments were left out."""


class EventsMessage(_Message, frozen=True, kw_only=True, tag="events"):
    """What happened since the last message, in order."""

    events: list[PanelEvent]


class AskMessage(_Message, frozen=True, kw_only=True, tag="ask"):
    """A call waits for the person's word."""

    request_id: str
    fingerprint: str
    tool: str
    code: str | None
    """The whole code or command; null when the call has none. It may be changed in the answer."""
    arguments: str
    """The other arguments, whole, on one line each."""


class RunMessage(_Message, frozen=True, kw_only=True, tag="run"):
    """Code to execute: announce it, and wait for `proceed`."""

    request_id: str
    code: str
    is_hidden: bool
    """True for a request that leaves no cell and no count behind."""


class ProceedMessage(_Message, frozen=True, kw_only=True, tag="proceed"):
    """Execute what was announced now; only the panel that announced it first is told."""

    request_id: str


class WithdrawnMessage(_Message, frozen=True, kw_only=True, tag="withdrawn"):
    """A question or a request to run is no longer open."""

    request_id: str


class ErrorMessage(_Message, frozen=True, kw_only=True, tag="error"):
    """A request was not carried out; one sentence says why and what to do."""

    text: str


KernelMessage = Union[
    HelloMessage,
    SnapshotMessage,
    EventsMessage,
    AskMessage,
    RunMessage,
    ProceedMessage,
    WithdrawnMessage,
    ErrorMessage,
]

_DECODER = msgspec.json.Decoder(PanelRequest)


def decode_request(data: object) -> PanelRequest | str:
    """The request in `data`, as a comm hands it over; a text that says what is wrong when it is none.

    Never raises. Fields that are not known are passed over, so that a newer panel is understood.
    """
    try:
        encoded = msgspec.json.encode(data)
        if len(encoded) > MAX_REQUEST_BYTES:
            return f"the message has {len(encoded)} bytes, more than {MAX_REQUEST_BYTES}"
        return _DECODER.decode(encoded)
    except (msgspec.MsgspecError, TypeError, ValueError, OverflowError, RecursionError) as error:
        return str(error)[:_MAX_PROBLEM_CHARS]


_MAX_PROBLEM_CHARS = 300


def encode_message(message: KernelMessage) -> dict[str, Any]:
    """`message` as the plain data that a comm sends."""
    encoded: dict[str, Any] = msgspec.to_builtins(message)
    return encoded
