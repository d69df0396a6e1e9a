"""Loading parts of the package late, from whichever thread needs them first.

A package whose `__init__` imports its own modules cannot be loaded by two threads at once: Python
sees that each waits for the other and hands out a module that is half made. So it is one at a time.
"""

from __future__ import annotations

import threading
from importlib import import_module
from types import ModuleType

lock = threading.RLock()
"""Held while a part of the package is loaded; also by those who make something of it only once."""


def load(name: str) -> ModuleType:
    """The module of that full name."""
    with lock:
        return import_module(name)
