"""The tool calls of one reply: found, checked, allowed, run, and each given exactly one result.

Whatever goes wrong with a call becomes an error result that the model can act on; nothing is
raised for it. Results stand in the order of the calls, however they ended. No result leaves here with
a provider's key in it: it would be stored, and sent to whoever answers next.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import msgspec

from pi_notebook._nearest import did_you_mean
from pi_notebook.agent.abort import Aborted, AbortSignal
from pi_notebook.agent.events import AgentEvent, ToolExecutionEnd, ToolExecutionStart, ToolExecutionUpdate
from pi_notebook.agent.foreign import said, text_of_error
from pi_notebook.agent.hooks import Hooks
from pi_notebook.agent.messages import TextContent, ToolCall, ToolResultMessage, now_ms
from pi_notebook.agent.secrets import provider_keys, without_secrets, without_secrets_in
from pi_notebook.agent.tools import Tool, ToolContext, ToolError, ToolResult

logger = logging.getLogger(__name__)

Emit = Callable[[AgentEvent], Awaitable[None]]
Execution = Literal["parallel", "sequential"]

ABORTED_TEXT = "The person stopped the run: this call was not finished. Its effects, if any, are unknown."
NOT_RUN_TEXT = "The person stopped the run before this call began: it was not run."
LENGTH_TEXT = (
    "Not run: the reply reached the output limit, so these arguments may be cut off. "
    "Send the call again, shorter or in parts."
)


@dataclass(frozen=True, kw_only=True)
class ToolCalls:
    """What the calls of a reply run under."""

    tools: Mapping[str, Tool]
    hooks: Hooks
    abort: AbortSignal
    emit: Emit
    execution: Execution = "parallel"
    resources: Mapping[type, Any] = field(default_factory=dict)

    async def run(self, calls: Sequence[ToolCall]) -> list[ToolResultMessage]:
        """One result a call, in call order. Parallel unless the setting or one of the tools forbids it."""
        if self.execution == "sequential" or any(self._is_sequential(call) for call in calls):
            return [await self._one(call) for call in calls]
        prepared = [await self._prepare(call) for call in calls]
        return list(await asyncio.gather(*(self._finish(call, *ready) for call, ready in prepared)))

    async def refuse(self, calls: Sequence[ToolCall], reason: str) -> list[ToolResultMessage]:
        """An error result with `reason` for each call; none is run."""
        results = []
        for call in calls:
            await self.emit(ToolExecutionStart(call))
            results.append(await self._finish(call, None, _failure(reason)))
        return results

    def _is_sequential(self, call: ToolCall) -> bool:
        return call.name in self.tools and self.tools[call.name].is_sequential

    async def _one(self, call: ToolCall) -> ToolResultMessage:
        call, ready = await self._prepare(call)
        return await self._finish(call, *ready)

    async def _prepare(self, call: ToolCall) -> tuple[ToolCall, tuple[Tool | None, ToolResult | None]]:
        """The call as it will be run with its tool, or the result that takes the place of running it."""
        await self.emit(ToolExecutionStart(call))
        if self.abort.is_set:
            return call, (None, _failure(NOT_RUN_TEXT))
        try:
            tool = self._find(call)
            call = _with_arguments(call, tool.stated(tool.parse(call.arguments)))
            call = await self.abort.guard(self._permitted(tool, call))
        except ToolError as error:
            return call, (None, _failure(str(error)))
        except Aborted:
            return call, (None, _failure(NOT_RUN_TEXT))
        return call, (tool, None)

    def _find(self, call: ToolCall) -> Tool:
        if call.name not in self.tools:
            hint = did_you_mean(call.name, self.tools)
            raise ToolError(f"There is no tool {call.name!r}.{hint} Tools: {', '.join(sorted(self.tools))}.")
        if call.malformed_arguments is not None:
            shown = call.malformed_arguments[:200]
            raise ToolError(
                f"Not run: the arguments of {call.name} are not a JSON object: {shown!r}. Send it again."
            )
        return self.tools[call.name]

    async def _permitted(self, tool: Tool, call: ToolCall) -> ToolCall:
        """The call with the arguments that the hooks settled on; a `ToolError` when one blocks it."""
        for hook in self.hooks.before_tool_call:
            try:
                decision = await hook(tool, call)
            except Exception as error:
                logger.exception("a before_tool_call hook failed")
                raise ToolError(
                    f"Not run: the check of this call failed ({text_of_error(error)})."
                ) from error
            if decision is None:
                continue
            if decision.block:
                raise ToolError(decision.reason or f"{call.name} was not allowed.")
            if decision.arguments is not None:
                call = _with_arguments(call, tool.stated(tool.parse(decision.arguments)))
                await self.emit(ToolExecutionUpdate(call, ""))
        return call

    async def _finish(
        self, call: ToolCall, tool: Tool | None, result: ToolResult | None
    ) -> ToolResultMessage:
        began = time.monotonic()
        if tool is not None:
            result = await self._reviewed(call, await self._execute(tool, call))
        assert result is not None
        if tool is None:
            result = await self._refused(call, result)
        return await self._ended(call, result, round((time.monotonic() - began) * 1000))

    async def _execute(self, tool: Tool, call: ToolCall) -> ToolResult:
        glances = _Glances(call, self.emit)
        context = ToolContext(call=call, abort=self.abort, update=glances.show, resources=self.resources)
        try:
            return await self.abort.guard(tool.execute(context, tool.parse(call.arguments)))
        except Aborted:
            return _failure(ABORTED_TEXT)
        except ToolError as error:
            return _failure(str(error))
        except Exception as error:
            logger.exception("tool %s failed", call.name)
            return _failure(f"{call.name} failed: {said(error)}")
        finally:
            await glances.close()

    async def _reviewed(self, call: ToolCall, result: ToolResult) -> ToolResult:
        for hook in self.hooks.after_tool_call:
            try:
                result = await hook(call, result) or result
            except Exception as error:
                logger.exception("an after_tool_call hook failed")
                return _failure(
                    f"{call.name} ran, but the check of its result failed ({text_of_error(error)})."
                )
        return result

    async def _refused(self, call: ToolCall, result: ToolResult) -> ToolResult:
        for hook in self.hooks.refused_tool_call:
            try:
                result = await hook(call, result) or result
            except Exception:
                logger.exception("a refused_tool_call hook failed")
        return result

    async def _ended(self, call: ToolCall, result: ToolResult, duration_ms: int) -> ToolResultMessage:
        result = _without_keys(result)
        message = ToolResultMessage(
            tool_call_id=call.id,
            tool_name=call.name,
            content=list(result.content),
            details=result.details,
            is_error=result.is_error,
            duration_ms=duration_ms,
            timestamp=now_ms(),
        )
        await self.emit(ToolExecutionEnd(call, message))
        return message


_MAX_ERROR_CHARS = 4_000
_ERROR_END_CHARS = 1_000
"""Of a longer one, for its end."""


class _Glances:
    """The newest glance at a running tool, passed on at most ten times a second."""

    def __init__(self, call: ToolCall, emit: Emit) -> None:
        self._call = call
        self._emit = emit
        self._loop = asyncio.get_running_loop()
        self._text: str | None = None
        self._task: asyncio.Task[None] | None = None
        self._closed = False

    def show(self, text: str) -> None:
        """Take `text` as the newest glance; from any thread."""
        is_first, self._text = self._text is None, text
        if is_first and not self._closed and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._start)

    def _start(self) -> None:
        if self._task is None and not self._closed:
            self._task = asyncio.ensure_future(self._pass_on())

    async def _pass_on(self) -> None:
        while self._text is not None:
            text, self._text = self._text, None
            await self._emit(ToolExecutionUpdate(self._call, without_secrets(text, provider_keys())))
            await asyncio.sleep(_GLANCE_SECONDS)
        self._task = None

    async def close(self) -> None:
        self._closed = True
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})


_GLANCE_SECONDS = 0.1


def _with_arguments(call: ToolCall, arguments: Mapping[str, Any]) -> ToolCall:
    return msgspec.structs.replace(call, arguments=msgspec.to_builtins(dict(arguments)))


def _without_keys(result: ToolResult) -> ToolResult:
    keys = provider_keys()
    if not keys:
        return result
    content = [
        msgspec.structs.replace(block, text=without_secrets(block.text, keys))
        if isinstance(block, TextContent)
        else block
        for block in result.content
    ]
    return replace(result, content=content, details=without_secrets_in(result.details, keys))


def _failure(text: str) -> ToolResult:
    left = len(text) - _MAX_ERROR_CHARS
    if left > 0:
        begin, end = text[: _MAX_ERROR_CHARS - _ERROR_END_CHARS], text[-_ERROR_END_CHARS:]
        text = f"{begin}\n[... {left:,} more characters ...]\n{end}"
    return ToolResult(content=[TextContent(text=text)], is_error=True)
