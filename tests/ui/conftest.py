"""A session with a scripted model and panels on it; and a real kernel with a panel on its comm."""

import pytest

from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.background import background
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services
from pi_notebook.tools.run_code import run_code
from pi_notebook.ui.panel.panels import Panels
from tests.kernel.client import Kernel
from tests.ui.front_end import FrontEnd
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


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    """Its model is the offline one, and its agent runs code without asking."""
    env = {"PI_NOTEBOOK_HOME": str(tmp_path_factory.mktemp("home")), "PI_NOTEBOOK_MODE": "auto"}
    with Kernel(env=env, cwd=tmp_path_factory.mktemp("folder")) as kernel:
        yield kernel


@pytest.fixture
def front_end(kernel):
    """A panel, with the extension loaded for its time."""
    loaded = kernel.run("%load_ext pi_notebook")
    assert loaded.status == "ok", loaded.errors
    front_end = FrontEnd(kernel)
    yield front_end
    front_end.close()
    kernel.run("%unload_ext pi_notebook")
    kernel.check_health()
