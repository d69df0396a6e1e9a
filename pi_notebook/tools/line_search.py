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
    try:
        lines = _read_lines(path)
    except OSError:
        return
    last_given = last_match = -1
    for number, line in enumerate(lines):
        match = regex.search(line)
        if match:
            for before in range(max(last_given + 1, number - context), number):
                yield _event("context", path, before, lines[before])
            yield _event("match", path, number, line, match)
            last_given = last_match = number
        elif last_match >= 0 and number <= last_match + context:
            yield _event("context", path, number, line)
            last_given = number


def _read_lines(path: str) -> list[str]:
    with open(path, "rb") as file:
        data = file.read()
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        text = data.decode("utf-16", "replace")
    else:
        text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace")
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")] if text else []


def _event(
    kind: str, path: str, number: int, line: str, match: re.Match[str] | None = None
) -> dict[str, Any]:
    starts = [{"start": len(line[: match.start()].encode("utf-8", "replace"))}] if match else []
    name = {"text": path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")}
    return {
        "type": kind,
        "data": {"path": name, "line_number": number + 1, "lines": {"text": line}, "submatches": starts},
    }


if __name__ == "__main__":
    main()
