"""The default policy, `notebook`: old results are shortened first, and summarised last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pi_notebook.agent.messages import Message, ToolCall
from pi_notebook.agent.tools import ToolResult
from pi_notebook.context.compaction.numbers import CompactionNumbers, bound_of_text, chars_in_window
from pi_notebook.context.compaction.plan import CompactionPlan, plan_compaction
from pi_notebook.context.compaction.prompts import SummaryPrompts
from pi_notebook.context.items import ContextItem
from pi_notebook.context.policies.bounds import Bounds, scaled
from pi_notebook.context.policies.own_numbers import own
from pi_notebook.context.policies.policy import Reattachment, Warnings
from pi_notebook.context.pruning import Pruning, PruningRules, prunings
from pi_notebook.context.repeats import find_repeated
from pi_notebook.context.tokens import DEFAULT_ENCODING


@dataclass(frozen=True, kw_only=True)
class NotebookPolicy:
    """Pi's compaction, put off by shortening old results and followed by what is in use.

    The kernel keeps the values and the session the words, so an old result can always be had again.
    """

    prune_at_percent: int = own(60, "old results are shortened when the context is this full")
    prune_to_percent: int = own(40, "until it is this full")
    prune_least_percent: int = own(10, "unless that would free less than this")
    prune_keep_turns: int = own(3, "results of so many newest replies stay whole")
    prune_over_chars: int = own(
        4_000, "only longer results are shortened; less in a window below 64k", minimum=200
    )
    prune_head_chars: int = own(1_500, "what stays of their beginning")
    prune_tail_chars: int = own(1_500, "what stays of their end")
    stub_repeats: bool = own(True, "whether a repeated look at something unchanged only says so")
    label_over_chars: int = own(
        4_000, "results this long carry a name that manage_context takes; less in a window below 64k"
    )
    warn_at_percent: int = own(75, "you are told when the context is this full")
    warn_model: bool = own(True, "whether the model is told too")
    reattach_count: int = own(5, "variables and files in use that are shown again after a compaction")
    reattach_tokens: int = own(5_000, "how much of each, and of each skill in use")
    reattach_percent: int = own(10, "share of the window for all of them")
    reattach_skills_percent: int = own(10, "share of the window for the skills in use")

    name = "notebook"
    encoding = DEFAULT_ENCODING

    def label_chars(self, context_window: int) -> int | None:
        """From where on a result has a name."""
        return chars_in_window(self.label_over_chars, context_window)

    def result_ends(self, context_window: int) -> tuple[int, int]:
        """Those of a pruning."""
        return (
            chars_in_window(self.prune_head_chars, context_window),
            chars_in_window(self.prune_tail_chars, context_window),
        )

    def bounds(self, wanted: Bounds, context_window: int) -> Bounds:
        """Those wanted where the window has room for them."""
        return scaled(wanted, context_window)

    def repeated(
        self, call: ToolCall, result: ToolResult, items: Sequence[ContextItem]
    ) -> ContextItem | None:
        """The same result, where it still stands whole."""
        return find_repeated(call, result, items) if self.stub_repeats else None

    def view(self, messages: Sequence[Message]) -> Sequence[Message]:
        """The messages of one request: all of them."""
        return messages

    def trigger(self, numbers: CompactionNumbers) -> int:
        """The window less the reserve."""
        return numbers.threshold

    def prunings(
        self, items: Sequence[ContextItem], *, tokens: int, trigger: int, context_window: int
    ) -> Sequence[Pruning]:
        """The oldest long results, in one batch."""
        head, tail = self.result_ends(context_window)
        rules = PruningRules(
            at_tokens=trigger * self.prune_at_percent // 100,
            to_tokens=trigger * self.prune_to_percent // 100,
            least_tokens=trigger * self.prune_least_percent // 100,
            keep_turns=self.prune_keep_turns,
            over_chars=chars_in_window(self.prune_over_chars, context_window),
            head_chars=head,
            tail_chars=tail,
        )
        return prunings(items, tokens=tokens, rules=rules)

    def plan(
        self, items: Sequence[ContextItem], *, keep_recent_tokens: int, tokens_before: int
    ) -> CompactionPlan | None:
        """The cut by the recent budget, between turns where that is near."""
        return plan_compaction(
            items,
            keep_recent_tokens=keep_recent_tokens,
            tokens_before=tokens_before,
            spares_turns=True,
        )

    def numbers(self, wanted: CompactionNumbers) -> CompactionNumbers:
        """Those wanted."""
        return wanted

    def summary_prompts(self) -> SummaryPrompts:
        """The sections that a person finds again in every summary."""
        return SummaryPrompts()

    def reattachment(self, context_window: int) -> Reattachment:
        """Variables and files used last, and the skills that were read."""
        return Reattachment(
            count=self.reattach_count,
            tokens=bound_of_text(self.reattach_tokens, context_window),
            total_tokens=context_window * self.reattach_percent // 100,
            skill_tokens=context_window * self.reattach_skills_percent // 100,
        )

    def warnings(self, trigger: int) -> Warnings:
        """Person and model are told."""
        return Warnings(at_tokens=trigger * self.warn_at_percent // 100, tells_model=self.warn_model)
