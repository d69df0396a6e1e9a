"""Entries as other programs and earlier releases write them, brought into the shape of ours.

Pure, and for the view alone: the line in the file stays as it was written. What is left out of an
entry gets the value that Pi takes for it, what a person ran in Pi's shell becomes a message of the
program, and a block of an unknown kind leaves a note in its place. What cannot be brought into
shape is returned as it came, for the caller to refuse.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, cast

Json = dict[str, Any]

UNKNOWN_BLOCK = "[a block of type {kind} that this release does not show]"

_ENTRY_DEFAULTS: dict[str, Json] = {
    "compaction": {"summary": "", "firstKeptEntryId": "", "tokensBefore": 0},
    "branch_summary": {"summary": "", "fromId": ""},
    "custom_message": {"customType": "", "content": [], "display": True},
    "session_info": {"name": ""},
}
_MESSAGE_DEFAULTS: dict[str, Json] = {
    "user": {"content": []},
    "assistant": {"content": [], "api": "", "provider": "", "model": "", "usage": {}, "stopReason": "stop"},
    "toolResult": {"content": [], "toolName": "", "isError": False},
    "custom": {"content": [], "customType": "", "display": True},
}
_BLOCKS = {
    "assistant": {"text": ("text",), "thinking": ("thinking",), "toolCall": ("id", "name")},
    "other": {"text": ("text",), "image": ("data", "mimeType")},
}
"""The kinds of blocks that our messages hold, and the texts that each must have."""

_TOKENS = ("input", "output", "cacheRead", "cacheWrite")
_STOP_REASONS = ("stop", "length", "toolUse", "error", "aborted")


def adapted(entry: Json) -> Json:
    """`entry`, a decoded line, as our types take it, if that can be done."""
    kind = entry.get("type")
    entry = _filled(entry, _ENTRY_DEFAULTS.get(str(kind), {}))
    if isinstance(entry.get("usage"), dict):
        entry["usage"] = full_usage(entry["usage"])
    if kind == "custom_message":
        entry["content"] = _content(entry["content"], "other")
    if kind == "message" and isinstance(entry.get("message"), dict):
        entry["message"] = _message(entry["message"], entry.get("timestamp"))
    return entry


def full_usage(usage: Json) -> Json:
    """`usage` with all figures there: what was not told is 0, the total is their sum."""
    figures = {name: _whole(usage.get(name)) for name in _TOKENS}
    full = usage | figures | {"cost": usage.get("cost") or {}}
    full["totalTokens"] = _whole(usage.get("totalTokens")) or sum(figures.values())
    return full


def shell_text(message: Json) -> str:
    """What a command that the person ran in Pi's shell tells the model, in Pi's words."""
    output = message.get("output")
    text = f"Ran `{message.get('command', '')}`\n" + (f"```\n{output}\n```" if output else "(no output)")
    if message.get("cancelled"):
        text += "\n\n(command cancelled)"
    elif message.get("exitCode"):
        text += f"\n\nCommand exited with code {message['exitCode']}"
    if message.get("truncated") and message.get("fullOutputPath"):
        text += f"\n\n[Output truncated. Full output: {message['fullOutputPath']}]"
    return text


def _message(message: Json, written: Any) -> Json:
    role = str(message.get("role"))
    if role == "bashExecution" and not message.get("excludeFromContext"):
        message, role = _shell_note(message), "custom"
    if role not in _MESSAGE_DEFAULTS:
        return message
    message = _filled(message, _MESSAGE_DEFAULTS[role])
    message["timestamp"] = _moment(message, written)
    message["content"] = _content(message["content"], "assistant" if role == "assistant" else "other")
    if role == "assistant":
        message["usage"] = full_usage(message["usage"] if isinstance(message["usage"], dict) else {})
        if message["stopReason"] not in _STOP_REASONS:
            message["stopReason"] = "stop"
    elif role == "toolResult" and isinstance(message["content"], str):
        message["content"] = [{"type": "text", "text": message["content"]}]
    return message


def _shell_note(message: Json) -> Json:
    return {
        "role": "custom",
        "customType": message["role"],
        "content": shell_text(message),
        "details": message,
        "timestamp": message.get("timestamp"),
    }


def _filled(record: Json, defaults: Json) -> Json:
    return record | {key: value for key, value in defaults.items() if record.get(key) is None}


def _content(content: Any, kinds: str) -> Any:
    if not isinstance(content, list):
        if kinds == "assistant" and isinstance(content, str):
            return [{"type": "text", "text": content}]
        return content
    return [_block(block, _BLOCKS[kinds]) for block in content]


def _block(block: Any, known: dict[str, tuple[str, ...]]) -> Json:
    kind = block.get("type") if isinstance(block, dict) else None
    needed = known.get(kind) if isinstance(kind, str) else None
    if needed is None or not all(isinstance(block.get(key), str) for key in needed):
        return {"type": "text", "text": UNKNOWN_BLOCK.format(kind=json.dumps(kind))}
    if kind == "toolCall" and not isinstance(block.get("arguments"), dict):
        given = block.get("arguments")
        text = given if isinstance(given, str) else json.dumps(given)
        block = block | {"arguments": {}} | ({} if given is None else {"malformedArguments": text})
    return cast(Json, block)


def _moment(message: Json, written: Any) -> int:
    moment = message.get("timestamp")
    if isinstance(moment, (int, float)) and not isinstance(moment, bool):
        return _whole(moment)
    return milliseconds(moment if isinstance(moment, str) else written)


def milliseconds(moment: Any) -> int:
    """An ISO 8601 time as milliseconds since 1970; 0 for anything else."""
    try:
        return round(datetime.fromisoformat(cast(str, moment).replace("Z", "+00:00")).timestamp() * 1000)
    except (ValueError, TypeError, AttributeError, OverflowError):
        return 0


def _whole(number: Any) -> int:
    try:
        return int(number)
    except (ValueError, TypeError, OverflowError):
        return 0
