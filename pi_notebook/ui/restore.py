"""`%agent restore`: the variables of a session, back in a kernel that was started anew.

Frames are loaded from their files into names that are free; the recorded cells that make the rest
run again only when the person says so, once for all of them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from IPython.utils.capture import capture_output

from pi_notebook._loading import installed
from pi_notebook.context.amounts import all_of, count_of
from pi_notebook.context.call_record import FrameNote
from pi_notebook.context.ledger import VariableState
from pi_notebook.errors import UsageError
from pi_notebook.kernel.guards import Guards
from pi_notebook.kernel.namespace import visible_items
from pi_notebook.kernel.prompt import read_line
from pi_notebook.kernel.showtraceback import Failures
from pi_notebook.session.restoring import RestorePlan, restore_plan
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.ui.tables import Report

_PROMPT = "Run {count} of the session's cells again?{facts}  y yes · n no › "
_MOST_NAMES = 8
NOBODY_TEXT = (
    "Nobody can be asked here, so no cell was run again: %agent restore in a cell that can ask does."
)


def restore(runtime: AgentSessionRuntime, rest: str) -> Report:
    """Bring back what the kernel has lost of the session."""
    shell = runtime.services.shell
    if shell is None:
        raise UsageError("There is no kernel here whose variables could be restored.")
    plan = _plan(runtime, shell)
    if not plan.lost:
        return Report(lines=("Nothing is lost: every variable that the session recorded is in this kernel.",))
    came: dict[str, str] = {}
    notes: list[str] = []
    types = {state.name: state.type for state in plan.lost}
    for frame in plan.frames:
        came[frame.name] = _loaded(shell, frame, types[frame.name])
    if plan.cells:
        notes += _offered(shell, plan)
    rows = tuple((f"`{one.name}`", one.description, _fate(shell, one, came)) for one in plan.lost)
    return Report(header=("lost", "was", "now"), rows=rows, footer=tuple(notes))


def _plan(runtime: AgentSessionRuntime, shell: Any) -> RestorePlan:
    session = runtime.session
    return restore_plan(
        session.store.branch(),
        present=set(shell.user_ns),
        spill_folder=runtime.services.home.spill_folder(session.id),
    )


def _loaded(shell: Any, frame: FrameNote, kind: str) -> str:
    """Load a frame into its name; what became of it."""
    try:
        value = _read(frame, kind)
    except Exception as error:  # a file that was damaged, or a library that is missing
        return f"not loaded: {type(error).__name__}: {str(error)[:200]}"
    shell.user_ns[frame.name] = value
    text = f"; as text: {', '.join(frame.as_text)}" if frame.as_text else ""
    names = "; columns are named as in the file" if frame.renamed else ""
    return f"loaded from its file{names}{text}"


def _read(frame: FrameNote, kind: str) -> Any:
    """The frame in the library it was of."""
    if kind.startswith("polars."):
        with installed():
            import polars

        return polars.read_parquet(frame.path)
    if kind.startswith("pyarrow."):
        with installed():
            import pyarrow.parquet

        return pyarrow.parquet.read_table(frame.path)
    value = _pandas_frame(frame)
    if frame.index_columns:
        value = value.set_index(list(frame.index_columns))
        if value.index.nlevels == 1 and frame.index_columns[0] in ("index", "unnamed"):
            value.index.name = None
    return value


def _pandas_frame(frame: FrameNote) -> Any:
    """The file as pandas reads it, with its own types where they were so and take what is there."""
    with installed():
        import pandas
        import pyarrow.parquet

    table = pyarrow.parquet.read_table(frame.path)
    value = table.to_pandas()
    for name, dtype in frame.dtypes.items():
        with contextlib.suppress(
            Exception
        ):  # of another release of pandas, or of a library that is not loaded
            own = pandas.api.types.pandas_dtype(dtype)
            # From the file's values: the numbers of a column with gaps have become floats in the frame.
            value[name] = pandas.Series(own.__from_arrow__(table[name]), index=value.index)
    return value


def _fate(shell: Any, state: VariableState, came: dict[str, str]) -> str:
    if state.name in came:
        return came[state.name]
    return "made again by the session's cells" if state.name in shell.user_ns else "still lost"


def _offered(shell: Any, plan: RestorePlan) -> list[str]:
    """Ask once, and run the cells; what is to be told of it."""
    answer = _answer(shell, _PROMPT.format(count=len(plan.cells), facts=_facts(plan)))
    if answer is None:
        return [NOBODY_TEXT]
    if answer.strip().lower() not in ("y", "yes"):
        return [f"Not run again: {count_of(len(plan.cells), 'cell')}."]
    kept = dict(visible_items(shell))
    notes = _run_all(shell, plan.cells)
    shell.user_ns.update(kept)  # what was there already stays as it was
    return notes


def _facts(plan: RestorePlan) -> str:
    """What running the cells means besides the variables they make."""
    said = []
    if plan.writes:
        said.append(f"They write {_names(plan.writes)} again.")
    if plan.asking:
        said.append(f"{count_of(plan.asking, 'of them asks', 'of them ask')} for input.")
    if plan.from_person:
        said.append(
            f"They use {_names(plan.from_person)}, made by cells of yours that have not run here yet."
        )
    return "".join(f" {one}" for one in said)


def _names(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMES
    return all_of([*names[:_MOST_NAMES], *([f"{more:,} more"] if more > 0 else [])])


def _answer(shell: Any, prompt: str) -> str | None:
    """What the person types; None where nobody can. An interrupt is a no."""
    try:
        return read_line(shell, prompt)
    except KeyboardInterrupt:
        return "no"


def _run_all(shell: Any, cells: tuple[str, ...]) -> list[str]:
    """Run the cells in their order, without their output; the first failure ends it."""
    for number, code in enumerate(cells, start=1):
        with Guards(shell), capture_output(), Failures(shell) as failures:
            result = shell.run_cell(code, store_history=False)
        error = failures.last or result.error_before_exec or result.error_in_exec
        if error is not None and not isinstance(error, SystemExit):
            told = f"{type(error).__name__}: {str(error)[:200]}"
            return [
                f"Cell {number} of {len(cells)} failed ({told}); those after it were not run.",
                f"It began: `{code.strip().splitlines()[0][:80]}`",
            ]
    return [f"{len(cells)} of the session's cells were run again."]
