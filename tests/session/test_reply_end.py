"""Where a reply ends, whatever stands around it on its branch."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_notebook.agent.entries import CustomEntry, MessageEntry
from pi_notebook.agent.messages import AssistantMessage, ToolCall, ToolResultMessage, user_message
from pi_notebook.errors import UsageError
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.reply_end import reply_end
from pi_notebook.session.store import SessionStore

STEPS = st.lists(
    st.sampled_from(["prompt", "answer", "one call", "two calls", "result", "note"]), max_size=12
)
REPLY = ScriptedModel()._message("")


def grown(steps, folder) -> SessionStore:
    """A session of these steps; a result is that of the oldest call of the newest reply that waits."""
    store = SessionStore.in_memory(folder, reason="A test.")
    waiting: list[str] = []
    for number, step in enumerate(steps):
        if step == "note":
            store.add(CustomEntry, custom_type="a test's")
        elif step == "prompt":
            store.add(MessageEntry, message=user_message("Go."))
        elif step == "result" and waiting:
            store.add(MessageEntry, message=result(waiting.pop(0)))
        elif step != "result":
            waiting = [
                f"{number}.{place}" for place in range(("answer", "one call", "two calls").index(step))
            ]
            calls = [ToolCall(id=one, name="ls", arguments={}) for one in waiting]
            store.add(MessageEntry, message=msgspec.structs.replace(REPLY, content=calls))
    return store


def result(call_id):
    return ToolResultMessage(tool_call_id=call_id, tool_name="ls", content=[], is_error=False, timestamp=0)


def unanswered(messages):
    made = [call.id for one in messages if isinstance(one, AssistantMessage) for call in one.tool_calls]
    ended = [one.tool_call_id for one in messages if isinstance(one, ToolResultMessage)]
    return [call_id for call_id in made if call_id not in ended]


@given(steps=STEPS, start=st.integers(0, 12))
def test_a_copy_up_to_the_end_of_a_reply_has_the_result_of_each_of_its_calls(tmp_path_factory, steps, start):
    store = grown(steps, tmp_path_factory.getbasetemp())
    branch = list(store.branch())
    messages = [entry.message if isinstance(entry, MessageEntry) else None for entry in branch]
    replies = [place for place, one in enumerate(messages) if isinstance(one, AssistantMessage)]
    place = next((one for one in replies if one >= start), None)
    following = [one for one in replies if place is not None and one > place]
    until = following[0] if following else len(messages)
    try:
        entry_id, count = reply_end(store, start)
    except UsageError:
        assert place is None or unanswered(messages[place:until])
        return
    end = [entry.id for entry in branch].index(entry_id)
    assert place <= end < until
    assert count == len(messages[place].tool_calls)
    assert unanswered(messages[place : end + 1]) == []
    assert end == place or isinstance(messages[end], ToolResultMessage)


def test_a_call_without_a_result_and_a_message_that_is_gone_are_told_apart(tmp_path):
    store = grown(["prompt", "two calls", "result"], tmp_path)
    with pytest.raises(UsageError, match="has no result"):
        reply_end(store, 1)
    with pytest.raises(UsageError, match="no longer in the session"):
        reply_end(store, 2)
