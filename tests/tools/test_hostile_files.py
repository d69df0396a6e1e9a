"""Files that were made to do harm: no code of theirs runs, and they take neither memory nor time."""

import ast
import os
import pickle
import resource
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

import pi_notebook
from pi_notebook.agent.tools import ToolError
from pi_notebook.tools.parquet_file import describe_parquet
from pi_notebook.tools.read import read
from tests.tools.calling import text_of
from tests.tools.lazy_calling import Desk

PACKAGE = Path(pi_notebook.__file__).parent
RUNS_CODE = {"eval", "exec", "compile"}
"""Names that run what they are given."""
UNPICKLES = {"pickle", "cPickle", "cloudpickle", "dill", "joblib", "shelve", "marshal"}
MEANT_TO_RUN_CODE = {"session/extensions.py", "kernel/"}
"""The person's own extensions, and what they and the agent run in their kernel."""


class Touch:
    """What is unpickled makes a file."""

    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return os.mkdir, (self.path,)


def named(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id + "()"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield "." + node.func.attr + "()"
        elif isinstance(node, ast.keyword):
            yield f"{node.arg}="


@pytest.mark.parametrize(
    "path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE))
)
def test_nothing_of_ours_unpickles_or_evaluates(path):
    place = path.relative_to(PACKAGE).as_posix()
    found = set(named(ast.parse(path.read_text(encoding="utf-8"))))
    refused = UNPICKLES | {".read_pickle()", "allow_pickle=", ".unsafe_load()", ".full_load()"}
    if not place.startswith(tuple(MEANT_TO_RUN_CODE)):
        refused |= {f"{name}()" for name in RUNS_CODE}
    assert not found & refused


def hostile_schema(kind, flag):
    """A field whose metadata means harm, and metadata of a whole file that does."""
    payload = pickle.dumps(Touch(flag))
    extension = {
        "python": {"ARROW:extension:name": "arrow.py_extension_type", "ARROW:extension:metadata": payload},
        "unknown": {"ARROW:extension:name": "never.heard.of", "ARROW:extension:metadata": payload},
        "plain": {},
    }[kind]
    whole = {"pandas": payload if kind == "plain" else b'{"index_columns": ["__reduce__", {}]}'}
    return pa.schema([pa.field("x", pa.int64(), metadata=extension)], metadata=whole)


@pytest.mark.parametrize("kind", ["python", "unknown", "plain"])
async def test_metadata_of_a_parquet_file_runs_nothing(kind, tmp_path):
    flag = tmp_path / "flag"
    desk = Desk(tmp_path)
    table = pa.table({"x": pa.array([1, 2, 3])}).cast(hostile_schema(kind, flag))
    parquet.write_table(table, tmp_path / "a.parquet")
    assert "\n1\n2\n3" in await text_of(read, tmp_path, path="a.parquet")
    assert (
        await desk.query("SELECT sum(x) AS s FROM 'a.parquet'")
        == "Result: 1 row x 1 column; s (HUGEINT)\ns\n6"
    )
    desk.values["t"] = parquet.read_table(tmp_path / "a.parquet")
    assert "\n1\n2\n3" in await desk.text("t", keep=True)
    assert "\n6" in await desk.query("SELECT sum(x) AS s FROM t")
    assert not flag.exists()


async def test_objects_of_a_frame_are_kept_as_text_and_never_pickled(tmp_path):
    flag = tmp_path / "flag"
    desk = Desk(tmp_path, df=pd.DataFrame({"x": [Touch(flag), 1, "text"], "y": [1, 2, 3]}))
    assert "As text: x" in await desk.text("df", keep=True)
    assert b"__reduce__" not in next(desk.folder.glob("*.parquet")).read_bytes()
    assert not flag.exists()


@pytest.mark.parametrize("name", ["a.parquet", "a.csv", "a.json", "a.txt"])
async def test_a_pickle_by_any_name_is_refused_unread(name, tmp_path):
    flag = tmp_path / "flag"
    (tmp_path / name).write_bytes(pickle.dumps([Touch(flag)] * 3))
    with pytest.raises(ToolError):
        await text_of(read, tmp_path, path=name)
    with pytest.raises(ToolError):
        await Desk(tmp_path).query(f"SELECT * FROM '{name}'")
    assert not flag.exists()


@pytest.mark.parametrize(
    "text", ["[" * 50_000, '{"a":' * 50_000, '[{"a": "' + "x" * 50_000, "1e999", "\0" * 999]
)
async def test_json_that_ends_no_parser_well_is_a_short_error_or_a_short_text(text, tmp_path):
    (tmp_path / "a.json").write_text(text)
    for look in (text_of(read, tmp_path, path="a.json"), Desk(tmp_path).query("SELECT * FROM 'a.json'")):
        try:
            said = await look
        except ToolError as error:
            said = str(error)
        assert len(said) < 60_000


def test_one_long_value_that_stands_in_every_row_is_unpacked_for_few_rows(tmp_path):
    long = pa.DictionaryArray.from_arrays(pa.array([0] * 3000, pa.int32()), pa.array(["x" * 1_000_000]))
    parquet.write_table(pa.table({"x": long}), tmp_path / "a.parquet", compression="zstd", store_schema=False)
    assert (tmp_path / "a.parquet").stat().st_size < 50_000
    script = (
        "import resource; from pathlib import Path; import pyarrow.parquet; "
        "from pi_notebook.context.previews import preview; "
        "from pi_notebook.tools.parquet_file import describe_parquet; preview([1]); "
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss; "
        f"text = describe_parquet(Path({str(tmp_path / 'a.parquet')!r}), 'a.parquet', start=0, count=10); "
        "print(len(text), (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    chars, megabytes = map(int, done.stdout.split())
    assert chars < 40_000
    assert megabytes < 250


def test_a_list_of_one_long_value_over_and_over_is_not_unpacked(tmp_path):
    long = pa.DictionaryArray.from_arrays(pa.array([0] * 3000, pa.int32()), pa.array(["x" * 1_000_000]))
    lists = pa.ListArray.from_arrays(pa.array([0, 3000], pa.int32()), long)
    table = pa.table({"x": lists, "y": [1]})
    parquet.write_table(table, tmp_path / "a.parquet", compression="zstd", store_schema=False)
    text = describe_parquet(tmp_path / "a.parquet", "a.parquet", start=0, count=10)
    assert "without 1 column, too many or too large" in text
    assert "y\n1" in text
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 4_000_000
