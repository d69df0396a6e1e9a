"""Queries through a DB-API connection of any driver.

Only what DuckDB's parser knows as one SELECT is sent, and nothing is committed or rolled back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pi_notebook.context.previews.foreign import attempt, class_name, type_name
from pi_notebook.context.queries.engine import open_connection
from pi_notebook.context.queries.jobs import Place
from pi_notebook.context.queries.problems import QueryProblem, said
from pi_notebook.context.queries.result import ResultTable, collect, fetched
from pi_notebook.context.queries.statement import parse

_TYPES = {int: "INTEGER", float: "REAL", str: "TEXT", bytes: "BLOB", type(None): "NULL"}


class DriverJob:
    """A query through a DB-API connection of the person's."""

    place: Place = "main"
    notes: Sequence[str] = ()

    def __init__(self, sql: str, connection: Any, *, release: Callable[[], object] | None = None) -> None:
        self._sql = sql
        self._connection = connection
        self._release = release
        checker = open_connection([])
        try:
            parse(sql, checker)
        finally:
            checker.close()

    def run(self) -> ResultTable:
        cursor = self._connection.cursor()
        try:
            return fetch(cursor, self._sql)
        except Exception as error:
            raise QueryProblem(f"{type_name(error)}: {said(error)}") from None
        finally:
            attempt(cursor.close, None)

    def interrupt(self) -> None:
        stop = getattr(self._connection, "cancel", None)
        if callable(stop):
            attempt(stop, None)

    def close(self) -> None:
        if self._release is not None:
            self._release()


def fetch(cursor: Any, sql: str) -> ResultTable:
    """The result of `sql` on a cursor of the DB-API."""
    cursor.execute(sql)
    if cursor.description is None:
        raise QueryProblem("The statement gave no rows: a query of a database is one SELECT.")
    names = [column[0] for column in cursor.description]
    table = collect([(name, "") for name in names], fetched(cursor))
    return table.with_types([_type_of(table, position) for position in range(len(names))])


def _type_of(table: ResultTable, position: int) -> str:
    """The type of the first value that is not missing, as drivers do not tell a column's."""
    values = (row[0] for row in table.rows(0, min(table.row_count, 100), [position]))
    found = next((value for value in values if value is not None), None)
    return _TYPES.get(type(found)) or class_name(type(found))
