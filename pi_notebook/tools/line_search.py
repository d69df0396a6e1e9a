"""Searching lines by a regular expression, in a process of its own.

This file is run as a script where ripgrep is not installed: a pattern can take for ever in Python,
and a process can be ended where a thread of the kernel cannot. It speaks like `rg --json`, reads the
paths from its input, each ended by a NUL byte, and imports the standard library alone.
"""

from __future__ import annotations

import codecs
import json
import os
import re
import sys
from collections import deque
from collections.abc import Iterator
from typing import Any


def main() -> None:
    """Search the files named on the input as the first argument says."""
    query = json.loads(sys.argv[1])
    regex = compiled(query["pattern"], literal=query["literal"], ignore_case=query["ignore_case"])
    for path in sys.stdin.buffer.read().split(b"\0")[:-1]:
        for event in _search(regex, os.fsdecode(path), query["context"]):
            sys.stdout.write(json.dumps(event) + "\n")
        sys.stdout.flush()


def compiled(pattern: str, *, literal: bool, ignore_case: bool) -> re.Pattern[str]:
    """Raises `ValueError` for what is no regular expression."""
    try:
        return re.compile(re.escape(pattern) if literal else pattern, re.IGNORECASE if ignore_case else 0)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(str(error)) from None


def _search(regex: re.Pattern[str], path: str, context: int) -> Iterator[dict[str, Any]]:
    before: deque[tuple[int, str]] = deque(maxlen=context)
    behind = 0
    try:
        for number, line in enumerate(_read_lines(path), 1):
            match = regex.search(line)
            if match:
                yield from (_event("context", path, *earlier) for earlier in before)
                yield _event("match", path, number, line, match)
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
            for raw in file:
                yield raw.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8", "replace")


def _event(
    kind: str, path: str, number: int, line: str, match: re.Match[str] | None = None
) -> dict[str, Any]:
    starts = [{"start": len(line[: match.start()].encode("utf-8", "replace"))}] if match else []
    name = {"text": path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")}
    return {
        "type": kind,
        "data": {"path": name, "line_number": number, "lines": {"text": line}, "submatches": starts},
    }


if __name__ == "__main__":
    main()
