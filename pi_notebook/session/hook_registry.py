"""Hooks that were registered, by event: for one session, by extensions, and for all of a process.

What they may do stands in `hook_events`; when and how they are called is the business of
`session_hooks`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from pi_notebook._nearest import did_you_mean
from pi_notebook.errors import UsageError
from pi_notebook.session.hook_events import HOOK_EVENTS, HookEvent

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, kw_only=True, eq=False)
class Hook:
    """One function that waits for an event; one that is registered anew is another."""

    event: HookEvent
    function: Callable[..., Any]
    name: str
    """As it is told to a person."""
    place: str
    """What it was registered for or by, as it is told to a person."""


class HookRegistry:
    """The hooks of one place; those of the places `above` it are called first.

    `name` is that of the place, for a person who is told of a hook, and `place` what it is called in a list.
    """

    def __init__(self, *above: HookRegistry, name: str = "", place: str = "") -> None:
        self._above = above
        self._name = name
        self._place = place
        self._hooks: dict[Hashable, Hook] = {}

    def put_below(self, *above: HookRegistry) -> None:
        """Let the hooks of `above` be called first from now on, and of no others."""
        self._above = above

    def on(self, event: HookEvent) -> Callable[[F], F]:
        """A decorator that registers a function for `event`.

        A function of the same name from the same module, as of a cell that is run again, takes the
        place of the earlier one. Raises `UsageError` for an unknown event.
        """
        if event not in HOOK_EVENTS:
            hint = did_you_mean(str(event), HOOK_EVENTS)
            raise UsageError(f"There is no event {event!r}.{hint} Events: {', '.join(HOOK_EVENTS)}.")

        def register(function: F) -> F:
            of = f" of {self._name}" if self._name else ""
            hook = Hook(event=event, function=function, name=f"{_name_of(function)}{of}", place=self._place)
            self._hooks[(event, _key_of(function))] = hook
            return function

        return register

    def remove(self, function: Callable[..., Any]) -> bool:
        """Let `function` wait for nothing any more, here and above; False when it did not."""
        wanted = _key_of(function)
        ours = [key for key, hook in self._hooks.items() if _key_of(hook.function) == wanted]
        for key in ours:
            del self._hooks[key]
        above = [registry.remove(function) for registry in self._above]
        return bool(ours) or any(above)

    def of(self, event: HookEvent) -> list[Hook]:
        """The hooks that wait for `event`, in the order they are called."""
        return [hook for hook in self if hook.event == event]

    def __iter__(self) -> Iterator[Hook]:
        for registry in self._above:
            yield from registry
        yield from tuple(self._hooks.values())


PROCESS_HOOKS = HookRegistry(place="every session of this kernel")
"""Those that hold for every session of this process."""


def on(event: HookEvent) -> Callable[[F], F]:
    """A decorator that lets a function of a cell take part in every session of this kernel.

        from pi_notebook import on

        @on("before_prompt")
        def known_facts(prompt):
            return "Prices are without tax." if "price" in prompt else None

        @on("before_tool_call")
        def keep_the_tables(tool, call):
            if "drop table" in str(call.arguments).lower():
                return "Tables are not dropped here."

    Events: `before_prompt`, `before_tool_call`, `after_tool_call`, `context`, `before_compaction`,
    `after_compaction`, `before_session_change`, `after_session_change`; the module
    `pi_notebook.session.hook_events` says what each is called with and may give. Running the cell again
    puts the new function in the place of the old one; `current_session().hooks.remove(known_facts)`
    takes it away, and `current_session().hooks.on(...)` registers for that session alone.
    """
    return PROCESS_HOOKS.on(event)


def _key_of(function: Callable[..., Any]) -> Hashable:
    """What two runs of one definition have in common; methods and closures are each their own."""
    name = getattr(function, "__qualname__", "")
    if not name or "<locals>" in name or getattr(function, "__self__", None) is not None:
        return _Same(function)
    code = getattr(function, "__code__", None)
    place = (code.co_filename, code.co_firstlineno) if code is not None and "<" in name else ()
    return (getattr(function, "__module__", None), name, *place)


@dataclass(frozen=True)
class _Same:
    """Equal for one and the same function."""

    function: Callable[..., Any]

    def __hash__(self) -> int:
        return hash(_identity(self.function))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and _identity(self.function) == _identity(other.function)


def _identity(function: Callable[..., Any]) -> tuple[int, int]:
    """Bound methods are made anew each time they are looked up."""
    owner = getattr(function, "__self__", None)
    return (id(owner), id(getattr(function, "__func__", function)))


def _name_of(function: Callable[..., Any]) -> str:
    name = str(getattr(function, "__qualname__", "") or type(function).__name__)
    return name.rpartition("<locals>.")[2]
