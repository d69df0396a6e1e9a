"""Claude Code's transcripts, as they are written line by line."""

from __future__ import annotations

import itertools
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_notebook.agent.entries import CompactionEntry, CustomEntry, CustomMessageEntry, SessionInfoEntry
from pi_notebook.agent.messages import AssistantMessage, ImageContent, ThinkingContent, ToolResultMessage
from pi_notebook.errors import SessionFormatError
from pi_notebook.session.importing import IMPORT_TYPE
from pi_notebook.session.importing.content import ORIGINAL_TYPE
from tests.session.importing.transcripts import context, imported, request_problems, said, write

USAGE = {
    "input_tokens": 3,
    "cache_creation_input_tokens": 100,
    "cache_read_input_tokens": 2000,
    "output_tokens": 7,
}


class Transcript:
    """Lines that follow each other, unless they name another."""

    def __init__(self):
        self.lines = []
        self.last = None

    def add(self, kind, *, parent="last", **more):
        uuid = f"u{len(self.lines)}"
        self.lines.append(
            {
                "parentUuid": self.last if parent == "last" else parent,
                "isSidechain": False,
                "cwd": "/proj",
                "sessionId": "s-1",
                "version": "2.0.1",
                "type": kind,
                "uuid": uuid,
                "timestamp": f"2025-06-14T10:00:{len(self.lines) % 60:02d}.500Z",
                **more,
            }
        )
        self.last = uuid
        return uuid

    def user(self, content, **more):
        return self.add("user", message={"role": "user", "content": content}, **more)

    def reply(self, *content, message_id, usage=USAGE, stop_reason=None, **more):
        message = {
            "id": message_id,
            "role": "assistant",
            "model": "claude-x",
            "content": list(content),
            "usage": usage,
            "stop_reason": stop_reason,
        }
        return self.add("assistant", message=message, **more)

    def result(self, call_id, content="ok", **more):
        block = {"type": "tool_result", "tool_use_id": call_id, "content": content}
        return self.user([block | {"is_error": True} if more.pop("failed", False) else block], **more)

    def imported(self, tmp_path):
        return imported(write(tmp_path / "t.jsonl", *self.lines), tmp_path)


def text(words):
    return {"type": "text", "text": words}


def call(call_id, name="Bash", **arguments):
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


@pytest.fixture
def transcript():
    return Transcript()


def messages(store, kind):
    return [message for message in context(store) if isinstance(message, kind)]


def test_prompts_replies_calls_and_results_come_over_in_order(transcript, tmp_path):
    transcript.user("How many rows?")
    transcript.reply(text("Counting."), call("toolu_1", command="wc -l a.csv"), message_id="m1")
    transcript.result("toolu_1", [text("12 a.csv")])
    transcript.reply(text("Twelve."), message_id="m2", stop_reason="end_turn")
    store, notes = transcript.imported(tmp_path)
    assert said(store) == [
        "user: How many rows?",
        "assistant: Counting. <toolu_1>",
        "toolu_1: 12 a.csv",
        "assistant: Twelve.",
    ]
    first, last = messages(store, AssistantMessage)
    assert (first.stop_reason, last.stop_reason) == ("toolUse", "stop")
    assert (first.tool_calls[0].name, first.tool_calls[0].arguments) == ("Bash", {"command": "wc -l a.csv"})
    assert (first.provider, first.model, first.timestamp) == ("anthropic", "claude-x", 1749895201500)
    assert (first.usage.input, first.usage.cache_read, first.usage.cache_write) == (3, 2000, 100)
    assert (first.usage.output, first.usage.total_tokens) == (7, 2110)
    assert messages(store, ToolResultMessage)[0].tool_name == "Bash"
    assert store.branch()[0].timestamp == "2025-06-14T10:00:00.500Z"
    assert notes == ("Claude Code: 4 messages, 1 tool call.",)


