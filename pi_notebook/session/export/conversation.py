"""A branch as a person reads it: prompts, thinking, answers, calls with their results, what was compacted.

Pure, and one part at a time, so that a long session is never held whole. Compacted and hidden
entries are told as they were: the file has them all. How a part looks is for `html` and `markdown`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Union

from pi_notebook.agent.entries import (
    BranchSummaryEntry,
    CompactionEntry,
    CustomMessageEntry,
    Entry,
    MessageEntry,
    ModelChangeEntry,
)
from pi_notebook.agent.messages import (
    AssistantMessage,
    ImageContent,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    UserContent,
    UserMessage,
)

_ENDINGS = {
    "aborted": "Stopped here.",
    "error": "The model failed here.",
    "length": "Cut here: the answer was as long as it may be.",
}

_SUBJECTS = ("path", "pattern", "name")
"""Arguments that say what a call is about."""
_MAX_SUBJECT_CHARS = 80


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """What the person asked."""

    text: str
    images: tuple[ImageContent, ...]
    timestamp: str


@dataclass(frozen=True, kw_only=True)
class Thinking:
    text: str


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Text of the model, in Markdown."""

    text: str
    note: str = ""
    """How it ended, when it did not end well."""


@dataclass(frozen=True, kw_only=True)
class Call:
    """A tool call and what came of it; without a result it may have run."""

    call: ToolCall
    result: ToolResultMessage | None

    @property
    def heading(self) -> str:
        """The tool and what it was called on, how long it took, and how it went when it went wrong."""
        subject = next((self.call.arguments[key] for key in _SUBJECTS if key in self.call.arguments), "")
        name = self.call.name
        if isinstance(subject, str) and 0 < len(subject) <= _MAX_SUBJECT_CHARS:
            name += f" {subject}"
        if self.result is None:
            return f"{name} · no result recorded, it may have run"
        seconds = (self.result.duration_ms or 0) / 1000
        return f"{name} · {seconds:.1f} s" + (" · failed" if self.result.is_error else "")

    @property
    def images(self) -> list[ImageContent]:
        content = self.result.content if self.result is not None else []
        return [block for block in content if isinstance(block, ImageContent)]


@dataclass(frozen=True, kw_only=True)
class Told:
    """What the program sent along for the model."""

    label: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Divider:
    """Where the conversation took a turn: another model, a compaction, a branch that was left."""

    label: str
    text: str = ""


Part = Union[Prompt, Thinking, Answer, Call, Told, Divider]


def conversation(entries: Iterable[Entry]) -> Iterator[Part]:
    """The parts of a branch, in order; a call stands where its result came."""
    waiting: dict[str, ToolCall] = {}
    for entry in entries:
        message = entry.message if isinstance(entry, MessageEntry) else None
        if isinstance(message, ToolResultMessage):
            call = waiting.pop(message.tool_call_id, None)
            if call is not None:
                yield Call(call=call, result=message)
            continue
        if isinstance(message, (UserMessage, AssistantMessage)):
            yield from (Call(call=call, result=None) for call in waiting.values())
            waiting = {}
        if isinstance(message, AssistantMessage):
            yield from _of_reply(message)
            waiting = {call.id: call for call in message.tool_calls}
        else:
            yield from _of_entry(entry)
    yield from (Call(call=call, result=None) for call in waiting.values())


def _of_reply(message: AssistantMessage) -> Iterator[Part]:
    texts: list[Thinking | Answer] = []
    for block in message.content:
        if isinstance(block, ThinkingContent) and block.thinking.strip():
            texts.append(Thinking(text=block.thinking))
        elif isinstance(block, TextContent) and block.text.strip():
            texts.append(Answer(text=block.text))
    yield from texts
    if note := _ENDINGS.get(message.stop_reason, ""):
        if message.error_message and message.stop_reason == "error":
            note = f"{note} {message.error_message}"
        yield Answer(text="", note=note)


def _of_entry(entry: Entry) -> Iterator[Part]:
    if isinstance(entry, MessageEntry) and isinstance(entry.message, UserMessage):
        text, images = contents(entry.message.content)
        yield Prompt(text=text, images=images, timestamp=entry.timestamp)
    elif isinstance(entry, CustomMessageEntry):
        text, _ = contents(entry.content)
        label = entry.custom_type.rpartition("/")[2]
        yield Told(label=label, text=text)
    elif isinstance(entry, CompactionEntry):
        label = f"What stands above was compacted ({entry.tokens_before:,} tokens before)"
        yield Divider(label=label, text=entry.summary)
    elif isinstance(entry, BranchSummaryEntry):
        yield Divider(label="Another branch was left", text=entry.summary)
    elif isinstance(entry, ModelChangeEntry):
        name = (
            entry.model_id if entry.provider in ("", entry.model_id) else f"{entry.provider}/{entry.model_id}"
        )
        yield Divider(label=f"Model: {name}")


def contents(content: str | list[UserContent]) -> tuple[str, tuple[ImageContent, ...]]:
    """The text of a message's content, and its pictures."""
    if isinstance(content, str):
        return content, ()
    text = "".join(block.text for block in content if isinstance(block, TextContent))
    return text, tuple(block for block in content if isinstance(block, ImageContent))
