from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_notebook.agent.entries import (
    BranchSummaryEntry,
    CompactionEntry,
    ContextEditEntry,
    CustomEntry,
    LabelEntry,
    MessageEntry,
    SessionHeader,
)
from pi_notebook.agent.messages import user_message
from pi_notebook.context.projection import Projection
from pi_notebook.session.context_entries import context_entries
from pi_notebook.session.home import Home
from pi_notebook.session.lines import encode_line
from pi_notebook.session.store import SessionStore

FOLDER = Path("/data")


@pytest.fixture
def store():
    return SessionStore.in_memory(FOLDER, reason="as asked")


def say(store, text):
    return store.add(MessageEntry, message=user_message(text))


def compact(store, first_kept, summary="summary"):
    return store.add(CompactionEntry, summary=summary, first_kept_entry_id=first_kept, tokens_before=1)


def messages(entries):
    return Projection(entries).messages


def test_without_a_compaction_it_is_the_branch(store):
    entries = [say(store, "a"), say(store, "b")]
    assert list(context_entries(store.branch())) == entries


def test_what_a_compaction_left_behind_is_not_read(store):
    old = [say(store, str(n)) for n in range(20)]
    compact(store, old[15].id)
    kept = [*old[15:], store.branch()[-1], say(store, "new")]
    assert list(context_entries(store.branch())) == kept
    assert [getattr(m, "content", "summary") for m in messages(kept)] == [
        "summary",
        *map(str, range(15, 20)),
        "new",
    ]


def test_an_earlier_compaction_within_what_is_kept_is_left_out(store):
    old = [say(store, str(n)) for n in range(6)]
    compact(store, old[2].id, "first")
    newer = say(store, "newer")
    compact(store, old[4].id, "second")
    entries = context_entries(store.branch())
    assert list(entries) == [old[4], old[5], newer, store.branch()[-1]]
    assert messages(entries) == messages(store.branch())


def test_a_compaction_that_keeps_a_summary_keeps_what_that_one_kept(store):
    old = [say(store, str(n)) for n in range(6)]
    first = compact(store, old[3].id, "first")
    say(store, "newer")
    compact(store, first.id, "second")
    entries = context_entries(store.branch())
    assert len(messages(entries)) == 6
    assert messages(entries) == messages(store.branch())


def test_with_repeated_ids_everything_is_read(tmp_path):
    path = SessionStore.create(FOLDER, home=Home(root=tmp_path)).path
    moment = {"timestamp": "2026-01-02T03:04:05.678Z"}
    lines = [
        SessionHeader(version=3, id="s", cwd="/data", **moment),
        MessageEntry(id="a", parent_id=None, message=user_message("first"), **moment),
        CompactionEntry(
            id="b", parent_id="a", summary="s", first_kept_entry_id="a", tokens_before=1, **moment
        ),
        MessageEntry(id="a", parent_id="b", message=user_message("again"), **moment),
    ]
    path.parent.mkdir(parents=True)
    path.write_bytes(b"".join(map(encode_line, lines)))
    store = SessionStore.open(path, read_only=True)
    assert len(store.problems) == 1
    assert len(messages(store.branch())) == 3
    assert messages(context_entries(store.branch())) == messages(store.branch())
    store.close()


places = st.integers(0, 60)
steps = st.lists(
    st.one_of(
        st.just(("say",)),
        st.just(("record",)),
        st.just(("summary",)),
        places.map(lambda place: ("compact", place)),
        places.map(lambda place: ("hide", place)),
        places.map(lambda place: ("replace", place)),
        places.map(lambda place: ("move", place)),
        st.just(("gone",)),
    ),
    max_size=50,
)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(steps=steps)
def test_the_messages_are_always_those_of_the_whole_branch(steps):
    store = SessionStore.in_memory(FOLDER, reason="as asked")
    say(store, "first")
    for number, (action, *place) in enumerate(steps):
        entry_id = store.entries[place[0] % len(store.entries)].id if place else "missing"
        _do(store, action, entry_id, str(number))
    assert messages(context_entries(store.branch())) == messages(store.branch())


def _do(store, action, entry_id, text):
    if action in ("compact", "gone"):
        compact(store, entry_id, text)
    elif action in ("hide", "replace"):
        replacement = {"role": "user", "content": text, "timestamp": 1} if action == "replace" else None
        store.add(ContextEditEntry, target_id=entry_id, replacement=replacement)
    elif action == "move":
        store.move_leaf(entry_id)
    elif action == "summary":
        store.add(BranchSummaryEntry, from_id=entry_id, summary=text)
    elif action == "record":
        store.add(CustomEntry, custom_type="t", data=text)
        store.add(LabelEntry, target_id=entry_id, label=text)
    else:
        say(store, text)
