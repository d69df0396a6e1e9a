"""Exported notebooks, executed in a fresh kernel: what sessions of real kernels made is made again."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from pi_notebook.session.export.session import export_session
from pi_notebook.session.export.target import parse_target
from pi_notebook.session.store import SessionStore
from tests.kernel.client import Kernel
from tests.provider import Provider, calls, text

pytestmark = pytest.mark.kernel

EXAMPLES = Path(__file__).parents[3] / "example_notebooks"
FRAMES = "[n for n, v in globals().items() if n[0] != '_' and type(v).__module__.startswith('pandas')]"
VALUES = "import json as j_; print(j_.dumps({{n: repr(globals()[n]) for n in {names!r}}}))"

ASYNC = """
import asyncio

async def later(x):
    await asyncio.sleep(0)
    return x + FACTOR

awaited = await later(1)
"""
CLASS = """
class Point:
    def __init__(self, x):
        self.x = x

    def __repr__(self):
        return f"Point({self.x})"

point = Point(2)
point.x = 9
"""


@pytest.fixture(scope="module")
def provider():
    with Provider() as provider:
        yield provider


@pytest.fixture
def kernel(provider, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    env = provider.environment(tmp_path / "home")
    with Kernel(env=env, cwd=folder) as kernel:
        kernel.run("%load_ext pi_notebook")
        yield kernel


def ask(kernel, provider, *made, prompt="go"):
    """One run of the agent: codes to run, or calls of other tools."""
    named = [("run_code", {"code": one}) if isinstance(one, str) else one for one in made]
    provider.script(calls(*named), text("done"))
    execution = kernel.run(f"%%agent --auto\n{prompt}")
    assert not execution.errors, execution.errors


def values(kernel, names):
    return json.loads(kernel.run(VALUES.format(names=names)).text())


def exported(home, folder, into=None):
    """The newest session's notebook, in its file."""
    path = max((home / "sessions").rglob("*.jsonl"), key=lambda one: one.stat().st_mtime)
    store = SessionStore.open(path, read_only=True)
    target = parse_target("out.ipynb", folder=into or folder, home=home)
    export_session(store, target, folder=folder)
    return nbformat.read(target.path, as_version=4)


def executed(notebook, folder, names):
    """Run `notebook` in a fresh kernel that starts in `folder`; the values that it made."""
    notebook.cells.append(nbformat.v4.new_code_cell(VALUES.format(names=names)))
    client = NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=120,
        extra_arguments=["--IPKernelApp.log_level=ERROR"],
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute()
    return json.loads(notebook.cells[-1].outputs[-1].text)


def sources(notebook):
    return [cell.source for cell in notebook.cells if cell.cell_type == "code"]


@pytest.fixture(autouse=True)
def _same_python(monkeypatch):
    monkeypatch.setenv("JUPYTER_PREFER_ENV_PATH", "1")


def test_a_session_with_failures_retries_magics_files_and_cells_of_the_persons_runs_again(
    kernel, provider, tmp_path
):
    folder = tmp_path / "folder"
    (folder / "data.csv").write_text("g,n\na,1\nb,2\na,3\n")
    kernel.run("import pandas as pd\nframe = pd.read_csv('data.csv')")
    ask(
        kernel,
        provider,
        "import json\ntotal = frame['n'].sum()\nbroken = frame['missing']",
        "by = frame.groupby('g')['n'].sum().to_dict()\nprint(total, by)",
        "by = frame.groupby('g')['n'].sum().to_dict()\nprint(total, by)",
        "def scale(x):\n    return x * 3",
        "def scale(x):\n    return x * 2",
        "scaled = scale(int(total))",
        ("write", {"path": "lib/helpers.py", "content": "FACTOR = 3\n"}),
        ("edit", {"path": "lib/helpers.py", "edits": [{"old_text": "3", "new_text": "5"}]}),
        "import sys\nsys.path.insert(0, 'lib')\nfrom helpers import FACTOR",
        ("bash", {"command": "ls -la"}),
        ("bash", {"command": "wc -l < data.csv > lines.txt"}),
        "lines = int(open('lines.txt').read())",
        ASYNC,
        "%time timed = scaled + 1\nhome = !echo hello",
        "%%capture\ncaptured = 7\nprint('x')",
        CLASS,
    )
    kernel.run("frame['n'] = frame['n'] * 10")
    kernel.run("unused = 1")
    ask(kernel, provider, "last = frame['n'].tolist()\nlast", prompt="and then?")
    names = [
        "total",
        "by",
        "scaled",
        "FACTOR",
        "lines",
        "awaited",
        "timed",
        "home",
        "captured",
        "point",
        "last",
    ]
    wanted = values(kernel, names)
    (folder / "lines.txt").unlink()
    (folder / "lib" / "helpers.py").unlink()

    notebook = exported(tmp_path / "home", folder)
    code = sources(notebook)
    assert executed(notebook, folder, names) == wanted
    assert sum("groupby" in source for source in code) == 1
    assert not any("missing" in source or "unused" in source or "x * 3" in source for source in code)
    assert code[0].startswith("import pandas as pd\nimport json\nimport pathlib\nimport sys\nimport asyncio")


def test_a_plot_a_table_and_a_chain_of_runs_run_again_from_another_folder(kernel, provider, tmp_path):
    folder, elsewhere = tmp_path / "folder", tmp_path / "elsewhere"
    elsewhere.mkdir()
    (folder / "data.csv").write_text("n\n1\n2\n")
    ask(kernel, provider, "import pandas as pd\nframe = pd.read_csv('data.csv')\nframe")
    ask(
        kernel,
        provider,
        "import matplotlib.pyplot as plt\nfigure, axes = plt.subplots()\naxes.plot(frame['n'])\nplt.show()",
        "frame = frame.assign(m=frame['n'] * 2)",
        "total = int(frame['m'].sum())\ntotal",
    )
    wanted = values(kernel, ["total"])
    notebook = exported(tmp_path / "home", folder, into=elsewhere)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert [o.output_type for o in outputs] == ["execute_result", "display_data", "stream"]
    assert "image/png" in outputs[1].data
    assert outputs[2].text == "6\n"
    assert executed(notebook, elsewhere, ["total"]) == wanted


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda path: path.name)
def test_the_session_of_an_example_notebook_runs_again(path, tmp_path, monkeypatch):
    monkeypatch.setenv("PI_NOTEBOOK_HOME", str(tmp_path / "home"))
    example = nbformat.read(path, as_version=4)
    client = NotebookClient(
        example,
        kernel_name="python3",
        timeout=120,
        extra_arguments=["--IPKernelApp.log_level=ERROR"],
        resources={"metadata": {"path": str(EXAMPLES)}},
    )
    example.cells.append(nbformat.v4.new_code_cell(VALUES.format(names=[]).replace("[]", FRAMES)))
    client.execute()
    wanted = json.loads(example.cells[-1].outputs[-1].text)
    assert wanted

    notebook = exported(tmp_path / "home", EXAMPLES, into=tmp_path)
    found = executed(notebook, tmp_path, list(wanted))
    assert found == wanted
