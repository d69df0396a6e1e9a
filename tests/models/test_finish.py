from __future__ import annotations

import pytest

from pi_notebook.agent.messages import TextContent, ThinkingContent, ToolCall
from pi_notebook.errors import ContextOverflowError, ModelRefusedError, ModelUnavailableError
from pi_notebook.models.finish import stop_reason_of

TEXT = [TextContent(text="Yes.")]
CALLS = [ToolCall(id="a", name="f", arguments={})]


@pytest.mark.parametrize(
    ("reason", "content", "expected"),
    [
        ("stop", TEXT, "stop"),
        ("stop", CALLS, "toolUse"),
        ("tool_calls", CALLS, "toolUse"),
        ("tool_calls", TEXT, "stop"),
        ("function_call", CALLS, "toolUse"),
        ("end_turn", TEXT, "stop"),
        ("banana", TEXT, "stop"),
        ("length", TEXT, "length"),
        ("length", CALLS, "length"),
        ("MAX_TOKENS", CALLS, "length"),
        ("length", [], "length"),
    ],
)
def test_content_decides_and_the_output_limit_wins(reason, content, expected):
    assert stop_reason_of(reason, content, model="m") == expected


@pytest.mark.parametrize(
    ("reason", "content", "error"),
    [
        ("content_filter", TEXT, ModelRefusedError),
        ("content_filter", CALLS, ModelRefusedError),
        ("SAFETY", TEXT, ModelRefusedError),
        (None, TEXT, ModelUnavailableError),
        (None, CALLS, ModelUnavailableError),
        ("error", TEXT, ModelUnavailableError),
        ("stop", [], ModelUnavailableError),
        ("tool_calls", [], ModelUnavailableError),
        ("stop", [ThinkingContent(thinking="hm")], ModelUnavailableError),
        ("stop", [TextContent(text=" \n")], ModelUnavailableError),
        ("model_context_window_exceeded", TEXT, ContextOverflowError),
    ],
)
def test_what_is_no_reply_is_an_error_that_names_the_model(reason, content, error):
    with pytest.raises(error, match=r"openai/m") as raised:
        stop_reason_of(reason, content, model="openai/m")
    assert raised.value.model == "openai/m"
