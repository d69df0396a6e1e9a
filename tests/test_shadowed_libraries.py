"""What lies in a kernel's working folder under the name of a library is never run by us."""

import ast
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from pi_notebook._loading import find_installed, installed
from tests.test_layers import PACKAGE, python_files

LIBRARIES = [
    *("litellm", "openai", "httpx", "tiktoken", "narwhals", "pyarrow", "duckdb", "yaml", "PIL", "pypdf"),
    *("nbformat", "pygments", "mistune", "platformdirs", "msgspec"),
]
LATE = {*LIBRARIES[:-3], "pandas", "polars"}
WORK = """
import sys
sys.path.insert(0, "")  # as a kernel does
from pathlib import Path
import pi_notebook
from pi_notebook import preview
from pi_notebook._loading import installed
from pi_notebook.context.queries.engine import open_connection
from pi_notebook.context.tokens import count_tokens
from pi_notebook.models.catalog import entries
from pi_notebook.models.litellm_model import load_litellm
from pi_notebook.session.export.page_markdown import code_html
from pi_notebook.skills.front_matter import read_front_matter

assert count_tokens("hello world") == 2
load_litellm("m")
assert entries()
open_connection([]).close()
code_html("a = 1", "python")
assert read_front_matter("---\\nname: 'x: y'\\n---\\n").values["name"] == "x: y"
print(preview([1, 2, 3]))
"""


@pytest.fixture
def folder(tmp_path):
    for name in LIBRARIES:
        (tmp_path / f"{name}.py").write_text(f"open('ran', 'a').write('{name} ')\nraise SystemExit(3)\n")
    return tmp_path


def run(code, folder):
    return subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=120
    )


def test_a_file_with_a_library_s_name_beside_a_notebook_is_not_run(folder):
    done = run(WORK, folder)
    assert done.returncode == 0, done.stderr
    assert not (folder / "ran").exists()


def test_a_person_s_own_module_that_was_imported_as_litellm_is_refused_in_one_line(tmp_path):
    (tmp_path / "litellm.py").write_text("mine = True\n")
    code = (
        "import sys; sys.path.insert(0, '')\nimport litellm\n"
        "from pi_notebook.models.litellm_model import load_litellm\n"
        "from pi_notebook.errors import ModelError\n"
        "try: load_litellm('m')\nexcept ModelError as error: print(error)\n"
    )
    done = run(code, tmp_path)
    assert done.stdout == (
        f"{tmp_path}/litellm.py was imported as litellm and stands in its place. "
        "Rename it and restart the kernel, or use -m offline.\n"
    )


def test_meanwhile_other_threads_import_from_the_working_folder_as_ever(tmp_path, monkeypatch):
    (tmp_path / "module_of_the_person.py").write_text("value = 1\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend("")
    found = []

    def look():
        import module_of_the_person

        found.append(module_of_the_person.value)

    with installed():
        assert find_installed("module_of_the_person") is None
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
    assert found == [1]


def test_what_is_not_installed_is_not_found_and_nothing_else_is_said():
    assert find_installed("no_such_library_at_all") is None
    with installed(), pytest.raises(ModuleNotFoundError, match="No module named 'no_such_library_at_all'"):
        __import__("no_such_library_at_all")


def imports_outside(tree):
    """Libraries that a function imports without looking where they are installed."""
    inside = {
        node
        for block in ast.walk(tree)
        if isinstance(block, ast.With)
        and any("installed" in ast.unparse(item.context_expr) for item in block.items)
        for node in ast.walk(block)
    }
    for function in ast.walk(tree):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for node in ast.walk(function):
                if isinstance(node, (ast.Import, ast.ImportFrom)) and node not in inside:
                    names = (
                        [node.module or ""]
                        if isinstance(node, ast.ImportFrom)
                        else [a.name for a in node.names]
                    )
                    yield from (name for name in names if name.partition(".")[0] in LATE)


@pytest.mark.parametrize("file", python_files(), ids=lambda file: str(file.relative_to(PACKAGE)))
def test_every_late_import_of_a_library_looks_where_it_is_installed(file):
    if file.name == "jq_child.py":
        return  # a process of its own, which does not look into the working folder
    assert list(imports_outside(ast.parse(Path(file).read_text("utf-8")))) == []
