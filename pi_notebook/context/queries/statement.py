"""What a query is, by DuckDB's own parser: one SELECT, the tables and files it names, and nothing else.

The text is never searched: comments, quotes and semicolons mean what the parser says they mean. Of
functions that give tables only those listed here pass, since others run SQL from a string, read memory
by address, or tell of the machine.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any

from pi_notebook.context.previews.wording import one_line
from pi_notebook.context.queries.problems import QueryProblem, said

MAX_SQL_CHARS = 100_000
_QUERY_NODES = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"})
FILE_FUNCTIONS = frozenset(
    {"read_csv", "read_csv_auto", "sniff_csv", "read_parquet", "parquet_scan", "parquet_schema"}
    | {"parquet_metadata", "parquet_file_metadata", "parquet_kv_metadata", "read_text", "read_blob", "glob"}
    | {"read_json", "read_json_auto", "read_json_objects", "read_json_objects_auto"}
    | {"read_ndjson", "read_ndjson_auto", "read_ndjson_objects"}
)
"""Those whose first argument is a path or a list of paths."""
_TABLE_FUNCTIONS = frozenset(
    {"range", "generate_series", "unnest", "repeat", "json_each", "json_tree", "histogram", "summary"}
    | {"duckdb_tables", "duckdb_columns", "duckdb_views", "pragma_table_info", "icu_calendar_names"}
)
_REFUSED_FUNCTIONS = frozenset(
    {"getenv", "nextval", "setval", "currval", "sleep_ms", "write_log", "json_execute_serialized_sql"}
    | {"current_setting", "getvariable"}
)
"""Functions of one value that change something, wait, or tell of the machine."""
_ONE_SELECT = "query_data runs one SELECT (WITH, FROM, VALUES, DESCRIBE and SUMMARIZE count as such)"


@dataclass(frozen=True, kw_only=True)
class Statement:
    """One SELECT."""

    sql: str
    tree: dict[str, Any]
    """As the parser gives it."""

    @property
    def tables(self) -> list[str]:
        """The names of tables without a schema, as written, each once; those of WITH among them."""
        return list(dict.fromkeys(node["table_name"] for node in _base_tables(self.tree)))

    @property
    def guessed_files(self) -> list[str]:
        """The files that are named without saying how they are to be read."""
        calls = [call for call in _file_calls(self.tree) if len(_arguments(call)) == 1]
        named = [literal[key] for call in calls for literal, key in _path_literals(call)]
        return [*(name for name in self.tables if is_path(name)), *named]

    @property
    def defined(self) -> frozenset[str]:
        """The names that WITH gives, in lower case."""
        maps = (node["cte_map"].get("map", ()) for node in _nodes(self.tree) if "cte_map" in node)
        return frozenset(item["key"].lower() for each in maps for item in each)


def parse(sql: str, connection: Any) -> Statement:
    """`sql` as the one SELECT it is; `QueryProblem` when it is anything else."""
    if len(sql) > MAX_SQL_CHARS:
        raise QueryProblem(f"The query has {len(sql):,} characters; {MAX_SQL_CHARS:,} is the most.")
    sql = sql.replace("\0", "")
    try:
        statements = connection.extract_statements(sql)
    except Exception as error:
        raise QueryProblem(f"The SQL does not parse: {said(error)}") from None
    if len(statements) != 1:
        count = f"{len(statements)} statements" if statements else "no statement"
        raise QueryProblem(f"{_ONE_SELECT}; here {'are' if statements else 'is'} {count}.")
    kind = str(getattr(statements[0].type, "name", statements[0].type))
    if kind == "MULTI":
        raise QueryProblem("PIVOT needs its columns named: PIVOT t ON col IN ('a', 'b') USING sum(x).")
    if kind != "SELECT":
        raise QueryProblem(f"{_ONE_SELECT}; this is {kind.replace('_', ' ')}. Use run_code for that.")
    tree = _tree(sql, connection)
    _check(tree)
    return Statement(sql=sql, tree=tree)


def with_paths(
    statement: Statement, connection: Any, *, known: Collection[str], resolve: Callable[[str], str]
) -> str:
    """The SQL with every path it names as `resolve` gives it, which may refuse it.

    `known` are names of tables that are none.
    """
    is_changed = False
    for node in _base_tables(statement.tree):
        name = node["table_name"]
        if is_path(name) and name not in known and name.lower() not in statement.defined:
            node["table_name"] = resolve(name)
            if "qualified_name" in node:
                node["qualified_name"] = {"path": [node["table_name"]]}
            is_changed = True
    for function in _file_calls(statement.tree):
        for literal, key in _path_literals(function):
            literal[key] = resolve(literal[key])
            is_changed = True
    if not is_changed:
        return statement.sql
    row = connection.execute("SELECT json_deserialize_sql(?)", [json.dumps(statement.tree)]).fetchall()[0]
    return str(row[0])


def is_path(name: str) -> bool:
    """Whether a table of this name can only be a file."""
    return any(sign in name for sign in "/\\.*?")


def _tree(sql: str, connection: Any) -> dict[str, Any]:
    try:
        text = connection.execute("SELECT json_serialize_sql(?)", [sql]).fetchall()[0][0]
    except Exception as error:
        raise QueryProblem(f"The SQL cannot be checked: {said(error)}") from None
    tree: dict[str, Any] = json.loads(text)
    if tree.get("error"):
        raise QueryProblem(f"{_ONE_SELECT}: {one_line(str(tree.get('error_message')), 200)}")
    return tree


def _check(tree: dict[str, Any]) -> None:
    for node in _nodes(tree):
        kind = str(node.get("type", ""))
        if kind.endswith("_NODE") and kind not in _QUERY_NODES:
            raise QueryProblem(
                f"{_ONE_SELECT}; this has {kind.partition('_')[0]} in it. Use run_code for that."
            )
        if kind == "TABLE_FUNCTION":
            _check_table_function(str(node["function"].get("function_name", "")).lower())
        elif node.get("class") == "FUNCTION":
            name = str(node.get("function_name", "")).lower()
            if name in _REFUSED_FUNCTIONS:
                raise QueryProblem(f"{name}() is not allowed in a query. Use run_code.")


def _check_table_function(name: str) -> None:
    if name not in FILE_FUNCTIONS | _TABLE_FUNCTIONS:
        raise QueryProblem(
            f"{one_line(name, 60)}() is not allowed in FROM. There are read_csv, read_parquet, read_json, "
            "range, unnest and json_each; a variable is a table by its name."
        )


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """Every object of the tree, without recursion: a query may be nested deeper than Python's stack."""
    pending = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            yield node
            pending.extend(node.values())
        elif isinstance(node, list):
            pending.extend(node)