def test_the_last_entry_says_where_the_session_came_from(transcript, tmp_path):
    transcript.user("hello")
    store, notes = transcript.imported(tmp_path)
    record = store.branch()[-1]
    assert record.custom_type == IMPORT_TYPE
    assert record.data == {
        "format": "Claude Code",
        "path": str(tmp_path / "t.jsonl"),
        "notes": list(notes),
        "about": {"sessionId": "s-1", "cwd": "/proj", "version": "2.0.1"},
    }


def test_a_reply_in_several_lines_is_one_with_its_usage_counted_once(transcript, tmp_path):
    transcript.user("go")
    transcript.reply(text("Two things."), message_id="m1")
    transcript.reply(call("a"), message_id="m1")
    transcript.result("a", "first")
    transcript.reply(call("b"), message_id="m1", usage=USAGE | {"output_tokens": 40})
    transcript.result("b", "second", failed=True)
    transcript.reply(text("Done."), message_id="m2")
    store, _ = transcript.imported(tmp_path)
    assert said(store) == [
        "user: go",
        "assistant: Two things. <a> <b>",
        "a: first",
        "b: second",
        "assistant: Done.",
    ]
    assert [reply.usage.output for reply in messages(store, AssistantMessage)] == [40, 7]
    assert [result.is_error for result in messages(store, ToolResultMessage)] == [False, True]


def test_a_reply_that_was_broken_into_does_not_count_its_usage_again(transcript, tmp_path):
    transcript.user("go")
    transcript.reply(text("One."), message_id="m1")
    transcript.user("wait")
    transcript.reply(text("Two."), message_id="m1")
    store, _ = transcript.imported(tmp_path)
    assert said(store) == ["user: go", "assistant: One.", "user: wait", "assistant: Two."]
    assert [reply.usage.total_tokens for reply in messages(store, AssistantMessage)] == [2110, 0]


def test_a_rewound_conversation_keeps_its_branch_and_ends_on_the_newest(transcript, tmp_path):
    transcript.user("one")
    kept = transcript.reply(text("1"), message_id="m1")
    transcript.user("two")
    transcript.reply(text("2"), message_id="m2")
    transcript.user("other", parent=kept)
    transcript.reply(text("3"), message_id="m3")
    store, _ = transcript.imported(tmp_path)
    assert said(store) == ["user: one", "assistant: 1", "user: other", "assistant: 3"]
    assert len(store.entries) == 7
    transcript.user("from the start", parent=None)
    store.close()
    store, _ = transcript.imported(tmp_path)
    assert said(store) == ["user: from the start"]


def test_lines_between_are_passed_over_without_breaking_the_branch(transcript, tmp_path):
    transcript.user("one")
    transcript.add("system", subtype="turn_duration", content="3 s")
    transcript.add("attachment", attachment={"type": "todo"})
    transcript.reply(text("1"), message_id="m1")
    transcript.lines.append({"type": "file-history-snapshot", "snapshot": {}})
    store, notes = transcript.imported(tmp_path)
    assert said(store) == ["user: one", "assistant: 1"]
    assert notes[1] == (
        "Left out: 1 x line of type system (turn_duration), 1 x line of type attachment, "
        "1 x line of type file-history-snapshot."
    )


def test_sub_agents_and_repeated_lines_are_left_out_and_counted(transcript, tmp_path):
    transcript.user("one")
    transcript.lines.append(transcript.lines[0] | {"uuid": "s", "isSidechain": True})
    transcript.lines.append(transcript.lines[0])
    store, notes = transcript.imported(tmp_path)
    assert said(store) == ["user: one"]
    assert notes[1] == "Left out: 1 x line of a sub-agent, 1 x repeated line."


def test_a_sub_agent_s_own_transcript_holds_nothing_to_go_on_with(transcript, tmp_path):
    transcript.user("one", isSidechain=True)
    with pytest.raises(SessionFormatError, match="nothing to import. Left out: 1 x line of a sub-agent"):
        transcript.imported(tmp_path)
    assert not list(tmp_path.rglob("home/**/*.jsonl*"))


