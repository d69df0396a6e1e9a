"""Pi reads what we write and we read what Pi writes: the same entries, and the same context."""

from __future__ import annotations

import hashlib
import json
import shutil

import msgspec
import pytest

from pi_notebook import open_session
from pi_notebook.agent.entries import (
    BranchSummaryEntry,
    CompactionEntry,
    ContextEditEntry,
    CustomEntry,
    CustomMessageEntry,
    LabelEntry,
    MessageEntry,
    ModelChangeEntry,
    SessionInfoEntry,
    ThinkingLevelChangeEntry,
    UsageEntry,
)
from pi_notebook.agent.messages import (
    NO_USAGE,
    AssistantMessage,
    Message,
    TextContent,
    ToolCall,
    Usage,
    user_message,
)
from pi_notebook.context.projection import Projection
from pi_notebook.errors import ModelRequestError
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.context_entries import context_entries
from pi_notebook.session.foreign import adapted, shell_text
from pi_notebook.session.home import Home
from pi_notebook.session.importing import import_session
from pi_notebook.session.store import SessionStore
from tests.session.interop.conversations import Conversation

pytestmark = pytest.mark.timeout(120)

SEEDS = range(40)
STEPS = 60


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def context_of_pi(messages):
    """Pi's messages as ours are written: system prompts are ours to give, a shell command is a note."""
    shown = []
    for message in messages:
        if message["role"] == "bashExecution" and not message.get("excludeFromContext"):
            message = {
                "role": "custom",
                "customType": "bashExecution",
                "content": shell_text(message),
                "display": True,
                "details": message,
                "timestamp": message["timestamp"],
            }
        if message["role"] not in ("system", "bashExecution"):
            shown.append(message)
    return shown


def context_of_ours(store):
    messages = Projection(store.branch()).messages
    assert Projection(context_entries(store.branch())).messages == messages
    return json.loads(msgspec.json.encode(messages))


def assert_same_context(store, seen):
    ours, theirs = context_of_ours(store), context_of_pi(seen["messages"])
    assert [message["role"] for message in ours] == [message["role"] for message in theirs]
    for our, their in zip(ours, theirs, strict=True):
        differing = {key for key, value in our.items() if value != their.get(key)}
        assert {key: (our[key], their.get(key)) for key in differing} == {}, our
        assert {key for key, value in their.items() if value is not None} <= set(our)


def assert_same_session(store, seen):
    assert store.problems == ()
    assert [entry.id for entry in store.entries] == [entry["id"] for entry in seen["entries"]]
    assert [entry.parent_id for entry in store.entries] == [entry["parentId"] for entry in seen["entries"]]
    assert [entry.id for entry in store.branch()] == seen["branch"]
    assert store.leaf_id == seen["leaf"]
    assert (store.id, str(store.folder)) == (seen["header"]["id"], seen["header"]["cwd"])
    assert names(store) == (seen["name"], seen["labels"])
    assert_same_context(store, seen)


def names(store):
    name, labels = None, {}
    for entry in store.entries:
        if isinstance(entry, SessionInfoEntry):
            name = entry.name
        elif isinstance(entry, LabelEntry):
            labels[entry.target_id] = entry.label
    return name, {target: label for target, label in labels.items() if label}


@pytest.fixture
def ours(tmp_path):
    store = SessionStore.create(tmp_path, home=Home(root=tmp_path / "home"))
    yield store
    store.close()


def take(store, steps):
    """The steps as entries of ours; one that records a move of the leaf is not counted."""
    made = []
    for method, *values in steps:
        values = [made[v["nth"] % len(made)] if isinstance(v, dict) and "nth" in v else v for v in values]
        _TAKEN[method](store, *values)
        if method != "branch":
            made.append(store.leaf_id)


def _message(store, message):
    data = adapted({"type": "message", "message": message})["message"]
    try:
        store.add(MessageEntry, message=msgspec.convert(data, Message))
    except msgspec.ValidationError:
        store.add(CustomEntry, custom_type="left out")


def _compaction(store, summary, first, tokens, details):
    store.add(
        CompactionEntry,
        summary=summary,
        first_kept_entry_id=first or store.new_id(),
        tokens_before=tokens,
        details=details,
    )


def _summary(store, place, summary):
    left = store.leaf_id
    store.move_leaf(place)
    store.add(BranchSummaryEntry, from_id=left, summary=summary)


_TAKEN = {
    "appendMessage": _message,
    "appendCustomMessageEntry": lambda s, kind, content, display, details: s.add(
        CustomMessageEntry, custom_type=kind, content=content, display=display, details=details
    ),
    "appendCustomEntry": lambda s, kind, data: s.add(CustomEntry, custom_type=kind, data=data),
    "appendModelChange": lambda s, provider, model: s.add(
        ModelChangeEntry, provider=provider, model_id=model
    ),
    "appendThinkingLevelChange": lambda s, level: s.add(ThinkingLevelChangeEntry, thinking_level=level),
    "appendSessionInfo": lambda s, name: s.add(SessionInfoEntry, name=name),
    "appendUsage": lambda s, kind, provider, model, usage: s.add(
        UsageEntry, kind=kind, provider=provider, model=model, usage=msgspec.convert(usage, Usage)
    ),
    "appendLabelChange": lambda s, target, label: s.add(LabelEntry, target_id=target, label=label),
    "appendCompaction": _compaction,
    "appendContextEdit": lambda s, target, replacement: s.add(
        ContextEditEntry, target_id=target, replacement=replacement
    ),
    "branch": lambda s, place: s.move_leaf(place),
    "branchWithSummary": _summary,
}


