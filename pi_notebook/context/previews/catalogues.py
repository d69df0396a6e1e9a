"""What databases say of themselves: their tables and columns, read where that leaves no trace.

Never a row is read. A connection has no catalogue here when reading it would open a transaction on
it, lose a result that waits on it, or reach over a network for the first time.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pi_notebook.context.previews.foreign import attempt, is_instance

MAX_TABLES = 30
_MAX_LISTED = 1_000
_MAY_ASK_IN_TRANSACTION = ("sqlite", "postgresql", "duckdb")
_SQLITE_TABLES = """
SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view') AND substr(name, 1, 7) <> 'sqlite_'
UNION ALL
SELECT name, 'temporary ' || type FROM sqlite_temp_master WHERE type IN ('table', 'view')
"""
_DUCKDB_COLUMNS = """
SELECT schema_name, table_name, list(column_name ORDER BY column_index), list(data_type ORDER BY column_index)
FROM duckdb_columns() WHERE NOT internal AND database_name = current_database()
GROUP BY schema_name, table_name ORDER BY schema_name, table_name
"""
_DUCKDB_VIEWS = "SELECT schema_name, view_name FROM duckdb_views() WHERE NOT internal"
_DUCKDB_FILE = "SELECT path FROM duckdb_databases() WHERE database_name = current_database()"


@dataclass(frozen=True, kw_only=True)
class CatalogueTable:
    """A table or a view."""

    name: str
    kind: str
    columns: Sequence[tuple[str, str]]
    """Name and type."""


@dataclass(frozen=True, kw_only=True)
class Catalogue:
    """The tables of a database, the first of them described."""

    tables: Sequence[CatalogueTable]
    count: int
    file: str = ""


def sqlite_catalogue(connection: Any) -> Catalogue | None:
    """That of a connection of sqlite3; None where reading it would leave a transaction open."""
    if getattr(connection, "autocommit", True) is False:
        return None
    ask = functools.partial(_sqlite_rows, connection)
    files = {row[1]: row[2] for row in ask("PRAGMA database_list")}
    rows = ask(_SQLITE_TABLES)
    tables = []
    for name, kind in rows[:MAX_TABLES]:
        quoted = name.replace('"', '""')
        columns = [(row[1], row[2]) for row in ask(f'PRAGMA table_info("{quoted}")')]
        tables.append(CatalogueTable(name=name, kind=kind, columns=columns))
    return Catalogue(tables=tables, count=len(rows), file=files.get("main") or "")


def duckdb_catalogue(connection: Any) -> Catalogue:
    """That of a connection of duckdb, through one of its own: a query would end the result that waits."""
    own = connection.cursor()
    try:
        file = own.execute(_DUCKDB_FILE).fetchone()
        views = set(own.execute(_DUCKDB_VIEWS).fetchmany(_MAX_LISTED))
        rows = own.execute(_DUCKDB_COLUMNS).fetchmany(_MAX_LISTED)
    finally:
        own.close()
    tables = [
        CatalogueTable(
            name=name if schema == "main" else f"{schema}.{name}",
            kind="view" if (schema, name) in views else "table",
            columns=list(zip(names, types, strict=True)),
        )
        for schema, name, names, types in rows[:MAX_TABLES]
    ]
    return Catalogue(tables=tables, count=len(rows), file=(file and file[0]) or "")


def sqlalchemy_catalogue(value: Any) -> Catalogue | None:
    """That of an engine which has a connection at rest, or of an open connection."""
    if is_instance(value, "sqlalchemy.engine", "Engine"):
        if not attempt(lambda: _is_at_rest(value.pool), False):
            return None
        with value.connect() as connection:
            return _inspected(connection)
    if value.closed:
        return None
    if value.in_transaction():
        return _inspected(value) if value.dialect.name in _MAY_ASK_IN_TRANSACTION else None
    try:
        return _inspected(value)
    finally:
        value.rollback()


def _sqlite_rows(connection: Any, query: str) -> list[Any]:
    """What a query of the catalogue gives, whatever the person made of the rows of the connection."""
    cursor = connection.cursor()
    cursor.row_factory = None
    try:
        rows = cursor.execute(query).fetchmany(_MAX_LISTED)
    finally:
        cursor.close()
    return [tuple(map(_text, row)) for row in rows]


def _text(item: Any) -> Any:
    return item.decode("utf-8", "replace") if type(item) is bytes else item


def _is_at_rest(pool: Any) -> bool:
    """Whether a connection lies in the pool that nobody uses; one that threads share may be in use."""
    if is_instance(pool, "sqlalchemy.pool", "SingletonThreadPool"):
        current = getattr(pool._fairy, "current", None)
        return bool(pool._all_conns) and (current is None or current() is None)
    return bool(pool.checkedin() > 0)


def _inspected(connection: Any) -> Catalogue:
    inspector = sys.modules["sqlalchemy"].inspect(connection)
    kinds = dict.fromkeys(inspector.get_table_names(), "table")
    kinds.update(dict.fromkeys(attempt(inspector.get_view_names, []), "view"))
    tables = []
    for name, kind in list(kinds.items())[:MAX_TABLES]:
        columns: list[Any] = attempt(functools.partial(inspector.get_columns, name), [])
        typed = [(str(column["name"]), str(column["type"])) for column in columns]
        tables.append(CatalogueTable(name=name, kind=kind, columns=typed))
    return Catalogue(tables=tables, count=len(kinds))
