"""How an answer is worked out: calls are yielded, results are sent, an early end is raised."""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

from pi_notebook.models.offline.answers.figures import code
from pi_notebook.models.offline.answers.texts import Language, say
from pi_notebook.models.offline.conversation import Conversation

MAX_CALLS = 5
"""Tool calls for one question; an overview's plot is left out where it would be one more."""


@dataclass(frozen=True)
class Call:
    """A tool call to make, and the line said before it."""

    tool: str
    arguments: dict[str, Any]
    note: str


@dataclass(frozen=True)
class Result:
    """What a call gave."""

    text: str
    is_error: bool


class Stop(Exception):
    """Ends the course early, with what is to be said."""


@dataclass
class Course:
    """One question on its way to an answer."""

    conversation: Conversation
    tools: frozenset[str]
    language: Language
    calls: int = 0
    """Made so far."""

    def say(self, key: str, **values: object) -> str:
        return say(key, self.language, **values)

    def attempt(
        self, tool: str, arguments: dict[str, Any], note: str, **values: object
    ) -> Generator[Call, Result, Result]:
        """Make a call and give its result, an error too."""
        if tool not in self.tools:
            raise Stop("\n\n".join([self.say("no_tool", tool=code(tool)), self.say("abilities")]))
        self.calls += 1
        return (yield Call(tool, arguments, self.say(note, **values)))

    def run(self, source: str, note: str, **values: object) -> Generator[Call, Result, Result]:
        """Run code; an error ends the course, for trying again is a person's decision."""
        result = yield from self.attempt("run_code", {"code": source}, note, **values)
        if result.is_error:
            raise Stop(self.failure(result))
        return result

    def failure(self, result: Result) -> str:
        """What an error result means for the person."""
        if is_code_error(result.text):
            return self.say("failed", why=last_line(result.text))
        return self.say("refused", why=first_line(result.text))


def is_code_error(text: str) -> bool:
    """True for an exception in the code; false for a call that was not allowed to run."""
    signs = r"^Traceback|^Stopped:|\b[A-Z]\w*(Error|Exception|Warning|Interrupt|Exit)\b"
    return re.search(signs, text, re.MULTILINE) is not None


def last_line(text: str) -> str:
    """The exception's own line, where a traceback has one."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    named = [
        line for line in lines if re.match(r"[\w.]*(Error|Exception|Warning|Interrupt)\b|Stopped:", line)
    ]
    return code(named[-1][:300], 300) if named else (lines or ["?"])[-1][:300]


def first_line(text: str) -> str:
    return next((line.strip()[:300] for line in text.splitlines() if line.strip()), "?")
