"""What other programs and other releases write: shown as far as it can be, kept byte for byte."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_notebook.agent.entries import CompactionEntry, CustomEntry, CustomMessageEntry, MessageEntry
from pi_notebook.agent.messages import CustomMessage, TextContent, ToolCall, user_message
from pi_notebook.context.projection import Projection, repair_pairs
from pi_notebook.session.export.jsonl import branch_lines
from pi_notebook.session.foreign import adapted
from pi_notebook.session.forking import fork_file
from pi_notebook.session.home import Home
from pi_notebook.session.importing import import_session
from pi_notebook.session.lines import OPAQUE_TYPE, read_entry
from pi_notebook.session.store import SessionStore

HEADER = (
    b'{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.678Z","cwd":"/","futureKey":1}'
)
# Spaces, escapes, numbers and the order of keys are as another program happens to write them.
ODD_LINES = [
    b'{"type":"message","id":"a1","parentId":null,"timestamp":"t","message":{"role":"user","content":"go","timestamp":1.0}}',
    b'{"parentId": "a1", "id": "a2", "type": "hologram", "timestamp":"t", "d": {"\\u00e9": [1e5]}}',
    b'{"type":"message","id":"a3","parentId":"a2","timestamp":"t","message":{"role":"oracle","content":"?","timestamp":1}}',
    b'{"type":"message","id":"a4","parentId":"a3","timestamp":"t","future":[1.0],"message":{"role":"assistant","content":'
    b'[{"type":"text","text":"Look:","mood":"calm"},{"type":"video","url":"v"}],"api":"a","provider":"p","model":"m",'
    b'"usage":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0,"cost":{"total":0.0}},"stopReason":"dreamt","timestamp":1}}',
    b'{"type":"message","id":"a5","parentId":"a4","timestamp":"t","message":{"role":"user","timestamp":1,"content":'
    b'[{"type":"audio","data":"xx"},{"type":"text","text":"and \\ud83d\\ude00"}]}}',
    b'{"type":"custom","id":"a6","parentId":"a5","timestamp":"t","customType":"other/program","data":{"n":1.0},"extra":true}',
]


@pytest.fixture
def odd(tmp_path):
    path = tmp_path / "odd.jsonl"
    path.write_bytes(b"\n".join([HEADER, *ODD_LINES]) + b"\n")
    return path


def lines(path):
    return path.read_bytes().split(b"\n")


def resumed(path, home):
    store = SessionStore.open(path)
    store.add(MessageEntry, message=user_message("next"))
    store.close()
    return path


def forked(path, home):
    store = fork_file(path, home=home, mode="all")
    store.close()
    return store.path


def forked_up_to(path, home):
    store = fork_file(path, home=home, at="a6")
    store.close()
    return store.path


def imported(path, home):
    store = import_session(path, home=home, folder=path.parent).store
    store.close()
    return store.path


def exported(path, home):
    store = SessionStore.open(path, read_only=True)
    target = path.with_name("exported.jsonl")
    target.write_bytes(b"".join(line.rstrip(b"\n") + b"\n" for line in branch_lines(store)))
    store.close()
    return target


@pytest.mark.parametrize("way", [resumed, forked, forked_up_to, imported, exported])
def test_lines_of_other_programs_are_kept_byte_for_byte(odd, tmp_path, way):
    made = way(odd, Home(root=tmp_path / "home"))
    assert lines(made)[1 : len(ODD_LINES) + 1] == ODD_LINES
    again = SessionStore.open(made, read_only=True)
    assert again.problems == ()
    assert [entry.id for entry in again.branch()[:6]] == ["a1", "a2", "a3", "a4", "a5", "a6"]
    again.close()


def test_what_is_unknown_in_a_message_leaves_the_rest_of_it_in_the_context(odd):
    store = SessionStore.open(odd, read_only=True)
    kinds = [type(entry) for entry in store.entries]
    assert kinds == [MessageEntry, CustomEntry, CustomEntry, MessageEntry, MessageEntry, CustomEntry]
    assert [store.get(entry_id).custom_type for entry_id in ("a2", "a3", "a6")] == [
        OPAQUE_TYPE,
        OPAQUE_TYPE,
        "other/program",
    ]
    first, reply, last = Projection(store.branch()).messages
    note = "[a block of type {} that this release does not show]"
    assert (first.content, first.timestamp) == ("go", 1)
    assert [block.text for block in reply.content] == ["Look:", note.format('"video"')]
    assert (reply.stop_reason, reply.usage.total_tokens, reply.usage.output) == ("stop", 3, 2)
    assert [block.text for block in last.content] == [note.format('"audio"'), "and 😀"]
    store.close()


def entry_of(message, **more):
    line = {"type": "message", "id": "a", "parentId": None, "timestamp": "2026-01-02T03:04:05Z"}
    return read_entry(json.dumps(line | {"message": message} | more).encode(), entry_id="a", parent_id=None)


def test_replies_of_early_releases_without_a_total_are_added_up():
    usage = {"input": 10, "output": 5, "cacheRead": 3, "cacheWrite": 1}
    message = {"role": "assistant", "content": None, "api": "", "provider": "", "model": "", "usage": usage}
    reply = entry_of(message | {"stopReason": "aborted"}).message
    assert (reply.usage.total_tokens, reply.content, reply.timestamp) == (19, [], 1767323045000)
    priced = entry_of(message | {"usage": usage | {"cost": {"total": 0.5}}}).message
    assert (priced.usage.total_tokens, priced.usage.cost.total) == (19, 0.5)


def test_arguments_that_are_no_object_are_kept_as_malformed():
    call = {"type": "toolCall", "id": "c", "name": "read", "arguments": "{'path'"}
    reply = entry_of({"role": "assistant", "content": [call]}).message
    assert reply.tool_calls == [ToolCall(id="c", name="read", arguments={}, malformed_arguments="{'path'")]


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({"output": "a\n"}, "Ran `ls`\n```\na\n\n```"),
        ({"exitCode": 2}, "Ran `ls`\n(no output)\n\nCommand exited with code 2"),
        ({"cancelled": True, "exitCode": 2}, "Ran `ls`\n(no output)\n\n(command cancelled)"),
        (
            {"output": "a", "truncated": True, "fullOutputPath": "/f"},
            "Ran `ls`\n```\na\n```\n\n[Output truncated. Full output: /f]",
        ),
    ],
)
def test_a_command_that_the_person_ran_in_pi_is_a_note_to_the_model(more, text):
    message = entry_of({"role": "bashExecution", "command": "ls", "timestamp": 7, **more}).message
    assert isinstance(message, CustomMessage)
    assert (message.content, message.timestamp) == (text, 7)


def test_a_command_that_was_kept_from_the_model_takes_no_part_in_the_context():
    entry = entry_of({"role": "bashExecution", "command": "ls", "excludeFromContext": True})
    assert isinstance(entry, CustomEntry)


def test_entries_that_lack_something_get_what_pi_takes_for_it():
    def read(**line):
        line = {"id": "a", "parentId": None, "timestamp": "", **line}
        return read_entry(json.dumps(line).encode(), entry_id="a", parent_id=None)

    compaction = read(type="compaction", summary="s", tokensBefore=None)
    assert isinstance(compaction, CompactionEntry)
    assert (compaction.first_kept_entry_id, compaction.tokens_before) == ("", 0)
    custom = read(
        type="custom_message", customType="n", content=[{"type": "video"}, {"type": "text", "text": "a"}]
    )
    assert isinstance(custom, CustomMessageEntry)
    assert custom.content[1] == TextContent(text="a")


values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=4)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)
blocks = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "image", "thinking", "toolCall", "new"])},
    optional=dict.fromkeys(("text", "data", "mimeType", "thinking", "id", "name", "arguments"), values),
)
messages = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "toolResult", "custom", "bashExecution", "new"])},
    optional={
        "content": st.one_of(values, st.lists(st.one_of(values, blocks), max_size=3)),
        **dict.fromkeys(("usage", "stopReason", "timestamp", "toolCallId", "isError", "command"), values),
    },
)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(
    message=messages, kind=st.sampled_from(["message", "custom_message", "compaction", "new"]), more=values
)
def test_no_line_is_refused_whatever_it_holds(message, kind, more):
    line = {"type": kind, "id": "a", "parentId": None, "timestamp": more, "message": message, "content": more}
    entry = read_entry(json.dumps(line).encode(), entry_id="a", parent_id=None)
    assert entry.id == "a"
    repair_pairs(Projection([entry]).messages)
    assert adapted(adapted(line)) == adapted(line)
