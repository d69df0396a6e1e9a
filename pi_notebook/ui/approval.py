"""Asking the person at the kernel's input prompt whether a call may run.

The call itself stands above the prompt, whole: the display shows it when it begins.
"""

from __future__ import annotations

from collections.abc import Mapping

from pi_notebook.kernel.executor import CodeExecutor
from pi_notebook.session.permissions import Approval, ApprovalRequest

_ANSWERS: Mapping[str, Approval] = {
    "y": Approval(allowed=True),
    "yes": Approval(allowed=True),
    "r": Approval(allowed=True, scope="run"),
    "run": Approval(allowed=True, scope="run"),
    "s": Approval(allowed=True, scope="session"),
    "session": Approval(allowed=True, scope="session"),
    "n": Approval(allowed=False),
    "no": Approval(allowed=False),
}

_EDITABLE = ("code", "command")
"""Arguments that a person may write anew at a prompt."""

_PROMPT = "Run {tool}?  y yes · n no{edit} · r always in this run · s always in this session › "
_EDIT = " · e edit"
_LINE_PROMPT = "new {what}, line {number} (empty ends it) › "


class InputApprover:
    """Asks by the input prompt of whatever lends the main thread."""

    def __init__(self, executor: CodeExecutor) -> None:
        self._executor = executor

    async def ask(self, request: ApprovalRequest) -> Approval | None:
        """The person's word; any other text than the answers is a no with that text as its reason."""
        editable = next((name for name in _EDITABLE if name in request.call.arguments), None)
        prompt = _PROMPT.format(tool=request.tool.name, edit=_EDIT if editable else "")
        while (line := await self._executor.ask(prompt)) is not None:
            answer = line.strip()
            if editable and answer.lower() in ("e", "edit"):
                text = await self._written(editable)
                if text:
                    return Approval(allowed=True, arguments={**request.call.arguments, editable: text})
            elif answer:
                return _ANSWERS.get(answer.lower()) or Approval(allowed=False, reason=answer)
        return None

    async def _written(self, what: str) -> str:
        """What the person writes instead, line by line."""
        lines: list[str] = []
        while line := await self._executor.ask(_LINE_PROMPT.format(what=what, number=len(lines) + 1)):
            lines.append(line)
        return "\n".join(lines)
