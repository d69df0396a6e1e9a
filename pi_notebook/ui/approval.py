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

_PROMPT = "Run {tool}?  y yes · n no · r always in this run · s always in this session › "


class InputApprover:
    """Asks by the input prompt of whatever lends the main thread."""

    def __init__(self, executor: CodeExecutor) -> None:
        self._executor = executor

    async def ask(self, request: ApprovalRequest) -> Approval | None:
        """The person's word; any other text than the answers is a no with that text as its reason."""
        while True:
            line = await self._executor.ask(_PROMPT.format(tool=request.tool.name))
            if line is None:
                return None
            answer = line.strip()
            if answer:
                return _ANSWERS.get(answer.lower()) or Approval(allowed=False, reason=answer)
