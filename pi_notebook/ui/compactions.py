"""`%agent compact` and `%agent compactions`: making room in the context, and what was summarised so far."""

from __future__ import annotations

import concurrent.futures

from pi_notebook.agent.abort import Aborted
from pi_notebook.agent.entries import CompactionEntry
from pi_notebook.kernel.blocking import BlockingCellExecutor
from pi_notebook.session.background import background
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.session import AgentSession
from pi_notebook.ui.inspection.timeline import written_by
from pi_notebook.ui.tables import Report, when

_SUMMARY_CHARS = 200


def compact(runtime: AgentSessionRuntime, focus: str) -> Report:
    """Summarise what is old; `focus` is what the summary should look after."""
    session = runtime.session
    if session.is_answering:  # the run may need this thread before it comes to that
        background.submit(session.compact(focus)).add_done_callback(_look_at)
        return Report(lines=("A run is on: the conversation is summarised before its next request.",))
    try:
        entry = _compacted(session, focus)
    except (Aborted, KeyboardInterrupt):
        session.abort()
        return Report(lines=("Stopped. The context is as it was.",))
    return Report(lines=(" · ".join(filter(None, (_sizes(entry), _by(entry)))), "", entry.summary))


def _compacted(session: AgentSession, focus: str) -> CompactionEntry:
    """The compaction, for which this thread is lent so that variables can be looked at."""
    shell = session.services.shell
    if shell is None:
        return background.run(session.compact(focus))
    executor = BlockingCellExecutor(shell, on_interrupt=session.abort)
    with executor:  # before it begins: an interrupt may come at once
        return executor.lend(background.submit(session.compact(focus, executor=executor)))


def compactions(runtime: AgentSessionRuntime, _: str) -> Report:
    """The compactions of this branch, oldest first."""
    rows = tuple(
        (f"`{entry.id}`", when(entry.timestamp), _sizes(entry), _by(entry), _start(entry.summary))
        for entry in runtime.session.store.branch().of_kind("compaction")
        if isinstance(entry, CompactionEntry)
    )
    if not rows:
        return Report(lines=("Nothing was compacted yet: the model sees the whole conversation.",))
    return Report(header=("entry", "when", "tokens", "by", "summary"), rows=rows)


def _look_at(compacting: concurrent.futures.Future[CompactionEntry]) -> None:
    """What went wrong has been told where the run is shown."""
    if not compacting.cancelled():
        compacting.exception()


def _sizes(entry: CompactionEntry) -> str:
    after = _detail(entry, "tokensAfter")
    told = f"{entry.tokens_before:,} tokens"
    return f"{entry.tokens_before:,} → {after:,} tokens" if isinstance(after, int) and after else told


def _by(entry: CompactionEntry) -> str:
    who = {"model": _detail(entry, "model"), "program": "listed by the program", "hook": "given by a hook"}
    seconds = _detail(entry, "seconds")
    took = f"{seconds:.1f} s" if isinstance(seconds, float) else ""
    return ", ".join(str(one) for one in (who.get(written_by(entry)), took) if one)


def _detail(entry: CompactionEntry, name: str) -> object:
    return entry.details.get(name) if isinstance(entry.details, dict) else None


def _start(summary: str) -> str:
    line = " ".join(summary.split())
    return line if len(line) <= _SUMMARY_CHARS else f"{line[: _SUMMARY_CHARS - 1]}…"
