"""What goes before a prompt: how the kernel stands, cells the person ran, late output, attachments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pi_notebook.agent.abort import AbortSignal
from pi_notebook.agent.messages import Message
from pi_notebook.context.late_output import late_output_message
from pi_notebook.kernel.executor import CodeExecutor
from pi_notebook.session.attachments import attachments
from pi_notebook.session.person_cells import cells_message
from pi_notebook.session.services import AgentSessionServices
from pi_notebook.session.settings import Settings
from pi_notebook.session.situation import current_situation, situation_message, told_situation


async def prelude(
    prompt: str,
    *,
    messages: Sequence[Message],
    services: AgentSessionServices,
    settings: Settings,
    resources: Mapping[type, Any],
    attach: Sequence[str],
    signal: AbortSignal,
) -> list[Message]:
    """The messages that stand before `prompt`, given those of the context.

    The cells are taken last: one that ends while values are looked at is not lost. Raises `Aborted`
    once `signal` is set, and `UsageError` when something in `attach` cannot be shown.
    """
    situation = await signal.guard(_situation(messages, services, resources.get(CodeExecutor)))
    attached = await signal.guard(attachments(attach, prompt, resources, messages))
    cells = cells_message(services.shell, messages, max_tokens=settings.get("cells.max_tokens"))
    late = late_output_message()
    told = [message for message in (cells, late) if message is not None]
    return [*situation, *told, *attached]


async def _situation(
    messages: Sequence[Message], services: AgentSessionServices, executor: CodeExecutor | None
) -> list[Message]:
    variables = await services.variable_notes(executor)
    told = told_situation(messages)
    now = current_situation(services.folder, told.variables if variables is None else variables)
    message = situation_message(told, now)
    return [message] if message is not None else []
