"""Names of the notebook that IPython and Python themselves need, put back when code deletes them.

The person's own names are theirs and the code's: what is deleted of them stays so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

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


class ShellNames:
    """The names that are needed, as they stood in `shell` when this was made."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        names = shell.user_ns
        self._before = {name: names[name] for name in _OF_THE_MODULE + _OF_THE_SHELL if name in names}

    def mend(self) -> Iterator[str]:
        """Put back what is missing, and say what that was."""
        names = self._shell.user_ns
        missing = [name for name in self._before if name not in names]
        for name in missing:
            names[name] = self._before[name]
        told = [name for name in missing if name in _OF_THE_SHELL]
        if told:
            yield f"Names that the notebook needs were deleted by the code; put back: {', '.join(told)}."
