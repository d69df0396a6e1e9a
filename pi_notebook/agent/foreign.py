"""Calling what others wrote, tools and hooks: whatever it raises is an `Exception`, and has a text.

An exit would end the event loop that a run lives on, not only the call.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


async def awaited(work: Awaitable[T]) -> T:
    """What `work` gives; what it raises and is no `Exception` comes as a `RuntimeError` that names it.

    That is an exit, or a panic in the Rust part of a library; a stop stays what it is.
    """
    try:
        return await work
    except (Exception, KeyboardInterrupt, GeneratorExit, asyncio.CancelledError):
        raise
    except BaseException as error:
        raise RuntimeError(f"it ended with {said(error)}") from error


def said(error: BaseException) -> str:
    """The kind and the text of `error`; its kind alone when it has no text, or none that can be made."""
    kind = type(error).__name__
    return f"{kind}: {text}" if (text := text_of_error(error)) else kind


def text_of_error(error: BaseException) -> str:
    """The text of `error`; nothing when none can be made."""
    try:
        return str(error)
    except Exception:
        return ""
