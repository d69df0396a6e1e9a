"""Displays of running code: into the sink, and on to the front end within a bound.

Owns what stands in place of the publisher's methods and of the pager for the time of one call.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Callable, Mapping
from typing import Any

from pi_notebook.kernel.calls import Call, outside_calls, without_surrogates
from pi_notebook.kernel.outputs import DisplayOutput
from pi_notebook.kernel.swaps import Swaps

MAX_DISPLAYS = 100
MAX_DISPLAY_BYTES = 8_000_000


def text_bundle(data: Mapping[str, Any]) -> dict[str, Any]:
    """A mimebundle as JSON knows it: images are base64, as on the wire and in notebooks."""
    parts = {mime: _as_text(part) for mime, part in data.items() if isinstance(mime, str)}
    return {mime: part for mime, part in parts.items() if isinstance(part, str) or _length(part)}


def _as_text(part: Any) -> Any:
    if isinstance(part, bytes):
        return base64.b64encode(part).decode("ascii")
    return without_surrogates(part) if isinstance(part, str) else part


class DisplayTap:
    """The publisher of one call: the first displays go on to the front end, the rest are counted."""

    def __init__(self, shell: Any, call: Call, *, settle: Callable[[], None]) -> None:
        self._shell = shell
        self._call = call
        self._settle = settle
        self._pid = os.getpid()
        self._count = 0
        self._dropped = 0
        self._newest: dict[str, tuple[Any, ...]] = {}
        """Updates over the bound by display id: only the newest is worth showing."""

    def open(self, swaps: Swaps) -> None:
        """Stand in for the shell's publisher until `swaps` are restored."""
        publisher = self._shell.display_pub
        self._publish = publisher.publish
        self._clear = publisher.clear_output
        self._payloads = _payloads(self._shell)
        swaps.set(publisher, "publish", self._on_publish)
        swaps.set(publisher, "clear_output", self._on_clear)

    def close(self) -> None:
        """Show the newest of what was held back, and take what was meant for the pager."""
        if os.getpid() != self._pid:
            return
        for display_id, (arguments, keywords) in self._newest.items():
            self._show(arguments, keywords)
            self._give(arguments[0], arguments[1], display_id, is_update=True)
        if self._dropped:
            self._call.note(f"{self._dropped} displays after the first {MAX_DISPLAYS} were left out.")
        self._take_pages()

    def _on_publish(self, data: Any, metadata: Any = None, *args: Any, **keywords: Any) -> None:
        if os.getpid() != self._pid:
            _show_in_child(data)
            return
        if not self._call.owns_this_thread():
            self._publish(data, metadata, *args, **keywords)
            return
        self._count += 1
        data = {
            mime: without_surrogates(part) if isinstance(part, str) else part for mime, part in data.items()
        }
        display_id = (keywords.get("transient") or {}).get("display_id")
        is_update = bool(keywords.get("update"))
        if self._count > MAX_DISPLAYS:
            self._hold_back(display_id if is_update else None, ((data, metadata, *args), keywords))
            return
        if self._is_fit(data):
            self._show((data, metadata, *args), keywords)
        self._give(data, metadata, display_id, is_update=is_update)

    def _show(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> None:
        """Publish; a terminal's publisher prints, and what it prints is no text of the code."""
        with outside_calls():
            self._publish(*arguments, **keywords)

    def _hold_back(self, display_id: str | None, arguments: tuple[Any, ...]) -> None:
        if display_id is not None and (display_id in self._newest or len(self._newest) < MAX_DISPLAYS):
            self._newest[display_id] = arguments
        else:
            self._dropped += 1

    def _is_fit(self, data: Any) -> bool:
        """Whether a bundle is of a size a notebook can hold."""
        if sum(_length(part) for part in dict(data).values()) <= MAX_DISPLAY_BYTES:
            return True
        self._call.note(f"A display larger than {MAX_DISPLAY_BYTES // 1_000_000} MB was not shown.")
        return False

    def _give(self, data: Any, metadata: Any, display_id: str | None, *, is_update: bool) -> None:
        self._settle()
        output = DisplayOutput(
            data=text_bundle(data), metadata=dict(metadata or {}), display_id=display_id, is_update=is_update
        )
        self._call.show(output)

    def _on_clear(self, wait: bool = False) -> None:
        """Let code clear its own cell, but not a cell that shows more than this code's output."""
        if self._call.forward is not None or not self._call.owns_this_thread():
            self._clear(wait)

    def _take_pages(self) -> None:
        """Text for the pager (`name?`) is output here; other payloads would edit the person's cells."""
        payloads = _payloads(self._shell)
        if payloads is None or self._payloads is None or len(payloads) == len(self._payloads):
            return
        for payload in payloads[len(self._payloads) :]:
            text = (payload.get("data") or {}).get("text/plain") if payload.get("source") == "page" else None
            if isinstance(text, str):
                self._call.take("stdout", text + "\n")
        self._shell.payload_manager.clear_payload()
        for payload in self._payloads:
            self._shell.payload_manager.write_payload(payload, single=False)


def _payloads(shell: Any) -> list[Any] | None:
    manager = getattr(shell, "payload_manager", None)
    return None if manager is None else list(manager.read_payload())


def _length(part: Any) -> int:
    """Of `part` as JSON; 0 when that cannot hold it."""
    if isinstance(part, str | bytes):
        return len(part)
    try:
        return len(json.dumps(part))
    except (TypeError, ValueError):
        return 0


def _show_in_child(data: Any) -> None:
    """A forked child has no publisher; its descriptor is read by the parent."""
    text = dict(data).get("text/plain")
    if isinstance(text, str):
        os.write(1, (text + "\n").encode("utf-8", "backslashreplace"))
