"""Measurements of the context, each in a process of its own: see `benchmarks.in_process`."""

from __future__ import annotations

import asyncio
import json
import random
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from benchmarks.row import median
from benchmarks.session_files import TIME, session_entries
from pi_notebook.agent.entries import MessageEntry
from pi_notebook.agent.messages import user_message
from pi_notebook.agent.protocols import ModelRequest
from pi_notebook.context.compaction.plan import plan_compaction
from pi_notebook.context.composition import composition_of
from pi_notebook.context.projection import Projection
from pi_notebook.context.tokens import count_tokens
from pi_notebook.context.usage import ContextMeter
from pi_notebook.models.conversion import chat_messages, chat_tools
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services

_TIMES = 20
_KEEP_TOKENS = 20_000

_LATER_SECONDS = 0.1
"""litellm counts a call's tokens and costs, some 8 ms of work, when it has been answered."""


def following(count: str) -> dict[str, float]:
    """A request and a plan after one more entry, against reading all entries anew, their sizes known."""
    entries = list(session_entries(int(count), 800, 0, random.Random(0)))
    growing = Projection(entries)
    growing.tokens  # noqa: B018
    requests, plans = [], []
    for number in range(_TIMES):
        entry = MessageEntry(
            id=f"more{number}",
            parent_id=None,
            timestamp=TIME,
            message=user_message(f"{number}, and then? " * 20),
        )
        requests.append(_seconds(lambda entry=entry: _request(growing, entry)))
        plans.append(_seconds(lambda: _plan(growing)))
    return {
        "request": median(requests),
        "plan": median(plans),
        "request_anew": _seconds(lambda: Projection(entries).paired),
        "plan_anew": _seconds(lambda: _plan(Projection(entries))),
    }


def counting() -> dict[str, float]:
    """50 KB of CSV, once the vocabulary is loaded."""
    row = "2024-03-{:02d},station {},{:.3f},{:.1f},ok\n"
    text = "".join(row.format(n % 28 + 1, n % 97, n * 0.731, n % 1013 / 7) for n in range(1_500))[:50_000]
    count_tokens("load")
    texts = [f"{number}\n{text}" for number in range(_TIMES)]
    first = [_seconds(lambda text=text: count_tokens(text)) for text in texts]
    return {
        "first": median(first),
        "again": median([_seconds(lambda text=t: count_tokens(text)) for t in texts]),
    }


def sending(tokens: str) -> dict[str, float]:
    return asyncio.run(_sending(int(tokens)))


async def _sending(tokens: int) -> dict[str, float]:
    """One more request of a session of so many tokens, and the bare call of what it sends, in turn."""
    folder = Path(tempfile.mkdtemp(prefix="pi-notebook-bench-"))
    runtime = AgentSessionRuntime(folder, build_services)
    session = runtime.session
    session.set_value("context_window", "1000000")
    entries = session_entries(100_000, 800, 0, random.Random(0))
    while session.upkeep.usage.tokens < tokens:
        entry = next(entries)
        if isinstance(entry, MessageEntry):
            session.branch.add_message(entry.message)
    ours, bare = [], []
    for number in range(_TIMES + 3):
        session.branch.add_message(user_message(f"{number}, and then?"))
        ours.append(await _awaited(lambda: _ours(session)))
        request = await session.agent._build_request()
        payload = {
            "messages": chat_messages(request, session.model),
            "tools": chat_tools(request.tools),
        }
        bare.append(await _awaited(lambda payload=payload: _bare(payload)))
    runtime.close()
    return {"ours": median(ours[3:]), "bare": median(bare[3:])}


async def _ours(session: Any) -> None:
    await session.upkeep.check()
    request: ModelRequest = await session.agent._build_request()
    async for _ in session.agent.model.stream(request):
        pass


async def _bare(payload: dict[str, Any]) -> None:
    import litellm

    async for _ in await litellm.acompletion(
        model="openai/test", stream=True, stream_options={"include_usage": True}, **payload
    ):
        pass


def _request(projection: Projection, entry: MessageEntry) -> None:
    projection.add(entry)
    info = ScriptedModel().info
    usage = ContextMeter().usage(info, head_tokens=2_000, projection=projection)
    assert composition_of(projection.shares).scaled(usage.tokens).tokens == usage.tokens
    assert projection.paired[-1] is entry.message


def _plan(projection: Projection) -> None:
    assert plan_compaction(projection.items, keep_recent_tokens=_KEEP_TOKENS, tokens_before=1) is not None


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


async def _awaited(work: Callable[[], Awaitable[object]]) -> float:
    """CPU seconds of this process: what others do is not in them, and what the call left to do later is."""
    began = time.process_time()
    await work()
    await asyncio.sleep(_LATER_SECONDS)
    return time.process_time() - began


FUNCTIONS: dict[str, Callable[..., dict[str, float]]] = {
    "following": following,
    "counting": counting,
    "sending": sending,
}

if __name__ == "__main__":
    print(json.dumps(FUNCTIONS[sys.argv[1]](*sys.argv[2:])))
