"""Databases a query can go to instead of variables: SQLite and DuckDB files, and open connections.

All are only read.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pi_notebook.context.previews.foreign import attempt, is_a, is_instance, type_name
from pi_notebook.context.previews.references import ReferenceProblem, Variables, resolve
from pi_notebook.context.queries.driver import DriverJob
from pi_notebook.context.queries.jobs import DuckDBJob, QueryJob, VariablesJob, open_duckdb_file
from pi_notebook.context.queries.paths import ReadableFolders
from pi_notebook.context.queries.problems import QueryProblem, like
from pi_notebook.context.queries.sqlite import SqliteJob, open_sqlite

_SQLITE_MAGIC = b"SQLite format 3\0"
_DUCKDB_MAGIC = b"DUCK"


def open_job(sql: str, source: str | None, variables: Variables, folders: ReadableFolders) -> QueryJob:
    """The query of `source`, or of variables and files without one. On the main thread."""
    if not source:
        return VariablesJob(sql, variables, folders)
    value = _named(source, variables)
    if value is None or is_a(value, str) or is_instance(value, "pathlib", "PurePath"):
        return _file_job(sql, source if value is None else str(value), variables, folders)
    return _connection_job(sql, source, value, folders)


def _named(source: str, variables: Variables) -> object | None:
    """The value that `source` names; None when it names a file."""
    value = attempt(lambda: variables.get(source), None)
    if value is None and source.replace(".", "_").isidentifier():
        try:
            value = resolve(source, variables)
        except ReferenceProblem:
            return None
    return value


def _file_job(sql: str, path: str, variables: Variables, folders: ReadableFolders) -> QueryJob:
    if path.isidentifier() and not (folders.paths[0] / path).exists():
        raise QueryProblem(f"source={path!r} is no variable and no file.{like(path, variables.names())}")
    real = Path(folders.resolve(path))
    try:
        with real.open("rb") as file:
            start = file.read(16)
    except OSError as error:
        raise QueryProblem(f"{path} cannot be read: {error.strerror or error}.") from None
    if start == _SQLITE_MAGIC:
        return SqliteJob(sql, open_sqlite(real), is_own=True)
    if start[8:12] == _DUCKDB_MAGIC:
        return open_duckdb_file(sql, real, folders)
    raise QueryProblem(
        f"{path} is no SQLite or DuckDB database. A CSV, JSON or parquet file stands in the query, without "
        f"source: FROM '{path}'."
    )


def _connection_job(sql: str, name: str, value: Any, folders: ReadableFolders) -> QueryJob:
    if is_instance(value, "sqlite3", "Connection"):
        _note_files(value, _SQLITE_FILES, folders)
        return SqliteJob(sql, value, is_own=False)
    if is_instance(value, "duckdb", "DuckDBPyConnection"):
        cursor = value.cursor()
        _note_files(cursor, _DUCKDB_FILES, folders)
        return DuckDBJob(sql, cursor, folders)
    if is_instance(value, "sqlalchemy.engine", "Engine", "Connection"):
        return _pooled_job(sql, value.engine, folders)
    if callable(getattr(value, "cursor", None)) and callable(getattr(value, "commit", None)):
        return DriverJob(sql, value)
    raise QueryProblem(
        f"source={name!r} is a {type_name(value)}: neither a connection nor a file. Without source, frames "
        "are tables by their names."
    )


def _note_files(connection: Any, sql: str, folders: ReadableFolders) -> None:
    """Tell which files the databases of a connection lie in; those in memory lie in none."""

    def rows() -> list[Any]:
        cursor = connection.cursor()
        if hasattr(cursor, "row_factory"):  # SQLite's, which the person may have set
            cursor.row_factory = None
        return list(cursor.execute(sql).fetchall())

    for row in attempt(rows, []):
        if isinstance(row[0], str) and row[0]:
            folders.note(row[0])


_SQLITE_FILES = "SELECT file FROM pragma_database_list"
_DUCKDB_FILES = "SELECT path FROM duckdb_databases() WHERE NOT internal"


def _pooled_job(sql: str, engine: Any, folders: ReadableFolders) -> QueryJob:
    """A query on a connection of its own from an engine's pool, whose end undoes whatever it began."""
    pooled = engine.raw_connection()
    driver = getattr(pooled, "driver_connection", None) or pooled.connection
    if is_instance(driver, "sqlite3", "Connection"):
        _note_files(driver, _SQLITE_FILES, folders)
        return SqliteJob(sql, driver, is_own=False, release=pooled.close)
    if engine.dialect.name in ("postgresql", "mysql", "mariadb"):
        cursor = driver.cursor()
        cursor.execute("SET TRANSACTION READ ONLY")
        cursor.close()
    return DriverJob(sql, driver, release=pooled.close)
