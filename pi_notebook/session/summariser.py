"""Asking the model for a summary: one request without tools, apart from the conversation."""

from __future__ import annotations

import asyncio

from pi_notebook.agent.events import ModelDone
from pi_notebook.agent.messages import NO_USAGE, AssistantMessage, Usage, user_message
from pi_notebook.agent.protocols import Model, ModelRequest
from pi_notebook.context.compaction.prompts import SYSTEM_PROMPT
from pi_notebook.context.compaction.summarising import UnusableSummaryError
from pi_notebook.errors import ModelRefusedError, ModelUnavailableError

_PAUSES_SECONDS = (1.0, 4.0)
"""Before the second and the third try, when the model cannot be reached."""
_MAX_PAUSE_SECONDS = 60.0
"""A provider that wants a longer one is not waited for: the run stands still meanwhile."""


class Summariser:
    """Asks `model` under the system prompt `system`, and counts what that costs; see `summarising.Ask`."""

    def __init__(self, model: Model, *, system: str = SYSTEM_PROMPT) -> None:
        self._model = model
        self._system = system
        self.usage: Usage = NO_USAGE
        """Of all requests so far."""
        self.requests = 0

    async def __call__(self, prompt: str, *, max_tokens: int) -> str:
        """The text of the model's answer to `prompt`.

        Raises `UnusableSummaryError` for an answer that is no whole text, and what the model raises; one
        that cannot be reached is asked three times.
        """
        for pause in (*_PAUSES_SECONDS, None):
            try:
                return await self._asked(prompt, max_tokens)
            except ModelRefusedError as error:
                raise UnusableSummaryError(str(error)) from error
            except ModelUnavailableError as error:
                wanted = error.retry_after_seconds or 0.0
                if pause is None or wanted > _MAX_PAUSE_SECONDS:
                    raise
                await asyncio.sleep(max(pause, wanted))
        raise AssertionError("the last try returns or raises")

    async def _asked(self, prompt: str, max_tokens: int) -> str:
        request = ModelRequest(
            system_prompt=self._system,
            tools=(),
            messages=(user_message(prompt),),
            max_output_tokens=max_tokens,
        )
        self.requests += 1
        async for event in self._model.stream(request):
            if isinstance(event, ModelDone):
                self.usage = self.usage + event.message.usage
                return _text(event.message)
        raise UnusableSummaryError("the answer ended before it was whole")


def _text(message: AssistantMessage) -> str:
    text = message.text.strip()
    if message.stop_reason != "stop" or message.tool_calls or not text:
        raise UnusableSummaryError(f"the answer ended with {message.stop_reason}")
    return text
