"""What a tool call was given and what it gave, as a document shows it."""

from __future__ import annotations

import json
from typing import Any

from pi_notebook.agent.messages import ToolCall, ToolResultMessage
from pi_notebook.session.export.texts import output_of

_LANGUAGES = {"code": "python", "command": "bash", "sql": "sql", "content": ""}
"""The argument that is shown as a text of its own, and what it is written in."""


def given(call: ToolCall) -> tuple[str, str]:
    """The arguments of `call`, and the language to show them in."""
    if call.malformed_arguments is not None:
        return call.malformed_arguments, ""
    rest = dict(call.arguments)
    name = next((one for one in _LANGUAGES if isinstance(rest.get(one), str)), None)
    text = str(rest.pop(name)).strip("\n") if name is not None else ""
    edits = rest.pop("edits", None)
    lines = [f"{key}: {_value(value)}" for key, value in rest.items()]
    if isinstance(edits, list):
        return "\n".join([*lines, *(_difference(one) for one in edits)]), "diff"
    lines += [f"edits: {_value(edits)}"] if edits is not None else []
    comment = {"code": "# ", "command": "# ", "sql": "-- "}.get(name or "", "")
    head = "\n".join(comment + line.replace("\n", f"\n{comment}") for line in lines)
    return "\n".join(part for part in (head, text) if part), _LANGUAGES.get(name or "", "")


def output(result: ToolResultMessage | None) -> str:
    """What the call printed and gave; empty when that was nothing."""
    return "\n".join(part for part in output_of(result) if part) if result is not None else ""


def _difference(edit: Any) -> str:
    if not isinstance(edit, dict):
        return _value(edit)
    old, new = str(edit.get("old_text", "")), str(edit.get("new_text", ""))
    marked = [f"-{line}" for line in old.split("\n") if old] + [f"+{line}" for line in new.split("\n") if new]
    return "\n".join(marked)


def _value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
