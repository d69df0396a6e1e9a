"""The tags of a question with the filters and groups found among them, to be used up by a rule.

A rule takes the tags it answers, and what remains at the end says that the question asks for more
than the rule gives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from pi_notebook.models.offline.query import Filter, Group, Unclear
from pi_notebook.models.offline.question.tags import Tag
from pi_notebook.models.offline.schema import Column, Schema

_FREE = frozenset({"stop", "frame", "mark", "and", "where", "ask", "rows", "noun"})
"""Kinds that may be left over: they change no answer."""


class UnclearError(Exception):
    """Leaves a rule; never leaves `question`."""

    def __init__(self, unclear: Unclear) -> None:
        super().__init__(unclear.reason)
        self.unclear = unclear


def unclear(reason: str, words: Iterable[str] = ()) -> UnclearError:
    return UnclearError(Unclear(reason=reason, words=tuple(dict.fromkeys(words))))  # type: ignore[arg-type]


@dataclass
class Reading:
    """Tags not yet used, with the filters and groups found among them."""

    schema: Schema
    tags: list[Tag]
    filters: list[Filter] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)
    readings: list[tuple[str, str]] = field(default_factory=list)
    row_noun: str | None = None

    def has(self, kind: str, *values: object) -> bool:
        return any(tag.kind == kind and (not values or tag.value in values) for tag in self.tags)

    def take(self, kind: str, *values: object) -> list[Tag]:
        """Remove and give the tags of `kind`, with one of `values` if any are given."""
        taken = [tag for tag in self.tags if tag.kind == kind and (not values or tag.value in values)]
        self.tags = [tag for tag in self.tags if tag not in taken]
        return taken

    def take_one(self, kind: str, *values: object) -> Tag | None:
        taken = self.take(kind, *values)
        if len({str(tag.value) for tag in taken}) > 1:
            raise unclear("words", [tag.text for tag in taken])
        return taken[0] if taken else None

    def take_columns(self, fits: Callable[[Column], bool]) -> tuple[Column, ...]:
        """Remove the column tags that can mean a fitting column, and give those columns."""
        found = []
        for tag in [tag for tag in self.tags if tag.kind == "column"]:
            if any(fits(column) for column in tag.columns):
                found.append(self.settle(tag, fits))
                self.tags.remove(tag)
        return tuple(dict.fromkeys(found))

    def settle(self, tag: Tag, fits: Callable[[Column], bool] = lambda column: True) -> Column:
        """The one column that `tag` means."""
        fitting = [column for column in tag.columns if fits(column)] or list(tag.columns)
        if len(fitting) > 1:
            raise unclear("ambiguous", [tag.text, *(column.name for column in fitting)])
        column = fitting[0]
        if not tag.is_exact:
            self.readings.append((tag.text, column.name))
        return column

    def need_empty(self) -> None:
        """Refuse a question of which words are left that no rule used."""
        left = [tag for tag in self.tags if tag.kind not in _FREE]
        if left:
            raise unclear("words", [tag.text for tag in left])


def group_of(reading: Reading, tag: Tag) -> Group:
    """The group a column or a part of the only date means."""
    if tag.kind == "column":
        return Group(column=reading.settle(tag, lambda c: c.is_category or c.role in ("text", "bool")))
    return Group(column=the_date(reading), part=tag.value)


def the_date(reading: Reading) -> Column:
    """The date column named, else the only one."""
    named = [
        column for tag in reading.tags if tag.kind == "column" for column in tag.columns if column.is_date
    ]
    dates = tuple(dict.fromkeys(named)) or reading.schema.dates
    if len(dates) != 1:
        raise unclear("ambiguous" if dates else "no_date", [column.name for column in dates])
    return dates[0]


def drop_dates(reading: Reading) -> None:
    """Forget the date columns named, once their use is settled."""
    reading.take_columns(lambda column: column.is_date)
