"""`%agent hooks`: the functions that take part in this session, in the order they are called."""

from __future__ import annotations

from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.ui.tables import Report, verbatim

_NONE = (
    "No hooks are registered.",
    "A cell registers one with `from pi_notebook import on` and `@on(EVENT)` above a function.",
)


def hooks(runtime: AgentSessionRuntime, _: str) -> Report:
    """Each with its event, the place that registered it, and whether it has failed."""
    registered = runtime.session.hooks
    rows = tuple(
        (
            verbatim(hook.event),
            verbatim(hook.name),
            verbatim(hook.place),
            "has failed" if registered.has_failed(hook) else "works",
        )
        for hook in registered
    )
    if not rows:
        return Report(lines=_NONE)
    return Report(header=("event", "hook", "from", "state"), rows=rows)
