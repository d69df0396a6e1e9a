"""`%agent context`: what a request is made of, drawn to scale, and what changed from one to another.

The page stands on its own: no script, nothing loaded, every text escaped, colours that are seen on a
light and on a dark page. Its plain twin says the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from pi_notebook.agent.messages import AssistantMessage, Message, text_of
from pi_notebook.context.amounts import count_of
from pi_notebook.context.composition import Category, Share
from pi_notebook.context.items import ContextItem
from pi_notebook.context.requests import Difference, MeasuredRequest, difference
from pi_notebook.errors import UsageError
from pi_notebook.session.past_requests import SessionRequests
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.setting import shortened
from pi_notebook.ui.context_page import COLOURS, Cell, bar, page, table
from pi_notebook.ui.inspector import widget_view
from pi_notebook.ui.tables import Report

MAX_ITEMS = 15
"""Of a list of messages, the largest."""
_EXCERPT_CHARS = 80
_BAR_CHARS = 50
_NOW = "now"
_MOST_DIGITS = 9

NAMES: dict[Category, str] = {
    "system_prompt": "system prompt",
    "instructions": "instructions",
    "skills": "skills index",
    "tool_definitions": "tool definitions",
    "summaries": "summaries",
    "ledger": "ledger",
    "user": "your prompts",
    "program": "notes of the program",
    "retrieved": "found by hooks",
    "previews": "previews",
    "images": "images",
    "assistant": "answers",
    "thinking": "thinking",
    "tool_calls": "tool calls",
    "tool_results": "tool results",
}


@dataclass(frozen=True, kw_only=True)
class ContextReport(Report):
    """A report with a page of its own in place of markdown."""

    html: str = ""
    view: Callable[[], Mapping[str, Any]] = dict
    """Gives the same as a widget, where there is one."""

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        return {"text/html": self.html, "text/plain": self.plain, **self.view()}


def context(runtime: AgentSessionRuntime, rest: str) -> Report:
    """The next request, a past one by its number, or two compared; without one, a widget of all."""
    if not rest:
        return inspected_context(runtime)
    requests = SessionRequests(runtime.session)
    wanted = [_number(word, requests) for word in rest.split()]
    if len(wanted) > 2:
        raise UsageError("%agent context takes one number of a request, or two to compare.")
    if len(wanted) < 2:
        return _request_report(_title(wanted[0], requests), requests.measured(wanted[0]))
    earlier, later = sorted(wanted, key=lambda number: number or requests.count + 1)
    if earlier is None or earlier == later:
        raise UsageError("These are the same request. Name two different ones.")
    found = difference(requests.measured(earlier), requests.measured(later))
    compactions, edits = requests.recorded_between(earlier, later)
    between = [count_of(compactions, "compaction"), f"{count_of(edits, 'edit')} of the context"]
    return _difference_report(
        f"{_title(earlier, requests)} → {_title(later, requests)}",
        found,
        f"recorded between: {', '.join(between)}",
    )


def inspected_context(runtime: AgentSessionRuntime) -> ContextReport:
    """The next request as a page, and every request of the session in the inspector's widget."""
    requests = SessionRequests(runtime.session)
    report = _request_report(_title(None, requests), requests.next())
    return replace(report, view=partial(widget_view, runtime, runtime.services.shell))


def _number(word: str, requests: SessionRequests) -> int | None:
    """The number of a past request; None for the next one."""
    if word == _NOW:
        return None
    if not word.isdecimal() or len(word) > _MOST_DIGITS:
        some = f"a number from 1 to {requests.count}, or {_NOW}"
        there = some if requests.count else f"{_NOW}: none was sent yet"
        raise UsageError(f"A request is {there}; not {shortened(word)}.")
    return int(word)


def _title(number: int | None, requests: SessionRequests) -> str:
    return "the next request" if number is None else f"request {number} of {requests.count}"


def _request_report(title: str, found: MeasuredRequest) -> ContextReport:
    lines = (f"{title} · {found.model} · {_size(found)}", _room(found))
    rows = [*_share_rows(found), *_room_rows(found)]
    largest = [_item_row(item) for item in found.largest[:MAX_ITEMS]]
    more = _left_out(len(found.items))
    header = ("part", "tokens", "of the window", "of the request")
    items_header = ("largest messages", "tokens", "entry")
    html = page(
        lines,
        bar(_segments(found), window=found.context_window, mark=found.trigger),
        table(header, rows),
        table(items_header, largest, footer=more),
    )
    return ContextReport(
        lines=(*lines, _text_bar(found)),
        header=header,
        rows=tuple(tuple(cell.plain for cell in row) for row in rows),
        parts=(_plain_part(items_header, largest, more),) if largest else (),
        html=html,
    )


def _difference_report(title: str, found: Difference, between: str) -> ContextReport:
    kept = f"{100 * found.kept_share:.0f} % of the earlier one is the beginning of the later one"
    sizes = f"{_size(found.earlier)} → {_size(found.later)}"
    lines = (title, sizes, f"{kept}: {count_of(found.kept_messages, 'message')} · {between}")
    rows = list(_change_rows(found))
    header = ("part, as estimated", "before", "after", "change")
    new = sorted(found.added, key=lambda item: item.tokens, reverse=True)
    gone = sorted(found.gone, key=lambda item: item.tokens, reverse=True)
    lists = [
        ((name, "tokens", "entry"), [_item_row(item) for item in items[:MAX_ITEMS]], _left_out(len(items)))
        for name, items in (("new or changed", new), ("no longer there", gone))
        if items
    ]
    html = page(
        lines,
        *(
            bar(_segments(one), window=one.context_window, mark=one.trigger)
            for one in (found.earlier, found.later)
        ),
        table(header, rows),
        *(table(names, items, footer=more) for names, items, more in lists),
    )
    return ContextReport(
        lines=(*lines, _text_bar(found.earlier), _text_bar(found.later)),
        header=header,
        rows=tuple(tuple(cell.plain for cell in row) for row in rows),
        parts=tuple(_plain_part(*one) for one in lists),
        html=html,
    )


