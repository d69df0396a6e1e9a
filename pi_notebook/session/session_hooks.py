"""Calling the hooks of others at their moments in a session, and what becomes of what they give.

Whatever changes what a model is sent is recorded: passages as messages before the prompt, changes of
the context as edits. So every request can be computed from the session's file, without the hooks.
"""

from __future__ import annotations

import asyncio
import copy
import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from pi_notebook.agent.entries import CompactionEntry
from pi_notebook.agent.events import AgentEvent, Notice
from pi_notebook.agent.foreign import awaited, said, text_of_error
from pi_notebook.agent.hooks import ToolCallDecision
from pi_notebook.agent.messages import CustomMessage, Message, TextContent, ToolCall, without_surrogates
from pi_notebook.agent.tools import Tool, ToolResult, checked_result
from pi_notebook.context.foreign_content import bounded_content
from pi_notebook.context.items import ContextItem
from pi_notebook.context.policies.bounds import Bounds
from pi_notebook.context.previews.budget import cut_to_fit
from pi_notebook.context.retrieved import MAX_TOKENS, retrieved_message
from pi_notebook.context.tokens import message_tokens
from pi_notebook.session.branch import Branch
from pi_notebook.session.hook_answers import is_decision, replacement
from pi_notebook.session.hook_events import ComingCompaction, CompactionDecision, HookEvent
from pi_notebook.session.hook_registry import Hook, HookRegistry

logger = logging.getLogger(__name__)

EDITS_TYPE = "pi_notebook/hook_edits"
"""The record that stands before the edits of a `context` hook."""
_MAX_ERROR_CHARS = 300

Emit = Callable[[AgentEvent], Awaitable[None]]
Passages = tuple[str, Sequence[str]]
"""The name of the hook that found them, and their texts."""


