"""The lines of a session file: a header, then entries that form a tree by `parent_id`.

The format is version 3 of Pi's. What is ours alone goes into `CustomEntry` under a `customType`
that begins with `pi_notebook/`. Reading and writing files is left to `session/store.py`, which
also keeps the raw line of every entry: these types are a view of it.
"""

from __future__ import annotations

from typing import Any, Union

import msgspec

from pi_notebook.agent.messages import DISK_NAMES as MESSAGE_NAMES
from pi_notebook.agent.messages import Message, Usage, UserContent

FORMAT_VERSION = 3

DISK_NAMES = MESSAGE_NAMES | {
    "parent_id": "parentId",
    "parent_session": "parentSession",
    "model_id": "modelId",
    "thinking_level": "thinkingLevel",
    "first_kept_entry_id": "firstKeptEntryId",
    "from_hook": "fromHook",
    "target_id": "targetId",
}


class _Line(msgspec.Struct, frozen=True, kw_only=True, rename=DISK_NAMES, omit_defaults=True):
    pass


class SessionHeader(_Line, frozen=True, kw_only=True, tag_field="type", tag="session"):
    """The first line of a session file."""

    version: int
    id: str
    timestamp: str
    """ISO 8601, UTC."""
    cwd: str
    parent_session: str | None = None


class _Entry(_Line, frozen=True, kw_only=True):
    id: str
    """Eight hexadecimal digits, unique in the file."""
    parent_id: str | None
    timestamp: str


class MessageEntry(_Entry, frozen=True, kw_only=True, tag_field="type", tag="message"):
    message: Message


class CustomMessageEntry(_Entry, frozen=True, kw_only=True, tag_field="type", tag="custom_message"):
    """A message of the program that takes part in the context."""

    custom_type: str
    content: str | list[UserContent]
    display: bool
    details: Any = None


class CustomEntry(_Entry, frozen=True, kw_only=True, tag_field="type", tag="custom"):
    """A record of the program that takes no part in the context."""

    custom_type: str
    data: Any = None


class CompactionEntry(_Entry, frozen=True, kw_only=True, tag_field="type", tag="compaction"):
    """Entries before `first_kept_entry_id` are replaced by `summary` from here on."""

    summary: str
    first_kept_entry_id: str
    tokens_before: int
    details: Any = None
    usage: Usage | None = None
    from_hook: bool | None = None


class BranchSummaryEntry(_Entry, frozen=True, kw_only=True, tag_field="type", tag="branch_summary"):
    from_id: str
    summary: str
    details: Any = None
    usage: Usage | None = None
    from_hook: bool | None = None


class ContextEditEntry(_Entry, frozen=True, kw_only=True, tag_field="type", tag="context_edit"):
    """Hides an earlier entry from the context (`replacement` is null) or puts a message in its place."""

    target_id: str
    replacement: Any


class ModelChangeEntry(_Entry, frozen=True, kw_only=True, tag_field="type", tag="model_change"):
    provider: str
    model_id: str


class ThinkingLevelChangeEntry(
    _Entry, frozen=True, kw_only=True, tag_field="type", tag="thinking_level_change"
):
    thinking_level: str


class UsageEntry(_Entry, frozen=True, kw_only=True, tag_field="type", tag="usage"):
    """Tokens spent outside the conversation's own messages."""

    kind: str
    provider: str
    model: str
    usage: Usage


class LabelEntry(_Entry, frozen=True, kw_only=True, tag_field="type", tag="label"):
    target_id: str
    label: str | None = None


class SessionInfoEntry(_Entry, frozen=True, kw_only=True, tag_field="type", tag="session_info"):
    name: str


Entry = Union[
    MessageEntry,
    CustomMessageEntry,
    CustomEntry,
    CompactionEntry,
    BranchSummaryEntry,
    ContextEditEntry,
    ModelChangeEntry,
    ThinkingLevelChangeEntry,
    UsageEntry,
    LabelEntry,
    SessionInfoEntry,
]
