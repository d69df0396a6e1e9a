"""The entries that are kept out of requests, or shown shorter in them, by somebody's choice; and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pi_notebook.agent.entries import CustomEntry
from pi_notebook.agent.messages import AssistantMessage
from pi_notebook.session.past_requests import SessionRequests
from pi_notebook.session.pruning import PRUNING_TYPE
from pi_notebook.session.session import AgentSession
from pi_notebook.ui.inspection.parts import label_of
from pi_notebook.ui.protocol.inspected import HiddenEntry


def hidden_entries(session: AgentSession, requests: SessionRequests) -> list[HiddenEntry]:
    """Those of the context as it is now, in order. Attempts that failed are nobody's choice."""
    reasons = _reasons(session)
    found = []
    for entry_id, shown in session.branch.projection.edited.items():
        said = requests.said(entry_id)
        is_failed = isinstance(said, AssistantMessage) and said.stop_reason == "error"
        if said is None or is_failed or shown == said:
            continue
        found.append(
            HiddenEntry(
                entry_id=entry_id,
                label=label_of(said),
                is_hidden=shown is None,
                reason=reasons.get(entry_id, ""),
            )
        )
    return found


def _reasons(session: AgentSession) -> Mapping[str, str]:
    """Who edited each entry last, with the note they gave."""
    found: dict[str, str] = {}
    for entry in session.store.branch().of_kind(f"custom:{PRUNING_TYPE}"):
        data = entry.data if isinstance(entry, CustomEntry) and isinstance(entry.data, dict) else {}
        targets = data.get("targetIds")
        found |= dict.fromkeys(map(str, targets), _reason(data)) if isinstance(targets, list) else {}
    return found


def _reason(data: Mapping[str, Any]) -> str:
    by, note = data.get("by"), data.get("note")
    return ": ".join(str(one) for one in (by, note) if one)
