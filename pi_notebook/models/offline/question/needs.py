"""What rules ask of a reading: the columns they need, or the reason why there are none."""

from __future__ import annotations

import itertools

from pi_notebook.models.offline.question.reading import Reading, unclear
from pi_notebook.models.offline.schema import Column


def take_quantities(reading: Reading) -> tuple[Column, ...]:
    return reading.take_columns(lambda column: column.is_numeric)


def need_columns(reading: Reading, columns: tuple[Column, ...]) -> tuple[Column, ...]:
    """`columns`, which may not be none: say what stands in the way."""
    if columns:
        return columns
    named = [tag.text for tag in reading.tags if tag.kind == "column"]
    raise unclear("not_numeric" if named else "no_column", named)


def need_no_groups(reading: Reading) -> None:
    if reading.groups:
        raise unclear("unsupported", [group.name for group in reading.groups])


def need_one(columns: tuple[Column, ...]) -> tuple[Column, ...]:
    if len(columns) != 1 or not columns[0].is_numeric:
        raise unclear("no_column" if not columns else "unsupported", [column.name for column in columns])
    return columns


def need_two_at_most(columns: tuple[Column, ...]) -> tuple[Column, ...]:
    if len(columns) > 2:
        raise unclear("unsupported", [column.name for column in columns])
    return columns


def need_list(reading: Reading) -> None:
    """Refuse columns that are not listed side by side: "the age of survived" asks for rows, not for both."""
    places = [place for place, tag in enumerate(reading.tags) if tag.kind == "column"]
    for before, after in itertools.pairwise(places):
        if set(reading.tags[before].columns) & set(reading.tags[after].columns):
            continue  # "the mass of the body" is one column
        between = {tag.kind for tag in reading.tags[before + 1 : after]}
        if "and" not in between or between - {"and", "measure"}:
            raise unclear("words", [reading.tags[before].text, reading.tags[after].text])
