"""What a compaction costs before a model is asked, and after it has answered."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterator, Sequence
from time import process_time

from benchmarks.row import Row, median
from benchmarks.session_files import session_entries
from pi_notebook.agent.protocols import ModelInfo
from pi_notebook.context.compaction.kept import kept_tokens, shortened_results
from pi_notebook.context.compaction.numbers import compaction_numbers
from pi_notebook.context.compaction.plan import CompactionPlan, plan_compaction
from pi_notebook.context.compaction.summarising import summarise
from pi_notebook.context.items import ContextItem
from pi_notebook.context.projection import Projection

_ENTRIES = 100_000
_WINDOW = 200_000
_TIMES = 10


def compaction() -> Iterator[Row]:
    """Planning over a session that was never compacted, and the requests for a summary of a full window."""
    items = Projection(session_entries(_ENTRIES, 800, 0, random.Random(0))).items

    def planned() -> CompactionPlan | None:
        plan = plan_compaction(items, keep_recent_tokens=20_000, tokens_before=0)
        assert plan is not None
        kept_tokens(plan, shortened_results(plan))
        return plan

    yield Row(
        name=f"compaction.plan[{_ENTRIES:,} entries]",
        value=_milliseconds(planned, times=_TIMES),
        unit="ms",
        target="<= 40",
    )
    filled = items[: _place(items, _WINDOW)]
    plan = plan_compaction(filled, keep_recent_tokens=20_000, tokens_before=0)
    assert plan is not None
    yield Row(
        name=f"compaction.summary_request[{_WINDOW:,} tokens]",
        value=_milliseconds(lambda: asyncio.run(summarise(plan, _NUMBERS, _ask)), times=1),
        unit="ms",
        target="<= 400",
    )


_NUMBERS = compaction_numbers(
    ModelInfo(provider="p", id="m", api="a", context_window=_WINDOW, max_output_tokens=16_000)
)


async def _ask(prompt: str, *, max_tokens: int) -> str:
    return "## Goal\nsummary"


def _place(items: Sequence[ContextItem], tokens: int) -> int:
    for place, item in enumerate(items):
        tokens -= item.tokens
        if tokens < 0:
            return place
    return len(items)


def _milliseconds(doing: Callable[[], object], *, times: int) -> float:
    """CPU time of one call, whatever else the machine does."""
    found = []
    for _ in range(times):
        begun = process_time()
        doing()
        found.append(1000 * (process_time() - begun))
    return median(found)
