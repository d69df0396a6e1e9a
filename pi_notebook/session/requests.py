"""What goes to the model: before a prompt, and with each request of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from pi_notebook.agent.abort import Aborted, AbortSignal
from pi_notebook.agent.agent import Agent
from pi_notebook.agent.messages import CustomMessage, Message, UserMessage, text_of
from pi_notebook.agent.protocols import ModelRequest
from pi_notebook.context.policies.policy import ContextPolicy
from pi_notebook.context.projection import missing_results
from pi_notebook.context.tokens import message_tokens
from pi_notebook.errors import KernelError
from pi_notebook.kernel.executor import CodeExecutor
from pi_notebook.session.attached_cells import AttachedCell, cells_attachment
from pi_notebook.session.attachments import attachments
from pi_notebook.session.branch import Branch
from pi_notebook.session.choices import Choices
from pi_notebook.session.ledger_log import LedgerLog
from pi_notebook.session.prelude import Prelude, prelude
from pi_notebook.session.services import AgentSessionServices
from pi_notebook.session.session_hooks import SessionHooks
from pi_notebook.session.upkeep import ContextUpkeep


class Requests:
    """Makes the requests of one session's agent; `services` and `policy` give those that hold now."""

    def __init__(
        self,
        agent: Agent,
        *,
        branch: Branch,
        services: Callable[[], AgentSessionServices],
        choices: Choices,
        upkeep: ContextUpkeep,
        ledger_log: LedgerLog,
        policy: Callable[[], ContextPolicy],
        hooks: SessionHooks,
    ) -> None:
        self._agent = agent
        self._branch = branch
        self._services = services
        self._choices = choices
        self._upkeep = upkeep
        self._ledger_log = ledger_log
        self._policy = policy
        self._hooks = hooks

    async def make_room(self, signal: AbortSignal, *, coming_tokens: int = 0) -> list[Message]:
        """Make room for what is coming; what has to be said first: results that a dead kernel left open.

        Raises `Aborted` on a stop.
        """
        self.bound_texts()
        self._upkeep.store_prompt()
        await signal.guard(self._ledger_log.begin(self._agent.resources.get(CodeExecutor)))
        await self._upkeep.check(coming=lambda: coming_tokens)
        return list(missing_results(self._branch.messages))

    async def before_prompt(
        self,
        prompt: UserMessage,
        attach: Sequence[str],
        signal: AbortSignal,
        *,
        cells: Sequence[AttachedCell] = (),
        unsaid: Sequence[Message],
    ) -> list[Message]:
        """What goes before `prompt`, once there is room for all of it; `unsaid` is what was said earlier.

        Raises `Aborted` on a stop and `UsageError` when something in `attach` cannot be shown.
        """
        coming = sum(map(message_tokens, [prompt, *unsaid]))
        await self.make_room(signal, coming_tokens=coming)
        looked = await self._prelude(prompt, attach, signal)
        given = cells_attachment(cells, self._agent.resources)
        passages = await signal.guard(self._hooks.find_passages(text_of(prompt)))
        found = self._hooks.shown_passages(passages)
        coming += looked.tokens + sum(map(message_tokens, [*given, *found]))
        if await self._upkeep.check(coming=lambda: coming + self._change_tokens):
            # What they take for told may be gone.
            looked = await self._prelude(prompt, attach, signal)
            found = self._hooks.shown_passages(passages)
        if signal.is_set:
            raise Aborted
        earlier, told = missing_results(self._branch.messages), looked.told()
        return [*earlier, *unsaid, *told, *found, *self._upkeep.messages_before_prompt(), *given]

    @property
    def _change_tokens(self) -> int:
        """Of what has changed in the prompt and is to be told; a compaction may tell it meanwhile."""
        change = self._upkeep.prompt.change(self._branch.messages)
        return message_tokens(change) if change is not None else 0

    async def _prelude(self, prompt: UserMessage, attach: Sequence[str], signal: AbortSignal) -> Prelude:
        return await prelude(
            text_of(prompt),
            branch=self._branch,
            services=self._services(),
            settings=self._choices.settings,
            info=self._upkeep.info,
            resources=self._agent.resources,
            attach=attach,
            signal=signal,
        )

    async def before_queued(self, said: UserMessage) -> list[Message]:
        """What goes before words to a run that is on: what they mention, and what hooks find for them."""
        text = text_of(said)
        attached: list[CustomMessage] = []
        with suppress(KernelError):
            attached = await attachments((), text, self._agent.resources, self._branch.messages)
        return [*attached, *await self._hooks.passages(text)]

    async def build(self) -> ModelRequest:
        """The next request, from what is recorded."""
        self.bound_texts()
        await self._hooks.edit_context()
        return ModelRequest(
            system_prompt=self._upkeep.prompt.text,
            tools=self._services().definitions,
            messages=tuple(self._policy().view(self._branch.projection.paired)),
            session_id=self._branch.store.id,
        )

    def bound_texts(self) -> None:
        """Let tools bound their texts as policy and window have it."""
        window = self._upkeep.info.context_window
        bounds = self._services().bounds(self._choices.settings, self._policy(), window)
        self._agent.resources.update(bounds)
