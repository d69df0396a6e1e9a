"""A session's tree as a person sees it: its prompts, what follows which, and where the branch ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pi_notebook.agent.entries import Entry, LabelEntry, MessageEntry
from pi_notebook.agent.messages import UserMessage, text_of
from pi_notebook.session.store import SessionStore
from pi_notebook.session.tree import NOWHERE

_PROMPT_CHARS = 100
_PROMPT = "message:user"


@dataclass(frozen=True, kw_only=True)
class OutlinePrompt:
    """One prompt of the session."""

    entry_id: str
    end_id: str
    """The entry its answer ends with: from there the session goes on after it."""
    parent_id: str | None
    """The prompt before it on its branch."""
    text: str
    """One line of at most 100 characters."""
    timestamp: str
    label: str
    """What the person marked the prompt or a part of its answer with; empty when they did not."""
    is_on_branch: bool
    is_last: bool
    """Whether the branch ends with its answer."""


def outline(store: SessionStore) -> list[OutlinePrompt]:
    """The prompts of all branches, in the order they were made."""
    tree, entries = store.entries.tree, store.entries
    asked = _asked(store)
    ends = {asked[place]: place for place in entries.of_kind("message").places}
    on_branch = set(store.branch().of_kind(_PROMPT).places)
    labels = _labels(store, asked)
    last = max(on_branch, default=NOWHERE)
    return [
        OutlinePrompt(
            entry_id=tree.entry_id(place),
            end_id=tree.entry_id(ends[place]),
            parent_id=_id_before(store, asked, place),
            text=_line(entries[place]),
            timestamp=entries[place].timestamp,
            label=labels.get(place, ""),
            is_on_branch=place in on_branch,
            is_last=place == last,
        )
        for place in entries.of_kind(_PROMPT).places
    ]


def turns(store: SessionStore) -> Iterator[list[Entry]]:
    """For each prompt, in the order they were made, its entry and the messages that answer it.

    Entries are read as the iterator comes to them. Where an answer was gone on from in the middle,
    both ways are in it.
    """
    asked = _asked(store)
    answers: dict[int, list[int]] = {}
    for place in store.entries.of_kind("message").places:
        answers.setdefault(asked[place], []).append(place)
    answers.pop(NOWHERE, None)
    for places in answers.values():
        yield [store.entries[place] for place in places]


def _asked(store: SessionStore) -> list[int]:
    """For each place the prompt that its entry belongs to: itself, or the nearest one above."""
    tree = store.entries.tree
    prompts = set(store.entries.of_kind(_PROMPT).places)
    asked: list[int] = []
    for place in range(len(tree)):
        parent = tree.parent(place)
        asked.append(place if place in prompts else NOWHERE if parent == NOWHERE else asked[parent])
    return asked


def _id_before(store: SessionStore, asked: list[int], place: int) -> str | None:
    tree = store.entries.tree
    above = tree.parent(place)
    before = NOWHERE if above == NOWHERE else asked[above]
    return None if before == NOWHERE else tree.entry_id(before)


def _labels(store: SessionStore, asked: list[int]) -> dict[int, str]:
    """By the prompt whose turn they mark; the newest counts, and one without text takes it away."""
    found: dict[int, str] = {}
    for entry in store.entries.of_kind("label"):
        if isinstance(entry, LabelEntry):
            place = store.entries.tree.find(entry.target_id)
            if place is not None:
                found[asked[place]] = entry.label or ""
    return found


def _line(entry: Entry) -> str:
    message = entry.message if isinstance(entry, MessageEntry) else None
    text = " ".join(text_of(message).split()) if isinstance(message, UserMessage) else ""
    return text if len(text) <= _PROMPT_CHARS else f"{text[: _PROMPT_CHARS - 1]}…"
