"""A query ready to run: on which thread, how it is stopped, and what its errors mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

from pi_notebook._loading import installed
from pi_notebook.context.previews.foreign import attempt, type_name
from pi_notebook.context.previews.references import Variables
from pi_notebook.context.previews.wording import csv_field
from pi_notebook.context.queries.csv_guesses import csv_guesses
from pi_notebook.context.queries.engine import open_connection
from pi_notebook.context.queries.frames import Tables, register
from pi_notebook.context.queries.paths import ReadableFolders
from pi_notebook.context.queries.problems import (
    QueryProblem,
    QueryStopped,
    column_hint,
    like,
    listed,
    missing_column,
    said,
)
from pi_notebook.context.queries.result import ResultTable, run_duckdb
from pi_notebook.context.queries.statement import Statement, parse, with_paths

Place = Literal["anywhere", "held", "main"]
"""Where a query runs: on a thread of its own; on one while the main thread is held, since what it reads
may change; on the main thread, to which a connection of the person's belongs."""


class QueryJob(Protocol):
    """One query. Made on the main thread."""

    @property
    def place(self) -> Place: ...

    @property
    def notes(self) -> Sequence[str]:
        """What the reader of the result must know; all of it once `run` is over."""
        ...

    def run(self) -> ResultTable:
        """The result; `QueryProblem` for what is wrong with the query."""
        ...

    def interrupt(self) -> None:
        """End `run`. From any thread; does nothing when it is not on."""
        ...

    def close(self) -> None:
        """Let go of what the query used."""
        ...


class VariablesJob:
    """A query of variables and files."""

    def __init__(self, sql: str, variables: Variables, folders: ReadableFolders) -> None:
        self._connection = open_connection(folders.real)
        try:
            statement = parse(sql, self._connection)
            self._tables: Tables = register(statement, variables, self._connection)
            self._statement = statement
            self._guessed = {
                name: attempt(lambda name=name: folders.resolve(name), "")  # type: ignore[misc]
                for name in statement.guessed_files
                if name not in self._tables.names
            }
            self._sql = with_paths(
                statement, self._connection, known=self._tables.names, resolve=folders.resolve
            )
        except BaseException:
            self._connection.close()
            raise
        self.place: Place = "held" if self._tables.may_change else "anywhere"
        self.notes: Sequence[str] = self._tables.notes

    def run(self) -> ResultTable:
        found = _run(self._connection, self._sql, lambda: table_columns(self._connection, self._statement))
        self.notes = [*self.notes, *csv_guesses(self._guessed, self._connection)]
        return found

    def interrupt(self) -> None:
        self._connection.interrupt()

    def close(self) -> None:
        self._connection.close()


class DuckDBJob:
    """A query of a DuckDB database: of a file, or of a connection of the person's."""

    place: Place = "anywhere"
    notes: Sequence[str] = ()

    def __init__(self, sql: str, connection: Any, folders: ReadableFolders) -> None:
        self._connection = connection
        self._statement = parse(sql, connection)
        known = [name for name, _ in database_columns(connection)]
        self._check_tables(known)
        self._sql = with_paths(self._statement, connection, known=known, resolve=folders.resolve)

    def run(self) -> ResultTable:
        return _run(self._connection, self._sql, lambda: database_columns(self._connection))

    def interrupt(self) -> None:
        self._connection.interrupt()

    def close(self) -> None:
        self._connection.close()

    def _check_tables(self, known: Sequence[str]) -> None:
        """Refuse a table that is not there, before DuckDB looks for a Python variable of that name."""
        lower = {name.lower() for name in known} | self._statement.defined
        for name in self._statement.tables:
            if name.lower() not in lower and not name.startswith(("duckdb_", "sqlite_", "pg_")):
                raise QueryProblem(
                    f"There is no table {name} in this database.{like(name, known)} It has: {listed(known)}."
                )


def open_duckdb_file(sql: str, path: Path, folders: ReadableFolders) -> DuckDBJob:
    """A query of the database in the file `path`."""
    connection = open_connection(folders.real, database=path)
    try:
        return DuckDBJob(sql, connection, folders)
    except BaseException:
        connection.close()
        raise


def table_columns(connection: Any, statement: Statement) -> list[tuple[str, Sequence[str]]]:
    """The tables that `statement` names with their columns, as far as they can be read."""
    found: list[tuple[str, Sequence[str]]] = []
    for name in statement.tables:
        quoted = '"' + name.replace('"', '""') + '"'
        columns = attempt(lambda quoted=quoted: connection.sql(f"FROM {quoted} LIMIT 0").columns, None)  # type: ignore[misc]
        if columns is not None:
            found.append((csv_field(name), list(columns)))
    return found


def database_columns(connection: Any) -> list[tuple[str, Sequence[str]]]:
    """The tables and views of a DuckDB database with their columns."""
    rows = connection.execute(
        "SELECT table_name, list(column_name) FROM duckdb_columns() WHERE NOT internal GROUP BY 1 ORDER BY 1"
    ).fetchall()
    return [(name, columns) for name, columns in rows]


def _run(
    connection: Any, sql: str, columns: Callable[[], Sequence[tuple[str, Sequence[str]]]]
) -> ResultTable:
    with installed():
        import duckdb

    try:
        return run_duckdb(connection, sql)
    except duckdb.InterruptException:
        raise QueryStopped("The query was stopped.") from None
    except duckdb.Error as error:
        raise QueryProblem(_explained(error, columns)) from None


def _explained(error: Exception, columns: Callable[[], Sequence[tuple[str, Sequence[str]]]]) -> str:
    missing = missing_column(error)
    if missing is not None:
        return f"There is no column {missing}. {column_hint(missing, attempt(columns, []))}"
    kind = type_name(error)
    if kind == "OutOfMemoryException":
        return "The query needs more memory than it may take. Filter or aggregate before joins and sorts."
    if kind == "ConversionException":
        return f"{said(error).rstrip('.')}. TRY_CAST gives NULL for what cannot be converted."
    return said(error)
