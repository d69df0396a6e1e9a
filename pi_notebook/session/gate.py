"""The permission gate of a session: the hook every tool call passes before it runs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from pi_notebook.agent.hooks import ToolCallDecision
from pi_notebook.agent.messages import ToolCall
from pi_notebook.agent.tools import Tool, ToolError
from pi_notebook.session.permissions import (
    DECLINED_TEXT,
    NOBODY_TEXT,
    PLAN_TEXT,
    RULE_TEXT,
    Approval,
    ApprovalRequest,
    Approver,
    Mode,
    Scope,
    Verdict,
    reach_of,
    verdict,
)
from pi_notebook.session.settings import Settings

Record = Callable[[str, dict[str, Any]], None]


class PermissionGate:
    """Holds the mode, the person's grants and the front end that can ask.

    Grants live as long as this object: a run's end with the run, a session's in this kernel only.
    Each decision that the person took is given to `record` before the call runs. `resources` are what
    tools look with at what a call would do.
    """

    def __init__(
        self,
        mode: Mode,
        *,
        folder: Path,
        homes: Collection[Path],
        record: Record,
        resources: Callable[[], Mapping[type, Any]] = dict,
    ) -> None:
        self.mode: Mode = mode
        self.rules: Mapping[str, Verdict] = {}
        """The person's word on single tools, by name."""
        self._folder = folder
        self._homes = homes
        self.approver: Approver | None = None
        self._record = record
        self._resources = resources
        self._granted: dict[Scope, set[str]] = {"run": set(), "session": set()}

    def begin_run(self, approver: Approver | None) -> None:
        """Forget what was granted for the run before and ask through `approver` from now on."""
        self.approver = approver
        self._granted["run"].clear()

    async def check(self, tool: Tool, call: ToolCall) -> ToolCallDecision | None:
        """A `before_tool_call` hook: None lets the call pass."""
        rule = self.rules.get(tool.name)
        reach = reach_of(call, self._folder, homes=self._homes) if tool.risk == "edit" else "inside"
        is_granted = tool.name in self._granted["run"] | self._granted["session"]
        decided = verdict(self.mode, tool.risk, rule=rule, is_granted=is_granted, reach=reach)
        if decided == "allow":
            return None
        if decided == "refuse":
            text = RULE_TEXT if rule == "refuse" else PLAN_TEXT
            return ToolCallDecision(block=True, reason=text.format(tool=tool.name))
        try:
            preview = await tool.preview(self._resources(), call.arguments) if tool.preview else ""
        except ToolError as error:
            return ToolCallDecision(block=True, reason=str(error))
        return await self._ask(ApprovalRequest(tool=tool, call=call, preview=preview))

    async def _ask(self, request: ApprovalRequest) -> ToolCallDecision | None:
        approval = await self.approver.ask(request) if self.approver is not None else None
        name = request.tool.name
        if approval is None:
            return ToolCallDecision(block=True, reason=NOBODY_TEXT.format(tool=name))
        self._record("pi_notebook/approval", _record_of(request, approval))
        if not approval.allowed:
            reason = f" They said: {approval.reason}." if approval.reason else ""
            return ToolCallDecision(block=True, reason=DECLINED_TEXT.format(reason=reason))
        if approval.scope != "once":
            self._granted[approval.scope].add(name)
        return ToolCallDecision(arguments=approval.arguments) if approval.arguments is not None else None


def tool_rules(settings: Settings, tools: Iterable[Tool]) -> dict[str, Verdict]:
    """The person's word on single tools, as far as `settings` say one."""
    rules = ((tool.name, settings.get(f"permissions.{tool.name}")) for tool in tools)
    return {name: rule for name, rule in rules if rule is not None}


def _record_of(request: ApprovalRequest, approval: Approval) -> dict[str, Any]:
    return {
        "toolCallId": request.call.id,
        "tool": request.tool.name,
        "fingerprint": request.fingerprint,
        "allowed": approval.allowed,
        "scope": approval.scope,
        "reason": approval.reason,
        "edited": approval.arguments is not None,
    }
