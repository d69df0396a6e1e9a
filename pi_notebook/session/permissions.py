"""Whether a tool call may run: decided from mode, risk, rules and what the person has granted.

The decision is pure. Asking is an `Approver`'s, which a front end brings; where there is none, a
call that needs consent is refused with a text that the model and the person can act on.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, get_args

import msgspec

from pi_notebook.agent.messages import ToolCall
from pi_notebook.agent.tools import Risk, Tool, ToolError
from pi_notebook.tools.paths import is_protected, resolve_path

Mode = Literal["plan", "ask", "auto-edit", "auto"]
MODES: tuple[Mode, ...] = get_args(Mode)

MODE_MEANINGS: Mapping[Mode, str] = {
    "plan": "reads only; nothing is run or changed",
    "ask": "asks before code is run or a file is changed",
    "auto-edit": "changes files in the working folder without asking; asks before code is run",
    "auto": "runs everything without asking",
}

Verdict = Literal["allow", "ask", "refuse"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
Scope = Literal["once", "run", "session"]
Reach = Literal["inside", "outside", "protected"]
"""Where a call would write: in the working folder, elsewhere, or to what decides what runs later."""

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
RULE_TEXT = (
    "{tool} is not allowed here: the person's settings refuse it. Take another way, or say what you need."
)
NOBODY_TEXT = (
    "{tool} was not run: it needs the person's consent and nobody can be asked here. "
    "Say so, and that %%agent --auto lets tools run without a question."
)
DECLINED_TEXT = (
    "The person declined this call; it was not run.{reason} Do not send it again; ask or take another way."
)


def verdict(
    mode: Mode, risk: Risk, *, rule: Verdict | None = None, is_granted: bool = False, reach: Reach = "inside"
) -> Verdict:
    """What happens to a call.

    `rule` is the person's setting for this tool and stands above the mode, except that nothing runs
    in plan mode. `is_granted` says that they allowed the tool for this run or session. What guards
    later runs (`reach` is protected) is never changed without a question of its own.
    """
    decided = _VERDICTS[mode][risk]
    if "refuse" in (decided, rule):
        return "refuse"
    if risk == "edit" and reach == "protected":
        return "ask"
    if rule is None and mode == "auto-edit" and reach == "outside":
        decided = "ask"
    decided = rule or decided
    return "allow" if decided == "ask" and is_granted else decided


def reach_of(call: ToolCall, folder: Path, *, homes: Collection[Path] = ()) -> Reach:
    """Where the `path` of a call lies, as it is written and where its links lead; `homes` are our folders."""
    try:
        path = resolve_path(str(call.arguments.get("path", "")), folder)
    except ToolError:
        return "inside"  # the tool itself says what is wrong with it
    real = Path(os.path.realpath(path))
    if any(is_protected(spelling, homes=homes) for spelling in (path, real)):
        return "protected"
    return "inside" if real.is_relative_to(os.path.realpath(folder)) else "outside"


@dataclass(frozen=True, kw_only=True)
class ApprovalRequest:
    """A call that waits for the person's word."""

    tool: Tool
    call: ToolCall
    preview: str = ""
    """All that the call would do, where its arguments alone do not say it."""

    @property
    def fingerprint(self) -> str:
        """Names exactly this tool with exactly these arguments; an answer to another one is void."""
        shown = [self.preview] if self.preview else []
        payload = msgspec.json.encode([self.call.name, self.call.arguments, *shown], order="sorted")
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
