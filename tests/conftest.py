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
    return folder
