"""The policy `pi`: nothing is shortened before it has to be summarised."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pi_notebook.agent.messages import Message, ToolCall
from pi_notebook.agent.tools import ToolResult
from pi_notebook.context.compaction.numbers import CompactionNumbers
from pi_notebook.context.compaction.plan import CompactionPlan, plan_compaction
from pi_notebook.context.compaction.prompts import SummaryPrompts
from pi_notebook.context.items import ContextItem
from pi_notebook.context.policies.bounds import Bounds, scaled
from pi_notebook.context.policies.own_numbers import own
from pi_notebook.context.policies.policy import Reattachment, Warnings
from pi_notebook.context.pruning import Pruning
from pi_notebook.context.tokens import DEFAULT_ENCODING


@dataclass(frozen=True, kw_only=True)
class PiPolicy:
    """Compacts near the limit, keeps recent tokens word for word and splits turns.

    Long output keeps its end, also after an error.
    """

    warn_at_percent: int = own(75, "you are told when the context is this full, of what it may hold")

    name = "pi"
    encoding = DEFAULT_ENCODING

    def label_chars(self, context_window: int) -> int | None:
        """None: no result has a name."""
        return None

    def result_ends(self, context_window: int) -> tuple[int, int]:
        """Those that a result keeps where it is larger than all that may be kept."""
        return 1_500, 1_500

    def bounds(self, wanted: Bounds, context_window: int) -> Bounds:
        """Those wanted where the window has room for them, and the end of what failed."""
        return replace(scaled(wanted, context_window), error_keep="tail")

    def repeated(
        self, call: ToolCall, result: ToolResult, items: Sequence[ContextItem]
    ) -> ContextItem | None:
        """Nothing: every result is given whole."""
        return None

    def view(self, messages: Sequence[Message]) -> Sequence[Message]:
        """The messages of one request: all of them."""
        return messages

    def trigger(self, numbers: CompactionNumbers) -> int:
        """The window less the reserve."""
        return numbers.threshold

    def prunings(
        self, items: Sequence[ContextItem], *, tokens: int, trigger: int, context_window: int
    ) -> Sequence[Pruning]:
        """None."""
        return ()

    def plan(
        self, items: Sequence[ContextItem], *, keep_recent_tokens: int, tokens_before: int
    ) -> CompactionPlan | None:
        """The cut by the recent budget."""
        return plan_compaction(items, keep_recent_tokens=keep_recent_tokens, tokens_before=tokens_before)

    def numbers(self, wanted: CompactionNumbers) -> CompactionNumbers:
        """Those wanted."""
        return wanted

    def summary_prompts(self) -> SummaryPrompts:
        """The sections that a person finds again in every summary."""
        return SummaryPrompts()

    def reattachment(self, context_window: int) -> Reattachment:
        """Nothing: the summary names the files."""
        return Reattachment()

    def warnings(self, trigger: int) -> Warnings:
        """The person is told, the model is not."""
        return Warnings(at_tokens=trigger * self.warn_at_percent // 100, tells_model=False)
