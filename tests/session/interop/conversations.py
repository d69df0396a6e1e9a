"""Conversations at random, in every kind of entry, as steps that Pi and we can both take.

A step is the name of one of Pi's methods and its values; `{"nth": n}` stands for the id of an entry.
"""

from __future__ import annotations

import random

WORDS = ["sum", "Zürich", "東京", "😀", "\u2028", "null", "\\", '"quoted"', "<b>", "line\nbreak"]
PICTURE = {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}
USAGE = {
    "input": 10,
    "output": 5,
    "cacheRead": 3,
    "cacheWrite": 1,
    "totalTokens": 19,
    "cost": {"input": 0.001, "output": 0.25, "cacheRead": 0, "cacheWrite": 0, "total": 0.251},
}


class Conversation:
    """Steps of one session; every branch, edit and compaction names an entry that is there."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.steps: list[list] = [["appendMessage", self.user()]]
        self._parents: list[int | None] = [None]
        self._kinds = ["user"]
        self._leaf: int | None = 0
        self._calls = 0
        self._first_kept: dict[int, int | None] = {}

    def grow(self, count: int) -> Conversation:
        kinds = (
            [self.ask] * 4
            + [self.work] * 4
            + [self.shell, self.custom, self.record, self.model, self.thinking, self.name, self.usage]
            + [self.compact, self.move, self.summarise, self.edit, self.edit, self.label, self.system]
        )
        while len(self.steps) < count:
            self.random.choice(kinds)()
        return self

    def text(self) -> str:
        return " ".join(self.random.choices(WORDS, k=self.random.randint(1, 8)))

    def user(self) -> dict:
        content = self.random.choice(
            [self.text(), [{"type": "text", "text": self.text()}], [{"type": "text", "text": "a"}, PICTURE]]
        )
        return {"role": "user", "content": content, "timestamp": 1_700_000_000_000}

    def assistant(self, *content: dict, stop_reason: str = "stop") -> dict:
        return {
            "role": "assistant",
            "content": list(content),
            "api": "openai-completions",
            "provider": "openai",
            "model": "m-1",
            "usage": USAGE,
            "stopReason": stop_reason,
            "timestamp": 1_700_000_000_001,
        }

    def ask(self) -> None:
        self._append("user", "appendMessage", self.user())
        thinking = {"type": "thinking", "thinking": self.text(), "thinkingSignature": "sig=="}
        content = [thinking] * self.random.randint(0, 1) + [{"type": "text", "text": self.text()}]
        reason = self.random.choice(["stop", "stop", "length", "error", "aborted"])
        self._append("assistant", "appendMessage", self.assistant(*content, stop_reason=reason))

    def work(self) -> None:
        ids = [f"call_{self._calls + number}" for number in range(self.random.randint(1, 3))]
        self._calls += len(ids)
        calls = [
            {
                "type": "toolCall",
                "id": call_id,
                "name": "bash",
                "arguments": {"command": self.text(), "n": 1.5},
            }
            for call_id in ids
        ]
        self._append("assistant", "appendMessage", self.assistant(*calls, stop_reason="toolUse"))
        for call_id in ids:
            result = {
                "role": "toolResult",
                "toolCallId": call_id,
                "toolName": "bash",
                "content": [{"type": "text", "text": self.text()}],
                "details": {"truncation": {"truncated": False}},
                "isError": self.random.random() < 0.2,
                "timestamp": 1_700_000_000_002,
            }
            self._append("toolResult", "appendMessage", result)

    def shell(self) -> None:
        message = {
            "role": "bashExecution",
            "command": "ls -l",
            "output": self.random.choice(["", self.text()]),
            "exitCode": self.random.choice([0, 2, None]),
            "cancelled": self.random.random() < 0.3,
            "truncated": self.random.random() < 0.3,
            "fullOutputPath": "/tmp/full",
            "timestamp": 1_700_000_000_003,
        }
        if self.random.random() < 0.3:
            message["excludeFromContext"] = True
        self._append("shell", "appendMessage", message)

    def system(self) -> None:
        self._append("system", "appendMessage", {"role": "system", "content": self.text(), "timestamp": 1})

    def custom(self) -> None:
        content = self.random.choice([self.text(), [{"type": "text", "text": self.text()}]])
        self._append("custom", "appendCustomMessageEntry", "note", content, True, {"deep": [1, None, 2.5]})

    def record(self) -> None:
        self._append("record", "appendCustomEntry", "state", {"any": [self.text(), None, True]})

    def model(self) -> None:
        self._append("record", "appendModelChange", "anthropic", "m-2")

    def thinking(self) -> None:
        self._append("record", "appendThinkingLevelChange", self.random.choice(["off", "high"]))

    def name(self) -> None:
        self._append("record", "appendSessionInfo", self.random.choice(["Sales", "Zürich 2024"]))

    def usage(self) -> None:
        self._append("record", "appendUsage", "title", "openai", "m-1", USAGE)

    def label(self) -> None:
        self._append("record", "appendLabelChange", self._nth(range(len(self._kinds))), "here")

    def compact(self) -> None:
        """What is kept begins at an entry that the context still has."""
        kept = self._context()
        first = self._nth(kept) if kept and self.random.random() < 0.9 else None
        self._append("compaction", "appendCompaction", self.text(), first, 1234, {"readFiles": ["a.csv"]})
        self._first_kept[len(self._kinds) - 1] = first["nth"] if first else None

    def move(self) -> None:
        place = self.random.randrange(len(self._kinds))
        self.steps.append(["branch", {"nth": place}])
        self._leaf = place
        self.ask()

    def summarise(self) -> None:
        place = self.random.randrange(len(self._kinds))
        self.steps.append(["branchWithSummary", {"nth": place}, self.text()])
        self._kinds.append("summary")
        self._parents.append(place)
        self._leaf = len(self._kinds) - 1

    def edit(self) -> None:
        places = [
            n for n in self._branch() if self._kinds[n] in ("user", "assistant", "toolResult", "custom")
        ]
        replacement = self.random.choice(
            [None, {"content": self.text()}, {"content": [{"type": "text", "text": self.text()}]}]
        )
        if places:
            self._append("edit", "appendContextEdit", self._nth(places), replacement)

    def _append(self, kind: str, method: str, *values: object) -> None:
        self.steps.append([method, *values])
        self._kinds.append(kind)
        self._parents.append(self._leaf)
        self._leaf = len(self._kinds) - 1

    def _nth(self, places) -> dict:
        return {"nth": self.random.choice(list(places))}

    def _branch(self) -> list[int]:
        branch, place = [], self._leaf
        while place is not None:
            branch.append(place)
            place = self._parents[place]
        return branch[::-1]

    def _context(self) -> list[int]:
        """Entries of the branch that the newest compaction kept or that came after it."""
        branch = self._branch()
        for number in range(len(branch) - 1, -1, -1):
            if self._kinds[branch[number]] == "compaction":
                first = self._first_kept[branch[number]]
                kept = branch[branch.index(first) : number] if first in branch else []
                return [n for n in kept + branch[number + 1 :] if self._kinds[n] != "compaction"]
        return branch
