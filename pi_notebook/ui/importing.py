"""`%agent import FILE`: another program's session goes on here."""

from __future__ import annotations

import os

from pi_notebook.errors import UsageError
from pi_notebook.session.background import background
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.ui.tables import Report


def import_(runtime: AgentSessionRuntime, text: str) -> Report:
    """Go on with a session of Pi, Claude Code, SWE-agent or mini-swe-agent; its file stays as it is."""
    name = text.strip().strip("\"'")
    if not name:
        raise UsageError(
            "Name a file: %agent import FILE. Sessions of Pi and of Claude Code (.jsonl), of SWE-agent and "
            "mini-swe-agent (.traj, .traj.json) can be imported."
        )
    path = runtime.services.folder / os.path.expanduser(name)
    session, notes = background.run(runtime.import_session(path))
    return Report(
        lines=(f"session **{session.id}** goes on with what `{path.name}` holds", *notes),
        footer=("`%agent tree` shows it; the next prompt follows its last message.",),
    )
