"""Sessions of other programs go on here in a window of any size: valid, within it, with their files."""

from __future__ import annotations

import json
import random
from contextlib import suppress

import pytest

from pi_notebook.errors import UsageError
from pi_notebook.session.home import Home
from pi_notebook.session.importing import import_session
from pi_notebook.session.runtime import open_session
from tests.session.context_world import request_tokens
from tests.session.context_world import words as filler
from tests.session.replay import StrictReader

WINDOWS = [8_000, 32_000, 128_000, 200_000, 1_000_000]
TOOLS = {
    "pi": {"read": "read", "written": "write", "modified": "edit", "path": "path", "other": "bash"},
    "claude": {"read": "Read", "written": "Write", "modified": "Edit", "path": "file_path", "other": "Bash"},
    "swe": {"read": "open", "written": "create", "modified": "edit", "path": "path", "other": "bash"},
}
SHAPES = list(TOOLS)


class Work:
    """Turns of one program at random: prompts, calls with results of all sizes, failures, lost results."""

    def __init__(self, shape: str, seed: int) -> None:
        self.random = random.Random(seed)
        self.tools = TOOLS[shape]
        self.number = 0

    def steps(self, turns: int):
        """For each turn the prompt, and for each of its calls id, tool, arguments, result and its failure."""
        for turn in range(turns):
            calls = [self.call() for _ in range(self.random.randint(0, 6))]
            yield f"prompt {turn} {filler('p', self.random.choice([10, 400, 6_000]))}", calls

    def call(self):
        self.number += 1
        action = self.random.choice(["read", "written", "modified", "other"])
        path = f"src/file_{self.random.randrange(30)}.py"
        arguments = {"command": "ls"} if action == "other" else {self.tools["path"]: path}
        fails = self.random.random() < 0.15
        result = filler(f"r{self.number}", self.random.choice([0, 30, 900, 9_000, 40_000]))
        lost = self.random.random() < 0.05
        return f"call_{self.number}", self.tools[action], arguments, None if lost else result, fails


def pi_lines(work: Work, turns: int, folder):
    lines = [
        {"type": "session", "version": 3, "id": "s", "timestamp": "2025-01-01T00:00:00Z", "cwd": str(folder)}
    ]
    base = {"api": "a", "provider": "p", "model": "m", "usage": _pi_usage(), "timestamp": 1}

    def add(message):
        parent = lines[-1]["id"] if len(lines) > 1 else None
        entry = {
            "type": "message",
            "id": f"{len(lines):08x}",
            "parentId": parent,
            "timestamp": "2025-01-01T00:00:00Z",
        }
        lines.append(entry | {"message": message})

    for prompt, calls in work.steps(turns):
        add({"role": "user", "content": prompt, "timestamp": 1})
        for call_id, tool, arguments, result, fails in calls:
            call = {"type": "toolCall", "id": call_id, "name": tool, "arguments": arguments}
            add({"role": "assistant", "content": [call], "stopReason": "toolUse", **base})
            if result is not None:
                text = [{"type": "text", "text": result}]
                add(
                    {"role": "toolResult", "toolCallId": call_id, "toolName": tool, "content": text}
                    | {"isError": fails, "timestamp": 1}
                )
        said = [{"type": "text", "text": f"answer to {prompt[:9]}"}]
        add({"role": "assistant", "content": said, "stopReason": "stop", **base})
    return "".join(json.dumps(line) + "\n" for line in lines)


def _pi_usage():
    cost = dict.fromkeys(["input", "output", "cacheRead", "cacheWrite", "total"], 0)
    return {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 0, "cost": cost}


def claude_lines(work: Work, turns: int, folder):
    lines = []

    def add(kind, content):
        parent = lines[-1]["uuid"] if lines else None
        message = {"role": kind, "content": content}
        if kind == "assistant":
            message |= {"id": f"m{len(lines)}", "model": "claude", "stop_reason": None, "usage": {}}
        lines.append(
            {
                "type": kind,
                "uuid": f"u{len(lines)}",
                "parentUuid": parent,
                "sessionId": "s",
                "cwd": str(folder),
            }
            | {"timestamp": "2025-01-01T00:00:00.000Z", "message": message}
        )

    for prompt, calls in work.steps(turns):
        add("user", prompt)
        for call_id, tool, arguments, result, fails in calls:
            add("assistant", [{"type": "tool_use", "id": call_id, "name": tool, "input": arguments}])
            if result is not None:
                block = {"type": "tool_result", "tool_use_id": call_id, "content": result, "is_error": fails}
                add("user", [block])
        add("assistant", [{"type": "text", "text": f"answer to {prompt[:9]}"}])
    return "".join(json.dumps(line) + "\n" for line in lines)


def swe_document(work: Work, turns: int, folder):
    history = [{"role": "system", "content": "You are an agent."}]
    for prompt, calls in work.steps(turns):
        history.append({"role": "user", "content": prompt, "agent": "main"})
        for call_id, tool, arguments, result, _ in calls:
            function = {"name": tool, "arguments": json.dumps(arguments)}
            call = {"id": call_id, "type": "function", "function": function}
            history.append({"role": "assistant", "content": "I look.", "tool_calls": [call], "agent": "main"})
            if result is not None:
                history.append(
                    {"role": "tool", "content": result, "tool_call_ids": [call_id], "agent": "main"}
                )
        history.append({"role": "assistant", "content": f"answer to {prompt[:9]}", "agent": "main"})
    return json.dumps({"history": history, "trajectory": [], "info": {}})


MADE = {"pi": (pi_lines, "s.jsonl"), "claude": (claude_lines, "s.jsonl"), "swe": (swe_document, "s.traj")}


def recounted(path, until):
    """The files read only and changed, by the raw lines before the entry `until`, read with json alone."""
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()][1:]
    well, calls, read, changed = set(), [], set(), set()
    for line in lines:
        if line["id"] == until:
            break
        message = line.get("message", {})
        if message.get("role") == "assistant":
            calls += [block for block in message["content"] if block["type"] == "toolCall"]
        elif message.get("role") == "toolResult" and not message.get("isError"):
            well.add(message["toolCallId"])
    for call in calls:
        arguments = call["arguments"]
        file = arguments.get("path") or arguments.get("file_path") or arguments.get("filename")
        if call["id"] in well and file:
            (read if call["name"].lower() in ("read", "open") else changed).add(file)
    return sorted(read - changed), sorted(changed)


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("shape", SHAPES)
async def test_a_session_of_another_program_goes_on_in_any_window(tmp_path, shape, window):
    make, name = MADE[shape]
    source = tmp_path / name
    turns = 60 if window < 200_000 else 150
    source.write_text(make(Work(shape, window), turns, tmp_path), "utf-8")
    imported = import_session(source, home=Home(root=tmp_path / "home"), folder=tmp_path)
    imported.store.close()
    session = open_session(imported.store.path, folder=tmp_path)
    reader = StrictReader(window)
    session.agent.model = session.choices.model = reader
    for number in range(3):
        await session.prompt(f"and now {number}?", model=reader)
        with suppress(UsageError):  # in a large window all is within what is kept
            await session.compact()
    assert len(reader.requests) >= 3
    assert all(request_tokens(request) <= window for request in reader.requests)
    compactions = list(session.store.branch().of_kind("compaction"))
    if window <= 128_000:
        assert compactions
    for entry in compactions[-1:]:
        read, changed = recounted(session.path, entry.first_kept_entry_id)
        assert (entry.details["readFiles"], entry.details["modifiedFiles"]) == (read, changed)
    session.close()
