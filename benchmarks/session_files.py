"""Session files of a given size, with the mix of lines that data work makes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pi_notebook.agent.entries import (
    CompactionEntry,
    CustomEntry,
    CustomMessageEntry,
    Entry,
    MessageEntry,
    ModelChangeEntry,
)
from pi_notebook.agent.messages import (
    NO_USAGE,
    AssistantMessage,
    TextContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from pi_notebook.session.header import new_header
from pi_notebook.session.home import Home
from pi_notebook.session.lines import encode_line

TIME = "2026-01-02T03:04:05.678Z"
KEPT = 40
"""Entries that a compaction keeps."""
_WORDS = [
    "revenue",
    "region",
    "quarter",
    "station",
    "outlier",
    "merge",
    "column",
    "parquet",
    "mean",
    "median",
    "plot",
    "frame",
    "index",
    "group",
    "customer",
    "order",
    "date",
    "missing",
    "value",
    "model",
    "forecast",
    "residual",
    "daily",
    "weekly",
    "Zürich",
    "null",
    "series",
]


def write_session(
    home: Home, folder: Path, *, entries: int, mean_bytes: int = 800, compact_every: int = 0, seed: int = 0
) -> Path:
    """A session file of `entries` lines of about `mean_bytes`; its path."""
    header = new_header(folder, None)
    path = home.session_path(folder, session_id=header.id, timestamp=header.timestamp)
    home.make_folder(path.parent)
    with path.open("wb") as file:
        file.write(encode_line(header))
        for entry in session_entries(entries, mean_bytes, compact_every, random.Random(seed)):
            file.write(encode_line(entry))
    return path


def session_entries(
    count: int, mean_bytes: int, compact_every: int, chance: random.Random
) -> Iterator[Entry]:
    """The entries of a session of `count` lines."""
    bodies = _bodies(mean_bytes, chance)
    parent: str | None = None
    for number in range(count):
        entry_id = f"{number * 0x9E3779B1 % 2**32:08x}"
        if compact_every and number and number % compact_every == 0:
            kept = f"{(number - KEPT) * 0x9E3779B1 % 2**32:08x}"
            kind, fields = (
                CompactionEntry,
                {"summary": _text(chance, 3000), "first_kept_entry_id": kept, "tokens_before": 100_000},
            )
        else:
            kind, fields = next(bodies)
        yield kind(id=entry_id, parent_id=parent, timestamp=TIME, **fields)
        parent = entry_id


def _bodies(mean_bytes: int, chance: random.Random) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Runs without end: a situation, a prompt, and some calls, each with its record and its result."""
    yield ModelChangeEntry, {"provider": "anthropic", "model_id": "claude-sonnet-4-5"}
    calls = 0
    result_bytes = 4 * mean_bytes - 1300
    while True:
        yield (
            CustomMessageEntry,
            {"custom_type": "pi_notebook/situation", "content": _text(chance, 300), "display": False},
        )
        yield MessageEntry, {"message": UserMessage(content=_text(chance, 120), timestamp=calls)}
        for _ in range(chance.randint(1, 12)):
            calls += 1
            yield MessageEntry, {"message": _reply(chance, calls)}
            yield CustomEntry, {"custom_type": "pi_notebook/permission", "data": {"call": f"call_{calls}"}}
            yield MessageEntry, {"message": _result(chance, calls, result_bytes)}
            yield (
                CustomEntry,
                {"custom_type": "pi_notebook/ledger", "data": {"files": [_text(chance, 60)], "ok": True}},
            )


def _reply(chance: random.Random, number: int) -> AssistantMessage:
    code = "\n".join(f"df_{i} = frame.groupby({_text(chance, 20)!r}).mean()" for i in range(4))
    return AssistantMessage(
        content=[
            TextContent(text=_text(chance, 150)),
            ToolCall(id=f"call_{number}", name="run_code", arguments={"code": code}),
        ],
        api="litellm",
        provider="anthropic",
        model="claude-sonnet-4-5",
        usage=NO_USAGE,
        stop_reason="toolUse",
        timestamp=number,
    )


def _result(chance: random.Random, number: int, mean_bytes: int) -> ToolResultMessage:
    size = min(40_000, round(chance.expovariate(1 / max(mean_bytes, 50))))
    return ToolResultMessage(
        tool_call_id=f"call_{number}",
        tool_name="run_code",
        content=[TextContent(text=_text(chance, size))],
        is_error=False,
        timestamp=number,
    )


def _text(chance: random.Random, size: int) -> str:
    words = chance.choices(_WORDS, k=min(size // 7 + 1, 60))
    line = " ".join(words)
    return "\n".join([line] * (size // len(line) + 1))[:size]
