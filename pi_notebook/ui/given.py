"""What a tool call was given, as a person reads it: code as code, an edit as a difference, the rest by name.

Characters that hide or turn text are shown as escapes: what a person consents to is what they see.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pi_notebook.agent.messages import ToolCall
from pi_notebook.context.cleaning import show_controls
from pi_notebook.ui.excerpt import count_lines

_MAX_CHARS = 1_500
"""Of one argument of a call that is over, code apart."""


def given(call: ToolCall, *, whole: bool) -> str:
    """The arguments of `call`, its code or command first; `whole` while the call may still be asked about."""
    arguments = dict(call.arguments)
    parts = [str(arguments.pop(name)).rstrip() for name in ("code", "command") if name in arguments]
    edits = arguments.pop("edits", None)
    parts += [_named(name, value, whole=whole) for name, value in arguments.items()]
    if isinstance(edits, Sequence) and not isinstance(edits, str):
        for number, edit in enumerate(edits, 1):
            parts += [f"@@ {number}/{len(edits)} @@"] if len(edits) > 1 else []
            parts.append(_shortened(_difference(edit), whole=whole))
    elif edits is not None:
        parts.append(_named("edits", edits, whole=whole))
    return _visible("\n".join(parts))


def _difference(edit: Any) -> str:
    if not isinstance(edit, Mapping):
        return _value(edit, whole=True)
    old, new = str(edit.get("old_text", "")), str(edit.get("new_text", ""))
    return "\n".join([*_marked("- ", old), *_marked("+ ", new)])


def _marked(mark: str, text: str) -> list[str]:
    return [mark + line for line in text.rstrip("\n").split("\n")] if text else []


def _named(name: str, value: Any, *, whole: bool) -> str:
    shown = _value(value, whole=whole).removesuffix("\n")
    return f"{name}:\n{shown}" if "\n" in shown else f"{name}: {shown}".rstrip(" ")


def _value(value: Any, *, whole: bool) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return _shortened(text, whole=whole)


def _shortened(text: str, *, whole: bool) -> str:
    if whole or len(text) <= _MAX_CHARS:
        return text
    return f"{text[:_MAX_CHARS]}…\n({count_lines(text.count(chr(10)) + 1)}, {len(text):,} characters)"


def _visible(text: str) -> str:
    return "\n".join("\t".join(map(show_controls, line.split("\t"))) for line in text.split("\n"))
