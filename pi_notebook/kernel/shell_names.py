"""Names of the notebook that IPython and Python themselves need, put back when code takes them.

The person's own names are theirs and the code's: what is deleted or replaced of them stays so.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import MethodType
from typing import Any

import IPython

_OF_THE_MODULE = (
    "__name__",
    "__doc__",
    "__package__",
    "__loader__",
    "__spec__",
    "__builtin__",
    "__builtins__",
)
"""`%reset` takes them too, and then no child process can be begun; put back without a word."""
_OF_THE_SHELL = ("In", "Out", "_ih", "_oh", "_dh", "get_ipython", "exit", "quit")
_LOOKED_UP = ("get_ipython", "_ih", "_oh", "_dh")
"""Those in which IPython finds its own things: with another value no magic runs and no result is kept."""


class ShellNames:
    """The names that are needed, as they stood in `shell` when this was made."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        names = shell.user_ns
        self._before = {name: names[name] for name in _OF_THE_MODULE + _OF_THE_SHELL if name in names}

    def mend(self) -> Iterator[str]:
        """Put back what is missing or stands for something else, and say what that was."""
        names = self._shell.user_ns
        missing = [name for name in self._before if name not in names]
        replaced = [name for name in _LOOKED_UP if name in names and not self._serves(name, names[name])]
        for name in missing + replaced:
            names[name] = self._before[name]
        for what, which in (("deleted", missing), ("replaced", replaced)):
            told = [name for name in which if name in _OF_THE_SHELL]
            if told:
                yield f"Names that the notebook needs were {what} by the code; put back: {', '.join(told)}."

    def _serves(self, name: str, found: object) -> bool:
        """Whether `found` does for IPython what stood under `name`."""
        before = self._before.get(name, found)
        if found is before or found is IPython.get_ipython:
            return True
        # A method is another object each time it is asked for, as `%reset` does.
        return isinstance(found, MethodType) and found == before
