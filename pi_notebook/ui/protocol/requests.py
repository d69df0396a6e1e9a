"""What the panel sends, and the reading of it."""

from __future__ import annotations

from typing import Literal, Union

import msgspec

from pi_notebook.ui.protocol.inspection import InspectorRequest
from pi_notebook.ui.protocol.record import Image, Record, Tagged

PROTOCOL_VERSION = 2
"""Raised when an older panel would misread what is sent."""

MAX_REQUEST_BYTES = 12_000_000
"""Of one message: a prompt may bring pictures."""


class _Asking(Tagged, frozen=True, kw_only=True):
    """A request that is answered once, by a reply with its `request_id`."""

    nonce: str
    request_id: str


class HelloRequest(Tagged, frozen=True, kw_only=True, tag="hello"):
    """The first message of a panel; the answer gives the nonce that all others must carry."""

    protocol_version: int
    session_hint: str = ""
    """The id of the session that the notebook says it had last; nothing is done on its word alone."""


class AttachedCell(Record, frozen=True, kw_only=True):
    """A cell of the notebook that the person gives with a prompt."""

    cell_id: str
    index: int
    """In the notebook, the first is 0."""
    source: str
    output: str
    """As text; empty when none is given."""


class PromptRequest(Tagged, frozen=True, kw_only=True, tag="prompt"):
    """Say the person's words: a run begins with them, or one that is on is told."""

    nonce: str
    text: str
    delivery: Literal["prompt", "steer", "follow_up"] = "prompt"
    cells: list[AttachedCell] = []
    images: list[Image] = []


class ContinueRequest(Tagged, frozen=True, kw_only=True, tag="continue"):
    """Go on after a stop or a failure, without a new prompt."""

    nonce: str


class TakeQueuedRequest(_Asking, frozen=True, kw_only=True, tag="take_queued"):
    """Take what is queued back, to be edited or dropped; the reply's text is what it was."""


class StopRequest(Tagged, frozen=True, kw_only=True, tag="stop"):
    """End the run."""

    nonce: str


class AnnouncedRequest(Tagged, frozen=True, kw_only=True, tag="announced"):
    """The panel will execute the code of `request_id` once it is told to proceed."""

    nonce: str
    request_id: str
    cell_id: str | None = None
    """The id the cell will have; null for a hidden request."""


class RanRequest(Tagged, frozen=True, kw_only=True, tag="ran"):
    """How the code of `request_id` ended, as the panel saw it."""

    nonce: str
    request_id: str
    status: Literal["ok", "error", "aborted", "refused"]


class ApproveRequest(Tagged, frozen=True, kw_only=True, tag="approve"):
    """The person's word on exactly the call that was asked about."""

    nonce: str
    request_id: str
    fingerprint: str
    allowed: bool
    scope: Literal["once", "run", "session"] = "once"
    reason: str = ""
    code: str | None = None
    """The code as the person changed it; null when they did not."""


class SnapshotRequest(Tagged, frozen=True, kw_only=True, tag="snapshot"):
    """Send everything again."""

    nonce: str


class SetModeRequest(Tagged, frozen=True, kw_only=True, tag="set_mode"):
    """Use another permission mode from now on."""

    nonce: str
    mode: str


class SetModelRequest(Tagged, frozen=True, kw_only=True, tag="set_model"):
    """Use another model from the next request on."""

    nonce: str
    model: str


class CompletionsRequest(_Asking, frozen=True, kw_only=True, tag="completions"):
    """What the word before the caret may become: variables, files, skills and templates."""

    text: str
    """The prompt up to the caret."""


class ModelsRequest(_Asking, frozen=True, kw_only=True, tag="models"):
    """The models and policies that can be chosen."""


class OutputRequest(_Asking, frozen=True, kw_only=True, tag="output"):
    """All of the output of a call, as far as it fits a message; the rest is asked for by where it begins."""

    segment_id: str
    offset: int = 0
    """The characters before what is asked for."""


class EarlierRequest(_Asking, frozen=True, kw_only=True, tag="earlier"):
    """The segments before the one that the panel has first."""

    segment_id: str


class SetPolicyRequest(Tagged, frozen=True, kw_only=True, tag="set_policy"):
    """Use another context policy from the next request on."""

    nonce: str
    policy: str


class SessionsRequest(_Asking, frozen=True, kw_only=True, tag="sessions"):
    """The sessions of this folder, newest first; those that hold the words of `query`, when there are any."""

    query: str = ""


class NewSessionRequest(_Asking, frozen=True, kw_only=True, tag="new_session"):
    """Leave the session and begin another."""


class ResumeSessionRequest(_Asking, frozen=True, kw_only=True, tag="resume_session"):
    """Leave the session and go on with another."""

    session_id: str


class ForkSessionRequest(_Asking, frozen=True, kw_only=True, tag="fork_session"):
    """Go on from before a prompt, in a session of its own; the reply's text is that prompt."""

    entry_id: str


class ForkAfterRequest(_Asking, frozen=True, kw_only=True, tag="fork_after"):
    """Go on from behind an answer and its calls, in a session of its own; the reply says where it ends."""

    segment_id: str
    """Of the answer, or of one of its calls."""


class RenameSessionRequest(_Asking, frozen=True, kw_only=True, tag="rename_session"):
    """Give a session a name."""

    session_id: str
    name: str


class DeleteSessionRequest(_Asking, frozen=True, kw_only=True, tag="delete_session"):
    """Move a session to the trash."""

    session_id: str


class CellOutcome(Record, frozen=True, kw_only=True):
    """A cell of the notebook as the panel has it."""

    cell_id: str
    index: int
    cell_type: Literal["code", "markdown", "raw"]
    source: str
    execution_count: int | None
    outputs: str
    """As text, as far as it fits a message."""


class NotebookDoneRequest(Tagged, frozen=True, kw_only=True, tag="notebook_done"):
    """What became of a `notebook` message."""

    nonce: str
    request_id: str
    problem: str
    """Why it was not done; empty when it was."""
    cells: list[CellOutcome]
    """Those that were read or changed, as they are now."""
    cell_count: int
    """Of the notebook."""
    path: str
    """Of the notebook, as the server has it now."""


PanelRequest = Union[
    HelloRequest,
    PromptRequest,
    ContinueRequest,
    TakeQueuedRequest,
    StopRequest,
    AnnouncedRequest,
    RanRequest,
    ApproveRequest,
    SnapshotRequest,
    SetModeRequest,
    SetModelRequest,
    SetPolicyRequest,
    CompletionsRequest,
    ModelsRequest,
    OutputRequest,
    EarlierRequest,
    SessionsRequest,
    NewSessionRequest,
    ResumeSessionRequest,
    ForkSessionRequest,
    ForkAfterRequest,
    RenameSessionRequest,
    DeleteSessionRequest,
    NotebookDoneRequest,
    InspectorRequest,
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
