"""What every test gets: a home of its own, and no key of the person's."""

import os

import pytest


@pytest.fixture(autouse=True)
def home(tmp_path_factory, monkeypatch):
    """A home folder of the test's own; provider keys and our variables are taken away."""
    for name in list(os.environ):
        is_ours = name.startswith("PI_NOTEBOOK_") and not name.startswith("PI_NOTEBOOK_TEST_")
        if is_ours or name.endswith(("_API_KEY", "_API_BASE")):
            monkeypatch.delenv(name)
    folder = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("PI_NOTEBOOK_HOME", str(folder))
    for variable in ("PI_CODING_AGENT_DIR", "CLAUDE_CONFIG_DIR"):  # where the person may keep skills
        monkeypatch.setenv(variable, str(folder / "others"))
    return folder


def pytest_collection_modifyitems(config, items):
    """Long tests run when they are asked for by name: `-m soak`."""
    if "soak" in (config.option.markexpr or ""):
        return
    long = [item for item in items if "soak" in item.keywords]
    config.hook.pytest_deselected(items=long)
    items[:] = [item for item in items if item not in long]
