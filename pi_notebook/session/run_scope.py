"""One prompt or compaction while it is on: what it was given, what stops it, and who waits for its end."""

from __future__ import annotations

import asyncio
import concurrent.futures
from dataclasses import dataclass

from pi_notebook.agent.abort import AbortSignal
from pi_notebook.agent.protocols import Model
from pi_notebook.context.live_cells import NotebookCells
from pi_notebook.kernel.executor import CodeExecutor
from pi_notebook.session.permissions import Approver, Mode

_SETTLE_SECONDS = 5.0
"""How long a run that was stopped is waited for before its session is let go."""


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """What holds for one run in place of the session's own; None leaves that."""

    executor: CodeExecutor | None = None
    approver: Approver | None = None
    model: Model | None = None
    mode: Mode | None = None
    policy: str | None = None
    max_turns: int | None = None
    notebook: NotebookCells | None = None
    """The notebook that is open before the person."""


class RunScope:
    """Made on the loop that it is awaited on; stopped and waited for from anywhere."""

    def __init__(self, options: RunOptions | None = None, *, is_answering: bool = False) -> None:
        self.options = options or RunOptions()
        self.signal = AbortSignal()
        """Stops what it waits for besides the agent's own run."""
        self.is_answering = is_answering
        """While a prompt is being answered others are refused; else they wait for the end."""
        self._ended: concurrent.futures.Future[None] = concurrent.futures.Future()

    @property
    def is_stopped(self) -> bool:
        return self.signal.is_set

    def stop(self) -> None:
        """Stop it, also before it has begun."""
        self.signal.set()

    def end(self) -> None:
        """Tell those who wait."""
        self._ended.set_result(None)

    async def ended(self) -> None:
        """Return when it is over."""
        await asyncio.wait({asyncio.wrap_future(self._ended)})

    async def wait(self) -> None:
        """Return when it is over, or after a few seconds."""
        await asyncio.wait({asyncio.wrap_future(self._ended)}, timeout=_SETTLE_SECONDS)
