"""A look that gives what stands in the context already: word for word, and still whole.

Compared is what the model would read, so nothing needs to be known of the file or the value: one that
changed, or a result that was shortened or summarised since, gives the whole again.
"""

from __future__ import annotations

from collections.abc import Sequence

from pi_notebook.agent.messages import TextContent, ToolCall, ToolResultMessage, UserContent
from pi_notebook.agent.tools import ToolResult
from pi_notebook.context.instruction_reads import calls_by_id
from pi_notebook.context.items import ContextItem
from pi_notebook.context.pruning import SAME_AS, detail
from pi_notebook.context.result_notes import without_notes

_LOOKS = ("read", "preview_data")
"""Tools that give the same again as long as nothing has changed."""
_LEAST_CHARS = 400
"""A shorter result costs no more than saying that it is unchanged."""
_TEXT = "[Unchanged: the same {tool} of {what} above gave this, word for word.]"
"""True also when that result is shortened later: what stands there then says how it is had again."""


def find_repeated(call: ToolCall, result: ToolResult, items: Sequence[ContextItem]) -> ContextItem | None:
    """The result in `items` that says what `result` would, if there is one."""
    if call.name not in _LOOKS or result.is_error or is_short(result.content):
        return None
    calls = calls_by_id(item.message for item in items)
    for item in reversed(items):
        message = item.message
        if not isinstance(message, ToolResultMessage) or message.is_error or detail(message, SAME_AS):
            continue
        earlier = calls.get(message.tool_call_id)
        if earlier is not None and earlier.name == call.name and subject(earlier) == subject(call):
            return item if without_notes(message).content == list(result.content) else None
    return None


def repeated_text(call: ToolCall) -> str:
    """What stands for the result of `call`."""
    return _TEXT.format(tool=call.name, what=str(call.arguments.get("path", call.arguments.get("name", ""))))


def is_short(content: Sequence[UserContent]) -> bool:
    """Whether `content` costs no more than saying that it stands there already."""
    return all(isinstance(block, TextContent) and len(block.text) < _LEAST_CHARS for block in content)


def subject(call: ToolCall) -> dict[str, object]:
    """What `call` asks for; equal for two that ask for the same."""
    return {key: value for key, value in call.arguments.items() if value is not None}
