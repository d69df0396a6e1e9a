"""Finding what a prompt mentions with `@`: variables, files, cells and the last error. Nothing is looked up.

A mention is a list of readings, the longest first: in `@df.csv,` it may be the file or nothing. Which
of them names something is for who can look. An `@` within a word, an address or a link is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

MAX_MENTIONS = 20
"""Of one prompt; what comes after them stays text."""

_AT = re.compile(r"(?<![\w@./:+-])@(?!@)")
_DECORATOR = re.compile(r"(?:^|\n)[ \t]*@[\w.]+[ \t]*\n[ \t]*(?:@|def\b|class\b|async\b)")
_QUOTED = re.compile(r'"([^"\n]+)"|`([^`\n]+)`')
_REFERENCE = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*|\[(?:'[^'\n]*'|\"[^\"\n]*\"|-?\d+)\])*")
_PATH = re.compile(r"[^\s\"'`<>|*?,;()\[\]{}，。！？；：、（）《》“”]+")
_ASCII = re.compile(r"[!-~]+")
_IS_WHOLE = re.compile(r"(?![A-Za-z0-9_/\\(@]|\.[A-Za-z0-9_]|-[A-Za-z0-9])")
"""What a mention may not be followed by."""


def find_mentions(prompt: str) -> list[tuple[str, ...]]:
    """The readings of each mention in `prompt`, in order, each mention once."""
    decorators = [match.span() for match in _DECORATOR.finditer(prompt)]
    found: dict[tuple[str, ...], None] = {}
    for at in _AT.finditer(prompt):
        if any(start <= at.start() < end for start, end in decorators):
            continue
        if readings := tuple(_readings(prompt, at.end())):
            found[readings] = None
    return list(found)[:MAX_MENTIONS]


def _readings(prompt: str, start: int) -> Iterator[str]:
    if quoted := _QUOTED.match(prompt, start):
        yield quoted[1] or quoted[2]
        return
    texts: dict[str, None] = {}
    for pattern in (_REFERENCE, _PATH):
        if match := pattern.match(prompt, start):
            text = match[0].rstrip(".:!?…")
            texts[text] = None
            # In Chinese no space parts a name from the word behind it.
            if ascii_part := _ASCII.match(text):
                texts[ascii_part[0]] = None
            if head := re.match(r"\w+", text, re.ASCII):
                texts[head[0]] = None
    for text in sorted(texts, key=len, reverse=True):
        if text and _IS_WHOLE.match(prompt, start + len(text)):
            yield text
