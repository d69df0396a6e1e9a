"""The recorded entries of a session, retold as segments.

A segment is known by the place of its entry on the branch, so that the same entry gives the same ids
whenever it is retold.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from pi_notebook.agent.entries import CompactionEntry, CustomEntry, CustomMessageEntry, Entry, MessageEntry
from pi_notebook.agent.messages import (
    AssistantMessage,
    ImageContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
    text_of,
)
from pi_notebook.session.typed_prompt import TYPED_TYPE
from pi_notebook.ui.panel.segments import (
    INTERRUPTED,
    call_id,
    call_segment,
    compaction_segment,
    notice_segment,
    pictures_of,
    prompt_segment,
    saying,
    sayings,
)
from pi_notebook.ui.protocol import segments as wire

KINDS = ("message", "custom_message", "compaction", f"custom:{TYPED_TYPE}")
"""The entries that are shown, or say how one is shown."""


class Retelling:
    """The segments of entries that stand one after the other, each given with its place on the branch."""

    def __init__(self, entries: Iterable[tuple[int, Entry]]) -> None:
        self.segments: dict[str, wire.Segment] = {}
        self.pictures: dict[str, Sequence[ImageContent]] = {}
        """By segment; they are not in it yet."""
        self._calls: dict[str, tuple[str, ToolCall]] = {}
        self._failed: list[str] = []
        """Segments of the reply before, when it failed."""
        self._typed = ""
        for index, entry in entries:
            self._add(index, entry)

    @property
    def open_calls(self) -> set[str]:
        """The calls whose results have not come."""
        calls = self.segments.values()
        return {one.call_id for one in calls if isinstance(one, wire.CallSegment) and one.state == "running"}

    def add_result(self, message: ToolResultMessage) -> None:
        """The result of one of the calls; others have no place here."""
        if message.tool_call_id not in self._calls:
            return
        segment_id, call = self._calls[message.tool_call_id]
        self._put(call_segment(segment_id, call, message))
        if pictures := pictures_of(message):
            self.pictures[segment_id] = pictures

    def _add(self, index: int, entry: Entry) -> None:
        if isinstance(entry, MessageEntry):
            message = entry.message
            self._typed, typed = "", self._typed
            if isinstance(message, UserMessage):
                self._prompt(index, entry.id, message, typed)
            elif isinstance(message, AssistantMessage):
                self._reply(index, message)
            elif isinstance(message, ToolResultMessage):
                self.add_result(message)
        elif isinstance(entry, CompactionEntry):
            self._put(compaction_segment(f"{index}.d", entry))
        elif isinstance(entry, CustomMessageEntry) and entry.display:
            text = entry.content if isinstance(entry.content, str) else _text(entry.content)
            self._put(notice_segment(f"{index}.n", text))
        elif isinstance(entry, CustomEntry) and isinstance(entry.data, dict):
            self._typed = str(entry.data.get("typed") or "")

    def _put(self, segment: wire.Segment) -> None:
        self.segments[segment.id] = segment

    def _prompt(self, index: int, entry_id: str, message: UserMessage, typed: str) -> None:
        segment = prompt_segment(f"{index}.p", typed or text_of(message), entry_id=entry_id)
        self._failed = []
        self._put(segment)
        if pictures := pictures_of(message):
            self.pictures[segment.id] = pictures

    def _reply(self, index: int, message: AssistantMessage) -> None:
        self._retried()
        interrupted = INTERRUPTED.get(message.stop_reason, "")
        said = sayings(message)
        for number, (kind, text) in enumerate(said):
            ending = interrupted if number == len(said) - 1 else ""
            self._put(saying(f"{index}.{number}", kind, text, is_whole=True, interrupted=ending))
        for call in message.tool_calls:
            segment = call_segment(call_id(str(index), call), call)
            self._put(segment)
            self._calls[call.id] = segment.id, call
        if message.stop_reason == "error":
            self._failed = [f"{index}.{number}" for number in range(len(said))]
            error = message.error_message or "The model failed."
            self._put(notice_segment(f"{index}.e", error, is_warning=True))

    def _retried(self) -> None:
        """Another reply follows one that failed."""
        for segment_id in self._failed:
            segment = self.segments[segment_id]
            if isinstance(segment, wire.TextSegment) and segment.interrupted:
                self._put(msgspec.structs.replace(segment, interrupted="retried"))
        self._failed = []


def _text(content: Sequence[object]) -> str:
    return "".join(getattr(block, "text", "") for block in content)
