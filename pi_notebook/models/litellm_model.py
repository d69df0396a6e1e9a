"""A language model behind any provider that litellm speaks to.

The only module that imports litellm, and it does so when a model is first asked or by `warm`:
the import takes three seconds. What is sent is made in `conversion` and `growing`, what comes back
is read in `response` and counted in `usage`, and failures are named in `faults`. One call is one
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

from pi_notebook._loading import expect_warnings, foreign_file, installed
from pi_notebook.agent.events import ModelDone, ModelEvent
from pi_notebook.agent.messages import AssistantMessage, now_ms
from pi_notebook.agent.protocols import ModelInfo, ModelRequest
from pi_notebook.errors import ModelAuthError, ModelError, ModelUnavailableError
from pi_notebook.models.catalog import describe_model, entries, find_entry
from pi_notebook.models.conversion import chat_tools
from pi_notebook.models.faults import translate
from pi_notebook.models.finish import check_room, stop_reason_of
from pi_notebook.models.growing import GrowingConversation
from pi_notebook.models.providers import find_key, is_local, missing_key, needs_key
from pi_notebook.models.response import Response
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

    @cached_property
    def _conversation(self) -> GrowingConversation:
        return GrowingConversation(self.info)

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Answer `request`; see `Model.stream`."""
        self._require_key()
        await asyncio.to_thread(load_litellm, self.name)
        response = await self._open(request)
        try:
            seconds = self._first_event_seconds
            while (events := await self._guarded(response.read(), seconds)) is not None:
                seconds = self._idle_seconds
                for event in events:
                    yield event
        finally:
            await response.close()
        yield ModelDone(self._message(response))

    async def _open(self, request: ModelRequest) -> Response:
        """The response, begun; one that comes when nobody waits for it any more is closed."""
        with installed():
            asking = asyncio.ensure_future(_ask(self._payload(request)))
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

    def _payload(self, request: ModelRequest) -> dict[str, Any]:
        """The arguments of litellm's call."""
        payload: dict[str, Any] = {
            "model": self.name,
            "messages": self._conversation.messages(request),
            "stream": True,
            "stream_options": {"include_usage": True},
            "timeout": max(self._first_event_seconds, self._idle_seconds) + _SLACK_SECONDS,
            "num_retries": 0,
            "max_retries": 0,
            "drop_params": True,
        }
        if request.max_output_tokens is not None:
            payload["max_tokens"] = request.max_output_tokens
        if request.tools:
            payload["tools"] = chat_tools(request.tools)
        if self._thinking not in (None, "off"):  # no provider knows `off`: nothing is said then
            payload["reasoning_effort"] = self._thinking
        if self._api_base:
            payload["api_base"] = self._api_base
        if needs_key(self._provider) and find_key(self._provider) is None:
            payload["api_key"] = "none"  # a server with an address of its own may want none; clients insist
        return payload

    async def _guarded(self, work: Awaitable[T], seconds: float) -> T:
        """The result of `work`, its failure as one of our errors, and an error when it takes too long."""
        with installed():  # the library imports more when it needs it
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
                f"{self.name} sent nothing for {seconds:.0f} s. Try again.",
                model=self.name,
                is_unreachable=True,
            )
        if task.cancelled():  # by the transport, not by a stop: that one is raised by the wait above
            raise ModelUnavailableError(f"The connection to {self.name} broke. Try again.", model=self.name)
        try:
            return task.result()
        except Exception as error:
            raise translate(error, self.name) from error

    def _message(self, response: Response) -> AssistantMessage:
        content, usage = response.content, read_usage(response.usage, find_entry(self._provider, self._id))
        reason = stop_reason_of(response.finish, content, model=self.name)
        check_room(reason, content, usage, context_window=self.info.context_window, model=self.name)
        return AssistantMessage(
            content=content,
            api=self.info.api,
            provider=self.info.provider,
            model=self.info.id,
            usage=usage,
            stop_reason=reason,
            response_id=response.id,
            timestamp=now_ms(),
        )


_SLACK_SECONDS = 30.0
"""Added to the transport's own timeouts, so that ours, which see more, come first."""

_GRACE_SECONDS = 0.2
"""How long a cancelled request may take to close its connection."""


async def _ask(payload: dict[str, Any]) -> Response:
    with installed():
        import litellm

    return Response(await litellm.acompletion(**payload))


def _close_result(asking: asyncio.Future[Response]) -> None:
    if not asking.cancelled() and asking.exception() is None:
        closing = asking.get_loop().create_task(asking.result().close())
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
    entries()
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
    expect_warnings()
    try:
        with installed():
            import litellm
    except ImportError as error:
        raise ModelError(
            f"litellm cannot be imported ({error}). Run pip install -U litellm, or use -m offline.",
            model=model,
        ) from error
    if file := foreign_file(litellm):
        raise ModelError(
            f"{file} was imported as litellm and stands in its place. Rename it and restart the kernel, "
            "or use -m offline.",
            model=model,
        )
    if not os.environ.get("LITELLM_LOG"):
        litellm.suppress_debug_info = True
        for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
            logging.getLogger(name).setLevel(logging.CRITICAL)


def _installed_version() -> str | None:
    try:
        return importlib.metadata.version("litellm")
    except importlib.metadata.PackageNotFoundError:
        return None
