"""What every request begins with, before anything was said: its size."""

import json

from pi_notebook.agent.protocols import ModelInfo, ModelRequest
from pi_notebook.models.conversion import chat_messages, chat_tools
from pi_notebook.session.services import build_services


def test_system_prompt_and_default_tools_take_8_kb_at_most_as_sent(tmp_path):
    services = build_services(tmp_path, shell=object())
    request = ModelRequest(
        system_prompt=services.prompt_for(128_000).text, tools=services.definitions, messages=()
    )
    info = ModelInfo(provider="p", id="m", api="a", context_window=128_000, max_output_tokens=4_096)
    (system,) = chat_messages(request, info)
    sent = len(system["content"].encode()) + len(
        json.dumps(chat_tools(request.tools), separators=(",", ":"), ensure_ascii=False).encode()
    )
    assert len(services.definitions) == 14
    assert 6_000 < sent <= 8 * 1024
