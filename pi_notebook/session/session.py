"""One conversation over a session file: prompts, stops, settings, and what the context holds.

The file is the only truth. Everything a run adds is appended, durable, before the next thing is
done; each request is computed from the entries. Coroutines are awaited on the background loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pi_notebook.agent.abort import Aborted, AbortSignal
from pi_notebook.agent.agent import Agent, Listener
from pi_notebook.agent.entries import (
    CustomEntry,
    CustomMessageEntry,
    Entry,
    MessageEntry,
    ModelChangeEntry,
)
from pi_notebook.agent.events import AgentEnd, AgentEvent, AgentStart, MessageEnd, Notice
from pi_notebook.agent.hooks import Hooks
from pi_notebook.agent.messages import CustomMessage, Message, UserContent, text_of, user_message
from pi_notebook.agent.protocols import Model, ModelInfo, ModelRequest
from pi_notebook.context.projection import Projection
from pi_notebook.context.usage import ContextUsage, context_usage
from pi_notebook.errors import SessionBusyError
from pi_notebook.kernel.executor import CodeExecutor
from pi_notebook.session.attachments import attachments
from pi_notebook.session.gate import PermissionGate
from pi_notebook.session.ledger_log import LedgerLog
from pi_notebook.session.permissions import Approver, Mode, Verdict
from pi_notebook.session.person_cells import cells_message
from pi_notebook.session.recorded import SETTING_TYPE, recorded_model, recorded_settings
from pi_notebook.session.services import AgentSessionServices
from pi_notebook.session.settings import Settings
from pi_notebook.session.situation import current_situation, situation_message, told_situation
from pi_notebook.session.store import SessionStore

E = TypeVar("E", bound=Entry)


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
        self._projection = Projection(store.branch())
        self._values = recorded_settings(store.branch())
        self.settings: Settings = services.settings.with_session_values(self._values)
        self._model, self.diagnostics = services.model_or_offline(self.settings)
        self._told_model = recorded_model(store.branch())
        self.system_prompt = services.system_prompt
        self._told_reason = ""
        self._is_prompting = False
        self._is_stopped = False
        """Whether this prompt was stopped, also before its run had begun."""
        self._preparing: AbortSignal | None = None
        self.gate = PermissionGate(
            self.mode, folder=services.folder, homes=(services.home.root,), record=self._record_custom
        )
        self.gate.rules = self._rules()
        self._ledger_log = LedgerLog(services.folder, apart=(services.home.root,), record=self._record_custom)
        self.agent = Agent(
            self._model,
            tools=services.tools,
            system_prompt=self.system_prompt,
            hooks=Hooks(
                before_tool_call=[self.gate.check, self._ledger_log.before],
                after_tool_call=[self._ledger_log.after],
            ),
            build_request=self._request,
            resources=services.resources(store.id),
            execution=self.settings.get("tools.execution"),
            messages=self._projection.messages,
        )
        self.agent.subscribe(self._record)

    @property
    def id(self) -> str:
        """What `%agent resume` takes."""
        return self.store.id

    @property
    def path(self) -> Path | None:
        """The session's file; None while it lives in memory only."""
        return self.store.path

    @property
    def model(self) -> ModelInfo:
        """The model the next request goes to."""
        return self.agent.model.info

    @property
    def mode(self) -> Mode:
        """What runs without asking, as set for the session."""
        mode: Mode = self.settings.get("mode")
        return mode

    @property
    def is_running(self) -> bool:
        """True while a prompt is being answered, from its first moment."""
        return self._is_prompting or self.agent.is_running

    @property
    def messages(self) -> list[Message]:
        """The conversation as the branch holds it."""
        return self._projection.messages

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
        max_turns: int | None = None,
        attach: Sequence[str] = (),
    ) -> AgentEnd:
        """Run on the person's words until the agent is idle.

        `executor` lends the kernel's main thread and `approver` asks the person, both for this run;
        `model` and `mode` hold for this run in place of the session's; `attach` names variables and
        files that go with the prompt, as an `@` in it does. Raises what the model raised,
        `SessionBusyError` while a run is on, and `UsageError` when something named cannot be attached.
        """
        if self.is_running:
            raise SessionBusyError(
                "This session is answering already. Stop it first, or wait until it is done."
            )
        self._is_prompting, self._is_stopped = True, False
        try:
            self._begin(executor, approver, model, mode)
            before = await self._prepared(executor, content, attach)
            if before is None or self._is_stopped:
                return AgentEnd((), "aborted")
            turns = max_turns if max_turns is not None else self.settings.get("max_turns")
            end = await self.agent.prompt(content, before=before, max_turns=turns)
        finally:
            self._is_prompting = False
            self._end()
        if end.error is not None:
            raise end.error
        return end

    def abort(self) -> None:
        """Stop the run, wherever it is; from any thread and from a signal handler."""
        self._is_stopped = True
        preparing = self._preparing
        if preparing is not None:
            preparing.set()
        self.agent.abort()

    def set_value(self, name: str, text: str) -> Any:
        """Set a setting for this session from what the person typed; returns the value as understood.

        It is recorded and holds from the next request on. Raises `SettingsError`, `UsageError` or
        `ModelError`, with nothing changed, when name or value is wrong.
        """
        value = self.settings.parse(name, text)
        settings = self.services.settings.with_session_values(self._values | {name: value})
        if name in ("model", "context_window"):
            self._model = self.agent.model = self.services.model(settings)
        self.settings = settings
        self._values = self._values | {name: value}
        self.agent.execution = settings.get("tools.execution")
        self.gate.mode = self.mode
        self.gate.rules = self._rules()
        self.agent.resources.update(self.services.resources(self.store.id, settings))
        self._record_custom(SETTING_TYPE, {"name": name, "value": value})
        return value

    def all_messages(self) -> Iterator[Message]:
        """The messages of every branch, in the order they were made."""
        for entry in self.store.entries:
            if isinstance(entry, MessageEntry):
                yield entry.message

    def context_usage(self) -> ContextUsage:
        """How full the context would be if a request were sent now."""
        return context_usage(
            self.model,
            self.system_prompt,
            self.services.definitions,
            self.services.policy.view(self.messages),
        )

    def close(self) -> None:
        """Stop the run and let go of the file."""
        self.abort()
        self.store.close()

    def _begin(
        self, executor: CodeExecutor | None, approver: Approver | None, model: Model | None, mode: Mode | None
    ) -> None:
        self.gate.begin_run(approver)
        self.gate.mode = mode or self.mode
        self.agent.resources.pop(CodeExecutor, None)
        if executor is not None:
            self.agent.resources[CodeExecutor] = self._ledger_log.watched(executor)
        if model is not None:
            self.agent.model = model
        self._record_model(self.agent.model.info)

    def _end(self) -> None:
        self.gate.begin_run(None)
        self.gate.mode = self.mode
        self.agent.resources.pop(CodeExecutor, None)
        self.agent.model = self._model

    def _rules(self) -> dict[str, Verdict]:
        rules = ((tool.name, self.settings.get(f"permissions.{tool.name}")) for tool in self.services.tools)
        return {name: rule for name, rule in rules if rule is not None}

    async def _prepared(
        self, executor: CodeExecutor | None, content: str | list[UserContent], attach: Sequence[str]
    ) -> list[Message] | None:
        """What goes before the prompt; None when the person stopped it meanwhile.

        The cells are taken last: one that ends while values are looked at is not lost.
        """
        self._preparing = signal = AbortSignal()
        prompt = text_of(user_message(content))
        try:
            situation = await signal.guard(self._situation(executor))
            attached = await signal.guard(attachments(attach, prompt, self.agent.resources))
        except Aborted:
            return None
        finally:
            self._preparing = None
        return [*situation, *self._cells(), *attached]

    async def _situation(self, executor: CodeExecutor | None) -> list[Message]:
        variables = await self.services.variable_notes(executor)
        told = told_situation(self.messages)
        now = current_situation(self.services.folder, told.variables if variables is None else variables)
        message = situation_message(told, now)
        return [message] if message is not None else []

    def _cells(self) -> list[Message]:
        limit = self.settings.get("cells.max_tokens")
        message = cells_message(self.services.shell, self.messages, max_tokens=limit)
        return [message] if message is not None else []

    async def _request(self) -> ModelRequest:
        return ModelRequest(
            system_prompt=self.system_prompt,
            tools=self.services.definitions,
            messages=tuple(self.services.policy.view(self.messages)),
            session_id=self.id,
        )

    async def _record(self, event: AgentEvent) -> None:
        """The first subscriber: what it is told is on disk when it returns."""
        if isinstance(event, AgentStart) and self._is_stopped:
            self.agent.abort()
        if not isinstance(event, MessageEnd):
            return
        message = event.message
        if isinstance(message, CustomMessage):
            self._append(
                CustomMessageEntry,
                custom_type=message.custom_type,
                content=message.content,
                display=message.display,
                details=message.details,
            )
        else:
            self._append(MessageEntry, message=message)
        if self.store.memory_reason != self._told_reason:
            self._told_reason = self.store.memory_reason
            await self.agent.emit(Notice(self._told_reason, "warning"))

    def _record_custom(self, custom_type: str, data: dict[str, Any]) -> None:
        self._append(CustomEntry, custom_type=custom_type, data=data)

    def _record_model(self, info: ModelInfo) -> None:
        if self._told_model != (info.provider, info.id):
            self._append(ModelChangeEntry, provider=info.provider, model_id=info.id)
            self._told_model = (info.provider, info.id)

    def _append(self, kind: Callable[..., E], **fields: Any) -> None:
        self._projection.add(self.store.add(kind, **fields))