def _base_tables(tree: Any) -> Iterator[dict[str, Any]]:
    for node in _nodes(tree):
        if node.get("type") == "BASE_TABLE" and not (node.get("schema_name") or node.get("catalog_name")):
            yield node


def _file_calls(tree: Any) -> Iterator[dict[str, Any]]:
    for node in _nodes(tree):
        if node.get("type") == "TABLE_FUNCTION":
            function: dict[str, Any] = node["function"]
            if str(function.get("function_name", "")).lower() in FILE_FUNCTIONS:
                yield function


def _path_literals(function: dict[str, Any]) -> list[tuple[dict[str, Any], str]]:
    """The places of the paths a call names; each must be written out, so that it can be checked."""
    arguments = _arguments(function)
    first = arguments[0] if arguments else {}
    is_list = first.get("class") == "FUNCTION" and first.get("function_name") == "list_value"
    places = [_literal(item) for item in (_arguments(first) if is_list else [first])]
    found = [place for place in places if place is not None]
    if not found or len(found) < len(places):
        name = function["function_name"]
        raise QueryProblem(
            f"{name}() takes a path written out: {name}('data.csv') or {name}(['a.csv', 'b.csv'])."
        )
    return found


def _arguments(function: dict[str, Any]) -> list[dict[str, Any]]:
    """The arguments of a call; releases before 2 know them as children."""
    if "arguments" in function:
        return [item["expression"] for item in function["arguments"]]
    return list(function.get("children", ()))


def _literal(node: dict[str, Any]) -> tuple[dict[str, Any], str] | None:
    """Where the text of a constant stands."""
    if node.get("class") != "CONSTANT":
        return None
    literal = node.get("literal") or node.get("value") or {}
    key = "text" if "text" in literal else "value"
    return (literal, key) if isinstance(literal.get(key), str) else None
