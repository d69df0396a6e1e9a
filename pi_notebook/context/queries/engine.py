"""A DuckDB connection that reads what it is given and reaches nothing else.

Its own guards stand behind the checks of `statement` and `paths`: no access outside the folders, no
extensions, no temporary files, no look at Python's frames, and none of it can be changed again.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pi_notebook._loading import installed
from pi_notebook.context.queries.problems import QueryProblem

MAX_MEMORY = "2GB"
_CONFIGURATION = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "python_enable_replacements": "false",
    "memory_limit": MAX_MEMORY,
    "temp_directory": "",
}


def open_connection(folders: Sequence[Path], *, database: Path | None = None) -> Any:
    """A connection to an empty database in memory, or to the file `database`, which is only read."""
    with installed():
        import duckdb

    try:
        if database is None:
            connection = duckdb.connect(":memory:", config=_CONFIGURATION)
        else:
            connection = duckdb.connect(str(database), read_only=True, config=_CONFIGURATION)
    except duckdb.Error as error:
        raise QueryProblem(f"{database or 'DuckDB'} cannot be opened: {error}") from None
    allowed = ", ".join(f"'{_quoted(folder)}'" for folder in folders)
    connection.execute(f"SET allowed_directories = [{allowed}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def _quoted(folder: Path) -> str:
    return str(folder).rstrip("/").replace("'", "''") + "/"
