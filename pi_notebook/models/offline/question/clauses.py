"""The clauses of a question taken out of its tags: units, filters, groups."""

from __future__ import annotations

from collections.abc import Sequence

from pi_notebook.models.offline.question.columns import unit_of
from pi_notebook.models.offline.question.filters import (
    join_values,
    take_number_filters,
    take_times,
    take_values,
)
from pi_notebook.models.offline.question.reading import Reading, drop_dates, group_of, unclear
from pi_notebook.models.offline.question.tags import Tag
from pi_notebook.models.offline.schema import Schema


def build_reading(tags: Sequence[Tag], schema: Schema) -> Reading:
    """The reading of `tags`, its filters and groups already taken out."""
    check_known(tags)
    reading = Reading(schema=schema, tags=[tag for tag in tags if tag.kind not in ("stop", "frame", "mark")])
    reading.row_noun = next((tag.text for tag in reading.tags if tag.kind == "noun"), None)
    for step in (_drop_units, take_number_filters, take_times, take_values, join_values, _take_groups):
        step(reading)
    return reading


def check_known(tags: Sequence[Tag]) -> None:
    """Refuse unknown words and negations: both turn answers into their opposite unseen."""
    bad = [tag.text for tag in tags if tag.kind in ("unknown", "negation")]
    if bad:
        raise unclear("words", bad)


def _drop_units(reading: Reading) -> None:
    """A unit is agreed with where the column named before it has it; any other would need converting."""
    units = [tag for tag in reading.tags if tag.kind == "unit"]
    known = {unit_of(column) for tag in reading.tags if tag.kind == "column" for column in tag.columns}
    wrong = [tag.text for tag in units if tag.value not in known]
    if wrong:
        raise unclear("words", wrong)
    reading.tags = [tag for tag in reading.tags if tag.kind != "unit"]


def _take_groups(reading: Reading) -> None:
    """What follows "by": columns and parts of dates, joined by "and"."""
    position = 0
    while position < len(reading.tags):
        if reading.tags[position].kind != "by":
            position += 1
            continue
        following = reading.tags[position + 1] if position + 1 < len(reading.tags) else None
        if following is not None and following.kind in ("rows", "noun", "by"):
            del reading.tags[position]
            continue
        end = _group_end(reading.tags, position + 1)
        for tag in reading.tags[position + 1 : end]:
            if tag.kind in ("column", "part"):
                reading.groups.append(group_of(reading, tag))
        if end > position + 1:
            del reading.tags[position:end]
        else:
            position += 1
    if any(group.part for group in reading.groups):
        drop_dates(reading)


def _group_end(tags: Sequence[Tag], position: int) -> int:
    end = position
    while end < len(tags) and tags[end].kind in ("column", "part"):
        end += 1
        if end + 1 < len(tags) and tags[end].kind == "and" and tags[end + 1].kind in ("column", "part"):
            end += 1
        else:
            break
    return end
