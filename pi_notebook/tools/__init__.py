"""What the agent can do: one tool, one file."""

from __future__ import annotations

from pi_notebook.agent.tools import Tool
from pi_notebook.tools.list_variables import list_variables
from pi_notebook.tools.run_code import run_code


def default_tools() -> tuple[Tool, ...]:
    """The tools of a session, in the order a model is told of them."""
    return (run_code, list_variables)
