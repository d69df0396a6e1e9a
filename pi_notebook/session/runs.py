"""The runs of a session: begun, kept apart, told from other threads, and left as they should be.

What is said and sent in one is the session's business; here it gets its turn, its budget and its
options, and what waits for its end is done.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from pi_notebook.agent.abort import Aborted
from pi_notebook.agent.agent import Agent
from pi_notebook.agent.entries import CompactionEntry
from pi_notebook.agent.events import AgentEnd, AgentEvent, AgentStart, Notice
from pi_notebook.agent.messages import AssistantMessage
from pi_notebook.context.live_cells import NotebookCells
from pi_notebook.context.policies.policy import ContextPolicy
from pi_notebook.kernel.executor import CodeExecutor
from pi_notebook.models.failover import FailoverModel
from pi_notebook.session.asked_compactions import AskedCompactions, asked_focus
from pi_notebook.session.branch import Branch
from pi_notebook.session.budget import Budget
from pi_notebook.session.choices import Choices
from pi_notebook.session.gate import PermissionGate
from pi_notebook.session.ledger_log import LedgerLog
from pi_notebook.session.queueing import QueuedMessages
from pi_notebook.session.run_line import RunLine
from pi_notebook.session.run_scope import RunOptions, RunScope
from pi_notebook.session.typed_prompt import TypedPrompt
from pi_notebook.session.upkeep import ContextUpkeep

T = TypeVar("T")
Answering = Callable[[RunScope], Awaitable[AgentEnd]]


class Runs:
    """The runs of one session's `agent`, which takes their hooks from here."""

    def __init__(
        self,
        agent: Agent,
        *,
        branch: Branch,
        choices: Choices,
        upkeep: ContextUpkeep,
        gate: PermissionGate,
        ledger_log: LedgerLog,
    ) -> None:
        self._agent = agent
        self._choices = choices
        self._upkeep = upkeep
        self._gate = gate
        self._ledger_log = ledger_log
        self._policy: ContextPolicy | None = None
        self.line = RunLine()
        self.queue = QueuedMessages(agent, branch)
        self._asked = AskedCompactions(upkeep.compact, agent.emit)
        self._budget = Budget(lambda: upkeep.usage.tokens, lambda: branch.last_summary_usage)
        agent.hooks.before_queued.append(self.queue.record)
        agent.hooks.before_tool_call.insert(0, self._budget.check)
        agent.hooks.on_failure.append(self._failed_over)
        agent.hooks.between_turns[:0] = [self._budget.between_turns, self._asked.serve]
        agent.subscribe(self._budget.on_event)
        agent.subscribe(self._stop_if_asked)

    @property
    def policy(self) -> ContextPolicy | None:
        """What was chosen for the run that is on."""
        return self._policy

    async def answer(self, options: RunOptions, answering: Answering) -> AgentEnd:
        """What `answering` gives, once it is its turn, and what is due after it is done.

        Raises `SessionBusyError` while another prompt is being answered, and what the run failed with.
        """
        named = options.policy
        policy = self._choices.policy_named(named) if named is not None else None
        run = RunScope(options, is_answering=True)
        try:
            await self.line.enter(run)
        except Aborted:
            return AgentEnd((), "aborted")
        try:
            self._begin(run, policy)
            self._budget.begin(self._choices.settings, lambda: self._stop(run))
            self.queue.open()
            end = await self._answered(run, answering)
        except Aborted:
            end = AgentEnd((), "aborted")
        finally:
            await self._end(run)
        error = self._budget.exceeded if end.reason == "aborted" else end.error
        if error is not None:
            raise error
        return end

    def say(self, prompt: TypedPrompt, *, at_end: bool = False) -> None:
        """Say `prompt` to the run that is on; a compaction that it asks for comes before its next request."""
        focus = asked_focus(prompt.content)
        if focus is not None and self.line.is_answering:
            self._asked.ask(focus)
        elif at_end:
            self.queue.follow_up(prompt)
        else:
            self.queue.steer(prompt)

    async def compact(self, focus: str, *, executor: CodeExecutor | None = None) -> CompactionEntry:
        """Compact when nothing is on, or before the next request of the run that is, with its executor."""
        if self.line.is_answering:
            asked = asyncio.wrap_future(self._asked.ask(focus))
            return await asked
        return await self.alone(lambda run: self._upkeep.compact(focus), RunOptions(executor=executor))

    async def alone(self, doing: Callable[[RunScope], Awaitable[T]], options: RunOptions | None = None) -> T:
        """What `doing` gives, with nothing else on meanwhile."""
        run = RunScope(options)
        await self.line.enter(run)
        try:
            self._begin(run)
            return await doing(run)
        finally:
            await self._end(run)

    async def compact_as_prompt(self, focus: str, *, executor: CodeExecutor | None = None) -> AgentEnd:
        """The same, for a prompt that asks for it."""
        try:
            await self.compact(focus, executor=executor)
        except Aborted:
            return AgentEnd((), "aborted")
        return AgentEnd((), "done")

    def stop(self) -> None:
        """Stop the run and what waits for it; from any thread and from a signal handler."""
        self.line.stop()
        self._agent.abort()

    async def settle(self) -> None:
        """Stop everything and wait until what was done is recorded; for a few seconds at most."""
        self.stop()
        await self.line.settle()

    def max_turns(self, run: RunScope) -> int | None:
        """How many replies the model may give in `run`."""
        turns = run.options.max_turns
        return turns if turns is not None else self._choices.settings.get("max_turns")

    async def _answered(self, run: RunScope, answering: Answering) -> AgentEnd:
        end = await answering(run)
        while end.reason == "done" and not self.queue.close_if_empty():
            end = await self._agent.resume(max_turns=self.max_turns(run))
        run.is_answering = False
        if end.reason == "done":
            if _is_cut(end):
                await self._tell(_CUT)
            await self._upkeep.check()
        if end.reason != "aborted":
            await self._asked.serve()
        return end

    def _begin(self, run: RunScope, policy: ContextPolicy | None = None) -> None:
        options, agent = run.options, self._agent
        self._upkeep.begin_run(run.signal)
        self._gate.begin_run(options.approver)
        self._gate.mode = options.mode or self._choices.mode
        agent.resources.pop(CodeExecutor, None)
        if options.executor is not None:
            agent.resources[CodeExecutor] = self._ledger_log.watched(options.executor)
        agent.resources.pop(NotebookCells, None)
        if options.notebook is not None:
            agent.resources[NotebookCells] = options.notebook
        if options.model is not None:
            agent.model = options.model
        if isinstance(agent.model, FailoverModel):
            agent.model.begin(self._tell_other_model)
        self._policy = policy
        if policy is not None:
            self._choices.record_policy_of_run(policy)

    async def _end(self, run: RunScope) -> None:
        try:
            if unsaid := self.queue.close():
                await self._agent.emit(Notice(unsaid, of_queue=True))
        finally:
            self._budget.end()
            self._asked.close()
            self._gate.begin_run(None)
            self._gate.mode = self._choices.mode
            self._agent.resources.pop(CodeExecutor, None)
            self._agent.resources.pop(NotebookCells, None)
            self._agent.model = self._choices.model
            self._policy = None
            self.line.leave(run)

    async def _failed_over(self, error: Exception) -> bool:
        """An `on_failure` hook, for what waiting did not mend: whether another model can be asked."""
        model, run = self._agent.model, self.line.current
        if run is None or not isinstance(model, FailoverModel) or not await model.fail_over(error):
            return False
        self._upkeep.begin_run(run.signal)  # the other model has all its attempts
        return True

    async def _tell(self, text: str) -> None:
        await self._agent.emit(Notice(text, "warning"))

    async def _tell_other_model(self, text: str) -> None:
        await self._tell(text)
        await self._upkeep.tell_window()

    def _stop(self, run: RunScope) -> None:
        run.stop()
        self._agent.abort()

    def _stop_if_asked(self, event: AgentEvent) -> None:
        """Stop a run that was stopped before it had begun."""
        run = self.line.current
        if isinstance(event, AgentStart) and run is not None and run.is_stopped:
            self._agent.abort()


_CUT = "The answer ends here because it is as long as the model may make one. Ask it to go on."


def _is_cut(end: AgentEnd) -> bool:
    """Whether the run's last message is a reply that was too long."""
    last = end.messages[-1] if end.messages else None
    return isinstance(last, AssistantMessage) and last.stop_reason == "length"
