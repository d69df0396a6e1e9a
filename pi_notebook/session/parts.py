"""The parts of a session, joined: who asks whom for what, and which hooks are called in which order."""

from __future__ import annotations

from collections.abc import Callable

from pi_notebook.agent.agent import Agent
from pi_notebook.agent.hooks import Hooks
from pi_notebook.context.policies.policy import ContextPolicy
from pi_notebook.session.branch import Branch
from pi_notebook.session.choices import Choices
from pi_notebook.session.finished_results import FinishedResults
from pi_notebook.session.gate import PermissionGate
from pi_notebook.session.history import SessionHistory
from pi_notebook.session.hook_registry import PROCESS_HOOKS
from pi_notebook.session.ledger_log import LedgerLog
from pi_notebook.session.recording import Recording
from pi_notebook.session.refused_images import RefusedImages
from pi_notebook.session.requests import Requests
from pi_notebook.session.result_edits import BranchResultEdits
from pi_notebook.session.runs import Runs
from pi_notebook.session.services import AgentSessionServices
from pi_notebook.session.session_hooks import SessionHooks
from pi_notebook.session.store import SessionStore
from pi_notebook.session.upkeep import ContextUpkeep, Standing
from pi_notebook.tools.history import HistorySearch
from pi_notebook.tools.manage_context import ResultEdits


class SessionParts:
    """Everything that a session over `store` is made of; `services` gives those that hold now."""

    def __init__(self, store: SessionStore, services: Callable[[], AgentSessionServices]) -> None:
        now = services()
        self.branch = Branch(store)
        self.choices = Choices(self.branch, now)
        self.hooks = SessionHooks(
            PROCESS_HOOKS,
            now.extensions.hooks,
            branch=self.branch,
            emit=lambda event: self.agent.emit(event),
            resources=lambda: self.agent.resources,
        )
        homes, record = (now.home.root,), self.branch.add_record
        self.gate = PermissionGate(
            self.choices.mode,
            folder=now.folder,
            homes=homes,
            record=record,
            resources=lambda: self.agent.resources,
        )
        ledger_log = LedgerLog(now.folder, apart=homes, record=record, shell=now.shell, entries=store.branch)
        self.upkeep = self._upkeep(now)
        self.agent = self._agent(now, ledger_log)
        self.requests = Requests(
            self.agent,
            branch=self.branch,
            services=services,
            choices=self.choices,
            upkeep=self.upkeep,
            ledger_log=ledger_log,
            policy=lambda: self.policy,
            hooks=self.hooks,
        )
        self.agent.hooks.before_queued.append(self.requests.before_queued)
        self.runs = Runs(
            self.agent,
            branch=self.branch,
            choices=self.choices,
            upkeep=self.upkeep,
            gate=self.gate,
            ledger_log=ledger_log,
        )
        history = SessionHistory(store, folder=now.folder, home=now.home)
        self.agent.resources[HistorySearch] = history
        edits = BranchResultEdits(self.branch, ends=lambda: self.policy.result_ends(self._window))
        self.agent.resources[ResultEdits] = edits

    @property
    def policy(self) -> ContextPolicy:
        """The one that was chosen for the run, or for the session."""
        return self.runs.policy or self.choices.policy

    @property
    def _window(self) -> int:
        return self.upkeep.info.context_window

    def _upkeep(self, services: AgentSessionServices) -> ContextUpkeep:
        return ContextUpkeep(
            self.branch,
            services,
            context_window=self.choices.model.info.context_window,
            hooks=self.hooks,
            standing=lambda: Standing(
                model=self.agent.model,
                settings=self.choices.settings,
                policy=self.policy,
                resources=self.agent.resources,
            ),
            emit=lambda event: self.agent.emit(event),
        )

    def _agent(self, services: AgentSessionServices, ledger_log: LedgerLog) -> Agent:
        """The agent, with the recording as the first that hears of anything."""
        results = FinishedResults(
            label_chars=lambda: self.policy.label_chars(self._window),
            repeated=lambda call, result: self.policy.repeated(call, result, self.branch.items),
            note=self.upkeep.result_note,
        )
        images = RefusedImages(self.branch, lambda event: self.agent.emit(event))
        agent = Agent(
            self.choices.model,
            tools=services.tools,
            hooks=Hooks(
                before_tool_call=[self.hooks.before_tool_call, self.gate.check, ledger_log.before],
                after_tool_call=[ledger_log.after, self.hooks.after_tool_call, results.after],
                refused_tool_call=[results.noted],
                between_turns=[self.upkeep.between_turns],
                on_failure=[images.mended, self.upkeep.mended],
            ),
            build_request=lambda: self.requests.build(),
            history=lambda: self.branch.messages,
        )
        recording = Recording(self.branch, model=lambda: agent.model.info, emit=agent.emit)
        agent.subscribe(recording.on_event)
        agent.subscribe(self.upkeep.on_event)
        return agent
