"""Previews of database connections: which database, its tables and columns; never a row, never a password."""

from __future__ import annotations

from typing import Any

from pi_notebook.context.amounts import count_of
from pi_notebook.context.previews.catalogues import (
    Catalogue,
    CatalogueTable,
    duckdb_catalogue,
    sqlalchemy_catalogue,
    sqlite_catalogue,
)
from pi_notebook.context.previews.foreign import (
    attempt,
    instance_attributes,
    is_instance,
    qualified_name,
    type_name,
)
from pi_notebook.context.previews.listing import listed, preview_lines
from pi_notebook.context.previews.preview import Preview
from pi_notebook.context.previews.wording import label, one_line, quoted

_MAX_COLUMNS = 20
_NAMES_OF_DATABASES = ("database", "_database", "db", "dbname")
_OF_CONNECTIONS = ("cursor", "commit", "rollback", "close")
_OF_CURSORS = ("execute", "fetchone", "fetchmany", "description", "close")
"""What the classes of the Python database interface have."""


def preview_connection(value: Any, max_tokens: int) -> Preview | None:
    """What a connection, an engine or a cursor is on; None for anything else."""
    if is_instance(value, "sqlite3", "Connection"):
        return _with_tables(
            "Connection (sqlite3)", attempt(lambda: sqlite_catalogue(value), None), max_tokens
        )
    if is_instance(value, "duckdb", "DuckDBPyConnection"):
        found = attempt(lambda: duckdb_catalogue(value), None)
        note = "DuckDBPyConnection (duckdb)" + (", temporary tables not listed" if found else "")
        return _with_tables(note, found, max_tokens)
    if is_instance(value, "sqlalchemy.engine", "Engine", "Connection"):
        found = attempt(lambda: sqlalchemy_catalogue(value), None)
        return _with_tables(_of_sqlalchemy(value), found, max_tokens)
    text = attempt(lambda: _of_interface(value), None)
    return None if text is None else Preview(text=text, kind="object", is_complete=False)


def _with_tables(title: str, found: Catalogue | None, max_tokens: int) -> Preview:
    if found is None:
        return Preview(text=f"{title}, tables not looked at", kind="object", is_complete=False)
    file = f", file {quoted(found.file, 200)}" if found.file else ""
    header = f"{title}{file}, {count_of(found.count, 'table')}"
    lines = list(map(_table, found.tables))
    details = {"tables": [table.name for table in found.tables]}
    return preview_lines(header, lines, max_tokens=max_tokens, total=found.count, details=details)


def _table(table: CatalogueTable) -> str:
    columns = [f"{label(name)} {one_line(kind, 40)}".rstrip() for name, kind in table.columns]
    return f"{table.kind} {label(table.name)}: {listed(columns, _MAX_COLUMNS)}"


def _of_sqlalchemy(value: Any) -> str:
    """Kind, database and host; an address may hold a password in any of its other parts."""
    url = value.engine.url
    facts = [f"{type_name(value)} (sqlalchemy)", one_line(str(url.get_backend_name()), 40)]
    facts += [f"database {quoted(str(url.database), 120)}"] if url.database else []
    facts += [f"on {one_line(str(url.host), 80)}"] if url.host else []
    facts += ["closed"] if getattr(value, "closed", False) else []
    return ", ".join(facts)


def _of_interface(value: Any) -> str | None:
    """A connection or cursor of another driver, which is asked nothing; it would open a transaction."""
    cls = type(value)
    title = f"{type_name(value)} ({qualified_name(cls).partition('.')[0]})"
    if all(hasattr(cls, name) for name in _OF_CURSORS):
        columns = [label(item[0]) for item in value.description or ()]
        return f"{title}, cursor" + (f" on columns {listed(columns)}, no row fetched" if columns else "")
    if not all(hasattr(cls, name) for name in _OF_CONNECTIONS):
        return None
    names = [getattr(getattr(value, "info", None), "dbname", None)]
    names += [instance_attributes(value).get(name) for name in _NAMES_OF_DATABASES]
    known = [quoted(_text(name), 120) for name in names if name and isinstance(name, (str, bytes))]
    database = f", database {known[0]}" if known else ""
    closed = getattr(value, "closed", None)
    state = f", {'closed' if closed else 'open'}" if type(closed) in (bool, int) else ""
    return f"{title}, database connection{database}{state}, tables not looked at"


def _text(name: str | bytes) -> str:
    return name.decode("utf-8", "replace") if isinstance(name, bytes) else name
