"""What is sent before the first word of the person's."""

from __future__ import annotations

import json
from collections.abc import Iterator

from benchmarks.row import Row
from pi_notebook.agent.messages import user_message
from pi_notebook.agent.protocols import ModelRequest
from pi_notebook.context.system_prompt import build_system_prompt
from pi_notebook.models.conversion import chat_messages, chat_tools
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.tools import default_tools


def prompt() -> Iterator[Row]:
    """System prompt and all default tool definitions, as sent."""
    definitions = tuple(tool.definition for tool in default_tools())
    request = ModelRequest(
        system_prompt=build_system_prompt(definitions), tools=definitions, messages=(user_message("x"),)
    )
    system = chat_messages(request, ScriptedModel().info)[0]
    sent = len(json.dumps([system, chat_tools(definitions)]).encode())
    yield Row(name="prompt.system_and_tools", value=sent / 1000, unit="kB", target="<= 8")
