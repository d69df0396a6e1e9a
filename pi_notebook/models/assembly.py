"""Putting a streamed reply together: pieces of text, of thinking and of tool calls.

Providers agree on the shape of a piece and on little else. A call's id may come once, in every
piece or never; its index may be missing, or shared by several calls; whole calls may come at the
very end. Two rules sort them: another id begins another call, and a piece without an id goes on
with the call of its index, else with the newest.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Union

import msgspec

from pi_notebook.agent.events import TextDelta, ThinkingDelta, ToolCallDelta
from pi_notebook.agent.messages import (
    AssistantContent,
    TextContent,
    ThinkingContent,
    ToolCall,
    without_surrogates,
)
from pi_notebook.models.delta import (
    SIGNATURE_IN_ID,
    field_of,
    json_text,
    records,
    texts,
    thought_signature,
    told,
    words_of,
)

Delta = Union[TextDelta, ThinkingDelta, ToolCallDelta]


class Assembly:
    """A reply that is growing."""

    def __init__(self) -> None:
        self._blocks: list[_Text | _Call] = []
        self._calls: list[_Call] = []
        self._signed: list[_Signed] = []

    def add(self, delta: Any) -> Iterator[Delta]:
        """Take one delta of the provider; gives what it adds, as events."""
        for kind, piece in texts(delta):
            safe = self._open_text(kind).add(piece)
            if safe:
                yield ThinkingDelta(safe) if kind == "thinking" else TextDelta(safe)
        self._keep_signed(records(delta, "thinking_blocks"))
        for piece in records(delta, "tool_calls"):
            event = self._add_call(piece)
            if event is not None:
                yield event

    def content(self) -> list[AssistantContent]:
        """The blocks so far, in the order they began; signed thinking stands first, as it is wanted back."""
        content: list[AssistantContent] = [block.content() for block in self._signed]
        for block in self._blocks:
            if isinstance(block, _Call) or (block.text and not self._is_signed(block)):
                content.append(block.content())
        return content

    def _is_signed(self, block: _Text) -> bool:
        return block.kind == "thinking" and bool(self._signed)

    def _open_text(self, kind: str) -> _Text:
        last = self._blocks[-1] if self._blocks else None
        if isinstance(last, _Text) and last.kind == kind:
            return last
        opened = _Text(kind)
        self._blocks.append(opened)
        return opened

    def _keep_signed(self, blocks: list[Any]) -> None:
        """Blocks of thinking come in pieces too; the piece with the signature is the last of its block."""
        for block in blocks:
            if not self._signed or self._signed[-1].signature:
                self._signed.append(_Signed())
            newest = self._signed[-1]
            newest.thinking += words_of(field_of(block, "thinking"))
            newest.redacted = field_of(block, "type") == "redacted_thinking"
            newest.signature = words_of(field_of(block, "signature")) or words_of(field_of(block, "data"))

    def _add_call(self, piece: Any) -> ToolCallDelta | None:
        function = field_of(piece, "function")
        wire_id, _, signature = told(piece, "id").partition(SIGNATURE_IN_ID)
        part = _Piece(
            index=field_of(piece, "index"),
            wire_id=wire_id,
            name=told(function, "name"),
            arguments=json_text(field_of(function, "arguments")),
        )
        call = self._call_of(part)
        if call is None:
            return None
        call.wire_id = call.wire_id or part.wire_id
        call.name_on(without_surrogates(part.name))
        call.thought_signature = call.thought_signature or thought_signature(piece, function) or signature
        return ToolCallDelta(call.position, call.id, call.name, call.arguments.add(part.arguments))

    def _call_of(self, part: _Piece) -> _Call | None:
        """The call that a piece belongs to, begun when it is new; None when there can be none."""
        newest_first = self._calls[::-1]
        by_id = [call for call in newest_first if part.wire_id and call.wire_id == part.wire_id]
        if any(call.is_repeated_by(part) for call in by_id):
            return None
        for call in by_id + newest_first:
            if call.goes_on_with(part):
                return call
        if not part.name and not part.wire_id:
            return newest_first[0] if newest_first else None
        return self._begin(part)

    def _begin(self, part: _Piece) -> _Call:
        taken = {call.id for call in self._calls}
        is_usable = part.wire_id and part.wire_id not in taken
        call = _Call(
            id=part.wire_id if is_usable else f"call_{uuid.uuid4().hex[:20]}",
            index=part.index,
            position=len(self._calls),
        )
        self._calls.append(call)
        self._blocks.append(call)
        return call


@dataclass(frozen=True, kw_only=True)
class _Piece:
    """What one delta says of one call."""

    index: int | None
    wire_id: str
    name: str
    arguments: str


@dataclass
class _Text:
    """Growing text. Half of a surrogate pair waits for the other half, which may be in the next piece."""

    kind: str = "text"
    _pieces: list[str] = field(default_factory=list)
    _half: str = ""

    def add(self, piece: str) -> str:
        """Take a piece; gives what can be shown of it now."""
        piece, self._half = self._half + piece, ""
        if piece and "\ud800" <= piece[-1] <= "\udbff":
            piece, self._half = piece[:-1], piece[-1]
        safe = without_surrogates(piece)
        self._pieces.append(safe)
        return safe

    @property
    def text(self) -> str:
        return "".join(self._pieces) + without_surrogates(self._half)

    def content(self) -> AssistantContent:
        return ThinkingContent(thinking=self.text) if self.kind == "thinking" else TextContent(text=self.text)


@dataclass(kw_only=True)
class _Call:
    id: str
    index: int | None
    position: int
    wire_id: str = ""
    name: str = ""
    thought_signature: str = ""
    arguments: _Text = field(default_factory=_Text)

    def goes_on_with(self, part: _Piece) -> bool:
        if None not in (part.index, self.index) and part.index != self.index:
            return False
        if not part.name:
            # Some send a fresh id with every piece; what names no function begins no call.
            return True
        if part.wire_id and self.wire_id and part.wire_id != self.wire_id:
            return False
        if self.name and self.name != part.name:
            return self._is_being_named(part)
        return not (part.arguments and _parsed(self.arguments.text) is not None)

    def is_repeated_by(self, part: _Piece) -> bool:
        """Whether `part` is all of this call once more, as some servers end a stream."""
        return (
            bool(part.wire_id and part.name and part.arguments)
            and (part.wire_id, part.name, part.index) == (self.wire_id, self.name, self.index)
            and _parsed(part.arguments) is not None
            and _parsed(part.arguments) == _parsed(self.arguments.text)
        )

    def _is_being_named(self, part: _Piece) -> bool:
        """Whether the name may go on in `part`: where calls have ids, one without is no other call."""
        is_same = part.index is not None and part.index == self.index
        return is_same and bool(self.wire_id) and not part.wire_id and not self.arguments.text

    def name_on(self, piece: str) -> None:
        """Take a piece of the name; some servers send all of it with every piece."""
        if piece != self.name:
            self.name = piece if piece.startswith(self.name) else self.name + piece

    def content(self) -> ToolCall:
        text = self.arguments.text
        arguments = {} if text.strip() in ("", "null") else _parsed(text)
        return ToolCall(
            id=self.id,
            name=self.name,
            arguments=arguments or {},
            thought_signature=self.thought_signature or None,
            malformed_arguments=text if arguments is None else None,
        )


@dataclass(kw_only=True)
class _Signed:
    """A block of thinking that the provider wants back with its signature."""

    thinking: str = ""
    signature: str = ""
    redacted: bool = False

    def content(self) -> ThinkingContent:
        return ThinkingContent(
            thinking=without_surrogates(self.thinking),
            thinking_signature=self.signature or None,
            redacted=self.redacted,
        )


def _parsed(text: str) -> dict[str, Any] | None:
    """The object that `text` is in JSON, or that a JSON string in it is; None when it is none."""
    for _ in range(2):
        try:
            value = msgspec.json.decode(text)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            return None
        if isinstance(value, dict):
            return value
        if not isinstance(value, str):
            return None
        text = value
    return None
