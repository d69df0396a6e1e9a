"""Whether the inspector's widget can be shown, and its view; nothing heavy is loaded before that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pi_notebook.session.runtime import AgentSessionRuntime

BUILT = Path(__file__).parent / "static"
"""Where the widget's views are; a checkout has them once it is installed."""
INSPECTOR_TYPE = "application/vnd.pi-notebook.inspector+json"
"""By it JupyterLab's extension knows an output that has a page to show where the widget is gone."""


def widget_view(runtime: AgentSessionRuntime, shell: Any) -> dict[str, Any]:
    """The view of a new inspector widget, by MIME type; nothing where no person could look at it."""
    if not has_person(shell) or not (BUILT / "inspector.js").is_file():
        return {}
    from pi_notebook.ui.widget import InspectorWidget

    view: Any = InspectorWidget(lambda: runtime)._repr_mimebundle_()
    data = view[0] if isinstance(view, tuple) else view
    shown = {kind: value for kind, value in (data or {}).items() if kind != "text/plain"}
    return {INSPECTOR_TYPE: {}} | shown if shown else {}


def has_person(shell: Any) -> bool:
    """Whether the cell that runs came from where a person could answer: a program that runs a notebook
    says that it cannot, and a terminal shows no widgets.
    """
    kernel = getattr(shell, "kernel", None)
    return bool(getattr(kernel, "_allow_stdin", False))
