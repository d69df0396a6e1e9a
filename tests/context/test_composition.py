"""A request by category: everything is somewhere, once."""

from hypothesis import given, settings
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
    user_message,
)
from pi_notebook.agent.protocols import ModelRequest, ToolDefinition
from pi_notebook.context.retrieved import retrieved_message
from pi_notebook.context.tokens import count_tokens, message_tokens, tools_tokens
from tests.context.composed import compose

texts = st.text(max_size=80)
tool_names = st.sampled_from(["run_code", "read", "bash"])
calls = st.builds(
    ToolCall, id=texts, name=tool_names, arguments=st.dictionaries(texts, texts | st.integers(), max_size=3)
)
blocks = st.one_of(st.builds(TextContent, text=texts), st.builds(ThinkingContent, thinking=texts), calls)


def assistant(content):
    return AssistantMessage(
        content=content, api="a", provider="p", model="m", usage=NO_USAGE, stop_reason="stop", timestamp=0
    )


def tool_result(name, text):
    return ToolResultMessage(
        tool_call_id="1", tool_name=name, content=[TextContent(text=text)], is_error=False, timestamp=0
    )


def custom(kind, text):
    return CustomMessage(custom_type=kind, content=text, display=True, timestamp=0)


messages = st.one_of(
    st.builds(user_message, texts),
    st.just(
        user_message([ImageContent(data="aGk=", mime_type="image/png"), TextContent(text="what is this?")])
    ),
    st.builds(assistant, st.lists(blocks, max_size=4)),
    st.builds(tool_result, tool_names, texts),
    st.builds(custom, st.sampled_from(["state", "warning"]), texts),
    st.builds(CompactionSummaryMessage, summary=texts, tokens_before=st.just(9), timestamp=st.just(0)),
    st.builds(BranchSummaryMessage, summary=texts, from_id=st.just("x"), timestamp=st.just(0)),
)
definitions = st.builds(
    ToolDefinition, name=tool_names, description=texts, parameters=st.just({"type": "object"})
)
requests = st.builds(
    ModelRequest,
    system_prompt=texts,
    tools=st.lists(definitions, max_size=3).map(tuple),
    messages=st.lists(messages, max_size=8).map(tuple),
)


@settings(max_examples=80, derandomize=True, deadline=None, database=None)
@given(requests)
def test_the_shares_add_up_to_the_request(request):
    found = compose(request)
    whole = count_tokens(request.system_prompt) + tools_tokens(request.tools)
    whole += sum(message_tokens(message) for message in request.messages)
    assert found.tokens == whole == sum(found.by_category().values())
    assert all(share.tokens >= 0 for share in found.shares)


def test_shares_are_told_by_tool_and_by_kind():
    request = ModelRequest(
        system_prompt="Be brief.",
        tools=(ToolDefinition(name="read", description="Read a file.", parameters={}),),
        messages=(
            custom("state", "kernel idle"),
            user_message("load it"),
            assistant(
                [
                    ThinkingContent(thinking="hm"),
                    TextContent(text="Reading."),
                    ToolCall(id="1", name="read", arguments={"path": "a.csv"}),
                    ToolCall(id="2", name="read", arguments={"path": "b.csv"}),
                ]
            ),
            tool_result("read", "x,y"),
            tool_result("read", "1,2"),
            tool_result("bash", "ok"),
        ),
    )
    found = compose(request)
    assert [(share.category, share.name, share.count) for share in found.shares] == [
        ("system_prompt", "", 1),
        ("tool_definitions", "read", 1),
        ("user", "", 1),
        ("program", "state", 1),
        ("assistant", "", 1),
        ("thinking", "", 1),
        ("tool_calls", "read", 2),
        ("tool_results", "read", 2),
        ("tool_results", "bash", 1),
    ]


def test_an_empty_request_has_no_shares():
    assert compose(ModelRequest(system_prompt="", tools=(), messages=())).shares == ()


def test_what_was_retrieved_for_a_prompt_is_a_category_of_its_own_by_who_found_it():
    found = retrieved_message(["a passage", "another"], source="search", max_tokens=500, context=[])
    composition = compose(ModelRequest(system_prompt="", tools=(), messages=(found, user_message("go"))))
    assert composition.by_category()["retrieved"] == message_tokens(found)
    assert [share.name for share in composition.shares if share.category == "retrieved"] == ["search"]
