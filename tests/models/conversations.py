"""Random conversations, paired as they should be or in any disorder."""

from __future__ import annotations

from hypothesis import strategies as st

from pi_notebook.agent.messages import (
    NO_USAGE,
    AssistantMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    ImageContent,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)

texts = st.text(st.characters(), max_size=12)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
text_blocks = st.builds(TextContent, text=texts)
images = st.builds(ImageContent, data=st.just("aGk="), mime_type=st.just("image/png"))
user_contents = texts | st.lists(text_blocks | images, max_size=3)
call_ids = st.sampled_from(["a", "b", "call_1", "", "x" * 70, "weird id!"]) | texts
calls = st.builds(
    ToolCall,
    id=call_ids,
    name=st.sampled_from(["run_code", "no such tool", ""]) | texts,
    arguments=st.dictionaries(texts, json_values, max_size=3),
)
thinking = st.builds(ThinkingContent, thinking=texts, thinking_signature=st.none() | st.just("sig"))
users = st.builds(UserMessage, content=user_contents, timestamp=st.just(1))
others = (
    users
    | st.builds(
        CustomMessage,
        custom_type=st.just("note"),
        content=user_contents,
        display=st.booleans(),
        timestamp=st.just(1),
    )
    | st.builds(CompactionSummaryMessage, summary=texts, tokens_before=st.just(9), timestamp=st.just(1))
    | st.builds(BranchSummaryMessage, summary=texts, from_id=st.just("0"), timestamp=st.just(1))
)
replies = st.builds(
    AssistantMessage,
    content=st.lists(text_blocks | thinking | calls, max_size=4),
    api=st.just("litellm"),
    provider=st.sampled_from(["openai", "anthropic"]),
    model=st.just("m"),
    usage=st.just(NO_USAGE),
    stop_reason=st.sampled_from(["stop", "toolUse", "length", "error", "aborted"]),
    timestamp=st.just(1),
)


def result(call_id: str, content) -> ToolResultMessage:
    return ToolResultMessage(
        tool_call_id=call_id, tool_name="run_code", content=content, is_error=False, timestamp=1
    )


results = st.builds(result, call_ids, st.lists(text_blocks | images, max_size=2))


@st.composite
def turns(draw):
    """A reply with the results of its calls, then perhaps what the person or the program says."""
    reply = draw(replies)
    answered = [
        result(call.id, draw(st.lists(text_blocks | images, max_size=2))) for call in reply.tool_calls
    ]
    return [reply, *answered, *draw(st.lists(others, max_size=2))]


paired = st.tuples(users, st.lists(turns(), max_size=5))
"""The first prompt and the turns after it."""

disordered = st.builds(
    lambda first, rest: [first, *rest], users, st.lists(others | replies | results, max_size=12)
)
