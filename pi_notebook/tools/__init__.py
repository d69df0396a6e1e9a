"""What the agent can do: one tool, one file."""

from __future__ import annotations

from pi_notebook.agent.tools import Tool
from pi_notebook.tools.bash import bash
from pi_notebook.tools.edit import edit
from pi_notebook.tools.find import find
from pi_notebook.tools.grep import grep
from pi_notebook.tools.list_variables import list_variables
from pi_notebook.tools.ls import ls
from pi_notebook.tools.manage_context import manage_context
from pi_notebook.tools.preview_data import preview_data
from pi_notebook.tools.query_data import query_data
from pi_notebook.tools.query_json import query_json
from pi_notebook.tools.read import read
from pi_notebook.tools.run_code import run_code
from pi_notebook.tools.search_history import search_history
from pi_notebook.tools.write import write


def default_tools() -> tuple[Tool, ...]:
    """The tools of a session, in the order a model is told of them."""
    looking = (list_variables, preview_data, query_data, query_json)
    return (run_code, *looking, bash, read, write, edit, ls, find, grep, search_history, manage_context)
