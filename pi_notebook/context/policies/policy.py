"""What a context policy decides, and from what.

A policy is a short recipe over the functions of `context/`. It looks at what it is given, says what
is due and writes nothing: asking models, recording and telling people is the session's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from pi_notebook.agent.messages import Message, ToolCall
from pi_notebook.agent.tools import ToolResult
from pi_notebook.context.compaction.numbers import CompactionNumbers
from pi_notebook.context.compaction.plan import CompactionPlan
from pi_notebook.context.compaction.prompts import SummaryPrompts
from pi_notebook.context.encodings import EncodingName
from pi_notebook.context.items import ContextItem
from pi_notebook.context.policies.bounds import Bounds
from pi_notebook.context.pruning import Pruning


@dataclass(frozen=True, kw_only=True)
class Warnings:
    """When it is told that the context fills, and whom besides the person."""

    at_tokens: int
    tells_model: bool


@dataclass(frozen=True, kw_only=True)
class Reattachment:
    """What of the things in use is shown again after a compaction, at most."""

    count: int = 0
    """Variables and files."""
    tokens: int = 0
    """Of one of them, or of one skill."""
    total_tokens: int = 0
    """Of variables and files."""
    skill_tokens: int = 0
    """Of all skills."""


class ContextPolicy(Protocol):
    """How a context is kept within its window.

    Every method is pure: the same for the same input, so that the prefix of a request stays as it was.
    """

    @property
    def name(self) -> str:
        """As the person types it."""
        ...

    @property
    def encoding(self) -> EncodingName:
        """What tokens are counted with."""
        ...

    def label_chars(self, context_window: int) -> int | None:
        """Results at least this long carry a name that the model can manage them by; None gives none."""
        ...

    def result_ends(self, context_window: int) -> tuple[int, int]:
        """How many characters stay of the beginning and the end of a result that is shortened."""
        ...

    def bounds(self, wanted: Bounds, context_window: int) -> Bounds:
        """The bounds of single texts, from those that the settings want."""
        ...

    def repeated(
        self, call: ToolCall, result: ToolResult, items: Sequence[ContextItem]
    ) -> ContextItem | None:
        """The earlier result that stands for `result`, so that it need not be given again."""
        ...

    def view(self, messages: Sequence[Message]) -> Sequence[Message]:
        """The messages of one request, from those of the branch, whose calls and results are paired."""
        ...

    def trigger(self, numbers: CompactionNumbers) -> int:
        """A context of more tokens than this is compacted."""
        ...

    def prunings(
        self, items: Sequence[ContextItem], *, tokens: int, trigger: int, context_window: int
    ) -> Sequence[Pruning]:
        """The results to shorten now, in a context of `tokens`; they are recorded."""
        ...

    def plan(
        self, items: Sequence[ContextItem], *, keep_recent_tokens: int, tokens_before: int
    ) -> CompactionPlan | None:
        """What a compaction summarises and keeps; None when all is kept."""
        ...

    def numbers(self, wanted: CompactionNumbers) -> CompactionNumbers:
        """What a compaction leaves, keeps and may use, from what settings and window give."""
        ...

    def summary_prompts(self) -> SummaryPrompts:
        """What a model is asked for a summary with, of older history or of a branch that is left."""
        ...

    def reattachment(self, context_window: int) -> Reattachment:
        """What is shown again after a compaction."""
        ...

    def warnings(self, trigger: int) -> Warnings:
        """When it is told that the context fills."""
        ...
