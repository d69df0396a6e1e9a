"""A request in the form it goes to the provider in, as text that may be copied: keys masked, pictures cut."""

from __future__ import annotations

import json
from typing import Any

from pi_notebook.agent.protocols import ModelRequest
from pi_notebook.agent.secrets import secret_values, without_secrets_in
from pi_notebook.models.conversion import chat_messages, chat_tools
from pi_notebook.session.past_requests import SessionRequests
from pi_notebook.session.session import AgentSession

_DATA = "data:"
_DATA_CHARS = 200
"""So much of a picture's data is shown."""


def raw_request(session: AgentSession, requests: SessionRequests, number: int | None) -> str:
    """The request of that number, or the next one, as JSON: messages and tools as chat providers take them.

    The provider library translates it further. Of a past request the tools are as they are defined now.
    """
    content = requests.content(number)
    info = requests.info(number)
    request = ModelRequest(
        system_prompt="\n\n".join(content.sections.values()),
        messages=tuple(session.policy.view(content.projection.paired)),
        tools=tuple(content.tools),
        session_id=session.id,
    )
    body = {
        "model": requests.model_of(number),
        "messages": chat_messages(request, info),
        "tools": chat_tools(request.tools),
    }
    return json.dumps(_cut(without_secrets_in(body, secret_values())), ensure_ascii=False, indent=2)


def _cut(data: Any) -> Any:
    if isinstance(data, str):
        is_long = data.startswith(_DATA) and len(data) > _DATA_CHARS
        return f"{data[:_DATA_CHARS]}… ({len(data):,} characters)" if is_long else data
    if isinstance(data, dict):
        return {name: _cut(value) for name, value in data.items()}
    return [_cut(value) for value in data] if isinstance(data, list) else data
