"""Arguments as models send them."""

import json
from typing import Annotated, Any, Literal

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_notebook.agent import ToolContext, ToolError, tool


class Swap(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    old: Annotated[str, msgspec.Meta(description="Before")]
    new: str


@tool(risk="edit")
async def change(
    context: ToolContext,
    path: Annotated[str, "File"],
    swaps: Annotated[list[Swap], "Changes"],
    limit: Annotated[int, msgspec.Meta(description="Most", ge=1)] = 7,
    tags: Annotated[list[str], "Words"] = [],  # noqa: B006 - a schema default
    order: Annotated[Literal["up", "down"] | None, "Which way"] = "up",
    options: Annotated[dict[str, int], "Numbers"] = {},  # noqa: B006
    rows: Annotated[str | int | None, "Which rows"] = "all",
) -> str:
    """Change things."""
    return path


ONE = {"old": "a", "new": "[1]"}
FULL = {
    "path": "f",
    "swaps": [Swap(old="a", new="[1]")],
    "limit": 7,
    "tags": [],
    "order": "up",
    "options": {},
    "rows": "all",
}


@pytest.mark.parametrize(
    ("sent", "other"),
    [
        ({"path": "f", "swaps": [ONE]}, {}),
        ({"path": "f", "swaps": json.dumps([ONE])}, {}),
        ({"path": "f", "swaps": ONE}, {}),
        ({"path": "f", "swaps": json.dumps(ONE)}, {}),
        ({"path": "f", "swaps": [json.dumps(ONE)]}, {}),
        ({"path": "f", "swaps": '[{"old": "a\n", "new": "b"}]'}, {"swaps": [Swap(old="a\n", new="b")]}),
        ({"path": "f", **ONE}, {}),
        ({"arguments": {"path": "f", "swaps": [ONE]}}, {}),
        ({"Path": "f", "swaps": [{"Old": "a", "new": "[1]"}]}, {}),
        ({"input": json.dumps({"path": "f", "swaps": [ONE]})}, {}),
        ({"path": ["f"], "swaps": [ONE], "limit": [3]}, {"limit": 3}),
        ({"path": "f", "swaps": [ONE], "limit": None, "tags": None, "options": None}, {}),
        ({"path": "f", "swaps": [ONE], "limit": 3.0}, {"limit": 3}),
        ({"path": "f", "swaps": [ONE], "limit": "3"}, {"limit": 3}),
        (
            {"path": "f", "swaps": [ONE], "limit": None, "order": None, "rows": None},
            {"order": None, "rows": None},
        ),
        ({"path": "f", "swaps": [ONE], "tags": "x"}, {"tags": ["x"]}),
        ({"path": "f", "swaps": [ONE], "tags": '["x", "y"]'}, {"tags": ["x", "y"]}),
        ({"path": "f", "swaps": [ONE], "options": '{"a": 1}'}, {"options": {"a": 1}}),
        ({"path": "[1]", "swaps": ONE, "rows": "[1]"}, {"path": "[1]", "rows": "[1]"}),
    ],
)
def test_what_can_mean_one_thing_only_is_taken_as_that(sent, other):
    before = json.dumps(sent)
    assert change.parse(sent) == FULL | other
    assert json.dumps(sent) == before


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (
            {"path": "f", "swaps": "a -> b"},
            "got `str` - at `$.swaps`. swaps is a list of {old, new}. It takes: path",
        ),
        ({"path": "f", "swaps": [{"old": "a"}]}, "`new` - at `$.swaps[0]`. swaps is a list of {old, new}."),
        ({"path": "f", "swaps": {"old": "a", "with": "b"}}, "swaps is a list of {old, new}."),
        ({"path": "f"}, "missing required field `swaps`. swaps is a list of {old, new}."),
        ({"swaps": [ONE]}, "missing required field `path`. path is text."),
        ({"path": None, "swaps": [ONE]}, "`$.path`. path is text."),
        ({"path": ["f", "g"], "swaps": [ONE]}, "`$.path`. path is text."),
        ({"path": "f", "swaps": [ONE], "limit": 2.5}, "limit is a whole number."),
        ({"path": "f", "swaps": [ONE], "limit": 0}, "`int` >= 1"),
        ({"path": "f", "swaps": [ONE], "order": "left"}, 'order is one of "down", "up".'),
        ({"path": "f", "swaps": [ONE], "options": "x"}, "options is an object."),
        ({"path": "f", "swaps": [ONE], "rows": []}, "rows is text or a whole number."),
        ({"path": "f", "swaps": [ONE], "tags": 3}, "tags is a list of text."),
        (
            {"path": "f", "swaps": [ONE], "depth": 2},
            "unknown field `depth`. It takes: path (required), swaps (req",
        ),
        ({"file": {"name": "f"}}, "unknown field `file`"),
        ({"path": "f", "swaps": "[" * 100_000}, "swaps is a list of {old, new}."),
    ],
)
def test_what_is_wrong_is_told_with_the_right_form(sent, said):
    with pytest.raises(ToolError) as raised:
        change.parse(sent)
    assert str(raised.value).startswith("Wrong arguments for change: ")
    assert said in str(raised.value)
    assert len(str(raised.value)) < 500


VALUES: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just(json.dumps(ONE)),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["old", "new", "path", "x"]), inner)
    ),
    max_leaves=8,
)


@settings(max_examples=300, derandomize=True, deadline=None)
@given(sent=st.dictionaries(st.sampled_from(["path", "swaps", "limit", "old", "new", "x"]), VALUES))
def test_whatever_is_sent_is_parsed_or_explained(sent):
    try:
        parsed = change.parse(sent)
    except ToolError:
        return
    assert change.parse(msgspec.to_builtins(parsed)) == parsed
