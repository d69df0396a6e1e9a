"""Loading parts of the package, and the libraries it needs, late and from whichever thread needs them first.

A package whose `__init__` imports its own modules cannot be loaded by two threads at once: Python
sees that each waits for the other and hands out a module that is half made. So it is one at a time.

A kernel looks for modules in its working folder before all others, and what lies there may be anybody's:
a `yaml.py` beside a notebook must not run because an agent wants to read a file. So libraries are imported
with `installed()` entered.
"""

from __future__ import annotations

import importlib.util
import os
import site
import sys
import sysconfig
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import lru_cache
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

lock = threading.RLock()
"""Held while a part of the package is loaded; also by those who make something of it only once."""

_is_ours: ContextVar[bool] = ContextVar("pi_notebook_imports", default=False)
"""Whether what is imported now is wanted by this package; other threads and tasks import as ever."""


def load(name: str) -> ModuleType:
    """The module of that full name."""
    with lock, installed():
        return import_module(name)


@contextmanager
def installed() -> Iterator[None]:
    """What this thread or task imports meanwhile comes from where libraries are installed.

    A module that only the working folder has is not found then. Tasks that are begun meanwhile, and what
    they import later, are held to the same.
    """
    if PathFinder in sys.meta_path:
        sys.meta_path[sys.meta_path.index(PathFinder)] = _InstalledFinder
    token = _is_ours.set(True)
    try:
        yield
    finally:
        _is_ours.reset(token)


def expect_warnings() -> None:
    """Keep what litellm's own types are warned of out of the person's cells.

    litellm sees to that as it is imported, in vain where a thread imports it: a `catch_warnings` that ends
    elsewhere meanwhile puts the filters back as they were. So it is seen to before.
    """
    warnings.filterwarnings("ignore", message=".*`ReadOnly` qualifier", category=UserWarning)


def find_installed(name: str) -> ModuleSpec | None:
    """Where the library is installed; None where it is not."""
    with installed(), suppress(ImportError, ValueError):  # a module put under its name by hand has none
        return importlib.util.find_spec(name)
    return None


def foreign_file(module: ModuleType) -> str | None:
    """The file of a module that is not the library whose name it was imported under; None for a library."""
    file = getattr(module, "__file__", None)
    if file is None:
        return None
    folder = os.path.dirname(os.path.dirname(file) if hasattr(module, "__path__") else file)
    return str(file) if _is_working_folder(folder, _working_folder()) else None


class _InstalledFinder(PathFinder):
    """Stands in the place of Python's own finder of files, and is it for all imports but ours."""

    @classmethod
    def find_spec(
        cls, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if path is None and _is_ours.get():
            path = _installed_path(tuple(sys.path), _working_folder())
        return super().find_spec(name, path, target)


def _working_folder() -> str:
    try:
        return os.path.realpath(os.getcwd())
    except OSError:  # it was removed
        return ""


@lru_cache(maxsize=8)
def _installed_path(path: tuple[str, ...], working_folder: str) -> list[str]:
    """`path` without the working folder and what is told from it."""
    return [one for one in path if os.path.isabs(one) and not _is_working_folder(one, working_folder)]


def _is_working_folder(folder: str, working_folder: str) -> bool:
    return os.path.realpath(folder) == working_folder and working_folder not in _library_folders()


@lru_cache(maxsize=1)
def _library_folders() -> frozenset[str]:
    named = [*site.getsitepackages(), site.getusersitepackages(), *sysconfig.get_paths().values()]
    return frozenset(map(os.path.realpath, named))
