"""Tools from typed signatures."""

from typing import Annotated, Literal

import pytest

from pi_notebook.agent import ToolContext, ToolError, tool
from pi_notebook.errors import ToolDefinitionError


@tool(risk="read")
async def look(
    context: ToolContext,
    path: Annotated[str, "Where to look"],
    limit: Annotated[int | None, "How many"] = None,
    order: Literal["up", "down"] = "up",
    edits: Annotated[list[dict[str, str]], "What to change"] = [],  # noqa: B006 - a schema default
) -> str:
    """Look at a path.

    With more to say.
    """
    return path


def test_a_schema_is_made_from_the_signature_and_holds_no_reference():
    assert look.definition.parameters == {
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "Where to look"},
            "limit": {"type": "integer", "description": "How many"},
            "order": {"enum": ["down", "up"], "default": "up"},
            "edits": {
                "type": "array",
                "items": {"type": "object", "additionalProperties": {"type": "string"}},
                "description": "What to change",
                "default": [],
            },
        },
        "required": ["path"],
    }
    assert look.name == "look"
    assert look.summary == "Look at a path."
    assert look.description.startswith("Look at a path.\n\nWith")


def test_arguments_are_checked_coerced_and_filled_in():
    assert look.parse({"path": "a", "limit": "3"}) == {"path": "a", "limit": 3, "order": "up", "edits": []}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "path"),
        ({"path": 1}, "Expected `str`, got `int`"),
        ({"path": "a", "order": "left"}, "left"),
        ({"path": "a", "depth": 2}, "depth"),
        ({"path": "a", "limit": "many"}, "limit"),
    ],
)
def test_wrong_arguments_are_named_with_the_right_ones(arguments, message):
    with pytest.raises(ToolError) as caught:
        look.parse(arguments)
    assert message in str(caught.value)
    assert "path (required), limit (optional)" in str(caught.value)


def test_a_tool_needs_types_and_a_docstring():
    async def untyped(context, path):
        """Look."""

    async def silent(context, path: str): ...

    with pytest.raises(ToolDefinitionError, match="'path' of tool 'untyped' needs a type"):
        tool(risk="read")(untyped)
    with pytest.raises(ToolDefinitionError, match="'silent' needs a docstring"):
        tool(risk="read")(silent)


def test_a_missing_resource_is_an_error_the_model_can_read():
    from pi_notebook.agent.messages import ToolCall

    context = ToolContext(
        call=ToolCall(id="c", name="look", arguments={}), abort=None, update=print, resources={int: 3}
    )
    assert context.need(int) == 3
    with pytest.raises(ToolError, match="look is not available"):
        context.need(str)
