"""Finding what was answered to the same words before, so that a cell can show it without asking."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pi_notebook.agent.entries import CustomEntry, Entry, MessageEntry
from pi_notebook.agent.messages import AssistantMessage, Message, ToolResultMessage, UserMessage, text_of
from pi_notebook.errors import SessionError
from pi_notebook.session.outline import turns
from pi_notebook.session.recorded import QUEUED_TYPE
from pi_notebook.session.store import SessionStore


@dataclass(frozen=True, kw_only=True)
class RecordedRun:
    """A run that came to an answer."""

    session_id: str
    path: Path | None
    timestamp: str
    """When it was asked; ISO 8601, UTC."""
    messages: tuple[Message, ...]
    """The prompt, all replies and results after it, and what was said to the run meanwhile."""


def recorded_run(store: SessionStore, prompt: str) -> RecordedRun | None:
    """The newest run of any branch whose prompt has these words, unless none came to an answer."""
    wanted = prompt.strip()
    for entries in reversed(_runs(store)):
        asked, *_ = entries
        if _words(asked).strip() != wanted:
            continue
        messages = tuple(entry.message for entry in entries if isinstance(entry, MessageEntry))
        if _is_answered(messages):
            return RecordedRun(
                session_id=store.id, path=store.path, timestamp=asked.timestamp, messages=messages
            )
    return None


def find_recorded_run(prompt: str, *, current: SessionStore, others: Iterator[Path]) -> RecordedRun | None:
    """The recorded run with these words in `current`, else in the first of `others` that has one."""
    found = recorded_run(current, prompt)
    for path in others:
        if found is not None:
            break
        if path == current.path:
            continue
        try:
            store = SessionStore.open(path, read_only=True)
        except SessionError:
            continue
        try:
            found = recorded_run(store, prompt)
        finally:
            store.close()
    return found


def _runs(store: SessionStore) -> list[list[Entry]]:
    """For each prompt that began a run the messages of that run, in the order they were begun."""
    runs: list[list[Entry]] = []
    run_of: dict[str, list[Entry]] = {}
    for entries in turns(store):
        run = run_of.get(_run_said_to(store, entries[0]) or "")
        if run is None:
            runs.append(run := [])
        run.extend(entries)
        run_of |= dict.fromkeys((entry.id for entry in entries), run)
    return runs


def _run_said_to(store: SessionStore, asked: Entry) -> str | None:
    """A message of the run that `asked` was said to; None when it began one."""
    is_queued = False
    entry_id = asked.parent_id
    while entry_id is not None and entry_id in store:
        entry = store.get(entry_id)
        if isinstance(entry, MessageEntry):
            return entry.id if is_queued else None
        is_queued = is_queued or (isinstance(entry, CustomEntry) and entry.custom_type == QUEUED_TYPE)
        entry_id = entry.parent_id
    return None


def _words(entry: Entry) -> str:
    message = entry.message if isinstance(entry, MessageEntry) else None
    return text_of(message) if isinstance(message, UserMessage) else ""


def _is_answered(messages: tuple[Message, ...]) -> bool:
    """Whether the run ended with an answer, not with a stop or a failure."""
    said = [message for message in messages if isinstance(message, (AssistantMessage, ToolResultMessage))]
    last = said[-1] if said else None
    return isinstance(last, AssistantMessage) and last.stop_reason == "stop" and bool(last.text.strip())
