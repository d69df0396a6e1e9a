"""The ledger of a session as rows: each file and each variable that was touched, and when it was last."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Literal

import msgspec

from pi_notebook.agent.entries import CustomEntry
from pi_notebook.context.call_record import LEDGER_TYPE, CallRecord
from pi_notebook.context.ledger import FileState, Ledger, VariableState
from pi_notebook.kernel.effects import Doer
from pi_notebook.session.session import AgentSession
from pi_notebook.ui.inspection.timeline import time_of
from pi_notebook.ui.protocol.inspected import FileRow, VariableRow

_DOERS: dict[Doer, Literal["agent", "you"]] = {"agent": "agent", "person": "you"}


class LedgerRows:
    """The rows of the branch that `session` is on."""

    def __init__(self, session: AgentSession) -> None:
        self._names: Mapping[str, Any] | None = (
            session.services.shell.user_ns if session.services.shell is not None else None
        )
        self._ledger = Ledger()
        self._file_times: dict[str, float] = {}
        self._variable_times: dict[str, float] = {}
        for entry in session.store.branch().of_kind(f"custom:{LEDGER_TYPE}"):
            if isinstance(entry, CustomEntry):
                with suppress(msgspec.ValidationError):  # of another version, or damaged
                    self._take(msgspec.convert(entry.data, CallRecord), time_of(entry.timestamp))

    def files(self) -> list[FileRow]:
        """The files, the one touched last at the end."""
        rows = [self._file(path, state) for path, state in self._ledger.files.items()]
        return sorted(rows, key=lambda row: row.time)

    def variables(self) -> list[VariableRow]:
        """The variables that were more than a loop's, the one changed last at the end."""
        rows = [self._variable(name, state) for name, state in self._ledger.lasting.items()]
        rows += [self._deleted(name) for name in self._ledger.deleted]
        return sorted(rows, key=lambda row: row.time)

    def _take(self, record: CallRecord, time: float) -> None:
        self._ledger.add(record)
        self._file_times |= {file.path: time for file in record.files}
        self._variable_times |= {variable.name: time for variable in record.variables}

    def _file(self, path: str, state: FileState) -> FileRow:
        return FileRow(
            path=path,
            reads=state.counts.get("read", 0),
            writes=state.counts.get("written", 0),
            modifications=state.counts.get("modified", 0),
            last=state.last,
            renamed_to=self._ledger.renamed.get(path, ""),
            by=[_DOERS[doer] for doer in _DOERS if doer in state.by],
            time=self._file_times[path],
        )

    def _variable(self, name: str, state: VariableState) -> VariableRow:
        is_there = self._names is None or name in self._names
        size = " × ".join(f"{one:,}" for one in state.shape or ())
        return VariableRow(
            name=name,
            kind=state.type,
            shape=size or (f"{state.length:,}" if state.length is not None else ""),
            state="alive" if is_there else "lost",
            spill=state.frame.path if state.frame is not None else "",
            by=_DOERS[state.by],
            time=self._variable_times[name],
        )

    def _deleted(self, name: str) -> VariableRow:
        time = self._variable_times[name]
        return VariableRow(name=name, kind="", shape="", state="deleted", spill="", by="", time=time)
