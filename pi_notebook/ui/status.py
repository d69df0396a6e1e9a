"""`%agent` and `%agent usage`: how the session stands, how full its context is, and what it has spent."""

from __future__ import annotations

from pi_notebook._version import __version__
from pi_notebook.context.policies import POLICY_MEANINGS
from pi_notebook.context.usage import Spending, spending
from pi_notebook.session.permissions import MODE_MEANINGS
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.session import AgentSession
from pi_notebook.ui.tables import Report


def status(runtime: AgentSessionRuntime, _: str) -> Report:
    """Model, mode, policy, session and how full the context is."""
    session = runtime.session
    return Report(
        header=("", "", ""),
        rows=(
            ("**model**", session.model.name, _model_note(session)),
            ("**mode**", session.mode, MODE_MEANINGS[session.mode]),
            ("**policy**", session.policy.name, POLICY_MEANINGS[session.policy.name]),
            ("**session**", session.id, str(session.path or "not written yet")),
            ("**context**", *_context(session)),
        ),
        footer=(f"pi-notebook {__version__} · `%agent help` lists what there is",),
    )


def _model_note(session: AgentSession) -> str:
    if session.model.name == "offline":
        return (
            "explores data by rule, without key or network; %agent model openai/NAME chooses a language model"
        )
    return f"from {session.settings.source('model')}"


def _context(session: AgentSession) -> tuple[str, str]:
    usage = session.upkeep.usage
    about = "about " if usage.is_estimate else ""
    bar = "█" * round(usage.percent / 5) + "░" * (20 - round(usage.percent / 5))
    return (
        f"{usage.percent:.1f} %",
        f"{bar} {about}{usage.tokens:,} of {usage.context_window:,} tokens"
        f"{_left(session)}{guess_note(session)}",
    )


def guess_note(session: AgentSession) -> str:
    """What stands behind the window of a model that nobody has described."""
    is_known = session.upkeep.info.window_is_known
    return "" if is_known else "; the window is a guess: %agent settings context_window N"


def _left(session: AgentSession) -> str:
    left = max(0, session.upkeep.trigger - session.upkeep.usage.tokens)
    return (
        f"; about {left:,} until older messages are summarised"
        if session.settings.get("compaction.enabled")
        else ""
    )


def usage(runtime: AgentSessionRuntime, _: str) -> Report:
    """What the session has spent, and how full the context is."""
    session = runtime.session
    spent = spending(session.branch.all_messages(), session.branch.summary_usages())
    rows = tuple(map(_spending_row, spent))
    return Report(
        lines=(f"context: {' '.join(_context(session))}",),
        header=("model", "requests", "input", "of it cached", "output", "cost"),
        rows=rows,
        footer=() if rows else ("Nothing was asked yet.",),
    )


def _spending_row(spent: Spending) -> tuple[str, ...]:
    if spent.uncounted == spent.requests:
        return (spent.model, f"{spent.requests}", "not told", "", "not told", "unknown")
    note = f" ({spent.uncounted} without figures)" if spent.uncounted else ""
    cost = f"${spent.cost:.4f}" if spent.cost else "unknown"
    input_tokens = f"{spent.input + spent.cached:,}"
    return (
        spent.model,
        f"{spent.requests}{note}",
        input_tokens,
        f"{spent.cached:,}",
        f"{spent.output:,}",
        cost,
    )
