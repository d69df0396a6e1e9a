"""What code of the agent may not do to the kernel it runs in.

Owns the refusals that stand while the code runs: nobody can answer a prompt or a debugger then, and
the kernel must outlive `exit()`. What it does to the whole process and may not leave behind is
`process_state`; streams are guarded by `capture`, interrupts by `interrupts`.
"""

from __future__ import annotations

import bdb
import builtins
import getpass
import io
import os
import sys
from asyncio.events import _get_running_loop
from collections.abc import Callable
from types import TracebackType
from typing import Any, NoReturn

from IPython.core import interactiveshell
from IPython.core.error import StdinNotImplementedError

from pi_notebook.kernel.process_state import ProcessState
from pi_notebook.kernel.shell_hooks import ShellHooks
from pi_notebook.kernel.shell_lines import system_for
from pi_notebook.kernel.shell_names import ShellNames
from pi_notebook.kernel.swaps import Swaps


class Guards:
    """While open, code in the shell is refused what would hang or end the kernel."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._swaps = Swaps()
        self._pid = os.getpid()
        self._process = ProcessState()
        self._names = ShellNames(shell)
        self._hooks = ShellHooks(shell)
        self.notes: list[str] = []

    def __enter__(self) -> Guards:
        put = self._swaps.set
        put(builtins, "input", self._refusal("input()", _NO_INPUT, StdinNotImplementedError))
        for name in ("getpass", "unix_getpass", "win_getpass"):
            put(getpass, name, self._refusal("getpass()", _NO_INPUT, StdinNotImplementedError))
        debugger = self._refusal("A debugger", _NO_DEBUGGER, RuntimeError)
        put(sys, "breakpointhook", debugger)
        put(bdb.Bdb, "set_trace", debugger)
        if "pdb" in sys.modules:
            put(sys.modules["pdb"].Pdb, "interaction", debugger)
        put(sys, "stdin", io.StringIO())
        kernel = getattr(self._shell, "kernel", None)
        if kernel is not None:
            put(kernel, "_allow_stdin", False)
        put(self._shell, "ask_exit", self._end_code)
        if os.name == "posix":
            put(self._shell, "system", system_for(self._shell))
        put(os, "close", self._close)
        put(os, "closerange", self._close_range)
        if (loop := _get_running_loop()) is not None:
            put(loop, "stop", self._keep_loop)
        for name in ("unload_extension", "reload_extension"):
            put(self._shell.extension_manager, name, self._keep_us(name))
        put(interactiveshell, "warn", _without_exit_advice(interactiveshell.warn))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.mend()
        self._swaps.restore()
        for note in self._process.remarks():
            self._note(note)

    def mend(self) -> None:
        """Put back what our own work needs, once the code has ended and before its value is looked at."""
        for note in (*self._process.mend(), *self._names.mend()):
            self._note(note)

    def try_hooks(self) -> None:
        """Take out what the code has hooked into the shell and fails; it is run for that."""
        for note in self._hooks.try_new():
            self._note(note)

    def _refusal(self, what: str, why: str, kind: type[Exception]) -> Callable[..., NoReturn]:
        def refuse(*args: object, **keywords: object) -> NoReturn:
            self._note(f"{what} was refused: {why}")
            raise kind(f"{what} is not available to code run by the agent: {why}")

        return refuse

    def _end_code(self) -> NoReturn:
        raise SystemExit

    def _close(self, descriptor: int) -> None:
        """`os.close`, but for the standard descriptors: any file opened next would get the number."""
        if descriptor in (0, 1, 2) and os.getpid() == self._pid:
            self._note(f"os.close({descriptor}) was ignored; the descriptor stays open.")
        else:
            _os_close(descriptor)

    def _close_range(self, low: int, high: int) -> None:
        """`os.closerange`, but for the kernel's process: among the descriptors are its connections."""
        if os.getpid() == self._pid:
            self._note("os.closerange() was ignored; it would cut off the kernel.")
        else:
            _os_closerange(low, high)

    def _keep_us(self, name: str) -> Callable[[str], object]:
        """The extension manager's function `name`, but for the extension whose agent runs the code."""
        original = getattr(self._shell.extension_manager, name)

        def on_extension(module: str) -> object:
            if module.partition(".")[0] != __name__.partition(".")[0]:
                return original(module)
            self._note(f"{name}({module!r}) was ignored; it would stop the agent that runs this code.")
            return None

        return on_extension

    def _keep_loop(self) -> None:
        self._note("The stop of the kernel's event loop was ignored; it would end the kernel.")

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


_os_close = os.close
_os_closerange = os.closerange

_NO_INPUT = "nobody can answer while it runs. Ask in your reply, or set the value in the code."
_NO_DEBUGGER = "nobody can use it while the code runs. Print what you need to see."


def _without_exit_advice(warn: Callable[..., None]) -> Callable[..., None]:
    """IPython's `warn` without its advice to use 'exit' after a SystemExit."""

    def warn_otherwise(message: object, *args: Any, **keywords: Any) -> None:
        if not str(message).startswith("To exit:"):
            warn(message, *args, **keywords)

    return warn_otherwise