def test_a_compaction_becomes_one_and_what_was_before_stays_in_the_file(transcript, tmp_path):
    transcript.user("old prompt")
    before = transcript.reply(text("old answer"), message_id="m1")
    transcript.add(
        "system",
        parent=None,
        logicalParentUuid=before,
        subtype="compact_boundary",
        content="Conversation compacted",
        compactMetadata={"trigger": "auto", "preTokens": 155_000},
    )
    transcript.user("The session so far: rows were counted.", isCompactSummary=True)
    transcript.user("new prompt")
    store, _ = transcript.imported(tmp_path)
    assert said(store) == [
        "compactionsummary: The session so far: rows were counted.",
        "user: new prompt",
    ]
    (compaction,) = [entry for entry in store.branch() if isinstance(entry, CompactionEntry)]
    assert compaction.tokens_before == 155_000
    assert len(store.branch()) == 5


def test_thinking_pictures_titles_and_notes_of_the_program_have_their_places(transcript, tmp_path):
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
    transcript.user("Caveat: generated by the program", isMeta=True)
    transcript.user([text("look"), picture])
    transcript.reply(
        {"type": "thinking", "thinking": "hm", "signature": "sig"},
        {"type": "redacted_thinking", "data": "xx"},
        text("A plot."),
        message_id="m1",
    )
    transcript.lines.append({"type": "summary", "summary": "Looking\nat a plot", "leafUuid": "u2"})
    store, _ = transcript.imported(tmp_path)
    assert isinstance(store.branch()[0], CustomMessageEntry)
    assert store.branch()[1].message.content[1] == ImageContent(data="AAAA", mime_type="image/png")
    (reply,) = messages(store, AssistantMessage)
    assert reply.content[:2] == [
        ThinkingContent(thinking="hm", thinking_signature="sig"),
        ThinkingContent(thinking="", thinking_signature="xx", redacted=True),
    ]
    assert [e.name for e in store.entries if isinstance(e, SessionInfoEntry)] == ["Looking at a plot"]


def test_blocks_of_an_unknown_kind_are_read_as_text_and_kept_whole(transcript, tmp_path):
    document = {"type": "document", "source": {"data": "x" * 9_000}}
    transcript.user([text("see"), document])
    transcript.reply({"type": "server_tool_use", "id": "s", "name": "web_search"}, message_id="m1")
    store, notes = transcript.imported(tmp_path)
    originals = [entry.data for entry in store.entries if getattr(entry, "custom_type", "") == ORIGINAL_TYPE]
    assert originals == [document, {"type": "server_tool_use", "id": "s", "name": "web_search"}]
    shown = store.branch()[0].message.content[1].text
    assert shown.startswith('[block of type document] {"type": "document"')
    assert len(shown) < 2_200
    assert notes[1] == "Kept as text: 1 x block of type document, 1 x block of type server_tool_use."


def test_a_long_result_is_bounded_for_the_model_and_whole_in_the_file(transcript, tmp_path):
    output = "".join(f"{n}\n" for n in range(50_000))
    transcript.user("run")
    transcript.reply(call("a"), message_id="m1")
    transcript.result("a", output)
    store, notes = transcript.imported(tmp_path)
    (result,) = messages(store, ToolResultMessage)
    assert len(result.text) < 52_000
    assert result.text.endswith("in all (2,000 line limit).]") or "limit)" in result.text[-60:]
    assert [e.data for e in store.entries if isinstance(e, CustomEntry)][0] == output
    assert any("shortened" in note for note in notes)


def test_calls_without_results_and_results_without_calls_are_told_and_the_request_is_valid(
    transcript, tmp_path
):
    transcript.user("run")
    transcript.reply(call("a"), call("b"), message_id="m1")
    transcript.result("b")
    transcript.result("nowhere", "lost")
    transcript.user([text("[Request interrupted by user]")])
    store, notes = transcript.imported(tmp_path)
    assert said(store)[1:3] == [
        "assistant:  <a> <b>",
        "a: No result was recorded: the run or the kernel ended during this call. "
        "It may have run; it was not run again.",
    ]
    assert notes[1:] == (
        "Tool calls without a result: 1. They are not run again.",
        "Results without a call, which no model is sent: 1.",
    )


