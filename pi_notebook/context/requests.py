"""One request of a session as a person looks at it: its parts, its size and its room; and two compared.

What a request holds is told by a `Projection` of the entries before it, so a past one is looked at in
the same way as the next one. Which entries these are is told in `session/past_requests`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile

from pi_notebook.context.composition import Category, Composition, Share, composition_of, parts_of
from pi_notebook.context.items import ContextItem, as_seen
from pi_notebook.context.projection import Projection


@dataclass(frozen=True, kw_only=True)
class MeasuredRequest:
    """A request, measured."""

    model: str
    composition: Composition
    """Adds up to `tokens`."""
    estimate: Composition
    """The same as estimated, whatever a provider counted: to be compared with that of another request."""
    is_estimate: bool
    """True when no provider has counted any part of it."""
    context_window: int
    trigger: int
    """A context of more tokens than this is compacted; what is beyond is kept for the reply."""
    head: tuple[Share, ...]
    """What comes before the messages, as estimated."""
    items: Sequence[ContextItem]
    """The messages, in the order they are sent."""

    @property
    def tokens(self) -> int:
        """All of it: what a compaction is decided by."""
        return self.composition.tokens

    @property
    def free(self) -> int:
        """What may be added before the context is compacted."""
        return max(0, self.trigger - self.tokens)

    @property
    def reserve(self) -> int:
        """What is kept free for the reply."""
        return max(0, self.context_window - max(self.tokens, self.trigger))

    @cached_property
    def sized_items(self) -> Sequence[ContextItem]:
        """The messages, each with its part of `tokens`."""
        head = sum(share.tokens for share in self.head)
        _, *sizes = parts_of(self.tokens, [head, *(item.tokens for item in self.items)])
        pairs = zip(self.items, sizes, strict=True)
        return [item.sized(tokens) for item, tokens in pairs]

    @property
    def largest(self) -> list[ContextItem]:
        """The messages, each with its part of `tokens`, the largest first."""
        return sorted(self.sized_items, key=lambda item: item.tokens, reverse=True)


def measured_request(
    projection: Projection,
    *,
    model: str,
    head: Sequence[Share],
    tokens: int,
    is_estimate: bool,
    context_window: int,
    trigger: int,
    sees_images: bool = True,
) -> MeasuredRequest:
    """The request that sends `projection` now, of `tokens` in all; its estimated parts are scaled to them."""
    shares = [share for share in projection.shares if sees_images or share.category != "images"]
    estimate = composition_of([*head, *shares])
    return MeasuredRequest(
        model=model,
        composition=estimate.scaled(tokens),
        estimate=estimate,
        is_estimate=is_estimate,
        context_window=context_window,
        trigger=trigger,
        head=tuple(head),
        items=as_seen(projection.paired_items, sees_images=sees_images),
    )


@dataclass(frozen=True, kw_only=True)
class Difference:
    """What a later request has that an earlier one had not, and the reverse."""

    earlier: MeasuredRequest
    later: MeasuredRequest
    kept_messages: int
    """So many messages at the start are the same in both."""
    kept_share: float
    """The part of the earlier one, by tokens, that the later one begins with: what a cache saves."""

    @property
    def added(self) -> Sequence[ContextItem]:
        """The messages of the later one that are not kept from the start, each with its part of that one."""
        return self.later.sized_items[self.kept_messages :]

    @property
    def gone(self) -> Sequence[ContextItem]:
        """The messages of the earlier one of which the later one has none the same, sized as parts of it."""
        entries = {item.entry_id for item in self.later.items}
        left = self.earlier.sized_items[self.kept_messages :]
        return [item for item in left if item.entry_id not in entries]

    @property
    def by_category(self) -> dict[Category, int]:
        """How many tokens more each category is estimated to have; negative where there are fewer."""
        before, after = (one.estimate.by_category() for one in (self.earlier, self.later))
        found = {name: after.get(name, 0) - before.get(name, 0) for name in before | after}
        return {name: tokens for name, tokens in found.items() if tokens}


def difference(earlier: MeasuredRequest, later: MeasuredRequest) -> Difference:
    """What changed from `earlier` to `later`."""
    same = earlier.head == later.head
    pairs = zip(earlier.items, later.items, strict=False) if same else ()
    kept = sum(1 for _ in takewhile(lambda pair: pair[0].message == pair[1].message, pairs))
    head_tokens = sum(share.tokens for share in earlier.head)
    before = head_tokens + sum(item.tokens for item in earlier.items)
    shared = head_tokens + sum(item.tokens for item in earlier.items[:kept]) if same else 0
    return Difference(
        earlier=earlier,
        later=later,
        kept_messages=kept,
        kept_share=shared / before if before else 1.0,
    )
