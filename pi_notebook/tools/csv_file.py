"""A large file of separated values told in a few lines: its columns, how many rows, the first of them.

Only its beginning is read. It is a look, not a parse: what a library makes of the file may differ.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pi_notebook.context.amounts import count_of
from pi_notebook.context.cleaning import show_controls
from pi_notebook.context.previews.wording import csv_field, one_line
from pi_notebook.context.truncation import format_bytes
from pi_notebook.tools.encoding import Encoding, decode_text, is_guessed
from pi_notebook.tools.text_file import TextBlocks

LARGE_BYTES = 256 * 1024
"""A smaller one is shown as the text it is, unless its first line is too long for that."""
LONG_LINE_BYTES = 4096
SAMPLE_BYTES = 1024 * 1024
ENDINGS = (".csv", ".tsv", ".tab", ".psv")
_SEPARATORS = ",\t;|"
_TYPED_ROWS = 1000
_FIRST_LINES = 12
_LINE_CHARS = 400
_MAX_COLUMNS = 200
_NULLS = frozenset({"", "na", "n/a", "nan", "null", "none", "-"})
_KINDS = (
    ("int", re.compile(r"[+-]?(0|[1-9]\d*)")),
    ("float", re.compile(r"[+-]?((0|[1-9]\d*)(\.\d*)?|\.\d+)([eE][+-]?\d+)?")),
    ("date", re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?")),
    ("bool", re.compile(r"true|false", re.IGNORECASE)),
)


@dataclass(frozen=True, kw_only=True)
class _Beginning:
    """What the first bytes of a file tell."""

    text: str
    encoding: Encoding
    is_utf16: bool
    separator: str
    rows: Sequence[Sequence[str]]
    """The header first."""
    bytes_per_row: float
    """Zero when the beginning is all."""


def describe_csv(
    path: Path, shown: str, blocks: Iterable[bytes], byte_count: int, *, also: str = ""
) -> str | None:
    """The file in a few lines; None when its beginning is no table.

    `also` names another way to look into it, which takes UTF-8 alone.
    """
    found = _beginning(path, blocks)
    if found is None:
        return None
    header, *rows = found.rows[: _TYPED_ROWS + 1]
    count = f"{len(found.rows) - 1:,} rows"
    if found.bytes_per_row:
        count = f"about {byte_count / found.bytes_per_row - 1:,.0f} rows (estimated from its size)"
    name = {"\t": "tabs"}.get(found.separator, repr(found.separator))
    title = (
        f"{shown}: {format_bytes(byte_count)}, {count} x "
        f"{count_of(len(header), 'column')}, separated by {name}{_encoding_note(found)}"
    )
    lines = [one_line(show_controls(line), _LINE_CHARS) for line in found.text.split("\n")[:_FIRST_LINES]]
    also = also if found.encoding == "utf-8" and not found.is_utf16 else ""
    advice = f"[Load it with run_code: {_load_call(found, shown)}{also}. Its lines as they are: limit=100.]"
    return "\n".join(
        [
            title,
            f"columns, by the first {count_of(len(rows), 'row')}: {_columns(header, rows)}",
            "",
            *lines,
            "",
            advice,
        ]
    )


def _load_call(found: _Beginning, shown: str) -> str:
    """What loads it whole."""
    encoding = ', encoding="utf-16"' if found.is_utf16 else ""
    if is_guessed(found.encoding):
        encoding = f', encoding="{found.encoding}"'
    elif found.encoding == "unknown":
        encoding = ", encoding=…"
    separator = {",": "", "\t": ', sep="\\t"'}.get(found.separator, f', sep="{found.separator}"')
    return f'pandas.read_csv("{shown}"{separator}{encoding})'


def _encoding_note(found: _Beginning) -> str:
    if found.is_utf16:
        return ", in UTF-16"
    if is_guessed(found.encoding):
        return f", not UTF-8, probably {found.encoding}"
    return {"utf-8": "", "unknown": ", not UTF-8 (try encodings)"}.get(found.encoding, f", {found.encoding}")


def _beginning(path: Path, blocks: Iterable[bytes]) -> _Beginning | None:
    plain = TextBlocks(blocks)
    data, is_cut = b"", False
    for block in plain:
        data += block
        if is_cut := len(data) >= SAMPLE_BYTES:
            break
    text = decode_text(data, plain.encoding).removeprefix("\ufeff").replace("\r\n", "\n")
    if is_cut:
        text = text.rpartition("\n")[0]  # the last line may go on
    try:
        separator = _separator(path, text)
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) if row]
    except csv.Error:
        return None
    if len(rows) < _LEAST_ROWS or len(rows[0]) > _MAX_READ_COLUMNS:
        return None
    return _Beginning(
        text=text,
        encoding=plain.encoding,
        is_utf16=plain.is_utf16,
        separator=separator,
        rows=rows,
        # UTF-16 was made half as large on the way.
        bytes_per_row=(2 if plain.is_utf16 else 1) * len(data) / len(rows) if is_cut else 0.0,
    )


_LEAST_ROWS = 3
_MAX_READ_COLUMNS = 20_000


def _separator(path: Path, text: str) -> str:
    """The character that parts most of the first lines into equally many; a comma where none does."""
    if path.suffix.lower() in (".tsv", ".tab"):
        return "\t"
    lines = [line for line in text.split("\n")[:50] if line.strip()]
    scores = {}
    for separator in _SEPARATORS:
        widths = [len(row) for row in csv.reader(lines, delimiter=separator)]
        width = max(set(widths), key=widths.count, default=1)
        scores[separator] = (widths.count(width) if width > 1 else 0, width)
    best = max(scores, key=lambda separator: scores[separator])
    return best if scores[best][0] else ","


def _columns(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    shown = [
        f"{csv_field(one_line(name, 60))} ({_kind([row[at] for row in rows if at < len(row)])})"
        for at, name in enumerate(header[:_MAX_COLUMNS])
    ]
    more = len(header) - len(shown)
    return ", ".join([*shown, f"and {more:,} more"] if more else shown)


def _kind(values: Sequence[str]) -> str:
    """The narrowest type that all values have, and whether some are missing."""
    filled = [value.strip() for value in values if value.strip().lower() not in _NULLS]
    gaps = ", gaps" if len(filled) < len(values) else ""
    if not filled:
        return "empty"
    for kind, pattern in _KINDS:
        if all(pattern.fullmatch(value) for value in filled):
            return kind + gaps
    return "text" + gaps
