"""The text of a PDF, page by page, where the library for it is installed."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from pathlib import Path

from pi_notebook._loading import installed
from pi_notebook.context.previews.wording import one_line, printable
from pi_notebook.context.truncation import OutputLimits, truncate_head

_SECONDS = 20.0
_MOST_PAGES = 20
_NOTICE_BYTES = 300


def read_pdf(
    path: Path, *, first: int, count: int, limits: OutputLimits, should_stop: Callable[[], bool]
) -> tuple[str, int, int] | None:
    """The pages from `first` (from 1) that fit, the number of the last of them, and how many there are.

    None where the library is not installed. Raises `ValueError` when it cannot be read.
    """
    try:
        with installed():
            import pypdf
    except ImportError:
        return None
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        pages = pypdf.PdfReader(path).pages
        total = len(pages)
        texts: list[str] = []
        room = limits.max_bytes - _NOTICE_BYTES
        until = time.monotonic() + _SECONDS
        for number in range(first, min(total, first + min(count, _MOST_PAGES) - 1) + 1):
            text = _page(number, printable(pages[number - 1].extract_text()), limits)
            room -= len(text.encode("utf-8", "replace"))
            if texts and (room < 0 or should_stop() or time.monotonic() > until):
                break
            texts.append(text)
    except Exception as error:  # the library raises whatever a damaged file makes it trip over
        raise ValueError(one_line(f"{type(error).__name__}: {error}", 200)) from error
    return "\n\n".join(texts), first + len(texts) - 1, total


def _page(number: int, text: str, limits: OutputLimits) -> str:
    room = OutputLimits(max_lines=limits.max_lines - 3, max_bytes=limits.max_bytes - _NOTICE_BYTES)
    kept = truncate_head(text.strip(), room)
    rest = f"\n[{kept.notice} The rest of the page: run_code and pypdf.]" if kept.is_truncated else ""
    return f"--- page {number} ---\n{kept.content or '(no text; it may be a scan)'}{rest}"
