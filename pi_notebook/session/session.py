"""One conversation over a session file: prompts, stops, settings, and where it goes on.

The file is the only truth. Everything a run adds is appended, durable, before the next thing is
done; each request is computed from the entries. Coroutines are awaited on the background loop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pi_notebook.agent.abort import Aborted, AbortSignal
from pi_notebook.agent.agent import Agent, Listener
from pi_notebook.agent.entries import CompactionEntry
from pi_notebook.agent.events import AgentEnd, AgentEvent, AgentStart
from pi_notebook.agent.hooks import Hooks
from pi_notebook.agent.messages import Message, UserContent, text_of, user_message
from pi_notebook.agent.protocols import Model, ModelInfo, ModelRequest
from pi_notebook.context.policies.policy import ContextPolicy
from pi_notebook.context.projection import missing_results
from pi_notebook.context.tokens import message_tokens
from pi_notebook.errors import SessionBusyError
from pi_notebook.kernel.executor import CodeExecutor
from pi_notebook.session.branch import Branch
from pi_notebook.session.choices import Choices
from pi_notebook.session.finished_results import FinishedResults
from pi_notebook.session.gate import PermissionGate
from pi_notebook.session.history import SessionHistory
from pi_notebook.session.ledger_log import LedgerLog
from pi_notebook.session.origin import Origin, record_origin
from pi_notebook.session.permissions import Approver, Mode
from pi_notebook.session.prelude import prelude
from pi_notebook.session.recording import Recording
from pi_notebook.session.result_edits import BranchResultEdits
from pi_notebook.session.run_scope import RunScope
from pi_notebook.session.services import AgentSessionServices
from pi_notebook.session.settings import Settings
from pi_notebook.session.store import SessionStore
from pi_notebook.session.upkeep import ContextUpkeep, Standing
from pi_notebook.tools.history import HistorySearch
from pi_notebook.tools.manage_context import ResultEdits

POLICY_TYPE = "pi_notebook/policy"
"""The record of a policy that was chosen for one run."""


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
        self.services = services
        self.branch = Branch(store)
        self.choices = Choices(self.branch, services)
        self.system_prompt = services.system_prompt
        self._run: RunScope | None = None
        self._policy_of_run: ContextPolicy | None = None
        homes, record = (services.home.root,), self.branch.add_record
        self.gate = PermissionGate(self.mode, folder=services.folder, homes=homes, record=record)
        self._ledger_log = LedgerLog(
            services.folder,
            apart=homes,
            record=record,
            shell=services.shell,
            entries=store.branch,
        )
        self.upkeep = ContextUpkeep(
            self.branch,
            services,
            standing=lambda: Standing(
                model=self.agent.model,
                settings=self.settings,
                policy=self.policy,
                resources=self.agent.resources,
            ),
            emit=lambda event: self.agent.emit(event),
        )
        results = FinishedResults(self.branch, policy=lambda: self.policy, note=self.upkeep.result_note)
        self.agent = Agent(
            self.choices.model,
            tools=services.tools,
            system_prompt=self.system_prompt,
            hooks=Hooks(
                before_tool_call=[self.gate.check, self._ledger_log.before],
                after_tool_call=[self._ledger_log.after, results.after],
                between_turns=[self.upkeep.between_turns],
                on_failure=[self.upkeep.mended],
            ),
            build_request=self._request,
            history=lambda: self.branch.messages,
        )
        recording = Recording(self.branch, model=lambda: self.agent.model.info, emit=self.agent.emit)
        self.agent.subscribe(recording.on_event)
        self.agent.subscribe(self._stop_if_asked)
        history = SessionHistory(store, folder=services.folder, home=services.home)
        self.agent.resources[HistorySearch] = history
        edits = BranchResultEdits(self.branch, ends=lambda: self.policy.result_ends)
        self.agent.resources[ResultEdits] = edits
        self._apply()

    @property
    def id(self) -> str:
        """What `%agent resume` takes."""
        return self.store.id

    @property
    def path(self) -> Path | None:
        """The session's file; None while it lives in memory only."""
        return self.store.path

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
        return self._policy_of_run or self.choices.policy

    @property
    def mode(self) -> Mode:
        """What runs without asking, as set for the session."""
        mode: Mode = self.settings.get("mode")
        return mode

    @property
    def is_running(self) -> bool:
        """True while a prompt is being answered, from its first moment."""
        return self._run is not None or self.agent.is_running

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
        origin: Origin | None = None,
    ) -> AgentEnd:
        """Run on the person's words until the agent is idle.

        `executor` lends the kernel's main thread and `approver` asks the person, both for this run;
        `model`, `mode` and `policy` hold for this run in place of the session's; `attach` names variables and
        files that go with the prompt, as an `@` in it does; `origin` says which cell asks. Raises what
        the model raised, `SessionBusyError` while a run is on, and `UsageError` when something named
        cannot be attached.
        """
        self.check_idle()
        chosen = self.choices.policy_named(policy) if policy is not None else None
        run = self._begin(executor, approver, model, mode, chosen)
        try:
            before = await self._prepared(content, attach, run.signal)
            if run.is_stopped:
                return AgentEnd((), "aborted")
            record_origin(self.branch, origin)
            turns = max_turns if max_turns is not None else self.settings.get("max_turns")
            end = await self.agent.prompt(content, before=before, max_turns=turns)
            if end.reason == "done":
                await self.upkeep.check()
        except Aborted:
            return AgentEnd((), "aborted")
        finally:
            self._end()
        if end.error is not None:
            raise end.error
        return end

    def abort(self) -> None:
        """Stop the run, wherever it is; from any thread and from a signal handler."""
        run = self._run
        if run is not None:
            run.stop()
        self.agent.abort()

    def check_idle(self) -> None:
        """Raise `SessionBusyError` while a run is on."""
        if self.is_running:
            raise SessionBusyError(
                "This session is answering already. Stop it first, or wait until it is done."
            )

    async def compact(self, focus: str = "") -> CompactionEntry:
        """Summarise what is old, now; `focus` is what the summary should look after.

        Raises `UsageError` when there is nothing to summarise, `SessionBusyError` while a run is on,
        and what the model raised: the session is then as it was. `Aborted` says that it was stopped.
        """
        self.check_idle()
        self._begin()
        try:
            return await self.upkeep.compact(focus)
        finally:
            self._end()

    def set_value(self, name: str, text: str) -> Any:
        """Set a setting for this session from what the person typed; returns the value as understood.

        It is recorded and holds from the next request on. Raises `SettingsError`, `UsageError` or
        `ModelError`, with nothing changed, when name or value is wrong.
        """
        value = self.choices.set(name, text)
        self._apply()
        return value

    def move(self, entry_id: str | None) -> None:
        """Go on from that entry, or from before the first; recorded, and the branch left is kept.

        Settings and context are then as they were there. Raises `SessionBusyError` while a run is on
        and `KeyError` when there is no such entry.
        """
        self.check_idle()
        self.branch.move(entry_id)
        self.choices.look()
        self._apply()

    def close(self) -> None:
        """Stop the run and let go of the file; `settle` before it waits for what the run still records."""
        self.abort()
        self.store.close()

    async def settle(self) -> None:
        """Stop the run and wait until what it did is recorded; for a few seconds at most."""
        self.abort()
        if (run := self._run) is not None:
            await run.wait()

    def _begin(
        self,
        executor: CodeExecutor | None = None,
        approver: Approver | None = None,
        model: Model | None = None,
        mode: Mode | None = None,
        policy: ContextPolicy | None = None,
    ) -> RunScope:
        run = self._run = RunScope()
        self.upkeep.begin_run(run.signal)
        self.gate.begin_run(approver)
        self.gate.mode = mode or self.mode
        self.agent.resources.pop(CodeExecutor, None)
        if executor is not None:
            self.agent.resources[CodeExecutor] = self._ledger_log.watched(executor)
        if model is not None:
            self.agent.model = model
        self._policy_of_run = policy
        if policy is not None:
            self.branch.add_record(POLICY_TYPE, {"name": policy.name})
        self._bound_texts()
        return run

    def _end(self) -> None:
        self.gate.begin_run(None)
        self.gate.mode = self.mode
        self.agent.resources.pop(CodeExecutor, None)
        self.agent.model = self.choices.model
        self._policy_of_run = None
        run, self._run = self._run, None
        if run is not None:
            run.end()

    def _apply(self) -> None:
        """Let what was chosen hold from the next request on; a run keeps the model and mode it was given."""
        settings = self.settings
        if self._run is None:
            self.agent.model, self.gate.mode = self.choices.model, self.mode
        self.store.sync_policy = settings.get("session.sync")
        self.agent.execution = settings.get("tools.execution")
        self.gate.rules = self.choices.rules
        self.agent.resources.update(self.services.resources(self.store.id, settings))
        self._bound_texts()

    def _bound_texts(self) -> None:
        """Let tools bound their texts as policy and window have it."""
        window = self.upkeep.info.context_window
        self.agent.resources.update(self.services.bounds(self.settings, self.policy, window))

    async def _prepared(
        self, content: str | list[UserContent], attach: Sequence[str], signal: AbortSignal
    ) -> list[Message]:
        """What goes before the prompt, once there is room for it."""
        prompt = user_message(content)
        await signal.guard(self._ledger_log.begin(self.agent.resources.get(CodeExecutor)))
        await self.upkeep.check(coming_tokens=message_tokens(prompt))
        before = await prelude(
            text_of(prompt),
            messages=self.messages,
            services=self.services,
            settings=self.settings,
            resources=self.agent.resources,
            attach=attach,
            signal=signal,
        )
        # What a kernel left open when it died is closed before anything follows from it.
        return [*missing_results(self.messages), *before, *self.upkeep.messages_before_prompt()]

    async def _request(self) -> ModelRequest:
        self._bound_texts()
        return ModelRequest(
            system_prompt=self.system_prompt,
            tools=self.services.definitions,
            messages=tuple(self.policy.view(self.branch.projection.paired)),
            session_id=self.id,
        )

    def _stop_if_asked(self, event: AgentEvent) -> None:
        """Stop a run that was stopped before it had begun."""
        if isinstance(event, AgentStart) and self._run is not None and self._run.is_stopped:
            self.agent.abort()
