"""Trajectories of SWE-agent and mini-swe-agent."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_notebook.agent.entries import UsageEntry
from pi_notebook.agent.messages import AssistantMessage, ImageContent, ThinkingContent
from pi_notebook.errors import SessionFormatError
from pi_notebook.session.importing.content import ORIGINAL_TYPE
from tests.session.importing.transcripts import context, imported, request_problems, said, write

SYSTEM = {"role": "system", "content": "You fix bugs.", "message_type": "system_prompt"}
TASK = {"role": "user", "content": "Fix the sum.", "message_type": "observation"}


def call(call_id, arguments='{"path": "a.py"}', name="open"):
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def step(*calls, content="Let me look.", **more):
    return {"role": "assistant", "content": content, "tool_calls": list(calls) or None, **more}


def observation(content, *call_ids):
    return {"role": "tool", "content": content, "tool_call_ids": list(call_ids)}


def trajectory(tmp_path, *history, name="run.traj", **document):
    return write(tmp_path / name, {"trajectory": [{"action": "x"}], "history": list(history), **document})


def originals(store):
    return [entry.data for entry in store.entries if getattr(entry, "custom_type", "") == ORIGINAL_TYPE]


def replies(store):
    return [message for message in context(store) if isinstance(message, AssistantMessage)]


def test_steps_with_tool_calls_come_over_paired_and_the_system_prompt_stays_beside_them(tmp_path):
    config = {"agent": {"model": {"name": "gpt-4o"}}}
    path = trajectory(
        tmp_path,
        SYSTEM,
        TASK,
        step(call("c1")),
        observation("1: x = 1", "c1"),
        step(content="Done."),
        replay_config=config,
        info={"exit_status": "submitted", "model_stats": {"tokens_sent": 900, "tokens_received": 80}},
    )
    store, notes = imported(path, tmp_path)
    assert said(store) == [
        "user: Fix the sum.",
        "assistant: Let me look. <c1>",
        "c1: 1: x = 1",
        "assistant: Done.",
    ]
    assert [reply.model for reply in replies(store)] == ["gpt-4o", "gpt-4o"]
    assert replies(store)[0].tool_calls[0].arguments == {"path": "a.py"}
    assert notes == ("SWE-agent: 4 messages, 1 tool call.", "Left out: 1 x system prompt.")
    assert originals(store)[0] == SYSTEM
    (usage,) = [entry.usage for entry in store.entries if isinstance(entry, UsageEntry)]
    assert (usage.input, usage.output, usage.total_tokens) == (900, 80, 980)


def test_ids_that_a_run_uses_again_are_made_different(tmp_path):
    path = trajectory(
        tmp_path, TASK, step(call("c")), observation("one", "c"), step(call("c")), observation("two", "c")
    )
    store, _ = imported(path, tmp_path)
    assert said(store)[2::2] == ["c: one", "c_2: two"]


def test_a_result_for_several_calls_answers_each(tmp_path):
    path = trajectory(tmp_path, TASK, step(call("a"), call("b")), observation("both", "a", "b"))
    store, _ = imported(path, tmp_path)
    assert said(store)[2:] == ["a: both", "b: See the result of call a."]


def test_a_result_that_names_no_call_answers_the_next_open_one(tmp_path):
    path = trajectory(tmp_path, TASK, step(call(None)), {"role": "tool", "content": "out"})
    store, _ = imported(path, tmp_path)
    assert said(store)[1:] == ["assistant: Let me look. <call_1>", "call_1: out"]


def test_arguments_that_are_no_json_are_kept_as_they_came(tmp_path):
    path = trajectory(tmp_path, TASK, step(call("a", '{"path": ')), observation("bad", "a"))
    store, _ = imported(path, tmp_path)
    (made,) = replies(store)[0].tool_calls
    assert (made.arguments, made.malformed_arguments) == ({}, '{"path": ')


def test_observations_after_the_task_and_demonstrations_are_no_prompts_of_the_person(tmp_path):
    path = trajectory(
        tmp_path,
        {"role": "user", "content": "An example", "is_demo": True},
        TASK,
        step(),
        TASK | {"content": "ls: a"},
    )
    store, _ = imported(path, tmp_path)
    assert said(store) == [
        "custom: An example",
        "user: Fix the sum.",
        "assistant: Let me look.",
        "custom: ls: a",
    ]


def test_pictures_and_thinking_come_over(tmp_path):
    url = "data:image/png;base64,AAAA"
    seen = [{"type": "text", "text": "see"}, {"type": "image_url", "image_url": {"url": url}}]
    thinking = [{"type": "thinking", "thinking": "hm", "signature": "s"}]
    path = trajectory(tmp_path, TASK | {"content": seen}, step(thinking_blocks=thinking))
    store, _ = imported(path, tmp_path)
    assert context(store)[0].content[1] == ImageContent(data="AAAA", mime_type="image/png")
    assert replies(store)[0].content[0] == ThinkingContent(thinking="hm")


def test_a_mini_run_is_read_as_a_list_and_as_a_document(tmp_path):
    run = [SYSTEM, TASK, step(content="THOUGHT"), {"role": "user", "content": "<returncode>0</returncode>"}]
    store, _ = imported(write(tmp_path / "list.traj.json", run), tmp_path)
    expected = ["user: Fix the sum.", "assistant: THOUGHT", "custom: <returncode>0</returncode>"]
    assert said(store) == expected
    usage = {"prompt_tokens": 50, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 20}}
    run[2]["extra"] = {"response": {"model": "m-7", "usage": usage}, "timestamp": 1_750_000_000.25}
    info = {"config": {"model": {"model_name": "anthropic/m"}}}
    document = {"info": info, "messages": run, "trajectory_format": "mini-swe-agent-1"}
    store, _ = imported(write(tmp_path / "document.traj.json", document), tmp_path)
    assert said(store) == expected
    (reply,) = replies(store)
    assert (reply.model, reply.timestamp) == ("m-7", 1_750_000_000_250)
    assert (reply.usage.input, reply.usage.cache_read, reply.usage.total_tokens) == (30, 20, 57)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"rows": [1]}', "it has neither `history` nor `messages`"),
        ('{"history": [1]}', "cannot be imported: Expected `object`"),
        ('{"history": [', "cannot be imported: Input data was truncated"),
    ],
)
def test_a_document_that_is_no_trajectory_is_refused_and_leaves_nothing(tmp_path, text, said):
    path = tmp_path / "run.traj"
    path.write_text(text)
    with pytest.raises(SessionFormatError, match=said):
        imported(path, tmp_path)
    assert sorted(tmp_path.rglob("*.jsonl*")) == []


values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-5, 5), st.text(max_size=6)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)
calls = st.builds(call, st.one_of(values, st.sampled_from(["a", "b"])), arguments=values, name=values)
items = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "tool", "system", "other"])},
    optional={
        "content": values,
        "tool_calls": st.one_of(values, st.lists(st.one_of(values, calls), max_size=3)),
        "tool_call_ids": st.one_of(values, st.lists(st.sampled_from(["a", "b", "c"]), max_size=2)),
        "tool_call_id": values,
        "thinking_blocks": values,
        "extra": st.one_of(values, st.fixed_dictionaries({"response": values, "timestamp": values})),
    },
)
_numbers = itertools.count()


@settings(max_examples=120, deadline=None, derandomize=True)
@given(history=st.lists(items, max_size=8))
def test_whatever_the_messages_hold_the_next_request_is_valid(tmp_path_factory, history):
    folder = tmp_path_factory.getbasetemp() / f"run{next(_numbers)}"
    folder.mkdir()
    store, _ = imported(trajectory(folder, TASK, *history), folder)
    assert request_problems(store) == []
    store.close()


def test_numbers_that_only_python_writes_do_not_keep_a_trajectory_out(tmp_path):
    stats = {"tokens_sent": float("inf"), "tokens_received": 80, "instance_cost": float("nan")}
    store, _ = imported(trajectory(tmp_path, TASK, info={"model_stats": stats}), tmp_path)
    assert said(store) == ["user: Fix the sum."]
    (usage,) = [entry.usage for entry in store.entries if isinstance(entry, UsageEntry)]
    assert (usage.input, usage.output, usage.cost.total) == (0, 80, 0.0)
