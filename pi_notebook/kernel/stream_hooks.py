"""Listening to what the kernel's own streams send to the front end, at no cost to who prints.

The text is seen when the stream's thread sends it, several prints at once and what child processes
wrote among it. A stream of a terminal sends nothing and is not listened to.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

Listener = Callable[[Any, str], None]
"""Takes the header of the request that the text belongs to, and the text."""


def listen(stream: Any, listener: Listener) -> Callable[[], None]:
    """Call `listener` for each text that `stream` sends; returns how to stop that. It must not raise."""
    thread = getattr(stream, "pub_thread", None)
    if thread is None:
        return lambda: None
    if not hasattr(stream, "register_hook"):
        return _listen_to_flushes(stream, listener)

    def hook(message: Any) -> Any:
        listener(message.get("parent_header"), message["content"]["text"])
        return message

    # A stream's hooks are those of the thread that registers them; its own thread sends.
    thread.schedule(functools.partial(stream.register_hook, hook))
    return functools.partial(thread.schedule, functools.partial(stream.unregister_hook, hook))


def _listen_to_flushes(stream: Any, listener: Listener) -> Callable[[], None]:
    """The same in ipykernel before 6.26, whose streams have no hooks."""
    take = getattr(stream, "_flush_buffer", None)
    if take is None:
        return lambda: None

    def flush_buffer() -> Any:
        text = take()
        if text:
            listener(stream.parent_header, text)
        return text

    def stop() -> None:
        if stream.__dict__.get("_flush_buffer") is flush_buffer:
            del stream.__dict__["_flush_buffer"]

    stream._flush_buffer = flush_buffer
    return stop
