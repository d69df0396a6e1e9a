"""What a tool is: a name, a schema made from a typed signature, and a coroutine.

    @tool(risk="read")
    async def word_count(context: ToolContext, path: Annotated[str, "File to count"]) -> str:
        '''Count the words of a text file.'''

The first parameter is the `ToolContext`; the others are the model's arguments. Their descriptions
come from `Annotated`, the tool's from the docstring.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

import msgspec

from pi_notebook.agent.abort import AbortSignal
from pi_notebook.agent.arguments import parse_arguments
from pi_notebook.agent.foreign import awaited
from pi_notebook.agent.messages import ImageContent, TextContent, ToolCall, UserContent
from pi_notebook.agent.protocols import ToolDefinition
from pi_notebook.errors import ToolDefinitionError

Risk = Literal["read", "edit", "execute"]
"""What a tool may do to the person's things: look at them, change files, run code."""

R = TypeVar("R")


@dataclass(frozen=True, kw_only=True)
class ToolResult:
    """What a tool gives back."""

    content: Sequence[UserContent]
    """For the model; already within its bound."""
    details: Any = None
    """For people and programs; JSON, never sent to a model."""
    is_error: bool = False

    @classmethod
    def of_text(cls, text: str, *, details: Any = None, is_error: bool = False) -> ToolResult:
        """A result of one text."""
        return cls(content=[TextContent(text=text)], details=details, is_error=is_error)


class ToolError(Exception):
    """Raised in a tool for a failure the model can mend; its text becomes the error result."""


@dataclass(frozen=True, kw_only=True)
class ToolContext:
    """What one call of a tool may use besides its arguments."""

    call: ToolCall
    abort: AbortSignal
    update: Callable[[str], None]
    """Show the person a glance at the output so far. May be called from any thread; cheap."""
    resources: Mapping[type, Any] = field(default_factory=dict)
    """Objects of the session, each under the Protocol that a tool asks for."""

    def need(self, protocol: type[R]) -> R:
        """The session's object for `protocol`; a `ToolError` when this session has none."""
        try:
            found: R = self.resources[protocol]
        except KeyError:
            raise ToolError(f"{self.call.name} is not available in this session.") from None
        return found


