"""Which paths are never written without a question, and how paths are resolved."""

from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_notebook.agent.tools import ToolError
from pi_notebook.tools.paths import is_protected, one_line, resolve_path

HOME = PurePosixPath("/home/ann/.local/share/pi_notebook")
PROTECTED = [
    "/home/ana/project/AGENTS.override.md",
    "/home/ana/project/.agents/skills/orders/helper.py",
    "/home/ann/.bashrc",
    "/home/ann/.zshenv",
    "/home/ann/.profile",
    "/home/ann/.config/fish/config.fish",
    "/home/ann/.ipython/profile_default/startup/00.py",
    "/home/ann/.ipython/profile_x/ipython_config.py",
    "/home/ann/.jupyter/jupyter_server_config.py",
    "/home/ann/.local/share/jupyter/kernels/python3/kernel.json",
    "/home/ann/.ssh/authorized_keys",
    "/home/ann/.gitconfig",
    "/home/ana/project/.git/hooks/pre-commit",
    "/home/ana/project/.git/config",
    "/home/ana/project/.pi/settings.json",
    "/home/ana/project/AGENTS.md",
    "/home/ana/project/skills/plot/SKILL.md",
    "/home/ana/project/.vscode/settings.json",
    "/home/ana/project/.envrc",
    "/usr/lib/python3/site-packages/evil.pth",
    "/usr/lib/python3/sitecustomize.py",
    f"{HOME}/settings.json",
    f"{HOME}/skills/x/any.md",
]
PLAIN = [
    "/home/ana/project/data.csv",
    "/home/ana/project/notes/agents.txt",
    "/home/ana/project/git/hooks/x",
    "/home/ana/project/.github/workflows/x.yml",
    "/home/ann/jupyter/notes.ipynb",
    "/home/ana/project/bashrc.md",
]


@pytest.mark.parametrize("path", PROTECTED)
def test_what_decides_what_runs_later_is_protected_however_it_is_spelled(path):
    for spelling in (path, path.upper(), f"{path}.", f"{path} "):
        assert is_protected(PurePosixPath(spelling), homes=[HOME])


@pytest.mark.parametrize("path", PLAIN)
def test_ordinary_files_are_not(path):
    assert not is_protected(PurePosixPath(path), homes=[HOME])


@settings(max_examples=500, derandomize=True, deadline=None)
@given(path=st.text(st.characters(codec=None), max_size=40))
def test_every_text_resolves_or_is_a_tool_error(tmp_path_factory, path):
    folder = tmp_path_factory.getbasetemp()
    try:
        resolved = resolve_path(path, folder)
    except ToolError:
        return
    assert resolved.is_absolute()
    assert "\n" not in one_line(str(resolved))


def test_a_relative_path_starts_from_the_folder_and_an_absolute_one_does_not(tmp_path):
    assert resolve_path("a/../b", tmp_path) == Path(f"{tmp_path}/a/../b")
    assert resolve_path("/etc/hosts", tmp_path) == Path("/etc/hosts")
