"""What the inspector asks and is told: every request of a session, taken apart.

A request is known by its number on the branch, the first is 1; null stands for the one that would be
sent next. A part of it is known by its key, which holds for that request alone.
"""

from __future__ import annotations

from typing import Literal, Union

from pi_notebook.ui.protocol.inspected import (
    CategoryShare,
    CompactionRow,
    FileRow,
    HiddenEntry,
    Part,
    Sizes,
    TimelinePoint,
    VariableRow,
)
from pi_notebook.ui.protocol.record import Image, Tagged


class _Asking(Tagged, frozen=True, kw_only=True):
    """A request that is answered once, by a reply with its `request_id`."""

    request_id: str
    nonce: str = ""
    """The panel's comm asks for it; the widget has a comm of its own."""


class InspectOverviewRequest(_Asking, frozen=True, kw_only=True, tag="inspect_overview"):
    """The session, its requests over time, and its compactions."""


class InspectCompositionRequest(_Asking, frozen=True, kw_only=True, tag="inspect_composition"):
    """What one request is made of."""

    number: int | None


class InspectPartRequest(_Asking, frozen=True, kw_only=True, tag="inspect_part"):
    """One part of a request: what the model saw, and all of it."""

    number: int | None
    key: str
    compaction: str = ""
    """The entry of the compaction that folded the part; empty for a part of a request."""


class InspectDifferenceRequest(_Asking, frozen=True, kw_only=True, tag="inspect_difference"):
    """What a later request has that an earlier one had not, and the reverse."""

    earlier: int
    later: int | None


class InspectCompactionRequest(_Asking, frozen=True, kw_only=True, tag="inspect_compaction"):
    """One compaction with the messages it folded."""

    entry_id: str


class InspectLedgerRequest(_Asking, frozen=True, kw_only=True, tag="inspect_ledger"):
    """The files and variables that were touched."""


class InspectRawRequest(_Asking, frozen=True, kw_only=True, tag="inspect_raw"):
    """A request as it is sent to the provider, as JSON with its secrets masked."""

    number: int | None


class HideEntryRequest(_Asking, frozen=True, kw_only=True, tag="hide_entry"):
    """Leave an entry out of the requests to come; recorded."""

    entry_id: str


class RestoreEntryRequest(_Asking, frozen=True, kw_only=True, tag="restore_entry"):
    """Bring an entry back that was hidden or shortened; recorded."""

    entry_id: str


class CompactRequest(_Asking, frozen=True, kw_only=True, tag="compact"):
    """Compact the context now."""

    instructions: str = ""


class ExportRequest(_Asking, frozen=True, kw_only=True, tag="export"):
    """Write the session into the working folder."""

    format: Literal["ipynb", "html", "md", "jsonl"]
    session_id: str = ""
    """Another session than the current one."""


InspectorRequest = Union[
    InspectOverviewRequest,
    InspectCompositionRequest,
    InspectPartRequest,
    InspectDifferenceRequest,
    InspectCompactionRequest,
    InspectLedgerRequest,
    InspectRawRequest,
    HideEntryRequest,
    RestoreEntryRequest,
    CompactRequest,
    ExportRequest,
]


# The replies.


class _Reply(Tagged, frozen=True, kw_only=True):
    """The answer to the request with this id."""

    request_id: str


class OverviewReply(_Reply, frozen=True, kw_only=True, tag="overview"):
    """The session, its requests over time, and its compactions."""

    session_id: str
    session_name: str
    is_running: bool
    count: int
    """Requests that were sent."""
    timeline: list[TimelinePoint]
    """The newest, in order."""
    compactions: list[CompactionRow]
    hidden: list[HiddenEntry]
    """The newest, in order."""
    hidden_count: int


class CompositionReply(_Reply, frozen=True, kw_only=True, tag="composition"):
    """What one request is made of."""

    sizes: Sizes
    shares: list[CategoryShare]
    parts: list[Part]
    """In the order they are sent."""


class PartReply(_Reply, frozen=True, kw_only=True, tag="part"):
    """One part of a request."""

    key: str
    seen: str
    """What the model saw, exactly."""
    images: list[Image]
    full: str
    """All of it, where the model saw less; empty when it saw all."""
    full_path: str
    is_gone: bool
    """True when nothing is at that path any more that may be read."""
    is_cut: bool
    """True when a text was too long to be sent here whole."""


class DifferenceReply(_Reply, frozen=True, kw_only=True, tag="difference"):
    """Two requests compared."""

    earlier: Sizes
    later: Sizes
    kept_share: float
    """The part of the earlier one, by tokens, that the later one begins with."""
    kept_parts: int
    changes: list[CategoryShare]
    """By category: tokens that came, negative where they went; names are empty."""
    added: list[Part]
    gone: list[Part]
    compactions: int
    edits: int


class CompactionReply(_Reply, frozen=True, kw_only=True, tag="compaction"):
    """One compaction, opened."""

    record: CompactionRow
    summary: str
    folded: list[Part]
    """What went in, as it was sent until then; of very many the newest."""
    folded_count: int
    """All that went in."""


class LedgerReply(_Reply, frozen=True, kw_only=True, tag="ledger"):
    """The files and variables that were touched."""

    files: list[FileRow]
    """The newest, the one touched last at the end."""
    file_count: int
    variables: list[VariableRow]
    """The newest, the one changed last at the end."""
    variable_count: int


class RawReply(_Reply, frozen=True, kw_only=True, tag="raw"):
    """A request as it is sent."""

    text: str
    is_cut: bool


class DoneReply(_Reply, frozen=True, kw_only=True, tag="done"):
    """It was done; a sentence, or one on each line, says what, where there is anything to say."""

    text: str
    path: str
    """Of the file that was written; empty when none was."""


class FailedReply(_Reply, frozen=True, kw_only=True, tag="failed"):
    """It could not be done; one sentence says why and what to do."""

    text: str


class InspectionChangedMessage(Tagged, frozen=True, kw_only=True, tag="inspection_changed"):
    """What was told of the session is no longer all: ask again for what is looked at."""


InspectorMessage = Union[
    OverviewReply,
    CompositionReply,
    PartReply,
    DifferenceReply,
    CompactionReply,
    LedgerReply,
    RawReply,
    DoneReply,
    FailedReply,
    InspectionChangedMessage,
]
