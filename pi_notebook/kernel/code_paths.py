"""The files that calls in a piece of code name: to readers, to writers, in SQL.

Nothing is evaluated. A path is put together from constants and from plain texts, paths and numbers
among the variables; a name that the code sets more than once has no one value and counts for none.
"""

from __future__ import annotations

import ast
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath
from typing import Any, NamedTuple

READ, WRITTEN = "read", "written"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_READERS = _words(
    # pandas, polars, dask, geopandas
    """
    read_csv read_table read_fwf read_json read_ndjson read_excel read_ods read_parquet read_feather read_ipc
    read_ipc_stream read_orc read_avro read_delta read_hdf read_stata read_sas read_spss read_xml read_html
    read_pickle read_file read_text read_lines read_csv_batched read_parquet_schema read_parquet_metadata
    read_ipc_schema scan_csv scan_parquet scan_ndjson scan_ipc scan_delta scan_lines from_npy_stack from_zarr
    """
    # pyarrow
    """
    read_pandas read_schema read_metadata ParquetFile ParquetDataset dataset parquet_dataset open_csv
    open_json ORCFile memory_map OSFile input_stream open_stream
    """
    # duckdb, sqlite3
    " read_csv_auto read_json_auto from_csv_auto from_parquet connect "
    # numpy, scipy, scikit-learn, torch, joblib, xarray
    """
    load loadtxt genfromtxt fromfile fromregex memmap loadmat mmread load_svmlight_file DMatrix
    open_dataset open_dataarray open_mfdataset open_zarr load_dataset load_dataarray
    """
    # workbooks, pictures, statistics
    " load_workbook open_workbook imread read_sav read_dta read_sas7bdat "
)
"""Calls whose first argument, or one by a name of `_PATH_NAMES`, is what they read."""
_BY_MODE = _words("File Dataset open_file HDFStore ZipFile ExcelFile")
"""Calls that read, or write when a second argument or `mode` says so."""
_WRITERS = _words(
    """
    to_csv to_parquet to_json to_ndjson to_excel to_feather to_hdf to_pickle to_stata to_xml to_html to_latex
    to_markdown to_orc to_netcdf to_zarr to_file to_delta write_csv write_parquet write_json write_ndjson
    write_ipc write_excel write_avro write_delta sink_csv sink_parquet sink_ipc sink_ndjson write_table
    write_feather write_dataset write_image write_html write_file savetxt save savez savez_compressed tofile
    savefig imsave imwrite savemat mmwrite dump ExcelWriter ParquetWriter
    """
)
"""Calls one of whose arguments is what they write."""
_SPARK = _words("csv parquet json orc text load textFile save")
"""Calls behind `.read` or `.write`."""
_OF_PATHS = _words("read_text read_bytes write_text write_bytes touch")
"""Calls of a path itself."""
_PATH_NAMES = _words(
    """
    path paths source sources file filename fname filepath filepath_or_buffer path_or_buf path_or_buffer
    path_or_url io input fp f where name urlpath uri dest base_dir excel_writer filename_or_obj
    """
)
_QUERIES = _words("sql query execute from_query")
_ENDINGS = (
    "parquet|csv|tsv|txt|jsonl?|ndjson|geojson|arrow|feather|ipc|avro|orc|xlsx?|db|sqlite3?|duckdb|gz|zst"
)
_QUOTED = re.compile(rf"""(['"])([^'"\n]+\.(?:{_ENDINGS}))\1""", re.IGNORECASE)
_SQL_CALL = re.compile(r"\b(?:read|scan|sniff)_\w+\(\s*'([^'\n]+)'", re.IGNORECASE)
_COPIED_TO = re.compile(r"\bTO\s+'([^'\n]+)'", re.IGNORECASE)
_MOST_PARTS = 50


class NamedPath(NamedTuple):
    """A path as the code spells it, and what is done to it: `READ` or `WRITTEN`."""

    text: str
    action: str


