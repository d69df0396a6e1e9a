"""The cell that draws one plot, for pandas and polars frames alike.

`_Pandas` and `_Polars` say how each library gives what a plot needs; the drawing is the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from pi_notebook.models.offline.cells import pandas_code, polars_code
from pi_notebook.models.offline.cells.common import Fresh, literal
from pi_notebook.models.offline.query import Filter, Group, PlotKind, Query
from pi_notebook.models.offline.schema import Column, Schema

MAX_POINTS = 20_000
"""Points of a scatter plot; beyond it a sample is drawn."""

MAX_BARS = 20
"""Bars or boxes of one plot."""


@dataclass(frozen=True)
class Drawing:
    """The lines that make the data, those that draw it, and the labels."""

    data: list[str]
    draw: list[str]
    title: str
    x: str
    y: str


class _Source(Protocol):
    """How a library gives the data of a plot, as source."""

    seed: str

    def select(self, frame: str, filters: tuple[Filter, ...], fresh: Fresh) -> tuple[str, list[str]]: ...
    def numbers(self, frame: str, column: Column) -> str: ...
    def dates(self, frame: str, column: Column) -> str: ...
    def values(self, frame: str, column: Column) -> str: ...
    def counts(self, frame: str, column: Column) -> str: ...
    def means(self, frame: str, number: Column, by: Group) -> str: ...
    def lists(self, frame: str, number: Column, by: Group) -> str: ...
    def timeline(self, frame: str, number: Column, time: Column) -> str: ...
    def labels(self, table: str) -> str: ...
    def figures(self, table: str) -> str: ...


class _Pandas:
    seed = "random_state"
    select = staticmethod(pandas_code.select)
    numbers = staticmethod(pandas_code.numbers)

    def dates(self, frame: str, column: Column) -> str:
        return pandas_code.dates(frame, column) if column.is_date else pandas_code.numbers(frame, column)

    def values(self, frame: str, column: Column) -> str:
        values = pandas_code.numbers(frame, column)
        return (
            f"{values}.replace([np.inf, -np.inf], np.nan).dropna()"
            if _may_be_infinite(column)
            else f"{values}.dropna()"
        )

    def counts(self, frame: str, column: Column) -> str:
        return f"{pandas_code.ref(frame, column)}.value_counts().head({MAX_BARS})"

    def _grouped(self, frame: str, number: Column, by: Group) -> str:
        key = pandas_code.group(frame, by)
        return f"{pandas_code.numbers(frame, number)}.dropna().groupby({key}, observed=True)"

    def means(self, frame: str, number: Column, by: Group) -> str:
        return f"{self._grouped(frame, number, by)}.mean().sort_values().tail({MAX_BARS})"

    def lists(self, frame: str, number: Column, by: Group) -> str:
        return f"{self._grouped(frame, number, by)}.agg(list).head({MAX_BARS})"

    def timeline(self, frame: str, number: Column, time: Column) -> str:
        return f"{pandas_code.numbers(frame, number)}.groupby({self.dates(frame, time)}).mean()"

    def labels(self, table: str) -> str:
        return f"{table}.index.astype(str)"

    def figures(self, table: str) -> str:
        return table


class _Polars:
    seed = "seed"
    select = staticmethod(polars_code.select)

    def numbers(self, frame: str, column: Column) -> str:
        return f"{frame}.select({polars_code.numbers(column)}).to_series()"

    def dates(self, frame: str, column: Column) -> str:
        when = polars_code.dates(column) if column.is_date else polars_code.numbers(column)
        return f"{frame}.select({when}).to_series()"

    def values(self, frame: str, column: Column) -> str:
        values = f"{self.numbers(frame, column)}.drop_nulls()"
        return (
            f"{values}.replace([float('inf'), float('-inf')], None).drop_nulls()"
            if _may_be_infinite(column)
            else values
        )

    def counts(self, frame: str, column: Column) -> str:
        key = f'{polars_code.ref(column)}.cast(pl.String).alias("group")'
        counted = 'group_by("group").agg(pl.len().alias("value")).sort("value", descending=True)'
        return f"{frame}.select({key}).drop_nulls().{counted}.head({MAX_BARS})"

    def _pairs(self, frame: str, number: Column, by: Group) -> str:
        key = f'{polars_code.group(by)}.cast(pl.String).alias("group")'
        return f'{frame}.select({key}, {polars_code.numbers(number)}.alias("value")).drop_nulls()'

    def means(self, frame: str, number: Column, by: Group) -> str:
        return f'{self._pairs(frame, number, by)}.group_by("group").mean().sort("value").tail({MAX_BARS})'

    def lists(self, frame: str, number: Column, by: Group) -> str:
        listed = f'group_by("group").agg("value").sort("group").head({MAX_BARS})'
        return f"{self._pairs(frame, number, by)}.{listed}"

    def timeline(self, frame: str, number: Column, time: Column) -> str:
        when = polars_code.dates(time) if time.is_date else polars_code.numbers(time)
        pairs = f'{when}.alias("group"), {polars_code.numbers(number)}.alias("value")'
        return f'{frame}.select({pairs}).drop_nulls().group_by("group").mean().sort("group")'

    def labels(self, table: str) -> str:
        return f'{table}["group"]'

    def figures(self, table: str) -> str:
        return f'{table}["value"]'


def plot_lines(query: Query, schema: Schema, fresh: Fresh) -> list[str]:
    """The lines that draw `query`."""
    source: _Source = _Polars() if schema.library == "polars" else _Pandas()
    frame, lines = source.select(schema.frame, query.filters, fresh)
    if schema.rows > MAX_POINTS and plot_kind(query) == "scatter":
        points = fresh("points")
        lines += [f"{points} = {frame}.sample(min(len({frame}), {MAX_POINTS:_}), {source.seed}=0)"]
        frame = points
    drawing = _DRAWINGS[plot_kind(query)](query, source, frame, fresh)
    conditions = "; ".join(item.text for item in query.filters)
    title = f"{drawing.title} ({conditions})" if conditions else drawing.title
    figure, axes = fresh("figure"), fresh("axes")
    return [
        *lines,
        *drawing.data,
        f"{figure}, {axes} = plt.subplots()",
        *(f"{axes}.{line}" for line in drawing.draw),
        f"{axes}.set(title={_text(title)}, xlabel={_text(drawing.x)}, ylabel={_text(drawing.y)})",
        "plt.show()",
    ]


def plot_kind(query: Query) -> PlotKind:
    """The kind that fits the columns, when the question names none."""
    if query.plot != "auto":
        return query.plot
    columns = [*query.columns, *(group.column for group in query.groups)]
    numeric = [column for column in columns if column.is_numeric]
    if len(columns) == 1:
        return "histogram" if numeric and not columns[0].is_category else "bar"
    if any(column.is_date for column in columns):
        return "line"
    if query.groups and query.groups[0].column.is_category:
        return "box"
    return "scatter" if len(numeric) == 2 else "box"


def _may_be_infinite(column: Column) -> bool:
    return column.dtype.lower().startswith("float") and any(
        str(value) in ("inf", "-inf") for value in column.values
    )


def _text(text: str) -> str:
    """A label as a literal; a dollar sign would begin a formula."""
    return literal(text[:80].replace("$", "\\$"))


def _scatter(query: Query, source: _Source, frame: str, fresh: Fresh) -> Drawing:
    columns = [*query.columns, *(group.column for group in query.groups)]
    x, y = (columns[1], columns[0]) if query.groups else (columns[0], columns[1])
    points = f"{source.numbers(frame, x)}, {source.numbers(frame, y)}"
    return Drawing([], [f"scatter({points}, s=12, alpha=0.6)"], f"{y.name} against {x.name}", x.name, y.name)


def _histogram(query: Query, source: _Source, frame: str, fresh: Fresh) -> Drawing:
    name, values = query.columns[0].name, fresh("values")
    made = f"{values} = {source.values(frame, query.columns[0])}"
    return Drawing([made], [f"hist({values}, bins=30)"], f"Distribution of {name}", name, "rows")


def _bar(query: Query, source: _Source, frame: str, fresh: Fresh) -> Drawing:
    table = fresh("bars")
    if len(query.columns) + len(query.groups) == 1:
        column = query.columns[0] if query.columns else query.groups[0].column
        made, title, x, y = source.counts(frame, column), f"Rows by {column.name}", "rows", column.name
    else:
        number, by = _number_and_group(query)
        made, y = source.means(frame, number, by), by.name
        title, x = f"Mean {number.name} by {by.name}", f"mean {number.name}"
    draw = f"barh({source.labels(table)}, {source.figures(table)})"
    return Drawing([f"{table} = {made}"], [draw], title, x, y)


def _number_and_group(query: Query) -> tuple[Column, Group]:
    if query.groups:
        return query.columns[0], query.groups[0]
    numeric = [column for column in query.columns if column.is_numeric]
    number = next((column for column in numeric if not column.is_category), numeric[0])
    return number, Group(column=next(column for column in query.columns if column is not number))


def _line(query: Query, source: _Source, frame: str, fresh: Fresh) -> Drawing:
    columns = [*query.columns, *(group.column for group in query.groups)]
    time = next((c for c in columns if c.is_date), columns[-1])
    number = next(column for column in columns if column is not time)
    table = fresh("line")
    made = f"{table} = {source.timeline(frame, number, time)}"
    when = f"{table}.index" if isinstance(source, _Pandas) else source.labels(table)
    draw = f"plot({when}, {source.figures(table)})"
    return Drawing([made], [draw], f"{number.name} over {time.name}", time.name, number.name)


def _box(query: Query, source: _Source, frame: str, fresh: Fresh) -> Drawing:
    if len(query.columns) + len(query.groups) == 1:
        name = query.columns[0].name
        return Drawing([], [f"boxplot({source.values(frame, query.columns[0])})"], name, "", name)
    number, by = _number_and_group(query)
    table = fresh("groups")
    made = f"{table} = {source.lists(frame, number, by)}"
    boxes = f"boxplot(list({source.figures(table)}))"
    ticks = f"set_xticks(range(1, len({table}) + 1), {source.labels(table)})"
    return Drawing([made], [boxes, ticks], f"{number.name} by {by.name}", by.name, number.name)


_DRAWINGS = {"scatter": _scatter, "histogram": _histogram, "bar": _bar, "line": _line, "box": _box}
