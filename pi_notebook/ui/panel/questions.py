"""Asking in the side panel whether a call may run.

An answer counts once, for the question that is open, and for exactly the call that was shown.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable
from typing import Any

import msgspec

from pi_notebook.agent.messages import without_surrogates
from pi_notebook.session.permissions import Approval, ApprovalRequest
from pi_notebook.ui.protocol.messages import AskMessage, KernelMessage, WithdrawnMessage
from pi_notebook.ui.protocol.requests import ApproveRequest

CODE_ARGUMENTS = ("code", "command")
"""Arguments that are shown as code and may be changed by the person."""


class PanelApprover:
    """Asks by a card in the open panels.

    Parameters
    ----------
    tell
        Sends a message to every open panel, and says whether there is one.
    """

    def __init__(self, tell: Callable[[KernelMessage], bool]) -> None:
        self._tell = tell
        self._open: dict[str, tuple[AskMessage, ApprovalRequest, asyncio.Future[Approval | None]]] = {}

    @property
    def questions(self) -> list[AskMessage]:
        """Those that wait for an answer, for a panel that comes later."""
        return [question for question, _, _ in self._open.values()]

    async def ask(self, request: ApprovalRequest) -> Approval | None:
        """The person's word; None when no panel is open, or the last one is closed before they gave it."""
        question = _question(request)
        answer: asyncio.Future[Approval | None] = asyncio.get_running_loop().create_future()
        self._open[question.request_id] = (question, request, answer)
        try:
            return await answer if self._tell(question) else None
        finally:
            del self._open[question.request_id]
            self._tell(WithdrawnMessage(request_id=question.request_id))

    def answer(self, message: ApproveRequest) -> str | None:
        """Take the person's word; a text that says why it does not count, when it does not."""
        if message.request_id not in self._open:
            return "no such question is open"
        question, request, answer = self._open[message.request_id]
        if message.fingerprint != question.fingerprint or answer.done():
            return "the answer is to another call, or a second one"
        answer.set_result(
            Approval(
                allowed=message.allowed,
                scope=message.scope if message.allowed else "once",
                reason=message.reason.strip(),
                arguments=_changed(request, message.code) if message.allowed else None,
            )
        )
        return None

    def leave(self) -> None:
        """Nobody can answer any more."""
        for _, _, answer in self._open.values():
            if not answer.done():
                answer.set_result(None)


def _question(request: ApprovalRequest) -> AskMessage:
    arguments = request.call.arguments
    name = _code_argument(arguments)
    others = {key: value for key, value in arguments.items() if key != name and value is not None}
    return AskMessage(
        request_id=uuid.uuid4().hex,
        fingerprint=request.fingerprint,
        tool=request.tool.name,
        code=without_surrogates(arguments[name]) if name else None,
        arguments="" if request.preview else "\n".join(f"{k}: {_whole(v)}" for k, v in others.items()),
        preview=without_surrogates(request.preview),
    )


def _code_argument(arguments: dict[str, Any]) -> str | None:
    return next((name for name in CODE_ARGUMENTS if isinstance(arguments.get(name), str)), None)


def _whole(value: Any) -> str:
    """A value as the person must see it before consenting: all of it."""
    return without_surrogates(value if isinstance(value, str) else msgspec.json.encode(value).decode())


def _changed(request: ApprovalRequest, code: str | None) -> dict[str, Any] | None:
    """The arguments with the person's code in place of the model's; None when they are the same."""
    name = _code_argument(request.call.arguments)
    if name is None or code is None or code == without_surrogates(request.call.arguments[name]):
        return None
    return {**request.call.arguments, name: code}
