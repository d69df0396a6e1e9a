"""A language model behind any provider that litellm speaks to.

The only module that imports litellm, and it does so when a model is first asked or by `warm`:
the import takes three seconds. What is sent is made in `conversion`, what comes back is put
together in `assembly` and counted in `usage`, and failures are named in `faults`. One call is one
request: trying again is left to the session.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.metadata
import logging
import os
from collections.abc import AsyncIterator, Awaitable
from functools import cached_property
from typing import Any, TypeVar

from pi_notebook.agent.events import ModelDone, ModelEvent
from pi_notebook.agent.messages import NO_USAGE, AssistantMessage, now_ms
from pi_notebook.agent.protocols import ModelInfo, ModelRequest
from pi_notebook.errors import ModelAuthError, ModelError, ModelUnavailableError
from pi_notebook.models.assembly import Assembly
from pi_notebook.models.catalog import describe_model, find_entry
from pi_notebook.models.conversion import chat_messages, chat_tools
from pi_notebook.models.faults import translate
from pi_notebook.models.finish import stop_reason_of
from pi_notebook.models.providers import find_key, is_local, missing_key, needs_key
from pi_notebook.models.usage import read_usage

T = TypeVar("T")

COMPROMISED_VERSIONS = {"1.82.7", "1.82.8", "1.107.0"}
"""Releases of litellm that carried foreign code."""

FIRST_EVENT_SECONDS = 120.0
LOCAL_FIRST_EVENT_SECONDS = 600.0
"""A model on the person's machine may have to be loaded first."""
IDLE_SECONDS = 90.0
"""Between two events. Pings of the server do not count: they come from stuck streams too."""


class LiteLLMModel:
    """The model `name`, as `provider/NAME`, asked through litellm."""

    def __init__(
        self,
        name: str,
        *,
        api_base: str | None = None,
        context_window: int | None = None,
        thinking: str | None = None,
        first_event_seconds: float | None = None,
        idle_seconds: float = IDLE_SECONDS,
    ) -> None:
        self.name = name
        self._provider, _, self._id = name.partition("/")
        self._api_base = api_base
        self._context_window = context_window
        self._thinking = thinking
        is_near = is_local(self._provider, api_base)
        self._first_event_seconds = first_event_seconds or (
            LOCAL_FIRST_EVENT_SECONDS if is_near else FIRST_EVENT_SECONDS
        )
        self._idle_seconds = idle_seconds

    @cached_property
    def info(self) -> ModelInfo:
        return describe_model(self._provider, self._id, context_window=self._context_window)

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Answer `request`; see `Model.stream`."""
        self._require_key()
        await asyncio.to_thread(load_litellm, self.name)
        reply = _Reply()
        response = await self._open(request)
        try:
            seconds = self._first_event_seconds
            chunks = _chunks(response)
            while (chunk := await self._guarded(_next(chunks), seconds)) is not None:
                seconds = self._idle_seconds
                for event in reply.add(chunk):
                    yield event
        finally:
            await _close(response)
        yield ModelDone(self._message(reply, _reported_usage(response, reply.usage)))

    async def _open(self, request: ModelRequest) -> Any:
        """The response, begun; one that comes when nobody waits for it any more is closed."""
        asking = asyncio.ensure_future(self._ask(request))
        try:
            return await self._guarded(asking, self._first_event_seconds)
        except BaseException:
            asking.add_done_callback(_close_result)
            raise

    def _require_key(self) -> None:
        variable = missing_key(self._provider, api_base=self._api_base)
        if variable:
            raise ModelAuthError(
                f"No API key for {self.name}. Set {variable}, or use -m offline.", model=self.name
            )

    async def _ask(self, request: ModelRequest) -> Any:
        import litellm

        options: dict[str, Any] = {"tools": chat_tools(request.tools)} if request.tools else {}
        if self._thinking:
            options["reasoning_effort"] = self._thinking
        if self._api_base:
            options["api_base"] = self._api_base
        if needs_key(self._provider) and find_key(self._provider) is None:
            options["api_key"] = "none"  # a server with an address of its own may want none; clients insist
        return await litellm.acompletion(
            model=self.name,
            messages=chat_messages(request, self.info),
            stream=True,
            stream_options={"include_usage": True},
            timeout=max(self._first_event_seconds, self._idle_seconds) + _SLACK_SECONDS,
            num_retries=0,
            max_retries=0,
            drop_params=True,
            **options,
        )

    async def _guarded(self, work: Awaitable[T], seconds: float) -> T:
        """The result of `work`, its failure as one of our errors, and an error when it takes too long."""
        task = asyncio.ensure_future(work)
        task.add_done_callback(_look_at)
        try:
            done, _ = await asyncio.wait({task}, timeout=seconds)
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait({task}, timeout=_GRACE_SECONDS)
        if not done:
            raise ModelUnavailableError(
                f"{self.name} sent nothing for {seconds:.0f} s. Try again.", model=self.name
            )
        try:
            return task.result()
        except Exception as error:
            raise translate(error, self.name) from error

    def _message(self, reply: _Reply, usage: Any) -> AssistantMessage:
        content = reply.assembly.content()
        counted = NO_USAGE if usage is None else read_usage(usage, find_entry(self._provider, self._id))
        return AssistantMessage(
            content=content,
            api=self.info.api,
            provider=self.info.provider,
            model=self.info.id,
            usage=counted,
            stop_reason=stop_reason_of(reply.finish, content, model=self.name),
            response_id=reply.response_id,
            timestamp=now_ms(),
        )


_SLACK_SECONDS = 30.0
"""Added to the transport's own timeouts, so that ours, which see more, come first."""

