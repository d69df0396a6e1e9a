"""What goes before a prompt: how the kernel stands, cells the person ran, late output, attachments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pi_notebook.agent.abort import AbortSignal
from pi_notebook.agent.messages import CustomMessage, Message
from pi_notebook.agent.protocols import ModelInfo
from pi_notebook.context.in_place import changed_in_place
from pi_notebook.context.late_output import late_output_message
from pi_notebook.context.ledger import Ledger
from pi_notebook.context.scratch import codes_in
from pi_notebook.context.tokens import message_tokens
from pi_notebook.context.variables import with_passing
from pi_notebook.context.worth import words_that_name
from pi_notebook.kernel.executor import CodeExecutor
from pi_notebook.session.attachments import attachments
from pi_notebook.session.branch import Branch
from pi_notebook.session.branch_ledger import all_records, records_since_prompt
from pi_notebook.session.person_cells import cells_message, new_cells
from pi_notebook.session.services import AgentSessionServices
from pi_notebook.session.settings import Settings
from pi_notebook.session.situation import (
    CUSTOM_TYPE,
    NOWHERE,
    Traces,
    current_situation,
    passing_before,
    situation_message,
    told_situation,
)


@dataclass(frozen=True, kw_only=True)
class Prelude:
    """What is looked at before a prompt, in the light of what the context holds; looking uses nothing up."""

    situation: list[Message]
    attached: list[CustomMessage]
    cells: CustomMessage | None

    @property
    def tokens(self) -> int:
        """What it comes to."""
        cells = [self.cells] if self.cells is not None else []
        return sum(map(message_tokens, [*self.situation, *cells, *self.attached]))

    def told(self) -> list[Message]:
        """The messages in their order, and what calls have put out late, which is told once."""
        told = [message for message in (self.cells, late_output_message()) if message is not None]
        return [*self.situation, *told, *self.attached]


async def prelude(
    prompt: str,
    *,
    branch: Branch,
    services: AgentSessionServices,
    settings: Settings,
    info: ModelInfo,
    resources: Mapping[type, Any],
    attach: Sequence[str],
    signal: AbortSignal,
) -> Prelude:
    """What stands before `prompt`, given what `branch` holds and the model that is asked.

    The cells are taken last: one that ends while values are looked at is not lost. Raises `Aborted`
    once `signal` is set, and `UsageError` when something in `attach` cannot be shown.
    """
    executor = resources.get(CodeExecutor)
    situation = await signal.guard(_situation(prompt, branch, services, info, executor))
    attached = await signal.guard(attachments(attach, prompt, resources, branch.messages))
    cells = cells_message(services.shell, branch.prompted_ms, max_tokens=settings.get("cells.max_tokens"))
    return Prelude(situation=situation, attached=attached, cells=cells)


async def _situation(
    prompt: str,
    branch: Branch,
    services: AgentSessionServices,
    info: ModelInfo,
    executor: CodeExecutor | None,
) -> list[Message]:
    messages = branch.messages
    told = told_situation(messages)
    records = all_records(branch) if told is NOWHERE else records_since_prompt(branch)
    variables = await services.variable_notes(executor)
    cells = [cell.code for cell in new_cells(services.shell, branch.prompted_ms)]
    if variables is None:
        variables = told.variables
    else:
        told_before = branch.store.branch().of_kind(f"custom_message:{CUSTOM_TYPE}")
        # Code that was summarised cannot be asked; what was recorded of it can.
        known = Ledger(records).passing if told is NOWHERE else ()
        variables = with_passing(
            variables,
            [*codes_in(messages), *cells],
            before={*passing_before(told_before), *known},
            asked=words_that_name(prompt),
        )
    now = current_situation(services.folder, info, variables)
    message = situation_message(told, now, Traces.of(records, in_place=changed_in_place(cells)))
    return [message] if message is not None else []
