"""What is sent before the first word of the person's, and what it takes to make it."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.row import Row, median
from pi_notebook.agent.messages import user_message
from pi_notebook.agent.protocols import ModelRequest
from pi_notebook.context.system_prompt import build_prompt
from pi_notebook.models.conversion import chat_messages, chat_tools
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.services import AgentSessionServices, build_services
from pi_notebook.tools import default_tools


def prompt() -> Iterator[Row]:
    """System prompt with the skills of the package, and all default tool definitions, as httpx sends them."""
    definitions = tuple(tool.definition for tool in default_tools())
    with tempfile.TemporaryDirectory() as folder:
        texts = _services(Path(folder)).guidance.texts
    request = ModelRequest(
        system_prompt=build_prompt(definitions, texts).text,
        tools=definitions,
        messages=(user_message("x"),),
    )
    system = chat_messages(request, ScriptedModel().info)[0]
    sent = json.dumps([system, chat_tools(definitions)], ensure_ascii=False, separators=(",", ":"))
    yield Row(name="prompt.system_and_tools", value=len(sent.encode()) / 1000, unit="kB", target="<= 8")


def skills() -> Iterator[Row]:
    """The services of a folder, with what a person usually has and with far too many skills."""
    for count, unit_target in ((20, "<= 30"), (10_000, "<= 300")):
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            for number in range(count):
                skill = place / "home" / "skills" / f"skill-{number:05}"
                skill.mkdir(parents=True)
                text = f"---\nname: skill-{number:05}\ndescription: Does thing {number} of many\n---\n# How\n"
                (skill / "SKILL.md").write_text(text)
            (place / "home" / "AGENTS.md").write_text("Write short sentences.\n" * 200)
            _services(place)
            seconds = [_services_seconds(place) for _ in range(5)]
        yield Row(
            name=f"services.{count}_skills", value=median(seconds) * 1000, unit="ms", target=unit_target
        )


def _services(place: Path) -> AgentSessionServices:
    environ = {"HOME": str(place / "user"), "PI_NOTEBOOK_HOME": str(place / "home")}
    return build_services(place, environ=environ)


def _services_seconds(place: Path) -> float:
    began = time.perf_counter()
    _services(place)
    return time.perf_counter() - began
