"""The run that a panel begins: prompts and what is said to it, its stop, its questions and its code.

Runs that were begun elsewhere can be told something and stopped too. Who executes code is
`run_requests`', who consents `questions`'.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from pi_notebook.agent.events import AgentEnd
from pi_notebook.agent.messages import text_of
from pi_notebook.errors import SessionBusyError, UsageError
from pi_notebook.session.origin import Origin, notebook_of
from pi_notebook.session.session import AgentSession
from pi_notebook.ui.panel.area import Answering, Doing, logger, told
from pi_notebook.ui.panel.notebook_requests import NotebookRequests
from pi_notebook.ui.panel.open_panels import OpenPanels, Panel
from pi_notebook.ui.panel.prompt import check_prompt, prompt_cells, prompt_content
from pi_notebook.ui.panel.questions import PanelApprover
from pi_notebook.ui.panel.run_requests import PanelExecutor, RunRequests
from pi_notebook.ui.panel.shown_session import ShownSession
from pi_notebook.ui.protocol.messages import ErrorMessage, KernelMessage, WithdrawnMessage
from pi_notebook.ui.protocol.requests import (
    AnnouncedRequest,
    ApproveRequest,
    ContinueRequest,
    NotebookDoneRequest,
    PromptRequest,
    RanRequest,
    StopRequest,
    TakeQueuedRequest,
)

ExecutorFactory = Callable[..., PanelExecutor]
"""Makes the executor of one run, from `send` and `on_interrupt`; see `kernel.frontend`."""

Asking = Callable[[RunRequests], Awaitable[AgentEnd]]


class PanelRun:
    """The run of a panel, when one is on, and those that wait for it."""

    def __init__(self, shown: ShownSession, panels: OpenPanels, executor: ExecutorFactory) -> None:
        self._shown = shown
        self._panels = panels
        self._executor = executor
        self._approver = PanelApprover(self._tell)
        self._requests: RunRequests | None = None
        self._run: asyncio.Future[None] | None = None
        self._waiting: dict[asyncio.Future[None], str] = {}
        """The words of the runs that are not over, the one that is on first; empty when one goes on."""
        self._stops = 0
        self._answering: AgentSession | None = None
        self._saying = asyncio.Lock()
        self._notebook = NotebookRequests(
            lambda: tuple(panels), started_as=lambda: notebook_of(shown.follow().services.shell)
        )
        self.does: dict[type, Doing] = {
            PromptRequest: self._prompt,
            ContinueRequest: self._continue,
            StopRequest: self._stop,
            AnnouncedRequest: self._announced,
            RanRequest: self._ran,
            NotebookDoneRequest: self._notebook.done,
            ApproveRequest: self._approve,
        }
        self.answers: dict[type, Answering] = {TakeQueuedRequest: self._take_queued}

    @property
    def is_on(self) -> bool:
        """True while a panel's prompt is being answered, before and after the agent itself runs too."""
        return self._run is not None

    @property
    def waiting(self) -> list[str]:
        """Prompts whose turn has not come, as while the context is compacted."""
        return [self._waiting[run] for run in self._runs_that_wait()]

    def joined(self, panel: Panel) -> None:
        """A panel was opened: it is asked what is open."""
        for question in self._approver.questions:
            panel.send(question)
        self._notebook.joined(panel)
        if self._requests is not None:
            self._requests.joined(panel)

    def left(self, panel: Panel) -> None:
        """A panel is gone: nothing waits for it."""
        self._notebook.left(panel)
        if self._requests is not None:
            self._requests.left(panel)
            self._drain()
        if not self._panels:
            self._approver.leave()

    def stop(self) -> None:
        """End the run that is on, wherever it was begun, and what waits for it."""
        self._stops += 1
        session = self._shown.session
        if session is not None and session.is_running:
            session.abort()
        elif self._run is not None:
            self._run.cancel()  # it has not come as far as the agent

    async def _prompt(self, panel: Panel, request: PromptRequest) -> None:
        check_prompt(request)
        session = self._shown.follow()
        is_told = request.delivery != "prompt"
        if is_told and session.is_answering and await self._say(session, request):
            return
        has_not_begun = self._run is not None and not session.is_running
        if not is_told and (has_not_begun or session.is_answering):
            raise SessionBusyError("The agent is answering already. Stop it first, or wait until it is done.")

        async def asked(requests: RunRequests) -> AgentEnd:
            return await session.prompt(
                await prompt_content(request),
                executor=requests.executor,
                approver=self._approver,
                cells=prompt_cells(request),
                origin=Origin(notebook=notebook_of(session.services.shell)),
                notebook=self._notebook,
            )

        self._begin(panel, session, asked, text=request.text.strip())

    async def _say(self, session: AgentSession, request: PromptRequest) -> bool:
        """Say it to the run that is on, in the order it was sent; False when the run is over by then."""
        async with self._saying:
            content = await prompt_content(request)
            say = session.steer if request.delivery == "steer" else session.follow_up
            try:
                say(content, cells=prompt_cells(request))
            except UsageError:
                if session.is_answering:
                    raise
                return False
        self._shown.tell_status()
        return True

    def _continue(self, panel: Panel, request: ContinueRequest) -> None:
        session = self._shown.follow()
        if self._run is not None:
            raise SessionBusyError("The agent is answering already. Stop it first, or wait until it is done.")

        async def asked(requests: RunRequests) -> AgentEnd:
            return await session.continue_(
                executor=requests.executor, approver=self._approver, notebook=self._notebook
            )

        self._begin(panel, session, asked)

    def _take_queued(self, panel: Panel, request: TakeQueuedRequest) -> str:
        taken = [*map(text_of, self._shown.follow().queue.take()), *self.waiting]
        for run in self._runs_that_wait():
            run.cancel()
            del self._waiting[run]
        self._shown.tell_status()
        return "\n\n".join(taken)

    def _runs_that_wait(self) -> list[asyncio.Future[None]]:
        session = self._shown.session
        is_compacting_only = session is not None and session.is_running and not session.is_answering
        runs = list(self._waiting)[0 if is_compacting_only else 1 :]
        return [run for run in runs if self._waiting[run]]

    def _begin(self, panel: Panel, session: AgentSession, asked: Asking, *, text: str = "") -> None:
        answering = self._answer(panel, session, asked)
        run = self._run = asyncio.ensure_future(self._in_turn(answering, self._run, self._stops))
        self._waiting[run] = text
        run.add_done_callback(lambda run: self._waiting.pop(run, None))
        self._shown.tell_status()

    async def _in_turn(
        self, answering: Coroutine[Any, Any, None], before: asyncio.Future[None] | None, stops: int
    ) -> None:
        """The run, once that `before` is over, as while the context is compacted; unless a stop came."""
        try:
            if before is not None:
                await asyncio.wait({before})
            if stops == self._stops:
                await answering
        finally:
            answering.close()
            if self._run is asyncio.current_task():
                self._run = None
            self._drain()
            self._shown.tell_status()

    async def _answer(self, panel: Panel, session: AgentSession, asked: Asking) -> None:
        """One run that a panel began; its code is executed by the panel."""
        requests = self._requests = self._requests or self._new_requests()
        requests.begin(panel)
        self._notebook.begin(panel)
        self._answering = session
        self._shown.tell_status()
        try:
            await asked(requests)
        except Exception as error:
            if error is not self._shown.told_error:
                panel.send(ErrorMessage(text=told(error)))
        finally:
            self._answering = None
            requests.finish()

    def _new_requests(self) -> RunRequests:
        return RunRequests(
            lambda: tuple(self._panels),
            lambda send: self._executor(send=send, on_interrupt=self._abort),
        )

    def _drain(self) -> None:
        """Let the executor of a run that is over go, once the kernel has come to all of its code."""
        if self._requests is not None and self._run is None and self._requests.is_drained:
            self._requests.close()
            self._requests = None

    def _stop(self, panel: Panel, request: StopRequest) -> None:
        self._shown.follow()
        self.stop()

    def _abort(self) -> None:
        """From whatever thread, and from a signal handler."""
        if self._answering is not None:
            self._answering.abort()

    def _announced(self, panel: Panel, request: AnnouncedRequest) -> None:
        if self._requests is None:
            panel.send(WithdrawnMessage(request_id=request.request_id))
        else:
            self._requests.announced(panel, request)

    def _ran(self, panel: Panel, request: RanRequest) -> None:
        if self._requests is not None:
            self._requests.ran(panel, request)
            self._drain()

    def _approve(self, panel: Panel, request: ApproveRequest) -> None:
        problem = self._approver.answer(request)
        if problem is not None:
            logger.warning("an answer of a panel was ignored: %s", problem)

    def _tell(self, message: KernelMessage) -> bool:
        """Send what cannot wait, after what happened before it; False when no panel is open."""
        self._shown.flush()
        self._panels.send(message)
        return bool(self._panels)
