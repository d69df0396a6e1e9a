"""One version, wherever it is read."""

from __future__ import annotations

import json
import re
from pathlib import Path

from pi_notebook._version import __version__

LABEXTENSION = Path(__file__).parent.parent / "labextension"


def test_the_labextension_carries_the_version_of_the_package():
    package = json.loads((LABEXTENSION / "package.json").read_text())
    assert package["version"] == __version__


def test_the_lock_file_carries_the_version_of_the_package():
    lock = json.loads((LABEXTENSION / "package-lock.json").read_text())
    assert lock["version"] == lock["packages"][""]["version"] == __version__


def test_the_lock_file_names_no_registry():
    lock = json.loads((LABEXTENSION / "package-lock.json").read_text())
    assert [name for name, package in lock["packages"].items() if "resolved" in package] == []


def test_the_version_is_one_that_python_and_npm_read_alike():
    assert re.fullmatch(r"\d+\.\d+\.\d+", __version__)
