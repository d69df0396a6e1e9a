"""What a tool left aside of a long output, read back to be looked at."""

from __future__ import annotations

from pathlib import Path

from pi_notebook.agent.messages import without_surrogates

MAX_TEXT_CHARS = 1_000_000
"""Of one text that is sent to be looked at."""
_TEXT_SUFFIXES = {".txt", ".log", ".json", ".jsonl", ".csv", ".md", ""}


def spilled_text(path: str, *, offset: int = 0) -> str | None:
    """The file at `path` from so many characters on, with one more than is sent when there is more.

    Empty when it holds no text or ends before, None when it is gone or may not be read.
    """
    file = Path(path)
    is_text = file.suffix.lower() in _TEXT_SUFFIXES
    try:
        with file.open(encoding="utf-8", errors="replace") as stream:
            while is_text and offset > 0 and (skipped := stream.read(min(offset, MAX_TEXT_CHARS))):
                offset -= len(skipped)
            return without_surrogates(stream.read(MAX_TEXT_CHARS + 1)) if is_text else ""
    except (OSError, ValueError):  # the second of a name with a null character
        return None
