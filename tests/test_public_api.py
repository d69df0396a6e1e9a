"""What the package offers is listed and documented, and having it costs nothing."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import pi_notebook

PACKAGE = Path(pi_notebook.__file__).parent
HEAVY = ["litellm", "pandas", "polars", "pyarrow", "duckdb", "tiktoken"]

IMPORT = "import pi_notebook"
LOAD = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_line_magic("load_ext", "pi_notebook")
"""


def modules_with_public_names() -> list[str]:
    """Every module of the package that says what is public in it."""
    return [
        ".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
        for file in sorted(PACKAGE.rglob("*.py"))
        if "\n__all__ = " in file.read_text()
    ]


def own_members(cls):
    """The public methods and properties that `cls` itself defines."""
    for name, member in vars(cls).items():
        if not name.startswith("_") and isinstance(
            member, (property, staticmethod, classmethod, type(own_members))
        ):
            yield f"{cls.__qualname__}.{name}", member


def test_star_gives_exactly_the_public_names():
    namespace: dict = {}
    exec("from pi_notebook import *", namespace)
    assert sorted(set(namespace) - {"__builtins__"}) == sorted(pi_notebook.__all__)


@pytest.mark.parametrize("module_name", modules_with_public_names())
def test_public_names_are_sorted_unique_there_and_documented(module_name):
    module = importlib.import_module(module_name)
    assert list(module.__all__) == sorted(set(module.__all__))
    values = [(name, getattr(module, name)) for name in module.__all__]
    defined = [(name, value) for name, value in values if inspect.isclass(value) or inspect.isroutine(value)]
    assert [name for name, value in defined if not inspect.getdoc(value)] == []


@pytest.mark.parametrize("name", pi_notebook.__all__)
def test_every_public_method_is_documented(name):
    value = getattr(pi_notebook, name)
    members = own_members(value) if inspect.isclass(value) else []
    assert [qualname for qualname, member in members if not member.__doc__] == []


def test_every_module_says_what_it_owns():
    silent = [
        str(file.relative_to(PACKAGE))
        for file in sorted(PACKAGE.rglob("*.py"))
        if (tree := ast.parse(file.read_text())).body and not ast.get_docstring(tree)
    ]
    assert silent == []


@pytest.mark.parametrize("code", [IMPORT, LOAD], ids=["import", "load_ext"])
def test_it_prints_nothing_writes_nothing_and_loads_nothing_heavy(code, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    report = tmp_path / "report.json"
    # What IPython writes for itself goes elsewhere; the report is written after the code has run.
    ending = f"import json, sys; json.dump(sorted(sys.modules), open({str(report)!r}, 'w'))"
    ran = subprocess.run(
        [sys.executable, "-c", f"{code}\n{ending}"],
        cwd=home,
        env=quiet_environment(home, tmp_path / "ipython"),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert (ran.stdout, ran.stderr) == ("", "")
    assert list(home.rglob("*")) == []
    assert [name for name in HEAVY if name in json.loads(report.read_text())] == []


def quiet_environment(home: Path, ipython: Path) -> dict[str, str]:
    """This process's environment, with every place a program may write under `home`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PI_NOTEBOOK", "XDG_"))}
    return {
        **kept,
        "HOME": str(home),
        "USERPROFILE": str(home),
        "IPYTHONDIR": str(ipython),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": str(PACKAGE.parent),
    }
