"""What the shell remembers of cells by number, and of the last exception that it showed."""

from __future__ import annotations

import linecache
import sys
from typing import Any

from pi_notebook.kernel.outputs import ErrorOutput
from pi_notebook.kernel.tracebacks import describe_exception, describe_unreadable


class CellHistory:
    """Looks into the history of `shell`."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell

    def code(self, number: int) -> str | None:
        """The code of `In[number]` as it was typed; None when there is none."""
        codes = self._shell.history_manager.input_hist_raw
        return str(codes[number]) if 0 < number < len(codes) and codes[number] else None

    def last_error(self) -> ErrorOutput | None:
        """The newest exception that the shell has shown; it is asked for its text, on the main thread."""
        error = getattr(sys, "last_value", None)
        if not isinstance(error, BaseException):
            return None
        try:
            return describe_exception(error, name_file=self._name_file)
        except Exception:  # its own `__str__`, or its class's
            return describe_unreadable(error)

    def _name_file(self, filename: str) -> str:
        name = getattr(self._shell.compile, "format_code_name", lambda filename: None)(filename)
        if name:
            return " ".join(name)
        # IPython before 8 has no names for cells, but keeps their lines here.
        return "Cell" if filename in getattr(linecache, "_ipython_cache", ()) else filename
