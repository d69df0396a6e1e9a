"""Answers what the inspector asks, of whatever session the runtime has when it asks.

Everything here is on the background loop, where the session lives. Nothing is written but by the
actions, and those record what they do.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from pi_notebook.agent.messages import ToolResultMessage
from pi_notebook.context.composition import Share
from pi_notebook.context.requests import MeasuredRequest, difference
from pi_notebook.errors import PiNotebookError, UsageError
from pi_notebook.session.past_requests import SessionRequests
from pi_notebook.session.raw_request import raw_request
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.session import AgentSession
from pi_notebook.ui.inspection.actions import Actions
from pi_notebook.ui.inspection.hidden import hidden_entries
from pi_notebook.ui.inspection.ledger import LedgerRows
from pi_notebook.ui.inspection.parts import (
    RequestParts,
    Seen,
    entry_of,
    message_rows,
    seen_item,
    seen_message,
)
from pi_notebook.ui.inspection.spilled import MAX_TEXT_CHARS, spilled_text
from pi_notebook.ui.inspection.timeline import Timeline, row_of
from pi_notebook.ui.protocol import inspection as wire
from pi_notebook.ui.protocol.inspected import CategoryShare, Sizes
from pi_notebook.ui.render import spill_path

logger = logging.getLogger(__name__)

MAX_FOLDED = 2_000
"""Messages of one compaction that are listed, the newest."""
MAX_HIDDEN = 200
MAX_ROWS = 2_000
"""Of one table of the ledger, the newest."""


class Inspection:
    """Answers the requests of an inspector.

    Parameters
    ----------
    runtime
        Gives the kernel's sessions, which are made when they are first asked for.
    """

    def __init__(self, runtime: Callable[[], AgentSessionRuntime]) -> None:
        self._runtime = runtime
        self._timeline: tuple[AgentSession, Timeline] | None = None
        self._does: dict[type, Callable[[Any], wire.InspectorMessage]] = {
            wire.InspectOverviewRequest: self._overview,
            wire.InspectCompositionRequest: self._composition,
            wire.InspectPartRequest: self._part,
            wire.InspectDifferenceRequest: self._difference,
            wire.InspectCompactionRequest: self._compaction,
            wire.InspectLedgerRequest: self._ledger,
            wire.InspectRawRequest: self._raw,
        }
        self._actions = Actions(runtime)

    async def answer(self, request: wire.InspectorRequest) -> wire.InspectorMessage:
        """The reply to `request`; it says so when something went wrong."""
        try:
            look = self._does.get(type(request))
            return look(request) if look is not None else await self._actions.do(request)
        except PiNotebookError as error:
            return wire.FailedReply(request_id=request.request_id, text=str(error))
        except Exception as error:
            logger.exception("a request of the inspector failed")
            text = f"pi-notebook failed: {type(error).__name__}: {error}. Please report this."
            return wire.FailedReply(request_id=request.request_id, text=text)

    @property
    def _session(self) -> AgentSession:
        return self._runtime().session

    @property
    def _requests(self) -> SessionRequests:
        return SessionRequests(self._session)

    def _overview(self, request: wire.InspectOverviewRequest) -> wire.OverviewReply:
        session = self._session
        if self._timeline is None or self._timeline[0] is not session:
            self._timeline = session, Timeline(session)
        timeline, hidden = self._timeline[1], hidden_entries(session, self._requests)
        return wire.OverviewReply(
            request_id=request.request_id,
            session_id=session.id,
            session_name=session.store.name,
            is_running=session.is_answering,
            count=self._requests.count,
            timeline=timeline.points(),
            compactions=timeline.compactions(),
            hidden=hidden[-MAX_HIDDEN:],
            hidden_count=len(hidden),
        )

    def _composition(self, request: wire.InspectCompositionRequest) -> wire.CompositionReply:
        parts = RequestParts(self._requests, request.number)
        return wire.CompositionReply(
            request_id=request.request_id,
            sizes=_sizes(request.number, parts.measured),
            shares=[_share(share) for share in parts.measured.composition.shares],
            parts=parts.rows(),
        )

    def _part(self, request: wire.InspectPartRequest) -> wire.PartReply:
        requests = self._requests
        if request.compaction:
            seen = seen_item(requests.folded(request.compaction).items, request.key)
        else:
            seen = RequestParts(requests, request.number).seen(request.key)
        said, path = self._said(entry_of(request.key))
        if seen is None and said is None:
            raise UsageError("The request has no such part any more. Look at it anew.")
        seen = seen or said
        assert seen is not None
        spilled = spilled_text(path) if path else None
        full = spilled or (said.text if said is not None else "")
        full = "" if full == seen.text else full
        return wire.PartReply(
            request_id=request.request_id,
            key=request.key,
            seen=seen.text[:MAX_TEXT_CHARS],
            images=seen.images,
            full=full[:MAX_TEXT_CHARS],
            full_path=path,
            is_gone=path != "" and spilled is None,
            is_cut=max(len(seen.text), len(full)) > MAX_TEXT_CHARS,
        )

    def _said(self, entry_id: str) -> tuple[Seen | None, str]:
        """What an entry said when it was made, and where the tool left all that it gave."""
        message = self._requests.said(entry_id)
        if message is None:
            return None, ""
        path = spill_path(message) if isinstance(message, ToolResultMessage) else ""
        return seen_message(message), path

    def _difference(self, request: wire.InspectDifferenceRequest) -> wire.DifferenceReply:
        requests = self._requests
        if request.later is not None and request.later <= request.earlier:
            raise UsageError("The later request must come after the earlier one.")
        earlier, later = RequestParts(requests, request.earlier), RequestParts(requests, request.later)
        found = difference(earlier.measured, later.measured)
        compactions, edits = requests.recorded_between(request.earlier, request.later)
        return wire.DifferenceReply(
            request_id=request.request_id,
            earlier=_sizes(request.earlier, earlier.measured),
            later=_sizes(request.later, later.measured),
            kept_share=found.kept_share,
            kept_parts=found.kept_messages,
            changes=[
                CategoryShare(category=category, name="", tokens=tokens, count=0)
                for category, tokens in found.by_category.items()
            ],
            added=later.rows_of(found.added),
            gone=earlier.rows_of(found.gone),
            compactions=compactions,
            edits=edits,
        )

    def _compaction(self, request: wire.InspectCompactionRequest) -> wire.CompactionReply:
        requests = self._requests
        found = requests.folded(request.entry_id)
        sees_images = requests.info(None).sees_images
        rows = message_rows(
            found.items, requests, edited=found.edited, sent=requests.count, sees_images=sees_images
        )
        return wire.CompactionReply(
            request_id=request.request_id,
            record=row_of(found.record),
            summary=found.record.summary,
            folded=list(rows)[-MAX_FOLDED:],
            folded_count=len(found.items),
        )

    def _ledger(self, request: wire.InspectLedgerRequest) -> wire.LedgerReply:
        rows = LedgerRows(self._session)
        files, variables = rows.files(), rows.variables()
        return wire.LedgerReply(
            request_id=request.request_id,
            files=files[-MAX_ROWS:],
            file_count=len(files),
            variables=variables[-MAX_ROWS:],
            variable_count=len(variables),
        )

    def _raw(self, request: wire.InspectRawRequest) -> wire.RawReply:
        text = raw_request(self._session, self._requests, request.number)
        return wire.RawReply(
            request_id=request.request_id, text=text[:MAX_TEXT_CHARS], is_cut=len(text) > MAX_TEXT_CHARS
        )


def _sizes(number: int | None, found: MeasuredRequest) -> Sizes:
    return Sizes(
        number=number,
        model=found.model,
        tokens=found.tokens,
        context_window=found.context_window,
        trigger=found.trigger,
        free=found.free,
        reserve=found.reserve,
        is_estimate=found.is_estimate,
    )


def _share(share: Share) -> CategoryShare:
    return CategoryShare(category=share.category, name=share.name, tokens=share.tokens, count=share.count)
