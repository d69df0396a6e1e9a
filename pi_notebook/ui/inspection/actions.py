"""What a person does from the inspector: hide and restore entries, compact, export. Each is recorded."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from pi_notebook.agent.abort import Aborted
from pi_notebook.agent.messages import CompactionSummaryMessage
from pi_notebook.errors import UsageError
from pi_notebook.session.export.named import export_named
from pi_notebook.session.past_requests import SessionRequests
from pi_notebook.session.pruning import PRUNING_TYPE
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.ui.protocol import inspection as wire


class Actions:
    """The actions on whatever session the runtime has."""

    def __init__(self, runtime: Callable[[], AgentSessionRuntime]) -> None:
        self._runtime = runtime
        self._does: dict[type, Callable[[Any], Awaitable[tuple[str, str]]]] = {
            wire.HideEntryRequest: self._hide,
            wire.RestoreEntryRequest: self._restore,
            wire.CompactRequest: self._compact,
            wire.ExportRequest: self._export,
        }

    async def do(self, request: wire.InspectorRequest) -> wire.DoneReply:
        """Do what `request` asks; raises a `PiNotebookError` that says why it cannot be done."""
        text, path = await self._does[type(request)](request)
        return wire.DoneReply(request_id=request.request_id, text=text, path=path)

    async def _hide(self, request: wire.HideEntryRequest) -> tuple[str, str]:
        branch = self._runtime().session.branch
        item = next((one for one in branch.items if one.entry_id == request.entry_id), None)
        if item is None:
            raise UsageError("That message is not in the context any more.")
        if isinstance(item.message, CompactionSummaryMessage):
            raise UsageError("The summary stands for all that came before: it cannot be hidden.")
        self._record("hide", request.entry_id)
        branch.hide(request.entry_id)
        return "Hidden: the model does not see it from its next request on.", ""

    async def _restore(self, request: wire.RestoreEntryRequest) -> tuple[str, str]:
        session = self._runtime().session
        said = SessionRequests(session).said(request.entry_id)
        if said is None or request.entry_id not in session.branch.projection.edited:
            raise UsageError("That message is neither hidden nor shortened, or was summarised since.")
        self._record("restore", request.entry_id)
        session.branch.replace(request.entry_id, said)
        return "Restored: the model sees it whole from its next request on.", ""

    async def _compact(self, request: wire.CompactRequest) -> tuple[str, str]:
        session = self._runtime().session
        try:
            entry = await session.compact(request.instructions.strip())
        except Aborted:
            return "Stopped. The context is as it was.", ""
        details = entry.details if isinstance(entry.details, dict) else {}
        return f"Compacted: {entry.tokens_before:,} → {details.get('tokensAfter', 0):,} tokens.", ""

    async def _export(self, request: wire.ExportRequest) -> tuple[str, str]:
        lines, path = export_named(self._runtime(), request.format, session_id=request.session_id)
        return "\n".join(lines), str(path)

    def _record(self, action: str, entry_id: str) -> None:
        """Who does it stands before the edit itself."""
        record = {"by": "you", "action": action, "targetIds": [entry_id]}
        self._runtime().session.branch.add_record(PRUNING_TYPE, record)
