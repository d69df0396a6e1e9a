"""One line of a session file as bytes, and as an entry.

A line of ours ends in a `crc` key: the CRC-32, in hexadecimal, of the line as it was without it.
A line that is JSON with an id but none of the entries we know is never refused: it becomes an
opaque `CustomEntry`, so that it keeps its place in the tree while the file keeps its text.
"""

from __future__ import annotations

import codecs
import json
import re
import zlib
from collections.abc import Iterator, Sequence
from datetime import datetime, timezone
from functools import lru_cache
from itertools import islice
from typing import Any

import msgspec

from pi_notebook.agent.entries import CustomEntry, Entry, SessionHeader
from pi_notebook.agent.messages import without_surrogates
from pi_notebook.errors import SessionWriteError
from pi_notebook.session.foreign import adapted

OPAQUE_TYPE = "pi_notebook/opaque"
"""The `custom_type` of an entry that this release does not know; its `data` is the line, decoded."""

_ENCODER = msgspec.json.Encoder()
_ENTRY = msgspec.json.Decoder(Entry)
_HEADER = msgspec.json.Decoder(SessionHeader)

_BOM = codecs.BOM_UTF8
"""Before the first line, where an editor on Windows has saved the file."""

_CRC_START = b',"crc":"'
_CRC_LENGTH = len(_CRC_START) + 8 + len('"}')

_START = re.compile(rb'\{"type":"\w+",')
_END = re.compile(rb',"crc":"[0-9a-f]{8}"\}')
_MAX_STARTS = 50

# The start of a line as we write it, and as Pi writes most of its own: type, id, parent, and what it is of.
_HEAD = re.compile(
    rb'\{"type":"(?!session")(\w+)","id":"([!#-[\]-~]+)","parentId":(?:"([!#-[\]-~]+)"|null)'
    rb',"timestamp":"[^"\\]*"(?:,(?:"customType"|"message":\{"role"):"([!#-[\]-~]+)")?'
)


class Stub(msgspec.Struct, frozen=True, gc=False):
    """What the tree needs of a line; the rest is decoded when somebody looks."""

    id: str
    parent_id: str | msgspec.UnsetType | None
    """Unset when the line does not say."""
    kind: str
    """Its type, with a message's role or a custom entry's type behind a colon."""


class _Role(msgspec.Struct, gc=False):
    role: str = ""


class _BareLine(msgspec.Struct, gc=False, rename={"parent_id": "parentId"}):
    id: str
    type: str
    parent_id: str | msgspec.UnsetType | None = msgspec.UNSET


class _Line(_BareLine, gc=False, rename={"parent_id": "parentId", "custom_type": "customType"}):
    custom_type: str | None = None
    message: _Role | None = None


_LINE = msgspec.json.Decoder(_Line)


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


def as_json(record: msgspec.Struct) -> Any:
    """What a file will hold of `record`; see `encode_line`. Raises `RecursionError` for what has no end."""
    return _mended(msgspec.to_builtins(record, enc_hook=_named))


def has_right_crc(line: bytes) -> bool:
    """False when `line` (without its newline) carries a `crc` that is not its own."""
    return not is_sealed(line) or _has_own_crc(line)


def is_sealed(line: bytes) -> bool:
    """True when `line` ends in a `crc` key, right or wrong."""
    return line[-_CRC_LENGTH:-10] == _CRC_START


def without_stale_crc(line: bytes) -> bytes:
    """`line` as it may be copied into a file of ours: a `crc` that is not its own is left out."""
    return line if has_right_crc(line) else line[:-_CRC_LENGTH] + b"}"


class Run(msgspec.Struct, frozen=True, gc=False):
    """What the tree needs of lines of which each follows the one before it."""

    ids: list[str]
    parent_id: str | None
    """Of the first."""
    kinds: list[str]


