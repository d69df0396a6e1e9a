"""Transcripts as other programs write them, and what an import makes of them."""

from __future__ import annotations

import hashlib
import json

from pi_notebook.agent.messages import AssistantMessage, ToolResultMessage
from pi_notebook.agent.protocols import ModelInfo, ModelRequest
from pi_notebook.context.projection import Projection, repair_pairs
from pi_notebook.models.conversion import chat_messages
from pi_notebook.session.home import Home
from pi_notebook.session.importing import import_session
from pi_notebook.session.store import SessionStore
from tests.request_rules import find_problems

INFO = ModelInfo(provider="openai", id="m", api="chat", context_window=10**6, max_output_tokens=1000)


def write(path, *lines):
    path.write_text("".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines))
    return path


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def imported(path, tmp_path):
    """The imported session, read anew, with its notes; the transcript must stay as it was."""
    before = digest(path)
    result = import_session(path, home=Home(root=tmp_path / "home"), folder=tmp_path / "work")
    result.store.close()
    assert digest(path) == before
    store = SessionStore.open(result.store.path)
    assert store.problems == ()
    assert request_problems(store) == []
    return store, result.notes


def context(store):
    return repair_pairs(Projection(store.branch()).messages)


def request_problems(store):
    """What a strict provider finds wrong with the next request."""
    request = ModelRequest(system_prompt="s", tools=(), messages=tuple(context(store)))
    return find_problems({"model": "m", "messages": chat_messages(request, INFO)})


def said(store):
    """The context as short texts: role and words, calls and results by their ids."""
    return [_short(message) for message in context(store)]


def _short(message):
    if isinstance(message, AssistantMessage):
        return " ".join(["assistant:", message.text, *(f"<{call.id}>" for call in message.tool_calls)])
    if isinstance(message, ToolResultMessage):
        return f"{message.tool_call_id}: {message.text}"
    content = getattr(message, "content", None) or message.summary
    if not isinstance(content, str):
        content = "".join(getattr(block, "text", "<image>") for block in content)
    return f"{type(message).__name__.removesuffix('Message').lower()}: {content}"
