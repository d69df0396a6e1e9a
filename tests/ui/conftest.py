"""A session with a scripted model, and panels on it."""

import pytest

from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.background import background
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services
from pi_notebook.tools.run_code import run_code
from pi_notebook.ui.panel.panels import Panels
from tests.ui.panel import Panel, ScriptedExecutor


@pytest.fixture
def runtime(tmp_path, monkeypatch):
    monkeypatch.setenv("PI_NOTEBOOK_MODEL", "openai/gpt-4o")  # named, and never asked
    runtime = AgentSessionRuntime(tmp_path, build_services)
    runtime.session.agent.tools["run_code"] = run_code
    yield runtime
    runtime.close()


@pytest.fixture
def panels(runtime):
    panels = Panels(lambda: runtime, ScriptedExecutor)
    yield panels
    background.run(panels.close())


@pytest.fixture
def panel(panels):
    return Panel(panels)


@pytest.fixture
def script(runtime):
    """What the model answers in the next run."""

    def script(*replies, **options):
        model = ScriptedModel(replies, **options)
        runtime.session.agent.model = model
        return model

    return script
