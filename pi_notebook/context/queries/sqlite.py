"""Queries of SQLite, whose own authorizer decides what a statement may do.

Python's sqlite3 is asked, since DuckDB's extension for it would have to be downloaded.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from pi_notebook.context.queries.driver import fetch
from pi_notebook.context.queries.jobs import Place
from pi_notebook.context.queries.problems import (
    QueryProblem,
    QueryStopped,
    column_hint,
    like,
    listed,
    missing_column,
    said,
)
from pi_notebook.context.queries.result import ResultTable

_READING = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
)
_READING_PRAGMAS = frozenset(
    {"table_info", "table_xinfo", "table_list", "index_list", "index_info", "foreign_key_list"}
)
_REFUSED_FUNCTIONS = frozenset({"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer"})
_MOST_TABLES = 200


def open_sqlite(path: Path) -> sqlite3.Connection:
    """The database in the file `path`, which cannot be written through it."""
    return sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, check_same_thread=False)


class SqliteJob:
    """A query of a SQLite database, which its authorizer lets do nothing but read."""

    notes: Sequence[str] = ()

    def __init__(
        self,
        sql: str,
        connection: sqlite3.Connection,
        *,
        is_own: bool,
        release: Callable[[], object] | None = None,
    ) -> None:
        self._sql = sql
        self._connection = connection
        self._release = connection.close if is_own else release
        self.place: Place = "anywhere" if is_own else "main"

    def run(self) -> ResultTable:
        try:
            with self._only_reading():
                cursor = self._connection.cursor()
                cursor.row_factory = None
                return fetch(cursor, self._sql)
        except (sqlite3.Error, sqlite3.Warning) as error:
            if "interrupted" in str(error):
                raise QueryStopped("The query was stopped.") from None
            raise QueryProblem(self._explained(error)) from None

    def interrupt(self) -> None:
        self._connection.interrupt()

    def close(self) -> None:
        if self._release is not None:
            self._release()

    @contextmanager
    def _only_reading(self) -> Iterator[None]:
        """A connection of the person's has no authorizer afterwards: SQLite cannot tell the one before."""
        self._connection.set_authorizer(_authorize)
        try:
            yield
        finally:
            self._connection.set_authorizer(_allow)

    def _explained(self, error: Exception) -> str:
        text = str(error)
        if "not authorized" in text or "prohibited" in text or "one statement" in text:
            return "A query of a database is one SELECT and only reads. Use run_code for anything else."
        tables = self._tables() if "no such" in text else []
        missing = missing_column(error)
        if missing is not None:
            return f"There is no column {missing}. {column_hint(missing, tables)}"
        if "no such table" in text:
            name = text.rpartition(": ")[2]
            names = [table for table, _ in tables]
            return f"There is no table {name}.{like(name, names)} It has: {listed(names)}."
        return said(error)

    def _tables(self) -> list[tuple[str, list[str]]]:
        cursor = self._connection.cursor()
        cursor.row_factory = None
        rows = cursor.execute(
            "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c "
            "WHERE m.type IN ('table', 'view') ORDER BY 1 LIMIT 5000"
        )
        tables: dict[str, list[str]] = {}
        for table, column in rows:
            tables.setdefault(table, []).append(column)
        return list(tables.items())[:_MOST_TABLES]


def _authorize(action: int, first: str | None, second: str | None, *_: object) -> int:
    if action == sqlite3.SQLITE_FUNCTION:
        is_allowed = str(second).lower() not in _REFUSED_FUNCTIONS
    elif action == sqlite3.SQLITE_PRAGMA:
        is_allowed = str(first).lower() in _READING_PRAGMAS
    else:
        is_allowed = action in _READING
    return sqlite3.SQLITE_OK if is_allowed else sqlite3.SQLITE_DENY


def _allow(*_: object) -> int:
    return sqlite3.SQLITE_OK
