"""The models that the contract is held against, each made to give the same replies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Union

from pi_notebook.agent.messages import TextContent, ToolCall, UserMessage
from pi_notebook.agent.protocols import Model, ModelRequest, ToolDefinition
from pi_notebook.models.litellm_model import LiteLLMModel
from pi_notebook.models.offline import OfflineModel
from pi_notebook.models.scripted import ScriptedModel
from tests import provider as http
from tests.provider import Provider

Answer = Sequence[Union[str, ToolCall]]
"""Text and calls of one reply, in order."""

TOOL = ToolDefinition(
    name="run_code",
    description="Run it.",
    parameters={
        "type": "object",
        "properties": {"code": {"type": "string"}, "note": {"type": "string"}},
        "required": ["code"],
    },
)


@dataclass(frozen=True)
class Subject:
    """How to make a model of one kind."""

    make: Callable[[Provider, Sequence[Answer]], Model]
    is_scripted: bool = True
    """False for a model that answers in its own way: only the claims for every model are made of it."""


def scripted(_: Provider, answers: Sequence[Answer]) -> Model:
    return ScriptedModel([list(answer) for answer in answers], piece_chars=4)


def over_http(provider: Provider, answers: Sequence[Answer]) -> Model:
    provider.reply(*(as_stream(answer) for answer in answers))
    return LiteLLMModel("openai/m")


def as_stream(answer: Answer) -> http.Reply:
    said = "".join(part for part in answer if isinstance(part, str))
    made = [(part.name, part.arguments) for part in answer if isinstance(part, ToolCall)]
    return http.calls(*made, say=said) if made else http.text(said, piece_chars=4)


SUBJECTS = {
    "scripted": Subject(scripted),
    "litellm": Subject(over_http),
    "offline": Subject(lambda provider, answers: OfflineModel(), is_scripted=False),
}


def request(prompt: str = "How many rows?") -> ModelRequest:
    message = UserMessage(content=[TextContent(text=prompt)], timestamp=1)
    return ModelRequest(system_prompt="Be exact.", tools=(TOOL,), messages=(message,))
