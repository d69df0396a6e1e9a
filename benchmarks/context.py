"""What the context costs: one more request of a long session, planning a compaction, counting tokens."""

from __future__ import annotations

import os
from collections.abc import Iterator

from benchmarks.data import in_process
from benchmarks.row import Row
from benchmarks.sessions import ENTRIES
from tests.provider import Provider, text

TOKENS = 150_000


def context() -> Iterator[Row]:
    """Each figure in a process of its own."""
    found = _measured("following", str(ENTRIES))
    name = f"[{ENTRIES:,} entries, never compacted]"
    yield _row(f"context.one_more_request{name}", found, "request", "request_anew", target="<= 5")
    yield _row(f"context.compaction_plan{name}", found, "plan", "plan_anew", target="<= 40")
    yield from _overhead()
    found = _measured("counting")
    yield _row("context.tokens[50 KB]", found, "first", target="<= 10")
    yield _row("context.tokens[50 KB, seen before]", found, "again", target="<= 0.5")


def _overhead() -> Iterator[Row]:
    """Keeping the context, building a request and sending it, against the bare call of the same messages."""
    with Provider(text("ok")) as provider:
        env = {
            "OPENAI_API_KEY": "k",
            "OPENAI_API_BASE": provider.base_url,
            "PI_NOTEBOOK_MODEL": "openai/test",
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        }
        before = dict(os.environ)
        os.environ.update(env)
        try:
            found = _measured("sending", str(TOKENS))
        finally:
            os.environ.clear()
            os.environ.update(before)
    yield Row(
        name=f"context.request_overhead[{TOKENS:,} tokens]",
        value=1000 * (found["ours"] - found["bare"]),
        unit="ms",
        baseline=round(1000 * found["bare"], 3),
        target="<= 10",
    )


def _row(name: str, found: dict[str, float], key: str, baseline: str = "", *, target: str) -> Row:
    return Row(
        name=name,
        value=1000 * found[key],
        unit="ms",
        baseline=round(1000 * found[baseline], 3) if baseline else None,
        target=target,
    )


def _measured(*arguments: str) -> dict[str, float]:
    return in_process(*arguments, module="benchmarks.in_context")
