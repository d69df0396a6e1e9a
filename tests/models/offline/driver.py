"""Plays a run for the offline model: the loop's part, and the two tools by `exec` in a namespace."""

from __future__ import annotations

import ast
import asyncio
import contextlib
import io
import traceback
import warnings
from dataclasses import dataclass, field
from typing import Any

from pi_notebook.agent.events import ModelDone, ModelEvent
from pi_notebook.agent.messages import (
    AssistantMessage,
    Message,
    TextContent,
    ToolCall,
    ToolResultMessage,
    now_ms,
    user_message,
)
from pi_notebook.agent.protocols import ModelRequest, ToolDefinition
from pi_notebook.models.offline import OfflineModel

TOOLS = tuple(
    ToolDefinition(name=name, description=name, parameters={"type": "object"})
    for name in ("run_code", "list_variables")
)


@dataclass
class Run:
    """A conversation with the offline model over a namespace."""

    namespace: dict[str, Any] = field(default_factory=dict)
    messages: list[Message] = field(default_factory=list)
    tools: tuple[ToolDefinition, ...] = TOOLS
    refuse: str | None = None
    codes: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)

    def ask(self, prompt: str) -> str:
        """The answer to `prompt`, its tool calls made."""
        self.messages.append(user_message(prompt))
        self.codes.clear()
        self.outputs.clear()
        for _ in range(7):
            message = asyncio.run(self.reply())
            self.messages.append(message)
            if not message.tool_calls:
                return message.text
            self.messages.extend(self.result(call) for call in message.tool_calls)
        raise AssertionError("the offline model does not come to an end")

    async def reply(self) -> AssistantMessage:
        return (await self.events())[-1].message  # type: ignore[union-attr]

    async def events(self) -> list[ModelEvent]:
        request = ModelRequest(system_prompt="", tools=self.tools, messages=tuple(self.messages))
        events = [event async for event in OfflineModel().stream(request)]
        assert isinstance(events[-1], ModelDone)
        return events

    def result(self, call: ToolCall) -> ToolResultMessage:
        text, is_error = (self.refuse, True) if self.refuse else self.execute(call)
        self.outputs.append(text)
        return ToolResultMessage(
            tool_call_id=call.id,
            tool_name=call.name,
            content=[TextContent(text=text)],
            is_error=is_error,
            timestamp=now_ms(),
        )

    def execute(self, call: ToolCall) -> tuple[str, bool]:
        if call.name == "list_variables":
            return list_variables(self.namespace), False
        self.codes.append(call.arguments["code"])
        return run_code(call.arguments["code"], self.namespace)


def list_variables(namespace: dict[str, Any]) -> str:
    lines = []
    for name, value in namespace.items():
        if name.startswith("_") or type(value).__name__ == "module":
            continue
        kind = type(value)
        module = kind.__module__.split(".")[0]
        if kind.__name__ == "DataFrame":
            lines.append(f"{name}: {module}.DataFrame, {value.shape[0]} x {value.shape[1]}")
        else:
            lines.append(f"{name}: {kind.__name__}")
    return "\n".join(lines) or "No variables yet."


def run_code(code: str, namespace: dict[str, Any]) -> tuple[str, bool]:
    """What `code` printed and the text of its last value, or its error."""
    out = io.StringIO()
    try:
        tree = ast.parse(code)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        with contextlib.redirect_stdout(out), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a kernel prints them
            exec(compile(tree, "<cell>", "exec"), namespace)
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), namespace)
                if value is not None:
                    out.write(repr(value))
    except Exception:
        return f"Error in the code\n{out.getvalue()}{traceback.format_exc()}", True
    return out.getvalue(), False
