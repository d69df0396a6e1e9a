"""What a strict chat provider rejects in a request, as a list of problems."""

from __future__ import annotations

import json
import re
from typing import Any

NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
EFFORTS = {"none", "minimal", "low", "medium", "high", "xhigh"}
CALL_ID = re.compile(r"[A-Za-z0-9_-]{1,40}")
MESSAGE_KEYS = {
    "system": {"role", "content"},
    "developer": {"role", "content"},
    "user": {"role", "content"},
    "assistant": {"role", "content", "tool_calls"},
    "tool": {"role", "content", "tool_call_id"},
}


def find_problems(body: dict[str, Any]) -> list[str]:
    """Everything wrong with the body of a chat request; empty when a strict provider takes it."""
    problems = [] if isinstance(body.get("model"), str) else ["model is not a string"]
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        return [*problems, "messages is empty"]
    if "tools" in body:
        problems += _tool_problems(body["tools"])
    if body.get("reasoning_effort", "low") not in EFFORTS:
        problems.append(f"reasoning_effort is {body['reasoning_effort']!r}")
    problems += _Conversation().check(messages)
    try:
        json.dumps(body, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except UnicodeEncodeError:
        problems.append("a lone surrogate")
    except ValueError:
        problems.append("NaN or infinity")
    return problems


def _tool_problems(tools: Any) -> list[str]:
    if not isinstance(tools, list) or not tools:
        return ["tools is empty"]
    functions = [tool.get("function") or {} for tool in tools]
    names = [function.get("name") for function in functions]
    problems = [f"tool name {name!r}" for name in names if not NAME.fullmatch(str(name))]
    problems += ["two tools of one name"] if len(set(names)) < len(names) else []
    for function in functions:
        if not str(function.get("description") or "").strip():
            problems.append(f"{function.get('name')}: no description")
        problems += _schema_problems(function.get("parameters"), f"{function.get('name')}")
    return problems


def _schema_problems(schema: Any, where: str) -> list[str]:
    if not isinstance(schema, dict) or schema.get("type") != "object":
        return [f"{where}: parameters are not a schema of type object"]
    if not isinstance(schema.get("properties", {}), dict):
        return [f"{where}: properties are not an object"]
    unknown = set(schema.get("required", [])) - set(schema.get("properties", {}))
    problems = [f"{where}: requires unknown {sorted(unknown)}"] if unknown else []
    return problems + ([f"{where}: has references"] if "$ref" in json.dumps(schema) else [])


class _Conversation:
    def __init__(self) -> None:
        self.waiting: list[str] = []
        self.seen: set[str] = set()
        self.problems: list[str] = []

    def check(self, messages: list[Any]) -> list[str]:
        for number, message in enumerate(messages):
            self.where = f"message {number}"
            role = message.get("role") if isinstance(message, dict) else None
            if role not in MESSAGE_KEYS:
                self.say(f"role {role!r}")
                continue
            if extra := set(message) - MESSAGE_KEYS[role]:
                self.say(f"unknown keys {sorted(extra)}")
            if role in ("system", "developer") and number > 0:
                self.say("a system message that is not the first")
            if role != "tool" and self.waiting:
                self.say(f"calls {self.waiting} are not answered directly")
                self.waiting = []
            getattr(self, f"check_{role}")(message)
        if self.waiting:
            self.say(f"calls {self.waiting} are not answered")
        return self.problems

    def say(self, problem: str) -> None:
        self.problems.append(f"{self.where}: {problem}")

    def check_system(self, message: dict[str, Any]) -> None:
        self.check_content(message.get("content"), images=False)

    check_developer = check_system

    def check_user(self, message: dict[str, Any]) -> None:
        self.check_content(message.get("content"), images=True)

    def check_tool(self, message: dict[str, Any]) -> None:
        self.check_content(message.get("content"), images=False)
        call_id = message.get("tool_call_id")
        if call_id not in self.waiting:
            return self.say(f"a result for {call_id!r}, which is unknown or answered")
        self.waiting.remove(call_id)
        return None

    def check_assistant(self, message: dict[str, Any]) -> None:
        calls = message.get("tool_calls")
        if calls is None or message.get("content") is not None:
            self.check_content(message.get("content"), images=False)
        if calls is not None and not calls:
            self.say("tool_calls is empty")
        for call in calls or []:
            self.check_call(call)

    def check_call(self, call: dict[str, Any]) -> None:
        call_id, function = call.get("id"), call.get("function") or {}
        if not CALL_ID.fullmatch(str(call_id)):
            self.say(f"call id {call_id!r}")
        if call_id in self.seen:
            self.say(f"call id {call_id!r} used twice")
        if extra := set(call) - {"id", "type", "function"}:
            self.say(f"unknown keys {sorted(extra)} in a call")
        if call.get("type") != "function" or not NAME.fullmatch(str(function.get("name"))):
            self.say(f"call of {call.get('type')!r} {function.get('name')!r}")
        self.seen.add(str(call_id))
        self.waiting.append(str(call_id))
        try:
            arguments = json.loads(function.get("arguments"), parse_constant=_refuse)
        except (TypeError, ValueError) as error:
            return self.say(f"arguments are not JSON: {error}")
        if not isinstance(arguments, dict):
            self.say("arguments are not an object")
        return None

    def check_content(self, content: Any, *, images: bool) -> None:
        if isinstance(content, str):
            return None if content.strip() else self.say("content is blank")
        if not isinstance(content, list) or not content:
            return self.say("content is empty")
        for part in content:
            kind = part.get("type") if isinstance(part, dict) else None
            if kind == "text":
                if not str(part.get("text") or "").strip():
                    self.say("a blank text part")
            elif kind != "image_url" or not images:
                self.say(f"a part of type {kind!r}")
            elif not re.match(r"data:image/[\w.+-]+;base64,.+", part["image_url"]["url"]):
                self.say("an image that is not a data URL")
        return None


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")
