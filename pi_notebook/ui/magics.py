"""The magics as IPython knows them. All they do is in `cells`, which is loaded when one is used.

`%load_ext` shall cost next to nothing, and most kernels that load the extension ask only later.
"""

from __future__ import annotations

from collections.abc import Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any

from IPython.core.magic import Magics, line_cell_magic, magics_class, no_var_expand

from pi_notebook import _loading

if TYPE_CHECKING:
    from pi_notebook.session.runtime import AgentSessionRuntime
    from pi_notebook.ui.cells import AgentCells


@magics_class
class AgentMagics(Magics):  # type: ignore[misc]  # IPython's base is untyped
    """`%agent` and `%%agent` of one shell."""

    def __init__(self, shell: Any) -> None:
        super().__init__(shell)
        self._folder = Path.cwd()
        self._cells: AgentCells | None = None

    @no_var_expand  # type: ignore[untyped-decorator]
    @line_cell_magic  # type: ignore[untyped-decorator]
    def agent(self, line: str, cell: str | None = None) -> Coroutine[Any, Any, None] | None:
        """Ask the agent in this kernel (%%agent), or look at its state (%agent). %agent help lists more."""
        if cell is not None:
            return self.cells.cell(line, cell)
        return self.cells.line(line)

    @property
    def cells(self) -> AgentCells:
        """What the magics do; made when first asked for, from any thread."""
        with _loading.lock:
            if self._cells is None:
                with _loading.installed():
                    from pi_notebook.ui.cells import AgentCells

                self._cells = AgentCells(self.shell, self._folder)
            return self._cells

    @property
    def runtime(self) -> AgentSessionRuntime:
        """The sessions of this kernel."""
        return self.cells.runtime

    def complete(self, line: str) -> list[str]:
        """What may stand where `line`, the text up to the cursor, ends."""
        with _loading.lock, _loading.installed():
            from pi_notebook.ui.completion import complete_line
        return complete_line(self.runtime, line)

    def close(self) -> None:
        """Stop the run and let go of the session's file."""
        if self._cells is not None:
            self._cells.close()
