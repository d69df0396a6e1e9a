"""The TypeScript of panel and inspector: its own tests, and which of its files may import which."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.session.interop.install import node

SOURCES = Path(__file__).parent.parent / "labextension" / "src"
MODULES = SOURCES.parent / "node_modules"
IMPORT = re.compile(r"""^(?:import|export)\b[^'"]*from '([^']+)'""", re.MULTILINE)


def node_command() -> str:
    found = str(node()) if node().is_file() else shutil.which("node")
    if not found or not (MODULES / "jest").is_dir():
        pytest.skip("no Node here with what the panel is built with: `make test` fetches it where it can")
    return found


def imports(file: Path) -> list[str]:
    """What a file imports: of ours from the root of the sources, of others by name."""
    found = IMPORT.findall(file.read_text(encoding="utf-8"))
    return [
        (file.parent / name).resolve().relative_to(SOURCES.resolve()).as_posix() if name[0] == "." else name
        for name in found
    ]


def files(folder: str = "") -> list[Path]:
    return [
        file
        for file in sorted((SOURCES / folder).rglob("*.ts*"))
        if "__tests__" not in file.parts and not file.name.endswith(".d.ts")
    ]


@pytest.mark.timeout(300)
def test_the_tests_of_the_panel_pass():
    command = [node_command(), MODULES / "jest" / "bin" / "jest.js", "--ci", "--silent", "--runInBand"]
    ended = subprocess.run(command, cwd=SOURCES.parent, capture_output=True, text=True, timeout=280)
    assert ended.returncode == 0, ended.stderr[-6_000:]


def test_views_speak_to_no_kernel_and_those_of_the_widget_stand_without_jupyterlab():
    for file in files("components"):
        assert not {"kernel/client", "panel", "plugin"} & set(imports(file)), file
    for file in [*files("inspector"), *files("widget")]:
        assert not [name for name in imports(file) if name.startswith(("@jupyterlab", "@lumino"))], file


def test_what_is_pure_imports_no_view_and_no_kernel():
    for name in ("conversation/reduce.ts", "kernel/message.ts", "kernel/said.ts", "protocol.ts", "texts.ts"):
        found = imports(SOURCES / name)
        assert not [one for one in found if one.startswith(("@jupyterlab", "components/", "react"))], name


def test_index_lists_plugins_and_nothing_else():
    assert len((SOURCES / "index.ts").read_text().splitlines()) < 15


def test_no_type_is_any():
    for file in files():
        text = re.sub(r"//[^\n]*|/\*.*?\*/", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
        assert not re.search(r"[:<|]\s*any\b|\bas any\b", text), file


def test_colours_are_those_of_the_theme():
    for file in sorted((SOURCES.parent / "style").glob("*.css")):
        text = re.sub(r"/\*.*?\*/|var\([^()]*(?:\([^()]*\)[^()]*)*\)", "", file.read_text(), flags=re.DOTALL)
        if file.name != "inspector.css":  # which has its own where there is no theme
            assert not re.search(r"#[0-9a-fA-F]{3,8}\b|\brgba?\(|\bhsla?\(", text), file