# Both ways


@pytest.mark.parametrize("seed", SEEDS)
def test_what_pi_writes_has_the_same_context_here(pi, tmp_path, seed):
    seen = pi.write(folder=str(tmp_path), steps=Conversation(seed).grow(STEPS).steps)
    path = tmp_path / seen["file"]
    before = digest(path)
    store = SessionStore.open(path, read_only=True)
    assert_same_session(store, seen)
    assert [json.loads(store.raw_line(entry["id"])) for entry in seen["entries"]] == seen["entries"]
    store.close()
    assert digest(path) == before


@pytest.mark.parametrize("seed", SEEDS)
def test_what_we_write_has_the_same_context_in_pi(pi, ours, seed):
    take(ours, Conversation(seed).grow(STEPS).steps)
    before = digest(ours.path)
    assert_same_session(ours, pi.read(path=ours.path))
    assert digest(ours.path) == before


@pytest.mark.parametrize("seed", range(8))
def test_both_go_on_in_one_file_by_turns(pi, ours, seed):
    steps = Conversation(seed).grow(80).steps
    take(ours, steps[:20])
    ours.close()
    # What we add for a move of the leaf is an entry that Pi's steps do not count, so they name none.
    theirs = [step for step in steps[20:40] if not any(isinstance(v, dict) and "nth" in v for v in step)]
    seen = pi.write(path=ours.path, steps=theirs)
    again = SessionStore.open(ours.path)
    assert_same_session(again, seen)
    again.add(MessageEntry, message=user_message("and on"))
    assert_same_session(again, pi.read(path=ours.path))
    again.close()


def test_a_leaf_that_we_moved_is_where_pi_goes_on(pi, ours):
    first = ours.add(MessageEntry, message=user_message("one"))
    ours.add(MessageEntry, message=user_message("two"))
    ours.move_leaf(first.id)
    seen = pi.read(path=ours.path)
    assert [message["content"] for message in seen["messages"]] == ["one"]
    question = {"role": "user", "content": "three", "timestamp": 1}
    seen = pi.write(path=ours.path, steps=[["appendMessage", question]])
    assert [message["content"] for message in seen["messages"]] == ["one", "three"]
    ours.close()
    again = SessionStore.open(ours.path, read_only=True)
    assert_same_session(again, seen)
    again.close()


def test_pi_adds_up_the_costs_of_our_sessions(pi, ours):
    ours.add(MessageEntry, message=user_message("one"))
    reply = AssistantMessage(
        content=[TextContent(text="two")],
        api="a",
        provider="p",
        model="m",
        usage=NO_USAGE,
        stop_reason="stop",
        timestamp=1,
    )
    ours.add(MessageEntry, message=reply)
    (message,) = [m for m in pi.read(path=ours.path)["messages"] if m["role"] == "assistant"]
    assert message["usage"]["cost"] == dict.fromkeys(
        ["input", "output", "cacheRead", "cacheWrite", "total"], 0
    )


def test_pi_lists_our_sessions_with_name_and_first_prompt(pi, ours):
    ours.add(MessageEntry, message=user_message("How many stations?"))
    ours.add(SessionInfoEntry, name="Stations")
    (listed,) = pi.list(cwd=ours.folder, folder=ours.path.parent)["sessions"]
    assert (listed["id"], listed["name"], listed["firstMessage"]) == (
        ours.id,
        "Stations",
        "How many stations?",
    )


async def test_a_session_of_real_runs_is_in_pi_what_it_is_here(pi, tmp_path):
    (tmp_path / "a.csv").write_text("x\n1\n2\n")
    session = open_session(folder=tmp_path)
    session.set_value("mode", "auto")
    read = ToolCall(id="call_1", name="read", arguments={"path": "a.csv"})
    await session.prompt("What is in @a.csv?", model=ScriptedModel([[read], "Two **rows**."]))
    refused = ModelRequestError("no such thing", model="m")
    with pytest.raises(ModelRequestError):
        await session.prompt("Fail", model=ScriptedModel([refused]))
    session.branch.set_name("Rows")
    session.branch.set_label(session.store.branch()[0].id, "start")
    await session.prompt("And in Zürich?", model=ScriptedModel(["None 😀."]))
    session.close()
    store = SessionStore.open(session.path, read_only=True)
    seen = pi.read(path=session.path)
    assert_same_session(store, seen)
    assert (seen["name"], len(seen["labels"])) == ("Rows", 1)
    roles = [message["role"] for message in seen["messages"] if message["role"] != "custom"]
    assert roles == ["user", "assistant", "toolResult", "assistant", "user", "user", "assistant"]
    store.close()


