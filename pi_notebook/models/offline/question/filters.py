"""Filters found among the tags: comparisons with numbers, years and months, values of columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from pi_notebook.models.offline.query import Filter
from pi_notebook.models.offline.question.reading import Reading, unclear
from pi_notebook.models.offline.question.tags import Tag
from pi_notebook.models.offline.schema import Column

_NUMBERS = ("number", "year")


_PATTERNS: tuple[tuple[tuple[str, ...], Callable[[Sequence[Tag]], tuple[int, str, object]]], ...] = (
    (("column", "between", "number", "and", "number"), lambda t: (0, "between", (t[2].value, t[4].value))),
    (("column", "op", "number"), lambda t: (0, t[1].value, t[2].value)),
    (("column", "number", "after_op"), lambda t: (0, t[2].value, t[1].value)),
    (("op", "number", "column"), lambda t: (2, t[0].value, t[1].value)),
    (("column", "range"), lambda t: (0, "between", t[1].value)),
    (("column", "number"), lambda t: (0, "==", t[1].value)),
)


def take_number_filters(reading: Reading) -> None:
    position = 0
    while position < len(reading.tags):
        for kinds, read in _PATTERNS:
            window = reading.tags[position : position + len(kinds)]
            if not _fits(window, kinds):
                continue
            index, op, value = read(window)
            column = _filterable(reading, window[index], op)
            if column is None:
                continue
            reading.filters.append(Filter(column=column, op=op, value=value))  # type: ignore[arg-type]
            del reading.tags[position : position + len(kinds)]
            position -= 1
            break
        position += 1
    # The Chinese words for "is" are fillers where nothing is compared.
    reading.tags = [tag for tag in reading.tags if not (tag.kind == "op" and tag.text in "是为")]


def _fits(window: Sequence[Tag], kinds: Sequence[str]) -> bool:
    if len(window) < len(kinds):
        return False
    return all(
        tag.kind == kind or (kind == "number" and tag.kind in _NUMBERS)
        for tag, kind in zip(window, kinds, strict=True)
    )


def _filterable(reading: Reading, tag: Tag, op: str) -> Column | None:
    """The column to compare with a number; None when these words are no comparison."""
    numeric = [column for column in tag.columns if column.role == "number"]
    if not numeric:
        return None
    if op == "==" and not all(column.has_all_values or column.is_year for column in numeric):
        return None
    return reading.settle(tag, lambda column: column.role == "number")


def take_times(reading: Reading) -> None:
    """Years, ranges of years and months, wherever they stand, bound to the one column of time."""
    tags = reading.tags
    kept: list[Tag] = []
    position = 0
    while position < len(tags):
        used = _time_filter(reading, tags, position)
        if used == 0:
            kept.append(tags[position])
        position += used or 1
    reading.tags = kept


def _time_filter(reading: Reading, tags: Sequence[Tag], position: int) -> int:
    """Add the filter that begins at `position`; how many tags it used, 0 for none."""
    kinds = tuple(tag.kind for tag in tags[position : position + 4])
    here = tags[position]
    if here.kind == "month":
        return _add_time(reading, "month", "==", here.value, 1)
    if here.kind == "range":
        return _add_time(reading, "year", "between", here.value, 1 + _suffix(tags, position + 1))
    if kinds[:1] == ("between",) and kinds[1:] == ("year", "and", "year"):
        return _add_time(reading, "year", "between", (tags[position + 1].value, tags[position + 3].value), 4)
    if kinds[:3] == ("year", "where", "year") and tags[position + 1].text.casefold() == "to":
        return _add_time(reading, "year", "between", (here.value, tags[position + 2].value), 3)
    if kinds[:2] in (("op", "year"), ("when", "year")):
        used = 2 + _suffix(tags, position + 2)
        return _add_time(reading, "year", here.value, tags[position + 1].value, used)
    if here.kind == "year":
        used = 1 + _suffix(tags, position + 1)
        after = tags[position + used] if position + used < len(tags) else None
        if after is not None and after.kind in ("after_op", "after_when"):
            return _add_time(reading, "year", after.value, here.value, used + 1)
        return _add_time(reading, "year", "==", here.value, used)
    return 0


def _suffix(tags: Sequence[Tag], position: int) -> int:
    """1 when the Chinese word for year follows a number."""
    follows = position < len(tags) and (tags[position].kind, tags[position].text) == ("part", "年")
    return 1 if follows else 0


def _add_time(reading: Reading, part: str, op: str, value: object, used: int) -> int:
    years = [column for column in reading.schema.columns if column.is_year] if part == "year" else []
    columns = years or list(reading.schema.dates)
    if len(columns) != 1:
        raise unclear(
            "ambiguous" if columns else "no_date", [str(value), *(column.name for column in columns)]
        )
    date_part = None if years else part
    reading.filters.append(Filter(column=columns[0], op=op, value=value, part=date_part))  # type: ignore[arg-type]
    return used


def take_values(reading: Reading) -> None:
    """Values become filters; the column named beside one is a part of it."""
    for tag in [tag for tag in reading.tags if tag.kind == "value"]:
        position = reading.tags.index(tag)
        before = _skip_back(reading.tags, position)
        after = reading.tags[position + 1] if position + 1 < len(reading.tags) else None
        pairs = list(tag.value)
        for near in (before, after):
            same = [
                pair
                for pair in pairs
                if near is not None and near.kind == "column" and pair[0] in near.columns
            ]
            if near is not None and same:
                pairs = same
                reading.tags.remove(near)
                break
        if len(pairs) > 1:
            raise unclear("ambiguous", [tag.text, *(f"{column.name} = {value}" for column, value in pairs)])
        _drop_equals(reading, tag)
        reading.tags.remove(tag)
        reading.filters.append(Filter(column=pairs[0][0], op="==", value=pairs[0][1]))


def _skip_back(tags: Sequence[Tag], position: int) -> Tag | None:
    """The tag before `position`, an equals sign passed over."""
    position -= 1
    if position >= 0 and tags[position].kind == "op" and tags[position].value == "==":
        position -= 1
    return tags[position] if position >= 0 else None


def _drop_equals(reading: Reading, tag: Tag) -> None:
    position = reading.tags.index(tag) - 1
    if position >= 0 and reading.tags[position].kind == "op":
        if reading.tags[position].value != "==":
            raise unclear("words", [reading.tags[position].text, tag.text])
        del reading.tags[position]
    elif position >= 0 and reading.tags[position].kind == "by":
        del reading.tags[position]


def join_values(reading: Reading) -> None:
    """Two values of one column cannot hold at once, so together they mean either of them.

    An "or" between conditions on different columns is refused: conditions hold together.
    """
    joined: dict[tuple[Column, str | None], list[Filter]] = {}
    for item in dict.fromkeys(reading.filters):
        key = (item.column, item.part)
        joined.setdefault(key, []).append(item)
    if len(joined) > 1 and any(tag.kind == "and" and tag.value == "or" for tag in reading.tags):
        raise unclear("unsupported", [item.text for item in reading.filters])
    reading.filters = []
    for items in joined.values():
        if len(items) > 1 and all(item.op == "==" for item in items):
            values = tuple(item.value for item in items)
            reading.filters.append(replace(items[0], op="in", value=values))
        else:
            reading.filters += items
