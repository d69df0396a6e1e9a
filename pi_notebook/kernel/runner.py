"""One piece of code, run in the shell as a cell would be, and how it ended.

Owns the steps of a run and their order: guards, capture, the code, events, the value, the error.
Which thread that is, and whose loop, is the executors'.
"""

from __future__ import annotations

import linecache
import sys
import time
from dataclasses import replace
from typing import Any

from pi_notebook.kernel.call_watch import CallWatch
from pi_notebook.kernel.capture import Capture
from pi_notebook.kernel.displayhook import LastValue
from pi_notebook.kernel.guards import Guards
from pi_notebook.kernel.interrupts import Attempt, Interrupts
from pi_notebook.kernel.outputs import CellResult, CellStatus, ErrorOutput, OutputSink
from pi_notebook.kernel.showtraceback import Failures
from pi_notebook.kernel.stepper import Stepper
from pi_notebook.kernel.tracebacks import describe_exception, describe_unreadable
from pi_notebook.kernel.values import represent


class CodeRunner:
    """Runs code in `shell` on the thread it is called on."""

    def __init__(self, shell: Any, interrupts: Interrupts) -> None:
        self._shell = shell
        self._interrupts = interrupts
        self._file = ""
        """What the code that is run was compiled as."""

    def needs_loop(self, code: str) -> bool:
        """Whether `code` has a top-level await."""
        try:
            transformed = self._shell.transform_cell(code)
            return bool(self._shell.should_run_async(code, transformed_cell=transformed))
        except Exception:  # a transformer of the person's; running the code will tell
            return False

    async def run(self, code: str, sink: OutputSink, attempt: Attempt) -> CellResult:
        """Run `code` under `attempt`. Nothing is raised for what it does."""
        started = time.monotonic()
        with Guards(self._shell) as guards, Capture(self._shell, sink, code=code) as capture:
            watch = CallWatch(self._shell, code)
            with Failures(self._shell) as failures, LastValue(self._shell, code) as last, watch:
                await self._execute(code, attempt, failures)
                watch.is_whole = failures.last is None
                guards.mend()
                capture.mend()
                self._try_hooks(guards)
            result = self.ending(attempt, last.value, failures.last, started=started)
        notes = (*result.notes, *capture.notes, *guards.notes)
        return replace(result, notes=notes, effects=watch.effects)

    def ending(
        self, attempt: Attempt, value: object, failure: BaseException | None, *, started: float
    ) -> CellResult:
        """How code under `attempt` ended: with `value`, or by `failure`.

        To be called while guards and capture still stand: it calls representations of the person's.
        """
        data, notes = represent(self._shell, value, self._interrupts)
        error = self._describe(failure)
        if self._interrupts.reinstall():
            notes.append("The handler of interrupts was replaced by the code; put back.")
        status, error, ending = _status(attempt, failure, error)
        return CellResult(
            status=status,
            value=value,
            value_data=data,
            error=error,
            notes=(*ending, *notes),
            duration_seconds=time.monotonic() - started,
        )

    async def _execute(self, code: str, attempt: Attempt, failures: Failures) -> None:
        """Run the code and the events that follow a cell, plots among them."""
        shell = self._shell
        try:
            with attempt.running():
                transformed, problem = self._transform(code)
            self._file = self._code_name(code, transformed)
            _agent_files.add(self._file)
            if attempt.stopped is None:
                coroutine = shell.run_cell_async(
                    code,
                    store_history=False,
                    transformed_cell=transformed,
                    preprocessing_exc_tuple=problem,
                )
                result = await Stepper(coroutine, attempt)
                if failures.last is None:
                    failures.last = result.error_before_exec or result.error_in_exec
                with attempt.running():
                    shell.events.trigger("post_execute")
                    shell.events.trigger("post_run_cell", result)
        except BaseException as error:  # an interrupt between the person's frames and ours
            failures.last = failures.last or error

    def _try_hooks(self, guards: Guards) -> None:
        with self._interrupts.attempt(_DESCRIBE_SECONDS) as attempt:
            try:
                with attempt.running():
                    guards.try_hooks()
            except BaseException:  # they are the code's
                return

    def _transform(self, code: str) -> tuple[str, Any]:
        try:
            return self._shell.transform_cell(code), None
        except Exception:  # a transformer of the person's, or a magic line that is none
            return code, sys.exc_info()

    def _code_name(self, code: str, transformed: str) -> str:
        """What the shell will compile the code as."""
        try:
            return str(self._shell.compile.get_code_name(code, transformed, self._shell.execution_count))
        except Exception:  # a compiler of another kind
            return AGENT_CODE

    def _describe(self, error: BaseException | None) -> ErrorOutput | None:
        if error is None:
            return None
        with self._interrupts.attempt(_DESCRIBE_SECONDS) as attempt:
            try:
                with attempt.running():
                    return describe_exception(error, name_file=self._name_file)
            except BaseException:  # its __str__ is the person's code
                return describe_unreadable(error, name_file=self._name_file)

    def _name_file(self, filename: str) -> str:
        """What a reader knows the code as that was compiled as `filename`.

        The shell would give agent code the number of the person's cell that it runs in.
        """
        if filename == self._file:
            return AGENT_CODE
        if filename in _agent_files:
            return EARLIER_AGENT_CODE
        name = getattr(self._shell.compile, "format_code_name", lambda filename: None)(filename)
        if name:
            return " ".join(name)
        # IPython before 8 has no names for cells, but keeps their lines here.
        return "Cell" if filename in getattr(linecache, "_ipython_cache", ()) else filename


AGENT_CODE = "<agent code>"
EARLIER_AGENT_CODE = "<earlier agent code>"
_DESCRIBE_SECONDS = 2.0
_agent_files: set[str] = set()
"""What agent code was compiled as in this process: a function it made may fail in a later run."""


def _status(
    attempt: Attempt, failure: BaseException | None, error: ErrorOutput | None
) -> tuple[CellStatus, ErrorOutput | None, tuple[str, ...]]:
    """The status, what is told of the error, and a note where neither says it all."""
    if attempt.stopped is not None:
        return ("timeout" if attempt.stopped == "timeout" else "interrupted"), error, ()
    if failure is None:
        return "ok", None, ()
    if isinstance(failure, SystemExit):
        note = ("The code ended itself here (exit); the kernel goes on.",)
        return ("ok", None, note) if failure.code in (None, 0) else ("error", error, note)
    return "error", error, ()
