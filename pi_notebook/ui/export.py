"""`%agent export`: the session as a notebook, a page, Markdown or a session file."""

from __future__ import annotations

from pi_notebook.session.export.session import export_session
from pi_notebook.session.export.target import parse_target
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.ui.tables import Report


def export(runtime: AgentSessionRuntime, text: str) -> Report:
    """Write the current branch to the file that `text` names, relative to the working folder."""
    services = runtime.services
    target = parse_target(text, folder=services.folder, home=services.home.root)
    return Report(lines=tuple(export_session(runtime.session.store, target, folder=services.folder)))
