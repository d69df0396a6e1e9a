"""`%agent ledger`: what was done for certain, by the agent and by the person, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pi_notebook.context.amounts import count_of
from pi_notebook.context.ledger import CUT_TEXT, FileState, Ledger, ledger_of
from pi_notebook.kernel.effects import Doer, Witness
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.ui.tables import Report

MAX_ROWS = 100
"""Of one table, the newest."""

_WITNESSES: dict[Witness, str] = {
    "tools": "file tools",
    "python": "Python code",
    "scan": "child processes or native code",
    "code": "from the code",
}
_DOERS: dict[Doer, str] = {"agent": "agent", "person": "you"}


def ledger(runtime: AgentSessionRuntime, _: str) -> Report:
    """Files, variables and packages as the session's records add up to."""
    found = ledger_of(runtime.session.store.branch())
    parts = [
        part
        for part in (_files(found), _variables(found, runtime.services.shell), _packages(found))
        if part.rows
    ]
    if not parts:
        return Report(lines=("The session has touched no file, variable or package yet.",))
    return Report(lines=(_totals(found),), parts=tuple(parts), footer=(CUT_TEXT,) if found.is_cut else ())


def _totals(found: Ledger) -> str:
    amounts = [
        count_of(len(found.files), "file"),
        count_of(len(found.lasting), "variable"),
        count_of(len(found.imports), "package"),
        count_of(found.figures, "figure"),
    ]
    if found.folder is not None:
        amounts.append(f"code went to the folder {found.folder}")
    if found.environment:
        amounts.append(f"environment variables changed: {', '.join(found.environment)}")
    return " · ".join(amounts)


def _files(found: Ledger) -> Report:
    rows = [
        (f"`{path}`", *_file_row(state, found.renamed.get(path, ""))) for path, state in found.files.items()
    ]
    return _table(("file", "what was done", "by", "seen by"), rows)


def _file_row(state: FileState, path_now: str) -> tuple[str, str, str]:
    done = ", ".join(f"{action} {count} x" for action, count in state.counts.items())
    done = f"{done}, now `{path_now}`" if path_now else done
    doers = ", ".join(_DOERS[one] for one in _DOERS if one in state.by)
    return done, doers, ", ".join(_WITNESSES[one] for one in _WITNESSES if one in state.witnesses)


def _variables(found: Ledger, shell: Any) -> Report:
    names = shell.user_ns if shell is not None else found.variables
    rows = [
        (
            f"`{name}`",
            state.description,
            _DOERS[state.by],
            "yes" if name in names else "no: %agent restore" if state.by == "agent" else "no",
            state.frame.path if state.frame is not None else "",
        )
        for name, state in found.lasting.items()
    ]
    return _table(("variable", "what it is", "by", "in this kernel", "file with all rows"), rows)


def _packages(found: Ledger) -> Report:
    return _table(("packages imported",), [(", ".join(found.imports),)] if found.imports else [])


def _table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Report:
    left = len(rows) - MAX_ROWS
    footer = (f"and {left:,} before these",) if left > 0 else ()
    return Report(header=header, rows=tuple(rows[-MAX_ROWS:]), footer=footer)