class PathReader:
    """Finds paths in calls, with `variables` for those that are kept in names."""

    def __init__(self, nodes: Iterable[ast.AST], variables: Mapping[str, Any]) -> None:
        self._nodes = list(nodes)
        self._variables = variables
        self._stores = Counter(
            node.id for node in self._nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        )

    def paths(self, *, opened: bool) -> Iterator[NamedPath]:
        """What each call names; `opened` for those of `open` and of path objects too."""
        for node in self._nodes:
            if isinstance(node, ast.Call):
                yield from self._of_call(node, name_of(node.func), opened=opened)

    def _of_call(self, call: ast.Call, name: str, *, opened: bool) -> Iterator[NamedPath]:
        if name in _QUERIES:
            yield from self._of_query(call)
        elif name in _SPARK and (side := _spark_side(call.func)):
            yield from self._each(call.args[:1], READ if side == "read" else WRITTEN)
        elif name in _READERS:
            yield from self._each([*call.args[:1], *_by_name(call)], READ)
        elif name in _WRITERS:
            yield from self._each([*call.args[:3], *_by_name(call)], WRITTEN)
        elif name in _BY_MODE:
            yield from self._each([*call.args[:1], *_by_name(call)], _by_mode(call, at=1))
        if opened:
            yield from self._of_open(call, name)

    def _of_open(self, call: ast.Call, name: str) -> Iterator[NamedPath]:
        receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
        if name == "open":
            is_path = receiver is not None and self.text(receiver) is not None
            action = _by_mode(call, at=0 if is_path else 1)
            yield from self._each([receiver] if is_path and receiver else call.args[:1], action)
        elif receiver is not None and name in (
            "read_text",
            "read_bytes",
            "write_text",
            "write_bytes",
            "touch",
        ):
            yield from self._each([receiver], READ if name.startswith("read") else WRITTEN)

    def _of_query(self, call: ast.Call) -> Iterator[NamedPath]:
        sql = self.text(call.args[0]) if call.args else None
        if not sql:
            return
        yield from (NamedPath(path, WRITTEN) for path in _COPIED_TO.findall(sql))
        rest = _COPIED_TO.sub("", sql)
        yield from (NamedPath(path, READ) for _, path in _QUOTED.findall(rest))
        yield from (NamedPath(path, READ) for path in _SQL_CALL.findall(rest))

    def _each(self, expressions: Iterable[ast.expr], action: str) -> Iterator[NamedPath]:
        for expression in expressions:
            is_list = isinstance(expression, (ast.List, ast.Tuple, ast.Set))
            parts = expression.elts if is_list else [expression]  # type: ignore[attr-defined]
            yield from (NamedPath(text, action) for part in parts if (text := self.text(part)))

    def text(self, node: ast.expr) -> str | None:
        """A path or text that is put together from what is plain; None for any other."""
        if isinstance(node, ast.Constant):
            return node.value if type(node.value) is str else None
        if isinstance(node, ast.Name):
            return _shown(self._value(node.id))
        if isinstance(node, ast.Subscript):
            return self._item(node)
        if isinstance(node, ast.JoinedStr):
            return _joined(map(self._piece, node.values))
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Div, ast.Add)):
            parts = [self.text(node.left), self.text(node.right)]
            return _joined(parts, as_path=isinstance(node.op, ast.Div))
        return self._made(node) if isinstance(node, ast.Call) else None

    def _made(self, call: ast.Call) -> str | None:
        """What a call gives that only joins or converts."""
        name, receiver = name_of(call.func), getattr(call.func, "value", None)
        given = call.args[:_MOST_PARTS]
        if name == "cwd" and not given:
            return "."
        if name == "joinpath" and receiver is not None:
            return _joined([self.text(receiver), *map(self.text, given)], as_path=True)
        is_known = name in _PATH_MAKERS or name in ("join", "str", "fspath", "expanduser", "abspath")
        return _joined(map(self.text, given), as_path=True) if is_known and given else None

    def _item(self, node: ast.Subscript) -> str | None:
        key = node.slice
        if not (isinstance(node.value, ast.Name) and isinstance(key, ast.Constant)):
            return None
        table = self._value(node.value.id)
        try:
            return _shown(table[key.value]) if type(table) in (dict, list, tuple) else None
        except (KeyError, IndexError, TypeError):
            return None

    def _piece(self, node: ast.expr) -> str | None:
        """A part of an f-string; a format of its own is not understood."""
        if not isinstance(node, ast.FormattedValue):
            return self.text(node)
        if node.format_spec is not None or node.conversion not in (-1, 115):
            return None
        number = self._value(node.value.id) if isinstance(node.value, ast.Name) else None
        return str(number) if type(number) is int else self.text(node.value)

    def _value(self, name: str) -> Any:
        return self._variables.get(name) if self._stores[name] < 2 else None


_PATH_MAKERS = frozenset({"Path", "PurePath", "PosixPath", "WindowsPath"})
_TEXT_TYPES = frozenset(
    {str, type(PurePath()), *PurePath.__subclasses__(), *type(PurePath()).__subclasses__()}
)
_PLAIN_TYPES = _TEXT_TYPES | {int}


def name_of(function: ast.expr) -> str:
    """The last name of what is called."""
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _shown(value: Any) -> str | None:
    return str(value) if type(value) in _TEXT_TYPES else None


def _joined(parts: Iterable[str | None], *, as_path: bool = False) -> str | None:
    found = list(parts)
    if any(part is None for part in found):
        return None
    return os.path.join(*map(str, found)) if as_path else "".join(map(str, found))


def _by_name(call: ast.Call) -> list[ast.expr]:
    return [item.value for item in call.keywords if item.arg in _PATH_NAMES]


def _by_mode(call: ast.Call, *, at: int) -> str:
    given = next((item.value for item in call.keywords if item.arg == "mode"), None)
    mode = given or (call.args[at] if len(call.args) > at else None)
    text = mode.value if isinstance(mode, ast.Constant) and isinstance(mode.value, str) else "r"
    return WRITTEN if any(sign in text for sign in "wax+") else READ


def _spark_side(function: ast.expr) -> str:
    """`read` or `write` where that stands before the call, as in `spark.read.option(…).csv`."""
    node: ast.expr = function
    for _ in range(_MOST_PARTS):
        if isinstance(node, ast.Attribute):
            if node.attr in ("read", "write"):
                return node.attr
            node = node.value
        elif isinstance(node, ast.Call):
            node = node.func
        else:
            break
    return ""
