"""What the messages of a request say: the question, the steps since, and what earlier steps left."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pi_notebook.agent.messages import (
    AssistantMessage,
    Message,
    ToolCall,
    ToolResultMessage,
    UserMessage,
    text_of,
)

_LOAD = re.compile(r"^(\w+) = (?:pd|pl)\.read_\w+\(('[^'\n]*'|\"[^\"\n]*\")", re.MULTILINE)


@dataclass(frozen=True)
class Step:
    """A tool call that has been answered."""

    call: ToolCall
    result: ToolResultMessage


@dataclass(frozen=True)
class Conversation:
    """The question being answered, and what came before it."""

    prompt: str
    prompted_at: int
    """Timestamp of the question, in milliseconds."""
    earlier_prompts: tuple[str, ...]
    steps: tuple[Step, ...]
    """Since the question, oldest first."""
    loads: tuple[tuple[str, str], ...]
    """Files that earlier steps loaded: (path, variable), oldest first."""
    own_names: frozenset[str]
    """Variables that earlier steps made."""


def read_conversation(messages: Sequence[Message]) -> Conversation:
    """The conversation in `messages`; the newest user message is the question."""
    places = [place for place, message in enumerate(messages) if isinstance(message, UserMessage)]
    start = places[-1] if places else len(messages)
    question = messages[start] if places else None
    before = tuple(_steps(messages[:start]))
    codes = [str(step.call.arguments.get("code", "")) for step in before if not step.result.is_error]
    return Conversation(
        prompt=text_of(question) if question else "",
        prompted_at=question.timestamp if question else 0,
        earlier_prompts=tuple(text_of(messages[place]) for place in places[:-1]),
        steps=tuple(_steps(messages[start:])),
        loads=tuple(load for code in codes for load in loads_in(code)),
        own_names=frozenset(name for code in codes for name in _assigned(code)),
    )


def loads_in(code: str) -> list[tuple[str, str]]:
    """The files that `code` reads into variables: (path, variable)."""
    return [(ast.literal_eval(path), name) for name, path in _LOAD.findall(code)]


def _steps(messages: Sequence[Message]) -> Iterator[Step]:
    calls: dict[str, ToolCall] = {}
    for message in messages:
        if isinstance(message, AssistantMessage):
            calls.update((call.id, call) for call in message.tool_calls)
        elif isinstance(message, ToolResultMessage) and message.tool_call_id in calls:
            yield Step(calls[message.tool_call_id], message)


def _assigned(code: str) -> Iterator[str]:
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.FunctionDef):
            yield node.name
