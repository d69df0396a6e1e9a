"""Imports point down, heavy libraries stay in their one file, and every library used is declared."""

from __future__ import annotations

import ast
import re
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "pi_notebook"

MAY_IMPORT = {
    "agent": set(),
    "kernel": set(),
    "skills": set(),
    "models": {"agent"},
    "context": {"agent", "kernel", "skills"},
    "tools": {"agent", "kernel", "context", "skills"},
    "session": {"agent", "kernel", "skills", "models", "context", "tools"},
    "ui": {"agent", "kernel", "context", "session"},
}
FOR_ALL = {"errors", "_version", "_loading", "_nearest"}
ONLY_IN = {"litellm": "models/litellm_model.py", "anywidget": "ui/widget.py"}

# Read where the person has them, and never required: see the extras.
OPTIONAL = {
    "pandas",
    "polars",
    "pyarrow",
    "duckdb",
    "matplotlib",
    "wordllama",
    "numpy",
    "PIL",
    "pypdf",
    "mistune",
}


def imported_modules(source: str, *, package: str = "") -> set[str]:
    """Every module that `source`, a module in `package`, imports anywhere, as full dotted names."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*parents, *([node.module] if node.module else [])])
            found |= {f"{base}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Call) and (name := imported_by_call(node)):
            found.add(name)
    return found


def imported_by_call(call: ast.Call) -> str | None:
    """The module of `import_module("name")` or `__import__("name")`."""
    function = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if function not in {"import_module", "__import__"} or not call.args:
        return None
    return call.args[0].value if isinstance(call.args[0], ast.Constant) else None


def imported_layers(source: str, *, package: str = "") -> set[str]:
    """The parts of pi_notebook that `source` imports; the package itself counts as `pi_notebook`."""
    parts = set()
    for module in imported_modules(source, package=package):
        head, _, rest = module.partition(".")
        if head == "pi_notebook":
            part = rest.partition(".")[0]
            parts.add(part if part in MAY_IMPORT or part in FOR_ALL else "pi_notebook")
    return parts


def python_files(folder: Path = PACKAGE) -> list[Path]:
    return sorted(folder.rglob("*.py"))


def package_of(file: Path) -> str:
    return ".".join(file.parent.relative_to(ROOT).parts)


def test_every_part_has_a_place_in_the_layers():
    parts = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert parts == set(MAY_IMPORT)


@pytest.mark.parametrize("layer", sorted(MAY_IMPORT))
def test_imports_point_down(layer):
    allowed = MAY_IMPORT[layer] | FOR_ALL | {layer}
    upwards = {
        str(file.relative_to(ROOT)): wrong
        for file in python_files(PACKAGE / layer)
        if (wrong := imported_layers(file.read_text(), package=package_of(file)) - allowed)
    }
    assert upwards == {}


def test_errors_and_version_import_nothing_of_ours():
    for name in FOR_ALL:
        assert imported_layers((PACKAGE / f"{name}.py").read_text()) == set()


@pytest.mark.parametrize(
    "planted",
    [
        "import pi_notebook.session",
        "import pi_notebook.session.store as store",
        "from pi_notebook import session",
        "from pi_notebook.session import AgentSession",
        "from pi_notebook.session.store import SessionStore",
        "from ..session import store",
        "from .. import session",
        "def late():\n    from pi_notebook.session import store",
        "if TYPE_CHECKING:\n    from pi_notebook.session import store",
        "importlib.import_module('pi_notebook.session.store')",
        "__import__('pi_notebook.session')",
    ],
)
def test_a_planted_upward_import_is_seen(planted):
    assert imported_layers(planted, package="pi_notebook.context") == {"session"}


def test_a_planted_import_of_the_whole_package_is_seen():
    assert imported_layers("import pi_notebook") == {"pi_notebook"}
    assert imported_layers("from pi_notebook import AgentSession") == {"pi_notebook"}


def test_a_sibling_is_no_upward_import():
    assert imported_layers("from .tokens import count_tokens", package="pi_notebook.context") == {"context"}
    assert imported_layers("from .. import tokens", package="pi_notebook.context.policies") == {"context"}


@pytest.mark.parametrize(("library", "home"), ONLY_IN.items())
def test_a_heavy_library_is_imported_in_one_file_only(library, home):
    users = {
        file.relative_to(PACKAGE).as_posix()
        for file in python_files()
        if library in {module.partition(".")[0] for module in imported_modules(file.read_text())}
    }
    assert users <= {home}


def test_every_library_imported_is_declared():
    imported = {
        module.partition(".")[0]
        for file in python_files()
        for module in imported_modules(file.read_text(), package=package_of(file))
    }
    foreign = imported - set(sys.stdlib_module_names) - {"pi_notebook"} - OPTIONAL
    distributions = packages_distributions()
    undeclared = {
        library
        for library in foreign
        if declared_names().isdisjoint(normalized(name) for name in distributions.get(library, [library]))
    }
    assert undeclared == set()


def declared_names() -> set[str]:
    """The names under `dependencies` in pyproject.toml; `tomllib` is not in Python 3.10."""
    block = re.search(r"^dependencies = \[\n(.*?)^\]", (ROOT / "pyproject.toml").read_text(), re.S | re.M)
    return {normalized(name) for name in re.findall(r'^  "([A-Za-z0-9_.-]+)', block[1], re.M)}


def normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