Preview = Callable[[Mapping[type, Any], Mapping[str, Any]], Awaitable[str]]
"""From the session's objects and a call's arguments to all that the call would do, a line each; raises
`ToolError` when it could not be done."""


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A tool a model can call."""

    name: str
    description: str
    arguments: type[msgspec.Struct]
    """The arguments as a struct; its JSON schema is what the model sees."""
    run: Callable[..., Awaitable[ToolResult | str]]
    risk: Risk
    is_sequential: bool = False
    """True when the calls of a reply that names it must run one after the other."""
    needs: tuple[type, ...] = ()
    """What it asks its context for and cannot work without; where one is missing, it is not offered."""
    summary: str = ""
    """One line for `%agent tools`."""
    preview: Preview | None = None
    """What the person is shown of a call in place of its arguments, when these do not say it all."""

    @property
    def definition(self) -> ToolDefinition:
        """What a model is told of it."""
        return ToolDefinition(
            name=self.name, description=self.description, parameters=_schema(self.arguments)
        )

    def parse(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """`arguments` checked and coerced by the schema; `ToolError` says what is wrong and what is right."""
        try:
            return parse_arguments(arguments, self.arguments)
        except ValueError as error:
            raise ToolError(f"Wrong arguments for {self.name}: {error}") from error

    def stated(self, parsed: Mapping[str, Any]) -> dict[str, Any]:
        """`parsed` without what only says the default: what a person is shown of a call."""
        defaults = {item.name: item.default for item in msgspec.structs.fields(self.arguments)}
        return {name: value for name, value in parsed.items() if value != defaults[name]}

    async def execute(self, context: ToolContext, arguments: Mapping[str, Any]) -> ToolResult:
        """Run the tool on arguments that `parse` gave."""
        return checked_result(await awaited(self.run(context, **arguments)))


def checked_result(given: object) -> ToolResult:
    """What a tool or a hook gave as a result; `TypeError` for what can be neither recorded nor sent."""
    if isinstance(given, str):
        return ToolResult.of_text(given)
    if not isinstance(given, ToolResult):
        raise TypeError(f"it gave {type(given).__name__}, neither a text nor a ToolResult")
    if not isinstance(given.content, (list, tuple)) or not all(map(_is_block, given.content)):
        raise TypeError("the content of the ToolResult is no list of TextContent and ImageContent")
    return given


def _is_block(block: object) -> bool:
    if isinstance(block, ImageContent):
        return isinstance(block.data, str) and isinstance(block.mime_type, str)
    return isinstance(block, TextContent) and isinstance(block.text, str)


def tool(
    *,
    risk: Risk,
    name: str | None = None,
    sequential: bool = False,
    needs: tuple[type, ...] = (),
    preview: Preview | None = None,
) -> Callable[[Callable[..., Awaitable[ToolResult | str]]], Tool]:
    """Make a `Tool` of a coroutine function; see the top of this module.

    Raises `ToolDefinitionError` when a parameter has no type or the function no docstring.
    """

    def wrap(function: Callable[..., Awaitable[ToolResult | str]]) -> Tool:
        tool_name = name or function.__name__
        description = inspect.getdoc(function)
        if not description:
            raise ToolDefinitionError(f"Tool {tool_name!r} needs a docstring: it is what the model reads.")
        return Tool(
            name=tool_name,
            description=description,
            arguments=_arguments_of(function, tool_name),
            run=function,
            risk=risk,
            is_sequential=sequential,
            needs=needs,
            summary=description.partition("\n")[0],
            preview=preview,
        )

    return wrap


def _arguments_of(function: Callable[..., object], name: str) -> type[msgspec.Struct]:
    hints = typing.get_type_hints(function, include_extras=True)
    fields: list[Any] = []
    for parameter in list(inspect.signature(function).parameters.values())[1:]:
        if parameter.name not in hints:
            raise ToolDefinitionError(f"Parameter {parameter.name!r} of tool {name!r} needs a type.")
        annotated = _described(hints[parameter.name])
        if parameter.default is inspect.Parameter.empty:
            fields.append((parameter.name, annotated))
        else:
            fields.append((parameter.name, annotated, parameter.default))
    try:
        return msgspec.defstruct(name, fields, kw_only=True, forbid_unknown_fields=True)
    except (TypeError, ValueError) as error:
        raise ToolDefinitionError(
            f"Tool {name!r} has a parameter no schema can be made of: {error}"
        ) from error


def _described(hint: Any) -> Any:
    """`Annotated[T, "text"]` with the text where msgspec looks for a description."""
    metadata = [
        msgspec.Meta(description=item) if isinstance(item, str) else item
        for item in getattr(hint, "__metadata__", ())
    ]
    if not metadata:
        return hint
    annotated: Any = typing.Annotated
    parts = (hint.__origin__, *metadata)
    return annotated[parts]


def _schema(arguments: type[msgspec.Struct]) -> dict[str, Any]:
    """A schema without references, which some providers refuse, nor words that cost tokens in vain.

    These are titles, and that other arguments are refused: a call that has one is told so.
    """
    (root,), definitions = msgspec.json.schema_components([arguments], ref_template="{name}")

    def inline(node: Any) -> Any:
        if isinstance(node, list):
            return [inline(item) for item in node]
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            return inline(definitions[node["$ref"]] | {k: v for k, v in node.items() if k != "$ref"})
        if set(node) >= {"anyOf"} and {"type": "null"} in node["anyOf"]:
            rest = [item for item in node["anyOf"] if item != {"type": "null"}]
            other = {k: v for k, v in node.items() if k not in ("anyOf", "default") or v is not None}
            node = {k: v for k, v in other.items() if k != "anyOf"} | (
                rest[0] if len(rest) == 1 else {"anyOf": rest}
            )
        return {
            key: {name: inline(item) for name, item in value.items()}
            if key == "properties"
            else inline(value)
            for key, value in node.items()
            if not (key == "title" and isinstance(value, str))
            and not (key == "additionalProperties" and value is False)
        }

    schema: dict[str, Any] = inline(root)
    return schema