def read_run(lines: Sequence[bytes]) -> Run | None:
    """What `lines` say when all are whole lines of ours, each following the one before; None otherwise.

    Most of a file is so, and many at once take half the time that `read_stub` takes for each.
    """
    crc32 = zlib.crc32
    seals = [b'%s%08x"}' % (_CRC_START, crc32(b"}", crc32(line[:-_CRC_LENGTH]))) for line in lines]
    if seals != [line[-_CRC_LENGTH:] for line in lines]:
        return None
    heads = [head.groups() for head in map(_HEAD.match, lines) if head is not None]
    if len(heads) < len(lines):
        return None
    types, ids, parent_ids, of = zip(*heads, strict=True)
    if parent_ids[1:] != ids[:-1]:
        return None
    first = parent_ids[0]
    return Run(
        b" ".join(ids).decode().split(" "),
        None if first is None else first.decode(),
        [_kind(*kind) for kind in zip(types, of, strict=True)],
    )


def read_stub(line: bytes, *, by_us: bool = True) -> Stub | None:
    """The id, parent and kind of the entry in `line`; None when the line is damaged or no entry.

    A line of ours whose checksum is right needs no decoding: it is as it was written. In a file that
    another program has written a wrong checksum says only that the line was changed on purpose.
    """
    if line[-_CRC_LENGTH:-10] == _CRC_START:
        if _has_own_crc(line):
            if head := _HEAD.match(line):
                entry_type, entry_id, parent_id, of = head.groups()
                parent = None if parent_id is None else parent_id.decode()
                return Stub(entry_id.decode(), parent, _kind(entry_type, of))
        elif by_us:
            return None
    return _decoded_stub(line)


def read_entry(line: bytes, *, entry_id: str, parent_id: str | None) -> Entry:
    """The entry in `line`; id and parent are for an opaque one, of a line that cannot be read whole."""
    try:
        return _ENTRY.decode(line)
    except (msgspec.MsgspecError, RecursionError):
        data = _decode_by_json(line)
    try:
        entry: Entry = msgspec.convert(adapted(data or {}), Entry)
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
    line = line.removeprefix(_BOM)
    if not has_right_crc(line):
        return None
    try:
        return _HEADER.decode(line)
    except (msgspec.MsgspecError, RecursionError):
        return None


def _encode_mended(record: Entry | SessionHeader) -> bytes:
    try:
        return _ENCODER.encode(as_json(record))
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
    """What Python's reader makes of a line msgspec refuses: lone surrogates and NaN are let in.

    Bytes that are no UTF-8 are read as U+FFFD: the rest of what was said is there.
    """
    try:
        data = json.loads(line)
    except UnicodeDecodeError:
        return _decode_by_json(line.decode("utf-8", "replace").encode())
    except (ValueError, RecursionError):
        return None
    return _mended(data) if isinstance(data, dict) else None


def _has_own_crc(line: bytes) -> bool:
    """Whether the checksum that `line` ends in is that of the rest."""
    crc = zlib.crc32(b"}", zlib.crc32(line[:-_CRC_LENGTH]))  # for most lines a copy is cheaper than a view
    return line[-10:] == b'%08x"}' % crc


@lru_cache(maxsize=1024)
def _kind(entry_type: bytes, of: bytes | None) -> str:
    return (entry_type if of is None else b"%s:%s" % (entry_type, of)).decode()


def _decoded_stub(line: bytes) -> Stub | None:
    try:
        return _stub_of_line(_LINE.decode(line))
    except (msgspec.MsgspecError, RecursionError):
        data = _decode_by_json(line)
    for shape in (_Line, _BareLine):
        try:
            return _stub_of_line(msgspec.convert(data, shape))
        except msgspec.MsgspecError:
            continue
    return None


def _stub_of_line(line: _BareLine) -> Stub | None:
    if line.type == "session":
        return None
    of = ""
    if isinstance(line, _Line):
        of = line.message.role if line.message is not None else line.custom_type or ""
    return Stub(line.id, line.parent_id, f"{line.type}:{of}" if of else line.type)


def _opaque(data: dict[str, Any] | None, *, entry_id: str, parent_id: str | None) -> CustomEntry:
    timestamp = (data or {}).get("timestamp")
    return CustomEntry(
        id=entry_id,
        parent_id=parent_id,
        timestamp=timestamp if isinstance(timestamp, str) else "",
        custom_type=OPAQUE_TYPE,
        data=data,
    )
