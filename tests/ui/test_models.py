"""`%agent model`: what is told of the window of a model, known, guessed or learnt."""

import pytest

from pi_notebook.errors import ContextOverflowError
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services
from pi_notebook.session.windows import LearntWindows
from pi_notebook.ui.commands import model


@pytest.fixture
def runtime(tmp_path):
    runtime = AgentSessionRuntime(tmp_path, build_services)
    yield runtime
    runtime.close()


def told(runtime, name):
    (line,) = model(runtime, name).lines
    return line


def test_a_window_that_is_a_guess_is_told_as_one_with_the_setting(runtime):
    line = told(runtime, "openai/some-model-of-ones-own")
    assert "32,768 tokens; the window is a guess: %agent settings context_window N" in line
    assert "guess" not in told(runtime, "openai/gpt-4o")
    runtime.session.set_value("context_window", "50000")
    assert "50,000 tokens" in told(runtime, "openai/some-model-of-ones-own")
    assert "guess" not in told(runtime, "")


def test_a_window_that_was_learnt_is_told(runtime):
    told(runtime, "openai/some-model-of-ones-own")
    session = runtime.session
    error = ContextOverflowError("too long", model=session.model.name, context_window=9_000)
    assert LearntWindows(session.branch).learn(session.model, error)
    assert "9,000 tokens" in told(runtime, "")
    assert "guess" not in told(runtime, "")
