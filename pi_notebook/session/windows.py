"""Context windows that were learnt from providers, for models of which only a guess was known."""

from __future__ import annotations

from dataclasses import replace

from pi_notebook.agent.protocols import ModelInfo
from pi_notebook.errors import ContextOverflowError
from pi_notebook.session.branch import Branch

_LEAST_TOKENS = 1_000
"""A smaller number in an error is no window."""


class LearntWindows:
    """The windows that the session's branch records, as a value of its own for each model."""

    def __init__(self, branch: Branch) -> None:
        self._branch = branch

    def known(self, info: ModelInfo) -> ModelInfo:
        """`info` with the window that was learnt, where it had only a guess."""
        if info.window_is_known:
            return info
        window = self._branch.values.get(_name(info))
        if not isinstance(window, int) or window < _LEAST_TOKENS:
            return info
        return replace(info, context_window=window, window_is_known=True)

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


def _name(info: ModelInfo) -> str:
    return f"context_window@{info.name}"


def smallest_window(fixed_tokens: int) -> int:
    """The smallest window in which a session works whose system prompt and tools take `fixed_tokens`.

    Besides them a summary and one long text must fit into what the reserve leaves.
    """
    return -(-fixed_tokens * 10 // 3 // 1_000) * 1_000


def guess_told(info: ModelInfo) -> str:
    """What to tell of a window that is a guess, when the context comes near it."""
    return (
        f"The context window of {info.name} is not known and taken as {info.context_window:,} tokens: "
        "%agent settings context_window N says how large it is."
    )


def window_problem(info: ModelInfo, fixed_tokens: int) -> str:
    """What to tell of a window that is too small; empty when it is not."""
    least = smallest_window(fixed_tokens)
    if info.context_window >= least:
        return ""
    return (
        f"The context window of {info.name} is {info.context_window:,} tokens; system prompt and tools take "
        f"{fixed_tokens:,}. Expect cut answers: the smallest window that works is {least:,} tokens."
    )
