"""Whether what is attached to a prompt stands in the context already: word for word, and still whole.

Compared is what the model would read, with earlier attachments and with the results of the tools that
look at such things. The newest look at a thing decides: one before it may be of another state.
"""

from __future__ import annotations

from collections.abc import Sequence

from pi_notebook.agent.messages import CustomMessage, Message, ToolCall, ToolResultMessage, UserContent
from pi_notebook.context.instruction_reads import calls_by_id
from pi_notebook.context.pruning import SAME_AS, detail
from pi_notebook.context.repeats import is_short, subject
from pi_notebook.context.result_notes import without_notes

_LOOKS = {"variable": ("preview_data", "name"), "file": ("read", "path")}


def is_attached_before(attachment: CustomMessage, messages: Sequence[Message]) -> bool:
    """Whether one of `messages` says what `attachment` would, and nothing after it says other."""
    content = _without_tags(attachment)
    if is_short(content):
        return False
    calls = calls_by_id(messages)
    for message in reversed(messages):
        found = _look(message, attachment, calls)
        if found is not None:
            return found == content
    return False


def _look(
    message: Message, attachment: CustomMessage, calls: dict[str, ToolCall]
) -> Sequence[UserContent] | None:
    """What `message` shows of the thing attached; None where it shows nothing of it, or points elsewhere."""
    if isinstance(message, CustomMessage):
        is_same = message.custom_type == attachment.custom_type and message.details == attachment.details
        content = _without_tags(message)
        return content if is_same and not is_short(content) else None
    if not isinstance(message, ToolResultMessage) or message.is_error or detail(message, SAME_AS):
        return None
    call = calls.get(message.tool_call_id)
    details = attachment.details if isinstance(attachment.details, dict) else {}
    tool, argument = _LOOKS.get(details.get("kind", ""), ("", ""))
    if call is None or call.name != tool or subject(call) != {argument: details.get("name")}:
        return None
    return without_notes(message).content


def _without_tags(attachment: CustomMessage) -> Sequence[UserContent]:
    """What stands between its first and its last line."""
    return [] if isinstance(attachment.content, str) else attachment.content[1:-1]