async def test_a_session_that_was_compacted_here_is_compacted_in_pi(pi, tmp_path):
    session = open_session(folder=tmp_path)
    session.set_value("compaction.keep_recent_tokens", "1000")
    for number in range(5):
        await session.prompt(f"{number} " + "word " * 300, model=ScriptedModel(["text " * 300]))
    await session.compact()
    await session.prompt("And now?", model=ScriptedModel(["Done."]))
    session.close()
    store = SessionStore.open(session.path, read_only=True)
    seen = pi.read(path=session.path)
    assert_same_session(store, seen)
    roles = [message["role"] for message in seen["messages"]]
    assert roles[0] == "compactionSummary"
    assert len(roles) < 9
    store.close()


async def test_a_branch_that_was_left_with_a_summary_here_is_so_in_pi(pi, tmp_path):
    session = open_session(folder=tmp_path)
    await session.prompt("one", model=ScriptedModel(["first"]))
    target = session.store.leaf_id
    await session.prompt("two", model=ScriptedModel(["second"]))
    left = session.store.leaf_id
    session.agent.model = session.choices.model = ScriptedModel(["## Goal\ntwo was tried"])
    await session.leave(target)
    await session.prompt("three", model=ScriptedModel(["third"]))
    session.close()
    store = SessionStore.open(session.path, read_only=True)
    seen = pi.read(path=session.path)
    assert_same_session(store, seen)
    (summary,) = [entry for entry in seen["entries"] if entry["type"] == "branch_summary"]
    assert (summary["fromId"], summary["parentId"]) == (left, target)
    assert [m["fromId"] for m in seen["messages"] if m["role"] == "branchSummary"] == [left]
    store.close()


# Copies that Pi makes of ours


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("way", ["fork", "copy", "export"])
def test_nothing_is_lost_in_a_copy_that_pi_makes_of_our_session(pi, ours, tmp_path, seed, way):
    take(ours, Conversation(seed).grow(STEPS).steps)
    context = context_of_ours(ours)
    if way == "export":
        path = tmp_path / "exported.jsonl"
        path.write_text(pi.export(path=ours.path)["text"], encoding="utf-8")
    else:
        options = {"folder": str(tmp_path)} if way == "copy" else {}
        path = tmp_path / getattr(pi, way)(path=ours.path, **options)["file"]
    store = SessionStore.open(path, read_only=True)
    assert store.problems == ()
    assert context_of_ours(store) == context
    store.close()


# Versions 1 and 2


def old_lines(seed, version):
    """A session of an old version, from the messages and compactions of a conversation without branches."""
    header = {"type": "session", "id": f"old-{seed}", "timestamp": "2025-01-02T03:04:05.678Z", "cwd": "/data"}
    lines = [header | ({"version": version} if version > 1 else {})]
    conversation, kept = Conversation(seed).grow(STEPS), 1
    for method, *values in conversation.steps:
        made = {"timestamp": "2025-01-02T03:04:06.000Z"}
        if version > 1:
            parent = lines[-1]["id"] if len(lines) > 1 else None
            made |= {"id": f"{len(lines):08x}", "parentId": parent}
        if method == "appendMessage":
            lines.append({"type": "message", **made, "message": values[0], "futureKey": [1.0, "é"]})
        elif method == "appendCustomMessageEntry":
            message = {"role": "hookMessage", "customType": "hook", "content": values[1], "display": True}
            lines.append({"type": "message", **made, "message": message | {"timestamp": 5}})
        elif method == "appendModelChange":
            lines.append({"type": "model_change", **made, "provider": "p", "modelId": "m"})
        elif method == "appendCompaction":
            kept = index = conversation.random.randrange(kept, len(lines))
            first = {"firstKeptEntryIndex": index} if version == 1 else {"firstKeptEntryId": f"{index:08x}"}
            lines.append({"type": "compaction", **made, "summary": "s", **first, "tokensBefore": 9})
    return lines


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("seed", range(12))
def test_an_old_session_has_the_context_that_pi_gives_it(pi, tmp_path, seed, version):
    path = tmp_path / "old.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in old_lines(seed, version)))
    before = digest(path)
    store = SessionStore.open(path)
    copy = tmp_path / "copy.jsonl"
    shutil.copy(path, copy)
    seen = pi.read(path=copy)  # which rewrites the file
    assert store.problems == ()
    assert len(store.entries) == len(seen["entries"])
    assert_same_context(store, seen)
    assert f"session format {version}" in store.memory_reason
    store.add(MessageEntry, message=user_message("in memory only"))
    store.close()
    assert digest(path) == before


@pytest.mark.parametrize("version", [1, 2, 3])
def test_an_imported_session_of_any_version_is_read_by_pi_as_its_own(pi, tmp_path, version):
    path = tmp_path / "old.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in old_lines(3, version)))
    imported = import_session(path, home=Home(root=tmp_path / "home"), folder=tmp_path).store
    seen = pi.read(path=imported.path)
    assert_same_session(imported, seen)
    assert (seen["header"]["version"], seen["header"]["parentSession"]) == (3, str(path))
    messages = pi.read(path=path)["messages"]
    assert seen["messages"] == messages
    imported.close()
