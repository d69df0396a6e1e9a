"""Searching lines by a regular expression, in a process of its own.

This file is run as a script where ripgrep is not installed: a pattern can take for ever in Python,
and a process can be ended where a thread of the kernel cannot. It speaks like `rg --json`; its input is
the paths, each ended by a NUL byte, or the text itself. It imports the standard library alone.
"""

from __future__ import annotations

import base64
import codecs
import json
import os
import re
import sys
import warnings
from collections import deque
from collections.abc import Iterator
from typing import IO, Any


def main() -> None:
    """Search the input, or the files named on it, as the first argument says."""
    query = json.loads(sys.argv[1])
    regex = compiled(query["pattern"], literal=query["literal"], ignore_case=query["ignore_case"])
    is_text = sys.argv[2] == "text"
    paths = [b""] if is_text else sys.stdin.buffer.read().split(b"\0")[:-1]
    for path in paths:
        lines = _lines_of(sys.stdin.buffer) if is_text else _read_lines(os.fsdecode(path))
        for event in _search(regex, path, lines, query["context"], query["first_only"]):
            sys.stdout.write(json.dumps(event) + "\n")
        sys.stdout.flush()


def compiled(pattern: str, *, literal: bool, ignore_case: bool) -> re.Pattern[str]:
    """Raises `ValueError` for what is no regular expression, or means another thing to other engines."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # Of `[[:alpha:]]`, which to Python is a set of six characters.
            warnings.simplefilter("error", FutureWarning)
            return re.compile(re.escape(pattern) if literal else pattern, re.IGNORECASE if ignore_case else 0)
    except (re.error, RecursionError, OverflowError, FutureWarning) as error:
        raise ValueError(str(error)) from None


def _search(
    regex: re.Pattern[str], path: bytes, lines: Iterator[str], context: int, first_only: bool
) -> Iterator[dict[str, Any]]:
    before: deque[tuple[int, str]] = deque(maxlen=context)
    behind = 0
    try:
        for number, line in enumerate(lines, 1):
            match = regex.search(line)
            if match:
                yield from (_event("context", path, *earlier) for earlier in before)
                yield _event("match", path, number, line, match)
                if first_only:
                    return
                before.clear()
                behind = context
            elif behind:
                yield _event("context", path, number, line)
                behind -= 1
            else:
                before.append((number, line))
    except OSError:
        return


def _read_lines(path: str) -> Iterator[str]:
    with open(path, "rb") as file:
        mark = file.read(3)
        is_utf16 = mark.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        file.seek(3 if mark == codecs.BOM_UTF8 else 0)
        if is_utf16:
            text = file.read().decode("utf-16", "replace")
            yield from (line.removesuffix("\r") for line in text.removesuffix("\n").split("\n"))
        else:
            yield from _lines_of(file)


def _lines_of(file: IO[bytes]) -> Iterator[str]:
    for raw in file:
        yield raw.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8", "replace")


def _event(
    kind: str, path: bytes, number: int, line: str, match: re.Match[str] | None = None
) -> dict[str, Any]:
    starts = [{"start": len(line[: match.start()].encode("utf-8", "replace"))}] if match else []
    name = {"bytes": base64.b64encode(path).decode("ascii")}
    return {
        "type": kind,
        "data": {"path": name, "line_number": number, "lines": {"text": line}, "submatches": starts},
    }


if __name__ == "__main__":
    main()
