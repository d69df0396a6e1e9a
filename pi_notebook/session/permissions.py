"""Whether a tool call may run: decided from mode, risk and what the person has granted.

The decision is pure. Asking is an `Approver`'s, which a front end brings; where there is none, a
call that needs consent is refused with a text that the model and the person can act on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, get_args

import msgspec

from pi_notebook.agent.messages import ToolCall
from pi_notebook.agent.tools import Risk, Tool

Mode = Literal["plan", "ask", "auto-edit", "auto"]
MODES: tuple[Mode, ...] = get_args(Mode)

MODE_MEANINGS: Mapping[Mode, str] = {
    "plan": "reads only; nothing is run or changed",
    "ask": "asks before code is run or a file is changed",
    "auto-edit": "changes files in the working folder without asking; asks before code is run",
    "auto": "runs everything without asking",
}

Verdict = Literal["allow", "ask", "refuse"]
Scope = Literal["once", "run", "session"]

_VERDICTS: Mapping[Mode, Mapping[Risk, Verdict]] = {
    "plan": {"read": "allow", "edit": "refuse", "execute": "refuse"},
    "ask": {"read": "allow", "edit": "ask", "execute": "ask"},
    "auto-edit": {"read": "allow", "edit": "allow", "execute": "ask"},
    "auto": {"read": "allow", "edit": "allow", "execute": "allow"},
}

PLAN_TEXT = (
    "{tool} is not allowed in plan mode: nothing may be run or changed. Use the reading tools, and end "
    "with the plan you would carry out; the person can switch with %agent mode ask."
)
NOBODY_TEXT = (
    "{tool} was not run: it needs the person's consent and nobody can be asked here. "
    "Say so, and that %%agent --auto lets tools run without a question."
)
DECLINED_TEXT = (
    "The person declined this call; it was not run.{reason} Do not send it again; ask or take another way."
)


def verdict(mode: Mode, risk: Risk, tool: str, granted: Collection[str]) -> Verdict:
    """What `mode` says to a call of `tool`; `granted` are the tools allowed for this run or session."""
    decided = _VERDICTS[mode][risk]
    return "allow" if decided == "ask" and tool in granted else decided


@dataclass(frozen=True, kw_only=True)
class ApprovalRequest:
    """A call that waits for the person's word."""

    tool: Tool
    call: ToolCall

    @property
    def fingerprint(self) -> str:
        """Names exactly this tool with exactly these arguments; an answer to another one is void."""
        payload = msgspec.json.encode([self.call.name, self.call.arguments], order="sorted")
        return hashlib.sha256(payload).hexdigest()


@dataclass(frozen=True, kw_only=True)
class Approval:
    """The person's word on one request."""

    allowed: bool
    scope: Scope = "once"
    reason: str = ""
    """Why not, in the person's words; the model reads it."""
    arguments: dict[str, Any] | None = None
    """What to run instead of what was asked for."""


class Approver(Protocol):
    """Puts a call before the person."""

    async def ask(self, request: ApprovalRequest) -> Approval | None:
        """The person's word; None where nobody can be asked. Cancelled when the run is stopped."""
        ...
