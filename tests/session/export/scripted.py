"""Sessions made of calls, without a kernel: the code runs by `exec` and is recorded as a kernel would."""

from __future__ import annotations

import builtins
import contextlib
import copy
import io
import traceback
from collections.abc import Sequence
from typing import Any

from pi_notebook.agent.entries import CustomEntry, CustomMessageEntry, Entry, MessageEntry
from pi_notebook.agent.messages import (
    NO_USAGE,
    AssistantMessage,
    ImageContent,
    TextContent,
    ToolCall,
    ToolResultMessage,
    user_message,
)
from pi_notebook.context.call_record import LEDGER_TYPE, CallRecord, FileNote, VariableNote
from pi_notebook.session.person_cells import CUSTOM_TYPE as CELLS_TYPE

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


class Script:
    """A branch that grows."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.namespace: dict[str, Any] = {}
        self._calls = 0

    def prompt(self, content: Any = "go") -> None:
        self._add(MessageEntry, message=user_message(content))

    def say(self, text: str, *blocks: Any, stop_reason: str = "stop", error: str | None = None) -> None:
        content = [TextContent(text=text), *blocks] if text else list(blocks)
        reply = AssistantMessage(
            content=content,
            api="a",
            provider="p",
            model="m",
            usage=NO_USAGE,
            stop_reason=stop_reason,
            timestamp=0,
            error_message=error,
        )
        self._add(MessageEntry, message=reply)

    def call(
        self,
        name: str,
        arguments: dict[str, Any],
        output: str | None = "(no output)",
        *,
        say: str = "",
        is_error: bool = False,
        details: Any = None,
        images: Sequence[ImageContent] = (),
        variables: Sequence[VariableNote] = (),
        files: Sequence[FileNote] = (),
    ) -> None:
        """A reply with one call, its record and its result; without an output it has none."""
        self._calls += 1
        call = ToolCall(id=f"call{self._calls}", name=name, arguments=arguments)
        self.say(say, call, stop_reason="toolUse")
        if variables or files:
            record = CallRecord(tool_call_id=call.id, tool=name, variables=list(variables), files=list(files))
            self._add(CustomEntry, custom_type=LEDGER_TYPE, data=record.data())
        if output is not None:
            result = ToolResultMessage(
                tool_call_id=call.id,
                tool_name=name,
                content=[TextContent(text=output), *images],
                is_error=is_error,
                timestamp=0,
                details=details,
                duration_ms=1200,
            )
            self._add(MessageEntry, message=result)

    def run(self, code: str, *, say: str = "") -> bool:
        """Run `code` for the agent; whether it worked."""
        before = kept(self.namespace)
        printed, error = execute(code, self.namespace)
        after = kept(self.namespace)
        changed = [name for name in after if name not in before or after[name] != before[name]]
        notes = [
            VariableNote(name=name, action="rebound" if name in before else "created", type="int")
            for name in changed
        ]
        text = "\n".join(part for part in (printed.rstrip("\n"), error) if part) or "(no output)"
        self.call("run_code", {"code": code}, text, say=say, is_error=bool(error), variables=notes)
        return not error

    def person(self, *blocks: str, omitted: int = 0) -> None:
        """Cells of the person's, as the model is told of them."""
        text = "\n".join(["<cells>", "Run by the person since the last prompt:", *blocks, "</cells>"])
        text = text.replace("<cells>\nRun", "<cells>\nRun", 1)
        self._add(
            CustomMessageEntry,
            custom_type=CELLS_TYPE,
            content=text,
            display=False,
            details={"shown": len(blocks), "omitted": omitted},
        )

    def _add(self, kind: type, **fields: Any) -> None:
        parent = self.entries[-1].id if self.entries else None
        entry_id = f"{len(self.entries):08x}"
        self.entries.append(
            kind(id=entry_id, parent_id=parent, timestamp="2026-01-02T03:04:05.678Z", **fields)
        )


def execute(code: str, namespace: dict[str, Any]) -> tuple[str, str]:
    """What `code` printed, and its traceback in the kernel's words."""
    namespace.setdefault("__builtins__", builtins)
    out = io.StringIO()
    error = ""
    with contextlib.redirect_stdout(out):
        try:
            exec(compile(code, "<agent code>", "exec"), namespace)
        except Exception:
            error = traceback.format_exc()
    return out.getvalue(), _without_ours(error)


def _without_ours(error: str) -> str:
    """The traceback without the frame of `execute`."""
    lines = error.rstrip("\n").split("\n")
    at = next((i for i, line in enumerate(lines) if "scripted.py" in line), None)
    if at is None:
        return "\n".join(lines)
    end = next(i for i, line in enumerate(lines) if i > at and not line.startswith("    "))
    return "\n".join([*lines[:at], *lines[end:]])


def kept(namespace: dict[str, Any]) -> dict[str, Any]:
    """A copy of the variables to compare with."""
    return {name: _copied(value) for name, value in namespace.items() if not name.startswith("_")}


def _copied(value: Any) -> Any:
    if isinstance(value, (list, dict, int, float, str)):
        return copy.deepcopy(value)
    return id(value)


def plain_variables(namespace: dict[str, Any]) -> dict[str, Any]:
    """The variables whose values can be compared."""
    return {
        name: value
        for name, value in namespace.items()
        if not name.startswith("_") and isinstance(value, (list, dict, int, float, str))
    }