def _size(found: MeasuredRequest) -> str:
    share = f"{_percent(found.tokens, found.context_window)}"
    by = "estimated" if found.is_estimate else "as the provider counted"
    return f"{found.tokens:,} of {found.context_window:,} tokens ({share}), {by}"


def _room(found: MeasuredRequest) -> str:
    if found.tokens > found.trigger:
        return f"over {found.trigger:,} tokens, from where on the context is compacted"
    return f"{found.free:,} tokens until it is compacted, at {found.trigger:,}"


def _share_rows(found: MeasuredRequest) -> Iterator[Sequence[Cell]]:
    """A row for each category, and below it one for each name where there are several."""
    groups: dict[Category, list[Share]] = {}
    for share in found.composition.shares:
        groups.setdefault(share.category, []).append(share)
    for category, shares in groups.items():
        tokens, name = sum(share.tokens for share in shares), NAMES[category]
        if len(shares) == 1 and shares[0].name:
            name = f"{name} ({shares[0].name})"
        yield _row(found, name, tokens, sum(share.count for share in shares), category)
        if category == "tool_definitions" or len(shares) == 1:
            continue
        for share in sorted(shares, key=lambda one: one.tokens, reverse=True):
            yield _row(found, share.name, share.tokens, share.count, category, is_part=True)


def _row(
    found: MeasuredRequest, name: str, tokens: int, count: int, category: Category, *, is_part: bool = False
) -> Sequence[Cell]:
    times = f" × {count:,}" if count > 1 else ""
    share = tokens / found.tokens if found.tokens else 0.0
    return (
        Cell(text=f"{name}{times}", colour="" if is_part else COLOURS[category], is_part=is_part),
        Cell(text=f"{tokens:,}", is_number=True),
        Cell(text=_percent(tokens, found.context_window), is_number=True),
        Cell(text="", share=share, colour=COLOURS[category], is_part=is_part),
    )


def _room_rows(found: MeasuredRequest) -> Iterator[Sequence[Cell]]:
    for name, tokens in (("free", found.free), ("reserve for the reply", found.reserve)):
        yield (
            Cell(text=name, is_faint=True),
            Cell(text=f"{tokens:,}", is_number=True, is_faint=True),
            Cell(text=_percent(tokens, found.context_window), is_number=True, is_faint=True),
            Cell(text=""),
        )


def _change_rows(found: Difference) -> Iterator[Sequence[Cell]]:
    before, after = found.earlier.estimate.by_category(), found.later.estimate.by_category()
    for category, name in NAMES.items():
        old, new = before.get(category, 0), after.get(category, 0)
        if old or new:
            yield _change_row(name, old, new, COLOURS[category])
    yield _change_row("in all", found.earlier.estimate.tokens, found.later.estimate.tokens, "")


def _change_row(name: str, old: int, new: int, colour: str) -> Sequence[Cell]:
    change = f"{new - old:+,}" if new != old else "="
    return (
        Cell(text=name, colour=colour),
        Cell(text=f"{old:,}", is_number=True),
        Cell(text=f"{new:,}", is_number=True),
        Cell(text=change, is_number=True),
    )


def _item_row(item: ContextItem) -> Sequence[Cell]:
    said = _excerpt(item.message)
    return (
        Cell(text=f"{item.name}: {said}" if said else item.name),
        Cell(text=f"{item.tokens:,}", is_number=True),
        Cell(text=item.entry_id, is_faint=True),
    )


def _excerpt(message: Message) -> str:
    text = text_of(message)
    if isinstance(message, AssistantMessage) and message.tool_calls:
        text = f"{text} → {', '.join(call.name for call in message.tool_calls)}"
    line = " ".join(text[: 20 * _EXCERPT_CHARS].split())
    return line if len(line) <= _EXCERPT_CHARS else f"{line[: _EXCERPT_CHARS - 1]}…"


def _left_out(count: int) -> str:
    return f"and {count - MAX_ITEMS:,} smaller ones" if count > MAX_ITEMS else ""


def _segments(found: MeasuredRequest) -> list[tuple[str, int, str]]:
    """Name, tokens and colour of each stretch of the bar."""
    return [(NAMES[name], tokens, COLOURS[name]) for name, tokens in found.composition.by_category().items()]


def _text_bar(found: MeasuredRequest) -> str:
    """The bar in characters: used, free up to the trigger, and the reserve behind it."""
    whole = max(found.tokens, found.context_window, 1)
    used = round(_BAR_CHARS * found.tokens / whole)
    until = max(used, round(_BAR_CHARS * found.trigger / whole))
    return f"{'█' * used}{'░' * (until - used)}|{'▒' * (_BAR_CHARS - until)}"


def _plain_part(header: Sequence[str], rows: Sequence[Sequence[Cell]], footer: str) -> Report:
    return Report(
        header=tuple(header),
        rows=tuple(tuple(cell.plain for cell in row) for row in rows),
        footer=(footer,) if footer else (),
    )


def _percent(tokens: int, window: int) -> str:
    return f"{100 * tokens / window:.1f} %" if window else ""
