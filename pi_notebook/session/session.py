"""One conversation over a session file: prompts, stops, settings, and where it goes on.

The file is the only truth. Everything a run adds is appended, durable, before the next thing is
done; each request is computed from the entries. Coroutines are awaited on the background loop. What a
session is made of is joined in `parts`, `equipment` has it follow what is chosen, and its runs are `runs`'.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pi_notebook.agent.agent import Listener
from pi_notebook.agent.entries import BranchSummaryEntry, CompactionEntry
from pi_notebook.agent.events import AgentEnd
from pi_notebook.agent.messages import Message, UserContent, user_message
from pi_notebook.agent.protocols import Model, ModelInfo
from pi_notebook.context.live_cells import NotebookCells
from pi_notebook.context.policies.policy import ContextPolicy
from pi_notebook.kernel.executor import CodeExecutor
from pi_notebook.session.asked_compactions import asked_focus
from pi_notebook.session.attached_cells import AttachedCell
from pi_notebook.session.branch_summary import leave_with_summary
from pi_notebook.session.equipment import Equipment
from pi_notebook.session.origin import Origin, record_origin
from pi_notebook.session.permissions import Approver, Mode
from pi_notebook.session.queueing import QueuedMessages
from pi_notebook.session.run_scope import RunOptions, RunScope
from pi_notebook.session.services import AgentSessionServices
from pi_notebook.session.settings import Settings
from pi_notebook.session.store import SessionStore
from pi_notebook.session.typed_prompt import typed_prompt


class AgentSession:
    """Runs one conversation with the services of its folder.

    Parameters
    ----------
    store
        The session's entries; its branch is where the conversation goes on.
    services
        What depends on the folder: settings, tools, system prompt, models.
    """

    def __init__(self, store: SessionStore, services: AgentSessionServices) -> None:
        self.store = store
        self._equipment = Equipment(store, services)
        parts = self._equipment.parts
        self.branch, self.choices = parts.branch, parts.choices
        self.agent, self.upkeep = parts.agent, parts.upkeep
        self.hooks, self.gate = parts.hooks, parts.gate
        self._requests, self._runs = parts.requests, parts.runs

    @property
    def id(self) -> str:
        """What `%agent resume` takes."""
        return self.store.id

    @property
    def services(self) -> AgentSessionServices:
        """What depends on the folder, as it is now."""
        return self._equipment.services

    @property
    def path(self) -> Path | None:
        """The session's file; None while it lives in memory only."""
        return self.store.path

    @property
    def system_prompt(self) -> str:
        """What every request begins with."""
        return self.upkeep.prompt.text

    @property
    def settings(self) -> Settings:
        """The values that hold for this session."""
        return self.choices.settings

    @property
    def model(self) -> ModelInfo:
        """The model the next request goes to."""
        return self.agent.model.info

    @property
    def policy(self) -> ContextPolicy:
        """How the context is kept within the window: as chosen for the run, or for the session."""
        return self._runs.policy or self.choices.policy

    @property
    def mode(self) -> Mode:
        """What runs without asking, as set for the session."""
        return self.choices.mode

    @property
    def is_running(self) -> bool:
        """True while a prompt is being answered or the context compacted, from the first moment."""
        return self._runs.line.current is not None

    @property
    def is_answering(self) -> bool:
        """True while a prompt is being answered, so that another is refused."""
        return self._runs.line.is_answering

    @property
    def queue(self) -> QueuedMessages:
        """What was said to a run and is not delivered yet."""
        return self._runs.queue

    @property
    def messages(self) -> list[Message]:
        """What the context holds; `branch.history` gives what was said."""
        return self.branch.messages

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with every event, once what it tells is durable; returns how to stop that."""
        return self.agent.subscribe(listener)

    async def prompt(
        self,
        content: str | list[UserContent],
        *,
        executor: CodeExecutor | None = None,
        approver: Approver | None = None,
        model: Model | None = None,
        mode: Mode | None = None,
        policy: str | None = None,
        max_turns: int | None = None,
        attach: Sequence[str] = (),
        cells: Sequence[AttachedCell] = (),
        origin: Origin | None = None,
        notebook: NotebookCells | None = None,
    ) -> AgentEnd:
        """Run on the person's words until the agent is idle.

        `executor` lends the kernel's main thread and `approver` asks the person, both for this run;
        `model`, `mode` and `policy` hold for this run in place of the session's; `attach` names variables and
        files that go with the prompt, as an `@` in it does, and `cells` those of the notebook; `origin` says
        which cell asks; `notebook` is the one that is open before the person: its tools are offered from
        then on. While the context is being compacted it waits. A prompt `/compact WISH` does what
        `compact` does, and `/NAME` stands for the prompt template of that name.

        Raises what the model raised, `BudgetError` when the run used up what it may,
        `SessionBusyError` while another prompt is being answered, and `UsageError` when something named
        cannot be attached.
        """
        if (focus := asked_focus(content)) is not None:
            return await self._runs.compact_as_prompt(focus, executor=executor)
        prompt = typed_prompt(content, self.services.guidance)
        options = RunOptions(
            executor=executor,
            approver=approver,
            model=model,
            mode=mode,
            policy=policy,
            max_turns=max_turns,
            notebook=notebook,
        )

        async def answered(run: RunScope) -> AgentEnd:
            self._equipment.offer_tools_of(notebook)
            said, unsaid = user_message(prompt.content), self.queue.left
            before = await self._requests.before_prompt(said, attach, run.signal, cells=cells, unsaid=unsaid)
            record_origin(self.branch, origin)
            prompt.record(self.branch)
            return await self.agent.prompt(prompt.content, before=before, max_turns=self._runs.max_turns(run))

        return await self._runs.answer(options, answered)

    async def continue_(
        self,
        *,
        executor: CodeExecutor | None = None,
        approver: Approver | None = None,
        model: Model | None = None,
        mode: Mode | None = None,
        policy: str | None = None,
        max_turns: int | None = None,
        notebook: NotebookCells | None = None,
    ) -> AgentEnd:
        """Go on where a run was stopped or failed, without new words; see `prompt`.

        What was said to that run and not delivered is said now. Raises `UsageError` when the last word
        is the model's and nothing waits.
        """
        options = RunOptions(
            executor=executor,
            approver=approver,
            model=model,
            mode=mode,
            policy=policy,
            max_turns=max_turns,
            notebook=notebook,
        )

        async def answered(run: RunScope) -> AgentEnd:
            self._equipment.offer_tools_of(notebook)
            before = await self._requests.make_room(run.signal)
            return await self.agent.resume(before=before, max_turns=self._runs.max_turns(run))

        return await self._runs.answer(options, answered)

    def steer(self, content: str | list[UserContent], *, cells: Sequence[AttachedCell] = ()) -> None:
        """Say something to the run that is on, before its next request; from any thread.

        `/NAME`, `/compact`, `@`, `cells` and hooks do what they do in any prompt. Raises `UsageError` when
        no run is on. What a run that is stopped leaves unsaid goes before the next prompt, or is said when
        the run is continued; `queue.take` gives it back instead.
        """
        self._runs.say(typed_prompt(content, self.services.guidance, cells))

    def follow_up(self, content: str | list[UserContent], *, cells: Sequence[AttachedCell] = ()) -> None:
        """Say something to the run that is on when it would end; otherwise as `steer`."""
        self._runs.say(typed_prompt(content, self.services.guidance, cells), at_end=True)

    def abort(self) -> None:
        """Stop the run, wherever it is, and what waits for it; from any thread and from a signal handler."""
        self._runs.stop()

    def check_idle(self) -> None:
        """Raise `SessionBusyError` while a prompt is being answered or the context compacted."""
        self._runs.line.check_idle()

    async def compact(self, focus: str = "", *, executor: CodeExecutor | None = None) -> CompactionEntry:
        """Summarise what is old; `focus` is what the summary should look after.

        `executor` lends the kernel's main thread, on which variables in use are looked at.
        While a prompt is being answered it is done before the run's next request, or at its end. Raises
        `UsageError` when there is nothing to summarise and what the model raised: the session is then as
        it was. `Aborted` says that it was stopped.
        """
        return await self._runs.compact(focus, executor=executor)

    def set_value(self, name: str, text: str) -> Any:
        """Set a setting for this session from what the person typed; returns the value as understood.

        It is recorded and holds from the next request on. Raises `SettingsError`, `UsageError` or
        `ModelError`, with nothing changed, when name or value is wrong.
        """
        value = self.choices.set(name, text)
        self._equipment.apply()
        return value

    def use(self, services: AgentSessionServices) -> None:
        """Work with `services`, built anew for the same folder; `SessionBusyError` while a run is on."""
        self.check_idle()
        self._equipment.use(services)

    def move(self, entry_id: str | None) -> None:
        """Go on from that entry, or from before the first; recorded, and the branch left is kept.

        Settings and context are then as they were there. Raises `SessionBusyError` while a run is on
        and `KeyError` when there is no such entry.
        """
        self.check_idle()
        self.branch.move(entry_id)
        self.choices.look()
        self._equipment.apply()

    async def leave(self, entry_id: str | None, focus: str = "") -> BranchSummaryEntry | None:
        """Move as `move` does, with a summary of the branch that is left standing there.

        None when nothing is left. One that is stopped or fails leaves the session where it was: raises
        `Aborted` and what the model raised.
        """
        self.check_idle()
        entry = await self._runs.alone(
            lambda run: leave_with_summary(
                self.branch,
                entry_id,
                model=self.agent.model,
                policy=self.policy,
                numbers=self.upkeep.numbers,
                signal=run.signal,
                focus=focus,
            )
        )
        if entry is None:
            self.branch.move(entry_id)
        self.choices.look()
        self._equipment.apply()
        return entry

    def close(self) -> None:
        """Stop the run and let go of the file; `settle` before it waits for what the run still records."""
        self.abort()
        self.store.close()

    async def settle(self) -> None:
        """Stop the run and wait until what it did is recorded; for a few seconds at most."""
        await self._runs.settle()