_GRACE_SECONDS = 0.2
"""How long a cancelled request may take to close its connection."""


class _Reply:
    """What has arrived of one reply."""

    def __init__(self) -> None:
        self.assembly = Assembly()
        self.finish: str | None = None
        self.usage: Any = None
        self.response_id: str | None = None

    def add(self, chunk: Any) -> list[ModelEvent]:
        """Take a chunk. Every one counts: calls and usage may follow the finish reason."""
        self.usage = getattr(chunk, "usage", None) or self.usage
        self.response_id = self.response_id or getattr(chunk, "id", None)
        events: list[ModelEvent] = []
        for choice in (getattr(chunk, "choices", None) or [])[:1]:
            events += self.assembly.add(choice.delta)
            self.finish = choice.finish_reason or self.finish
        return events


def _chunks(response: Any) -> Any:
    """The provider's own chunks where it speaks OpenAI's form, else litellm's translation of them.

    litellm's wrapper costs several times the rest of a chunk, counts tokens where none were
    reported, and gives up on a reply that repeats one piece a hundred times.
    """
    import openai

    own = getattr(response, "completion_stream", None)
    return own if isinstance(own, openai.AsyncStream) else response


async def _next(chunks: Any) -> Any:
    return await anext(chunks, None)


def _reported_usage(response: Any, usage: Any) -> Any:
    """`usage` where the provider reported any: litellm's wrapper ends with an estimate where it did not."""
    kept = getattr(response, "chunks", None)
    if kept and not any(getattr(chunk, "usage", None) for chunk in kept):
        return None
    return usage


async def _close(response: Any) -> None:
    with contextlib.suppress(Exception):
        await response.aclose()


def _close_result(asking: asyncio.Future[Any]) -> None:
    if not asking.cancelled() and asking.exception() is None:
        closing = asking.get_loop().create_task(_close(asking.result()))
        _closing.add(closing)
        closing.add_done_callback(_closing.discard)


_closing: set[asyncio.Task[None]] = set()
"""Kept from being collected while they run."""


def _look_at(task: asyncio.Future[Any]) -> None:
    """Look at an exception nobody may be waiting for any more, so that asyncio does not print it."""
    if not task.cancelled():
        task.exception()


def warm() -> None:
    """Import litellm now, so that the first prompt need not wait; for a background thread."""
    with contextlib.suppress(ModelError):
        load_litellm("")


def load_litellm(model: str) -> None:
    """Import litellm, silent and offline; a `ModelError` for `model` when it must not or cannot be used."""
    version = _installed_version()
    if version in COMPROMISED_VERSIONS:
        raise ModelError(
            f"litellm {version} is a compromised release and was not loaded. "
            "Run pip install -U litellm, and change the keys it may have seen.",
            model=model,
        )
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # else it fetches prices at import
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")  # else it loads the folder's .env file
    try:
        import litellm
    except ImportError as error:
        raise ModelError(
            f"litellm cannot be imported ({error}). Run pip install -U litellm, or use -m offline.",
            model=model,
        ) from error
    if not os.environ.get("LITELLM_LOG"):
        litellm.suppress_debug_info = True
        for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
            logging.getLogger(name).setLevel(logging.CRITICAL)


def _installed_version() -> str | None:
    try:
        return importlib.metadata.version("litellm")
    except importlib.metadata.PackageNotFoundError:
        return None
