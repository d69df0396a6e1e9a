"""What code registers with the shell and the person's next cell would stumble over.

Owns the trial: a transformer of cells or a callback of their events that is new after a call and
fails on a plain cell is taken out again. One that works stays: it may be what was asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from IPython.core.interactiveshell import ExecutionInfo, ExecutionResult

_PLAIN = "pass\n"
_EVENTS = ("pre_execute", "pre_run_cell", "post_execute", "post_run_cell")


class ShellHooks:
    """The transformers and callbacks of `shell` as they were when this was made."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._before = {label: list(hooks) for label, hooks in _lists(shell)}

    def try_new(self) -> Iterator[str]:
        """Try what is new, which runs code of its author; take out what fails, and say so."""
        added = [(label, hooks, self._added(label, hooks)) for label, hooks in _lists(self._shell)]
        for label, hooks, new in added:
            for hook in new:
                error = self._failure(label, hook)
                if error is not None:
                    hooks.remove(hook)
                    yield f"{_WHAT[label]} that the code registered fails ({error}); taken out."

    def _added(self, label: str, hooks: list[Any]) -> list[Any]:
        before = self._before.get(label, [])
        return [hook for hook in hooks if hook not in before and not _is_ours(hook)]

    def _failure(self, label: str, hook: Any) -> str | None:
        try:
            _TRIALS.get(label, _transform)(hook)
        except BaseException as error:  # also what ends one that goes on for ever
            return type(error).__name__
        return None


def _lists(shell: Any) -> Iterator[tuple[str, list[Any]]]:
    """Each list of hooks that this IPython has, and its label."""
    manager = getattr(shell, "input_transformer_manager", None)
    for label in ("cleanup_transforms", "line_transforms"):
        yield from _present(label, getattr(manager, label, None))
    yield from _present("input_transformers_post", getattr(shell, "input_transformers_post", None))
    callbacks = getattr(getattr(shell, "events", None), "callbacks", {})
    for event in _EVENTS:
        yield from _present(event, callbacks.get(event))


def _is_ours(hook: object) -> bool:
    return str(getattr(hook, "__module__", "")).partition(".")[0] == "pi_notebook"


def _present(label: str, hooks: object) -> Iterator[tuple[str, list[Any]]]:
    if isinstance(hooks, list):
        yield label, hooks


def _transform(hook: Callable[[list[str]], object]) -> None:
    hook([_PLAIN])


def _info() -> Any:
    return ExecutionInfo(_PLAIN, False, True, False, None)  # one argument more or less in each IPython


_TRIALS: dict[str, Callable[[Any], object]] = {
    "pre_execute": lambda hook: hook(),
    "post_execute": lambda hook: hook(),
    "pre_run_cell": lambda hook: hook(_info()),
    "post_run_cell": lambda hook: hook(ExecutionResult(_info())),
}
_WHAT = {
    **dict.fromkeys(
        ("cleanup_transforms", "line_transforms", "input_transformers_post"), "An input transformer"
    ),
    **{event: f"A callback of the event {event}" for event in _EVENTS},
}
