"""`list_variables`: what the person and the agent have in the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pi_notebook.agent.tools import ToolContext, tool
from pi_notebook.context.truncation import OutputLimits, truncate_head
from pi_notebook.context.variables import variable_line
from pi_notebook.kernel.executor import CodeExecutor
from pi_notebook.kernel.namespace import VariableInfo

_SECONDS = 5.0


class VariableList(Protocol):
    """The kernel's variables."""

    def describe(self) -> Sequence[VariableInfo]:
        """Every variable, described without being evaluated. Called on the kernel's main thread."""
        ...


@tool(risk="read", sequential=True, needs=(CodeExecutor, VariableList))
async def list_variables(context: ToolContext) -> str:
    """List the kernel's variables, one a line: name, type, and shape, columns or value where cheap."""
    variables = context.need(VariableList)
    found = await context.need(CodeExecutor).call(variables.describe, timeout_seconds=_SECONDS)
    text = "\n".join(map(variable_line, found))
    kept = truncate_head(text or "(no variables yet)", context.need(OutputLimits))
    return f"{kept.content}\n[{kept.notice}]" if kept.is_truncated else kept.content
