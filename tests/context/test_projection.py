"""What a branch says: edits, compactions, and results by their calls."""

from pi_notebook.agent.entries import CompactionEntry, ContextEditEntry, MessageEntry
from pi_notebook.agent.messages import (
    NO_USAGE,
    AssistantMessage,
    TextContent,
    ToolCall,
    ToolResultMessage,
    user_message,
)
from pi_notebook.context.projection import NO_RESULT_TEXT, Projection, missing_results, repair_pairs


def reply(*call_ids, stop_reason="toolUse"):
    return AssistantMessage(
        content=[ToolCall(id=call_id, name="read", arguments={}) for call_id in call_ids],
        api="",
        provider="",
        model="",
        usage=NO_USAGE,
        stop_reason=stop_reason,
        timestamp=0,
    )


def result(call_id, text):
    return ToolResultMessage(
        tool_call_id=call_id, tool_name="read", content=[TextContent(text=text)], is_error=False, timestamp=0
    )


def texts(messages):
    return [message.text for message in messages if isinstance(message, ToolResultMessage)]


def entry(entry_id, message):
    return MessageEntry(id=entry_id, parent_id=None, timestamp="", message=message)


def edit(entry_id, target_id, replacement):
    return ContextEditEntry(
        id=entry_id, parent_id=None, timestamp="", target_id=target_id, replacement=replacement
    )


def test_ids_that_come_again_in_each_reply_have_the_results_of_their_own_reply():
    messages = [reply("0", "1"), result("0", "a"), result("1", "b"), reply("0"), result("0", "c")]
    assert texts(repair_pairs(messages)) == ["a", "b", "c"]
    assert missing_results(messages) == []


def test_an_id_twice_in_one_reply_has_the_results_in_their_order():
    assert texts(repair_pairs([reply("0", "0"), result("0", "a"), result("0", "b")])) == ["a", "b"]


def test_a_result_of_a_failed_reply_is_not_taken_for_one_of_the_next():
    messages = [reply("0", stop_reason="aborted"), result("0", "old"), reply("0")]
    assert texts(repair_pairs(messages)) == [NO_RESULT_TEXT]
    assert texts(missing_results(messages)) == [NO_RESULT_TEXT]


def test_an_edit_that_gives_content_keeps_the_message_it_is_of():
    said = result("0", "long")
    shown = Projection([entry("a", said), edit("b", "a", {"content": "short"})]).messages
    assert texts(shown) == ["short"]
    assert shown[0].tool_call_id == "0"


def test_the_newest_edit_counts_and_is_one_of_the_original():
    entries = [entry("a", user_message("one")), edit("b", "a", None), edit("c", "a", {"content": "two"})]
    assert [message.content for message in Projection(entries).messages] == ["two"]


def test_what_is_kept_may_begin_at_an_edit():
    entries = [
        entry("a", user_message("one")),
        edit("b", "a", None),
        entry("c", user_message("two")),
        CompactionEntry(
            id="d", parent_id=None, timestamp="", summary="s", first_kept_entry_id="b", tokens_before=1
        ),
    ]
    assert [getattr(m, "content", "summary") for m in Projection(entries).messages] == ["summary", "two"]
