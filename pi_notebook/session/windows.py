"""Context windows that are a guess: what providers said of them, and what a person is told of windows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pi_notebook.agent.entries import CustomEntry, Entry
from pi_notebook.agent.events import Notice
from pi_notebook.agent.protocols import ModelInfo
from pi_notebook.context.system_prompt import FILES_SHARE
from pi_notebook.errors import ContextOverflowError
from pi_notebook.session.branch import Branch

_LEAST_TOKENS = 1_000
"""A smaller number in an error is no window."""

GUESS_TYPE = "pi_notebook/guessed_window"
"""The record that the person was told of a window that is a guess."""


class LearntWindows:
    """The windows that the session's branch records, as a value of its own for each model."""

    def __init__(self, branch: Branch) -> None:
        self._branch = branch

    def known(self, info: ModelInfo) -> ModelInfo:
        """`info` with the window that was learnt, where it had only a guess."""
        return with_learnt_window(info, self._branch.values)

    def learn(self, info: ModelInfo, error: Exception) -> str:
        """Record the window that `error` names, if it was a guess; what to tell the person of it."""
        window = error.context_window if isinstance(error, ContextOverflowError) else None
        if window is None or window < _LEAST_TOKENS or self.known(info).window_is_known:
            return ""
        self._branch.add_setting(_name(info), window)
        return (
            f"{info.name} says that its context window is {window:,} tokens; this session goes by that. "
            f"For others: %agent settings context_window {window}."
        )


def with_learnt_window(info: ModelInfo, values: Mapping[str, Any]) -> ModelInfo:
    """`info` with the window that recorded `values` have for it, where it had only a guess."""
    if info.window_is_known:
        return info
    window = values.get(_name(info))
    if not isinstance(window, int) or window < _LEAST_TOKENS:
        return info
    return replace(info, context_window=window, window_is_known=True)


class ToldWindows:
    """What of its models' windows a session has told: that one is a guess, or too small, once."""

    def __init__(self, branch: Branch) -> None:
        self._branch = branch
        self._guessed: set[str] = set()
        self._too_small: set[tuple[str, int]] = set()
        """Models and their windows."""

    def look(self, info: ModelInfo, fixed_tokens: int, file_tokens: int) -> list[Notice]:
        """What to tell before `info` is asked; that its window is a guess is recorded as told."""
        found = []
        if not info.window_is_known and not self._knows_guess(info):
            self._guessed.add(info.name)
            self._branch.add_record(GUESS_TYPE, {"model": info.name, "tokens": info.context_window})
            found.append(Notice(_guess_told(info)))
        problem, window = window_problem(info, fixed_tokens, file_tokens), (info.name, info.context_window)
        if problem and window not in self._too_small:
            self._too_small.add(window)
            found.append(Notice(problem, "warning"))
        return found

    def _knows_guess(self, info: ModelInfo) -> bool:
        """Whether it was told on any branch; what was found out of a model is not looked for again."""
        if info.name not in self._guessed:
            recorded = self._branch.store.entries.of_kind(f"custom:{GUESS_TYPE}")
            self._guessed.update(str(name) for name in map(_model_in, recorded) if name)
        return info.name in self._guessed


def _model_in(entry: Entry) -> object:
    data = entry.data if isinstance(entry, CustomEntry) else None
    return data.get("model") if isinstance(data, dict) else None


def _name(info: ModelInfo) -> str:
    return f"context_window@{info.name}"


def smallest_window(fixed_tokens: int) -> int:
    """The smallest window in which a session works whose system prompt and tools take `fixed_tokens`.

    Besides them a summary and one long text must fit into what the reserve leaves.
    """
    return -(-fixed_tokens * 10 // 3 // 1_000) * 1_000


def _guess_told(info: ModelInfo) -> str:
    return (
        f"The context window of {info.name} is not known and taken as {info.context_window:,} tokens: "
        "%agent settings context_window N says how large it is."
    )


def window_problem(info: ModelInfo, fixed_tokens: int, file_tokens: int = 0) -> str:
    """What to tell of a window that is too small; empty when it is not.

    Of the `fixed_tokens` of system prompt and tools `file_tokens` come from files, which get their share
    of a window of any size: as far as they are within it, no other window would be better.
    """
    least = smallest_window(fixed_tokens - min(file_tokens, int(info.context_window * FILES_SHARE)))
    if info.context_window >= least:
        return ""
    return (
        f"The context window of {info.name} is {info.context_window:,} tokens; system prompt and tools take "
        f"{fixed_tokens:,}. Expect cut answers: the smallest window that works is {least:,} tokens."
    )
