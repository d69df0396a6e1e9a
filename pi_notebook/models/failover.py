"""Other models that stand in for one that cannot be reached: the same request goes to the next.

A model that does not answer at all is passed over at once. One that answers with a failure is asked
again by whoever runs the conversation, who says when the next one's turn has come. Only models that
are unavailable are passed over: a refused key, a used-up quota or a wrong request is the person's to
mend, and another provider is not sent what the first one declined.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

from pi_notebook.agent.events import ModelEvent
from pi_notebook.agent.protocols import Model, ModelInfo, ModelRequest
from pi_notebook.errors import ModelUnavailableError
from pi_notebook.models.registry import OFFLINE, get_model

Tell = Callable[[str], Awaitable[None]]


class FailoverModel:
    """The first of `models`, or the one that stands in for it until `begin`.

    What it answers carries the name of the model that answered.
    """

    def __init__(self, models: Sequence[Model]) -> None:
        self._models = tuple(models)
        self._place = 0
        self._tell: Tell | None = None

    @property
    def info(self) -> ModelInfo:
        """Of the model that is asked now."""
        return self._models[self._place].info

    def begin(self, tell: Tell) -> None:
        """A run begins: with the first model again; `tell` is told in one line of each that stands in."""
        self._place, self._tell = 0, tell

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Answer `request`; see `Model.stream`. A model that cannot be reached is passed over."""
        while True:
            has_begun = False
            try:
                async for event in self._models[self._place].stream(request):
                    has_begun = True
                    yield event
                return
            except ModelUnavailableError as error:
                if has_begun or not error.is_unreachable or not await self.fail_over(error):
                    raise

    async def fail_over(self, error: Exception) -> bool:
        """Let the next model answer from here on; False when `error` is no reason to, or none is left."""
        is_last = self._place + 1 == len(self._models)
        if is_last or not isinstance(error, ModelUnavailableError):
            return False
        self._place += 1
        if self._tell is not None:
            await self._tell(f"{error} From here on {self.info.name} is asked in this run.")
        return True


def model_with_fallbacks(
    name: str, others: Sequence[str], *, context_window: int | None = None, thinking: str | None = None
) -> Model:
    """The model `name`, with `others` to stand in for it in their order; `context_window` is its own alone.

    Raises `ModelNotFoundError` for a name that can be no model.
    """
    first = get_model(name, context_window=context_window, thinking=thinking)
    fallbacks = [get_model(other, thinking=thinking) for other in dict.fromkeys(others) if other != name]
    return FailoverModel([first, *fallbacks]) if fallbacks and name != OFFLINE else first
