"""One line of a session file as bytes, and as an entry.

A line of ours ends in a `crc` key: the CRC-32, in hexadecimal, of the line as it was without it.
A line that is JSON with an id but none of the entries we know is never refused: it becomes an
opaque `CustomEntry`, so that it keeps its place in the tree while the file keeps its text.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator
from datetime import datetime, timezone
from itertools import islice
from typing import Any

import msgspec

from pi_notebook.agent.entries import CustomEntry, Entry, SessionHeader
from pi_notebook.agent.messages import without_surrogates
from pi_notebook.errors import SessionWriteError

OPAQUE_TYPE = "pi_notebook/opaque"
"""The `custom_type` of an entry that this release does not know; its `data` is the line, decoded."""

_ENCODER = msgspec.json.Encoder()
_ENTRY = msgspec.json.Decoder(Entry)
_HEADER = msgspec.json.Decoder(SessionHeader)

_CRC_START = b',"crc":"'
_CRC_LENGTH = len(_CRC_START) + 8 + len('"}')

_START = re.compile(rb'\{"type":"\w+",')
_END = re.compile(rb',"crc":"[0-9a-f]{8}"\}')
_MAX_STARTS = 50


class Stub(msgspec.Struct, frozen=True, kw_only=True, gc=False, rename={"parent_id": "parentId"}):
    """What the tree needs of a line; the rest is decoded when somebody looks."""

    id: str
    type: str
    parent_id: str | msgspec.UnsetType | None = msgspec.UNSET
    """Unset when the line does not say."""


_STUB = msgspec.json.Decoder(Stub)


def now_iso() -> str:
    """The time as entries carry it: ISO 8601 in UTC, with milliseconds."""
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def encode_line(record: Entry | SessionHeader) -> bytes:
    """`record` as a whole line, newline included.

    Lone surrogates become U+FFFD and objects that are not JSON their type's name: a line that is
    written can be read. Raises `SessionWriteError` for what no line can be made of.
    """
    try:
        body = _ENCODER.encode(record)
    except (UnicodeEncodeError, TypeError):
        body = _encode_mended(record)
    except RecursionError as error:
        raise _not_json(record, error) from error
    return b'%s%s%08x"}\n' % (body[:-1], _CRC_START, zlib.crc32(body))


def has_right_crc(line: bytes) -> bool:
    """False when `line` (without its newline) carries a `crc` that is not its own."""
    if line[-_CRC_LENGTH : -_CRC_LENGTH + len(_CRC_START)] != _CRC_START:
        return True
    crc = zlib.crc32(b"}", zlib.crc32(memoryview(line)[:-_CRC_LENGTH]))
    return line[-10:-2] == b"%08x" % crc


def read_stub(line: bytes) -> Stub | None:
    """The id and parent of the entry in `line`; None when the line is damaged or no entry."""
    if not has_right_crc(line):
        return None
    try:
        stub = _STUB.decode(line)
    except (msgspec.MsgspecError, RecursionError):
        return _stub_by_json(line)
    return None if stub.type == "session" else stub


def read_entry(line: bytes, *, entry_id: str, parent_id: str | None) -> Entry:
    """The entry in `line`; id and parent are for an opaque one, of a line that cannot be read whole."""
    try:
        return _ENTRY.decode(line)
    except (msgspec.MsgspecError, RecursionError):
        data = _decode_by_json(line)
    try:
        entry: Entry = msgspec.convert(data, Entry)
        return entry
    except msgspec.MsgspecError:
        return _opaque(data, entry_id=entry_id, parent_id=parent_id)


def whole_parts(line: bytes) -> Iterator[tuple[int, bytes]]:
    """The whole lines of ours that stand in a damaged one, each with its place in it."""
    begin = 0
    for end in _END.finditer(line):
        for start in islice(_START.finditer(line, begin, end.start()), _MAX_STARTS):
            part = line[start.start() : end.end()]
            if len(part) < len(line) and has_right_crc(part):
                yield start.start(), part
                begin = end.end()
                break


def read_header(line: bytes) -> SessionHeader | None:
    """The header in `line`; None when it holds something else or is damaged."""
    if not has_right_crc(line):
        return None
    try:
        return _HEADER.decode(line)
    except (msgspec.MsgspecError, RecursionError):
        return None


def _encode_mended(record: Entry | SessionHeader) -> bytes:
    try:
        return _ENCODER.encode(_mended(msgspec.to_builtins(record, enc_hook=_named)))
    except (TypeError, ValueError, RecursionError) as error:
        raise _not_json(record, error) from error


def _not_json(record: Entry | SessionHeader, error: Exception) -> SessionWriteError:
    return SessionWriteError(f"{type(record).__name__} {record.id} cannot be written as JSON: {error}.")


def _named(value: object) -> object:
    """What stands for an object that is not JSON: its value when it is a scalar of numpy's, else its type."""
    item = getattr(type(value), "item", None)
    if item is not None and getattr(value, "ndim", None) == 0:
        return item(value)
    return f"<{type(value).__name__}>"


def _mended(value: Any) -> Any:
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, dict):
        return {without_surrogates(str(key)): _mended(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_mended(item) for item in value]
    return value


def _decode_by_json(line: bytes) -> dict[str, Any] | None:
    """What Python's reader makes of a line msgspec refuses: lone surrogates and NaN are let in."""
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return _mended(data) if isinstance(data, dict) else None


def _stub_by_json(line: bytes) -> Stub | None:
    try:
        stub = msgspec.convert(_decode_by_json(line), Stub)
    except msgspec.MsgspecError:
        return None
    return None if stub.type == "session" else stub


def _opaque(data: dict[str, Any] | None, *, entry_id: str, parent_id: str | None) -> CustomEntry:
    timestamp = (data or {}).get("timestamp")
    return CustomEntry(
        id=entry_id,
        parent_id=parent_id,
        timestamp=timestamp if isinstance(timestamp, str) else "",
        custom_type=OPAQUE_TYPE,
        data=data,
    )