class SessionHooks(HookRegistry):
    """The hooks of one session and of those above it, and what calls them.

    Parameters
    ----------
    above
        Those of cells and extensions, which are called first.
    branch
        Takes what they change.
    emit
        Tells the person of one that fails.
    resources
        Gives those of the session's tools: how large a text may be, and where the rest goes.
    """

    def __init__(
        self,
        *above: HookRegistry,
        branch: Branch,
        emit: Emit,
        resources: Callable[[], Mapping[type, Any]],
    ) -> None:
        super().__init__(*above, place="this session")
        self._branch = branch
        self._emit = emit
        self._resources = resources
        self._told: set[Hook] = set()
        self._edited: set[tuple[Hook, str]] = set()
        """Which hook has changed which entry."""

    def has_failed(self, hook: Hook) -> bool:
        """Whether the person was told that something is wrong with `hook`."""
        return hook in self._told

    async def passages(self, prompt: str) -> list[CustomMessage]:
        """What the `before_prompt` hooks find for `prompt`; see `shown_passages`."""
        return self.shown_passages(await self.find_passages(prompt))

    async def find_passages(self, prompt: str) -> list[Passages]:
        """What the `before_prompt` hooks find for `prompt`, as they give it."""
        found: list[Passages] = []
        for hook in self.of("before_prompt"):
            try:
                found.append((hook.name, _texts(await _called(hook, prompt))))
            except Exception as error:
                await self._failed(hook, error)
        return found

    def shown_passages(self, found: Sequence[Passages]) -> list[CustomMessage]:
        """What the context does not hold of it already, within what may be asked for at once."""
        left = min(MAX_TOKENS, Bounds.of(self._resources()).asked_tokens)
        shown: list[CustomMessage] = []
        for source, texts in found:
            known = [*self._branch.messages, *shown]
            message = retrieved_message(texts, source=source, max_tokens=left, context=known)
            if message is not None:
                shown.append(message)
                left -= message_tokens(message)
        return shown

    async def before_tool_call(self, tool: Tool, call: ToolCall) -> ToolCallDecision | None:
        """The word of the first `before_tool_call` hook that has one. A hook that raises does so here."""
        changed: dict[str, object] | None = None
        for hook in self.of("before_tool_call"):
            try:
                decision = _decision(await _called(hook, tool, _with(call, changed)))
            except Exception as error:
                await self._tell(hook, _said(error), "The call was not run.")
                raise
            if decision.block:
                return decision
            changed = decision.arguments if decision.arguments is not None else changed
        return ToolCallDecision(arguments=changed) if changed is not None else None

    async def after_tool_call(self, call: ToolCall, result: ToolResult) -> ToolResult:
        """`result` as the `after_tool_call` hooks leave it."""
        for hook in self.of("after_tool_call"):
            given = await self._given(hook, call, result)
            if isinstance(given, str):
                given = replace(result, content=[TextContent(text=given)])
            if given is None:
                continue
            try:
                found = checked_result(given)
            except TypeError as error:
                await self._tell(hook, str(error))
            else:
                result = replace(found, content=bounded_content(found.content, self._resources()))
        return result

    async def edit_context(self) -> None:
        """Record what the `context` hooks change of what would be sent."""
        for hook in self.of("context"):
            items = self._branch.items
            given = await self._given(hook, copy.deepcopy([item.message for item in items]))
            if given is None:
                continue
            fault, edits = self._edits(hook, items, given)
            if fault:
                await self._tell(hook, fault)
            if edits:
                self._record(hook, edits)

    async def before_compaction(self, coming: ComingCompaction) -> CompactionDecision:
        """What the `before_compaction` hooks decide: the first that cancels or gives a summary counts."""
        for hook in self.of("before_compaction"):
            given = await self._given(hook, coming)
            if isinstance(given, str):
                given = CompactionDecision(summary=given)
            if not is_decision(given):
                if given is not None:
                    await self._tell(hook, "it gave neither a summary nor a CompactionDecision")
                continue
            if given.cancel:
                return replace(given, reason=str(given.reason) or f"{hook.name} cancelled it")
            if given.summary and given.summary.strip():
                text = without_surrogates(given.summary)
                return replace(given, summary=cut_to_fit(text, coming.max_summary_tokens))
        return CompactionDecision()

    async def after_compaction(self, entry: CompactionEntry) -> None:
        """Tell the `after_compaction` hooks what was recorded."""
        await self.tell_all("after_compaction", entry)

    async def tell_all(self, event: HookEvent, *arguments: Any) -> None:
        """Call the hooks of `event`, which change nothing."""
        for hook in self.of(event):
            await self._given(hook, *arguments)

    async def refusal(self, event: HookEvent, *arguments: Any) -> str | None:
        """The reason of the first gate that stays shut, or None; a gate that raises stays shut."""
        for hook in self.of(event):
            try:
                given = await _called(hook, *arguments)
            except Exception as error:
                logger.exception("a %s hook failed", event)
                return f"the hook {hook.name} failed: {_said(error)}"
            if given is not None:
                return str(given)
        return None

    async def _given(self, hook: Hook, *arguments: Any) -> Any:
        """What `hook` gives; None when it fails, which the person is told."""
        try:
            return await _called(hook, *arguments)
        except Exception as error:
            await self._failed(hook, error)
            return None

    async def _failed(self, hook: Hook, error: Exception) -> None:
        logger.error("a %s hook failed", hook.event, exc_info=error)
        await self._tell(hook, _said(error))

    async def _tell(self, hook: Hook, fault: str, outcome: str = "It was passed over.") -> None:
        """Tell the person once of each hook that something is wrong with it."""
        if hook not in self._told:
            self._told.add(hook)
            text = f"The {hook.event} hook {hook.name} failed: {fault}. {outcome} This is said once."
            await self._emit(Notice(text, "warning"))

    def _edits(
        self, hook: Hook, items: Sequence[ContextItem], given: Any
    ) -> tuple[str, dict[str, Message | None]]:
        """What `hook` changes, by entry, and what is wrong with what it gave."""
        if not isinstance(given, (list, tuple)) or len(given) != len(items):
            return f"it has to give a list of {len(items)} messages, None for one to leave out", {}
        fault, most = "", Bounds.of(self._resources()).asked_tokens
        edits: dict[str, Message | None] = {}
        for item, message in zip(items, given, strict=True):
            try:
                changed = replacement(message, item.message, max_tokens=most)
            except Exception as error:
                fault = text_of_error(error)
                continue
            if changed is item.message:
                continue
            if (hook, item.entry_id) in self._edited:
                fault = "it changes again what it has changed before"
            elif item is items[-1] and changed is None:
                fault = "it leaves the last message out"
            else:
                edits[item.entry_id] = changed
        return fault, edits

    def _record(self, hook: Hook, edits: dict[str, Message | None]) -> None:
        self._edited |= {(hook, entry_id) for entry_id in edits}
        self._branch.add_record(EDITS_TYPE, {"by": hook.name, "targetIds": list(edits)})
        for entry_id, message in edits.items():
            if message is None:
                self._branch.hide(entry_id)
            else:
                self._branch.replace(entry_id, message)


async def _called(hook: Hook, *arguments: Any) -> Any:
    """What the function gives; a plain one runs on a thread, so that a stop need not wait for it."""
    if inspect.iscoroutinefunction(hook.function):
        return await awaited(hook.function(*arguments))
    given = await awaited(asyncio.to_thread(hook.function, *arguments))
    return await awaited(given) if inspect.isawaitable(given) else given


def _texts(given: Any) -> list[str]:
    """The passages that a hook gave; `TypeError` when it gave something else."""
    texts = [given] if isinstance(given, str) else list(given or ())
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("it gave something else than texts")
    return texts


def _decision(given: object) -> ToolCallDecision:
    """What a gate gave; `TypeError` when it is none of what it may give."""
    if given is None:
        return ToolCallDecision()
    if isinstance(given, str):
        return ToolCallDecision(block=True, reason=given)
    if isinstance(given, ToolCallDecision):
        return given
    raise TypeError(f"it gave {type(given).__name__}, not a reason or a ToolCallDecision")


def _with(call: ToolCall, arguments: dict[str, object] | None) -> ToolCall:
    return call if arguments is None else msgspec.structs.replace(call, arguments=arguments)


def _said(error: Exception) -> str:
    return said(error)[:_MAX_ERROR_CHARS]
