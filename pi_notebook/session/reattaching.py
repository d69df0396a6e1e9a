"""Showing again, after a compaction, what the work goes on with: as it is now, not as it was."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from pi_notebook.agent.messages import CustomMessage, Message, ToolResultMessage
from pi_notebook.context.call_record import LEDGER_TYPE
from pi_notebook.context.ledger import Ledger, records_of
from pi_notebook.context.policies.policy import Reattachment
from pi_notebook.context.previews.budget import cut_to_fit
from pi_notebook.context.pruning import SAME_AS, detail
from pi_notebook.context.reattaching import (
    InUse,
    reattached_message,
    shows_the_same,
    skills_in_use,
    things_in_use,
)
from pi_notebook.context.tokens import message_tokens
from pi_notebook.kernel.executor import CodeExecutor
from pi_notebook.session.attachments import shown
from pi_notebook.session.branch import Branch
from pi_notebook.tools.needs import WorkingFolder

_SECONDS = 5.0
"""For one thing: a kernel that is busy is not waited for."""
_LEAST_TOKENS = 100
_AROUND_TOKENS = 40
"""Of the words around what is shown."""


async def reattached(
    branch: Branch, kept: Sequence[Message], *, rules: Reattachment, resources: Mapping[type, Any]
) -> list[CustomMessage]:
    """What is shown again beside the messages `kept`: skills, then what was used last, newest at the end."""
    whole, messages = _files_in(kept), branch.messages
    read = _missing(skills_in_use(messages), whole, resources)
    skills = await _shown(read, rules.tokens, rules.skill_tokens, resources)
    if rules.count == 0:
        return skills[::-1]
    records = records_of(branch.store.branch().of_kind(f"custom:{LEDGER_TYPE}"))
    things = await _shown(
        _missing(things_in_use(records, messages), whole, resources),
        rules.tokens,
        rules.total_tokens,
        resources,
        most=rules.count,
        is_told=partial(_is_told, kept, Ledger(records)),
    )
    return [*skills[::-1], *things[::-1]]


async def _shown(
    things: Iterable[InUse],
    max_tokens: int,
    total_tokens: int,
    resources: Mapping[type, Any],
    *,
    most: int = sys.maxsize,
    is_told: Callable[[InUse, str], bool] = lambda thing, text: False,
) -> list[CustomMessage]:
    """The first of `things` that can be shown now and are not told already, as far as there is room."""
    found: list[CustomMessage] = []
    for thing in things:
        room = min(max_tokens, total_tokens) - _AROUND_TOKENS
        if room < _LEAST_TOKENS or len(found) == most:
            break
        text = await _text(thing, resources)
        if text and not is_told(thing, text):
            message = reattached_message(thing, cut_to_fit(text, room))
            found.append(message)
            total_tokens -= message_tokens(message)
    return found


def _is_told(kept: Sequence[Message], ledger: Ledger, thing: InUse, text: str) -> bool:
    """Whether a result in `kept` shows the variable `thing` as it is now, as `text` does or nearly so far."""
    state = ledger.variables.get(thing.name) if thing.kind == "variable" else None
    if state is None:
        return False
    results = [message for message in kept if isinstance(message, ToolResultMessage)]
    changed = next((n for n, one in enumerate(results) if one.tool_call_id == state.call_id), 0)
    return any(shows_the_same(result.text, text) for result in results[changed:] if not result.is_error)


async def _text(thing: InUse, resources: Mapping[type, Any]) -> str | None:
    try:
        looking = shown(thing.name, "variable" if thing.kind == "variable" else "file", resources)
        return await asyncio.wait_for(looking, _SECONDS)
    except asyncio.TimeoutError:
        return None


def _missing(things: Iterable[InUse], whole: set[str], resources: Mapping[type, Any]) -> Iterator[InUse]:
    """Those of `things` that are not in the kept messages and that can be looked at here."""
    folder: Path = resources[WorkingFolder].path
    for thing in things:
        if thing.kind == "variable":
            if CodeExecutor in resources:
                yield thing
        elif str(folder / thing.name) not in whole:
            yield thing


def _files_in(messages: Iterable[Message]) -> set[str]:
    """The files whose text stands in `messages`."""
    paths = (
        detail(message, "path")
        for message in messages
        if isinstance(message, ToolResultMessage)
        and message.tool_name == "read"
        and not message.is_error
        and not detail(message, SAME_AS)
    )
    return {path for path in paths if isinstance(path, str)}
