"""An agent that lives in the Jupyter kernel and whose context is managed.

    %load_ext pi_notebook

    %%agent
    What is in sales.csv?

Importing the package does nothing and loads nothing heavy; each public name is loaded when it is
first asked for.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from pi_notebook._loading import load
from pi_notebook._version import __version__

if TYPE_CHECKING:
    from pi_notebook.agent import Agent, Hooks, Tool, ToolResult, tool
    from pi_notebook.context.policies import get_policy
    from pi_notebook.context.previews import preview
    from pi_notebook.session.hook_registry import on
    from pi_notebook.session.listing import list_sessions
    from pi_notebook.session.runtime import AgentSessionRuntime, open_session
    from pi_notebook.session.services import AgentSessionServices
    from pi_notebook.session.session import AgentSession
    from pi_notebook.ui.extension import current_session, inspect_context

__all__ = [
    "Agent",
    "AgentSession",
    "AgentSessionRuntime",
    "AgentSessionServices",
    "Hooks",
    "Tool",
    "ToolResult",
    "__version__",
    "current_session",
    "get_policy",
    "inspect_context",
    "list_sessions",
    "on",
    "open_session",
    "preview",
    "tool",
]

_HOMES = {
    "Agent": "pi_notebook.agent",
    "AgentSession": "pi_notebook.session.session",
    "AgentSessionRuntime": "pi_notebook.session.runtime",
    "AgentSessionServices": "pi_notebook.session.services",
    "Hooks": "pi_notebook.agent",
    "Tool": "pi_notebook.agent",
    "ToolResult": "pi_notebook.agent",
    "current_session": "pi_notebook.ui.extension",
    "get_policy": "pi_notebook.context.policies",
    "inspect_context": "pi_notebook.ui.extension",
    "list_sessions": "pi_notebook.session.listing",
    "on": "pi_notebook.session.hook_registry",
    "open_session": "pi_notebook.session.runtime",
    "preview": "pi_notebook.context.previews",
    "tool": "pi_notebook.agent",
}

# Without a handler of its own, a library's warnings go to the person's cell.
logging.getLogger(__name__).addHandler(logging.NullHandler())


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(load(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def load_ipython_extension(shell: Any) -> None:
    """What `%load_ext pi_notebook` calls: registers `%agent` and `%%agent`."""
    from pi_notebook.ui.extension import load

    load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """What `%unload_ext pi_notebook` calls: takes the magics away again."""
    from pi_notebook.ui.extension import unload

    unload(shell)


def _jupyter_labextension_paths() -> list[dict[str, str]]:
    """Where JupyterLab finds the built panel when it looks in the package."""
    return [{"src": "labextension", "dest": "pi-notebook"}]
