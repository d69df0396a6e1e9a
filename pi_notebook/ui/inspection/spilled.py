"""What a tool left aside of a long output, read back to be looked at."""

from __future__ import annotations

from pathlib import Path

from pi_notebook.agent.messages import without_surrogates

MAX_TEXT_CHARS = 1_000_000
"""Of one text that is sent to be looked at."""
_TEXT_SUFFIXES = {".txt", ".log", ".json", ".jsonl", ".csv", ".md", ""}


def spilled_text(path: str, *, offset: int = 0) -> str:
    """The file at `path` from so many characters on, with one more than is sent when there is more.

    Empty when it is gone, holds no text or ends before.
    """
    file = Path(path)
    if file.suffix.lower() not in _TEXT_SUFFIXES:
        return ""
    try:
        with file.open(encoding="utf-8", errors="replace") as stream:
            while offset > 0 and (skipped := stream.read(min(offset, MAX_TEXT_CHARS))):
                offset -= len(skipped)
            return without_surrogates(stream.read(MAX_TEXT_CHARS + 1))
    except OSError:
        return ""