def test_a_failed_reply_is_kept_and_not_sent(transcript, tmp_path):
    transcript.user("one")
    transcript.reply(text("API Error: 529"), message_id="m1", isApiErrorMessage=True)
    store, _ = transcript.imported(tmp_path)
    assert said(store) == ["user: one"]
    assert store.branch()[1].message.error_message == "API Error: 529"


def test_lines_without_links_follow_each_other_and_damaged_ones_are_named(tmp_path):
    plain = [
        {"type": kind, "sessionId": "s", "uuid": kind, "message": {"role": kind, "content": kind}}
        for kind in ("user", "assistant")
    ]
    path = write(
        tmp_path / "t.jsonl", plain[0], '{"type":"assis\n', "\n", "[1]\n", plain[1] | {"parentUuid": None}
    )
    store, notes = imported(path, tmp_path)
    assert said(store) == ["user: user", "assistant: assistant"]
    assert notes[1:] == (
        "Left out: 2 x damaged line.",
        "t.jsonl, line 2: is damaged and was skipped.",
        "t.jsonl, line 4: is damaged and was skipped.",
    )


IMPORT_AND_MEASURE = """
import resource, sys
from pathlib import Path
from pi_notebook.session.home import Home
from pi_notebook.session.importing import import_session
small, large = map(Path, sys.argv[1:])
for path in (small, large):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    import_session(path, home=Home(root=small.parent / "home"), folder=small.parent).store.close()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is told in other units")
def test_memory_does_not_grow_with_the_transcript(tmp_path):
    paths = [tmp_path / "small", tmp_path / "large"]
    for path, count in zip(paths, (200, 6_000), strict=True):
        message = {"role": "user", "content": "x" * 10_000}
        write(path, *({"type": "user", "uuid": f"u{n}", "message": message} for n in range(count)))
    ran = subprocess.run(
        [sys.executable, "-c", IMPORT_AND_MEASURE, *paths], capture_output=True, text=True, check=True
    )
    assert int(ran.stdout) < 30_000  # kB, of a file of 60 MB


values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-5, 5), st.text(max_size=6)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)
blocks = st.one_of(
    values,
    st.builds(text, st.text(max_size=5)),
    st.builds(lambda n: call(f"c{n}"), st.integers(0, 3)),
    st.builds(
        lambda n, content: {"type": "tool_result", "tool_use_id": f"c{n}", "content": content},
        st.integers(0, 3),
        values,
    ),
    st.fixed_dictionaries(
        {"type": st.sampled_from(["text", "image", "thinking", "redacted_thinking", "tool_use"])},
        optional={"id": values, "thinking": st.text(max_size=3), "signature": values, "input": values},
    ),
)
lines = st.fixed_dictionaries(
    {"type": st.sampled_from(["user", "assistant", "system", "summary", "other"])},
    optional={
        "uuid": st.sampled_from(["u1", "u2", "u3", "u4"]),
        "parentUuid": st.one_of(values, st.sampled_from(["u1", "u2", "u3"])),
        "isMeta": values,
        "isCompactSummary": st.booleans(),
        "timestamp": values,
        "summary": values,
        "compactMetadata": values,
        "message": st.one_of(
            values,
            st.fixed_dictionaries(
                {"content": st.one_of(values, st.lists(blocks, max_size=4))},
                optional={"id": st.sampled_from(["m1", "m2"]), "usage": values, "stop_reason": values},
            ),
        ),
    },
)
_numbers = itertools.count()


@settings(max_examples=120, deadline=None, derandomize=True)
@given(found=st.lists(lines, max_size=8))
def test_whatever_the_lines_hold_the_next_request_is_valid(tmp_path_factory, found):
    folder = tmp_path_factory.getbasetemp() / f"any{next(_numbers)}"
    folder.mkdir()
    first = {"type": "user", "sessionId": "s", "uuid": "u0", "message": {"role": "user", "content": "go"}}
    store, _ = imported(write(folder / "t.jsonl", first, *found), folder)
    assert request_problems(store) == []
    store.close()
