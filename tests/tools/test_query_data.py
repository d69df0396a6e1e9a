"""`query_data` as a model calls it: real frames, real files, real databases, and SQL that means harm."""

import asyncio
import codecs
import os
import sqlite3
import subprocess
import sys
import threading
import time

import duckdb
import msgspec
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pytest

from pi_notebook.agent.tools import ToolError
from pi_notebook.context.previews.references import Variables
from pi_notebook.context.spill import SpillFolder
from pi_notebook.context.tokens import count_tokens
from pi_notebook.kernel.executor import CodeExecutor
from pi_notebook.tools.needs import QueryEngine
from pi_notebook.tools.query_data import query_data
from tests.patience import SOON
from tests.tools.calling import context_for


class DirectExecutor:
    """Calls at once, on the thread that asks."""

    async def call(self, function, *, timeout_seconds):
        return function()


class Shelf:
    def __init__(self, values):
        self.values = values

    def get(self, name):
        return self.values[name]

    def names(self):
        return list(self.values)


@pytest.fixture
def folder(tmp_path):
    """A working folder with a few files, and a secret beside it."""
    folder = tmp_path / "work"
    (folder / "parts").mkdir(parents=True)
    (folder / "cities.csv").write_text("city,people\nOslo,700\nBergen,290\n")
    (folder / "rows.json").write_text('[{"k": 1, "v": "a"}, {"k": 2, "v": "b"}]')
    for number in range(3):
        pd.DataFrame({"n": [number]}).to_parquet(folder / "parts" / f"p{number}.parquet")
    (tmp_path / "secret.csv").write_text("word\nhush\n")
    (folder / "link.csv").symlink_to(tmp_path / "secret.csv")
    (folder / "linked").symlink_to(tmp_path)
    return folder


async def run(folder, sql, source=None, *, timeout_seconds=30.0, **values):
    context = context_for(folder, name="query_data")
    engine = QueryEngine(timeout_seconds=timeout_seconds)
    resources = {CodeExecutor: DirectExecutor(), Variables: Shelf(values), QueryEngine: engine}
    context.resources.update(resources)
    arguments = {"sql": sql} | ({"source": source} if source else {})
    return await query_data.execute(context, query_data.parse(arguments))


async def text_of(folder, sql, source=None, **values):
    result = await run(folder, sql, source, **values)
    return "".join(block.text for block in result.content)


async def refusal(folder, sql, source=None, **values):
    with pytest.raises(ToolError) as caught:
        await run(folder, sql, source, **values)
    assert len(str(caught.value)) < 2500
    return str(caught.value)


SALES = pd.DataFrame({"city": ["Oslo", "Bergen", "Oslo"], "price": [1.5, 2.0, 3.0]})


@pytest.mark.parametrize(
    "frame",
    [
        SALES,
        pl.from_pandas(SALES),
        pa.Table.from_pandas(SALES),
        pa.dataset.dataset(pa.Table.from_pandas(SALES)),
    ],
    ids=["pandas", "polars", "pyarrow", "dataset"],
)
async def test_a_frame_is_a_table_by_its_name(folder, frame):
    sql = "SELECT city, sum(price) AS total FROM sales GROUP BY city ORDER BY city"
    text = await text_of(folder, sql, sales=frame)
    assert text == "Result: 2 rows x 2 columns; VARCHAR, DOUBLE\ncity,total\nBergen,2.0\nOslo,4.5"


async def test_frames_of_different_libraries_are_joined_with_a_file(folder):
    sql = """SELECT c.people, p.n FROM "cities.csv" c JOIN sales s USING (city)
             JOIN parts p ON p.city = s.city WHERE s.city = 'Bergen'"""
    text = await text_of(folder, sql, sales=SALES, parts=pl.DataFrame({"city": ["Bergen"], "n": [7]}))
    assert text.endswith("people,n\n290,7")


@pytest.mark.parametrize(
    ("table", "last"),
    [
        ("'cities.csv'", "2"),
        ("read_csv('cities.csv', header = true)", "2"),
        ("'rows.json'", "2"),
        ("read_json(['rows.json'])", "2"),
        ("'parts/*.parquet'", "3"),
        ("read_parquet('parts/p[01].parquet')", "2"),
        ("parquet_schema('parts/p0.parquet')", "2"),
        ("'./parts/../cities.csv'", "2"),
    ],
)
async def test_files_of_the_folder_are_tables(folder, table, last):
    assert (await text_of(folder, f"SELECT count(*) AS n FROM {table}")).endswith(f"\n{last}")


async def test_files_are_found_from_the_working_folder_wherever_the_kernel_stands(folder, monkeypatch):
    monkeypatch.chdir("/")
    assert (await text_of(folder, "SELECT max(people) AS m FROM 'cities.csv'")).endswith("\n700")


async def test_a_spilled_frame_is_read_by_its_path(folder):
    spill = context_for(folder).resources[SpillFolder].path
    spill.mkdir()
    SALES.to_parquet(spill / "sales-1.parquet")
    assert (await text_of(folder, f"SELECT count(*) AS n FROM '{spill}/sales-1.parquet'")).endswith("\n3")


@pytest.mark.parametrize(
    "sql",
    [
        "FROM df",
        "TABLE df",
        "VALUES (1)",
        "DESCRIBE df",
        "SUMMARIZE df",
        "SELECT 1; -- ; DROP TABLE x",
        "SELECT 1;;",
    ]
    + ["WITH df AS (SELECT 1 AS q) SELECT q FROM df", "WITH t AS (FROM df) SELECT * FROM t"]
    + ["WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT n FROM t"]
    + ["PIVOT df ON a IN (1, 2) USING count(*)", "SELECT ';' AS x, '-- no' AS y /* ; DROP */"],
)
async def test_all_that_is_one_select_runs(folder, sql):
    assert (await text_of(folder, sql, df=pd.DataFrame({"a": [1, 2]}))).startswith("Result: ")


HOSTILE = [
    "COPY df TO 'out.csv'",
    "COPY (SELECT 1) TO '/tmp/out.csv'",
    "COPY df FROM 'cities.csv'",
    "EXPORT DATABASE 'out'",
    "ATTACH 'x.db'",
    "ATTACH ':memory:' AS m",
    "CREATE TABLE t AS SELECT 1",
    "CREATE SECRET s (TYPE s3)",
    "CREATE MACRO f(a) AS a",
    "INSERT INTO df VALUES (1)",
    "DELETE FROM df",
    "UPDATE df SET a = 1",
    "DROP VIEW df",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET enable_external_access = true",
    "RESET allowed_directories",
    "PRAGMA database_list",
    "CALL pragma_version()",
    "SELECT 1; SELECT 2",
    "SELECT 1; COPY df TO 'out.csv'",
    "SELECT 1 /* */; -- \nDROP VIEW df",
    "/* SELECT 1 */ COPY df TO 'out.csv'",
    "-- SELECT 1\nINSTALL httpfs",
    "",
    "-- nothing",
    "EXPLAIN ANALYZE SELECT 1",
    "PREPARE p AS SELECT 1",
    "BEGIN",
    "CHECKPOINT",
    "WITH x AS (INSERT INTO df VALUES (1) RETURNING *) SELECT * FROM x",
    "WITH x AS (DELETE FROM df RETURNING *) SELECT * FROM x",
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM read_csv(['cities.csv', '/etc/passwd'])",
    "SELECT * FROM read_csv('/etc/' || 'passwd')",
    "SELECT * FROM read_csv((SELECT '/etc/passwd'))",
    "SELECT * FROM READ_CSV('/etc/passwd')",
    "SELECT * FROM main.read_csv('/etc/passwd')",
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM '../secret.csv'",
    "SELECT * FROM 'parts/../../secret.csv'",
    "SELECT * FROM 'link.csv'",
    "SELECT * FROM 'linked/secret.csv'",
    "SELECT * FROM 'linked/*.csv'",
    "SELECT * FROM '*.csv'",
    "SELECT * FROM '~/.bashrc'",
    "SELECT * FROM 'file:///etc/passwd'",
    "SELECT * FROM 'http://127.0.0.1:9/a.csv'",
    "SELECT * FROM 's3://bucket/a.parquet'",
    "SELECT * FROM '/dev/zero'",
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT content FROM read_blob('/etc/passwd')",
    "SELECT * FROM glob('/etc/*')",
    "SELECT * FROM sniff_csv('/etc/passwd')",
    "SELECT * FROM parquet_metadata('/etc/passwd')",
    "SELECT * FROM query('COPY df TO ''out.csv''')",
    "SELECT * FROM query_table('/etc/passwd')",
    "SELECT * FROM json_execute_serialized_sql('{}')",
    "SELECT * FROM arrow_scan(1, 2, 3)",
    "SELECT * FROM pandas_scan(1)",
    "SELECT * FROM python_map_function(1)",
    "SELECT * FROM duckdb_secrets()",
    "SELECT * FROM duckdb_settings()",
    "SELECT * FROM pragma_database_size()",
    "SELECT * FROM checkpoint()",
    "SELECT * FROM enable_logging()",
    "SELECT getenv('HOME')",
    "SELECT (SELECT max(content) FROM read_text('/etc/passwd'))",
    "SELECT 1 WHERE EXISTS (FROM read_csv('/etc/passwd'))",
    "SELECT 1 UNION ALL SELECT content FROM read_text('/etc/passwd')",
    "SELECT nextval('s')",
    "SELECT sleep_ms(100000)",
    "SELECT current_setting('home_directory')",
]


@pytest.mark.parametrize("sql", HOSTILE)
async def test_what_is_no_plain_reading_is_refused_and_leaves_nothing(folder, sql):
    before = sorted(str(path) for path in folder.parent.rglob("*"))
    text = await refusal(folder, sql, df=pd.DataFrame({"a": [1]}))
    assert "hush" not in text
    assert "root:" not in text
    assert sorted(str(path) for path in folder.parent.rglob("*")) == before


async def test_a_pipe_is_not_opened(folder):
    os.mkfifo(folder / "pipe.csv")
    assert "no plain file" in await refusal(folder, "FROM 'pipe.csv'")


async def test_a_long_result_is_counted_and_bounded(folder):
    result = await run(folder, "SELECT range AS n, repeat('x', 500) AS t FROM range(300000)")
    text = "".join(block.text for block in result.content)
    assert text.startswith(
        "Result: 300,000 rows x 2 columns\nBIGINT: n\nVARCHAR: t\nrows (first 40, last 10):\nn,t\n0,xxx"
    )
    assert "\n299999,xxx" in text
    assert text.endswith("[More: ORDER BY with LIMIT and OFFSET, or aggregate.]")
    assert count_tokens(text) <= 10_000
    assert result.details["rows"] == 300_000


async def test_a_wide_result_and_long_cells_are_bounded(folder):
    frame = pd.DataFrame({f"c{i}": ["word " * 400] * 30 for i in range(150)})
    text = await text_of(folder, "SELECT * FROM df", df=frame)
    assert count_tokens(text) <= 10_000
    text = await text_of(folder, "SELECT repeat('y', 9000000) AS t, [1] AS l, {'a': 1} AS s, NULL AS n")
    assert text.endswith("[More of a cell: select fewer columns, or substr(column, 1, 2000).]")


async def test_a_result_shown_whole_has_no_notice(folder):
    text = await text_of(folder, "SELECT range AS n FROM range(60)")
    assert text.startswith("Result: 60 rows x 1 column\nBIGINT: n\nrows (all 60):\nn\n0\n")
    assert text.endswith("\n59")


async def test_no_rows_are_a_result(folder):
    text = await text_of(folder, "SELECT * FROM df WHERE a > 5", df=pd.DataFrame({"a": [1]}))
    assert text == "Result: 0 rows x 1 column; a (BIGINT)"


async def test_names_are_found_whatever_they_look_like(folder):
    values = {"Größe": SALES, "df": SALES, "nested": {"x": SALES}, "order": SALES}
    for table in ("Größe", "DF", '"df"', '"order"', "\"nested['x']\""):
        assert (await text_of(folder, f"SELECT count(*) AS n FROM {table}", **values)).endswith("\n3")


async def test_two_variables_that_sql_cannot_tell_apart_are_named(folder):
    values = {"df": SALES, "DF": SALES.head(1)}
    assert (await text_of(folder, "SELECT count(*) AS n FROM DF", **values)).endswith("\n1")
    assert "df and DF are one name in SQL" in await refusal(folder, "SELECT * FROM df, DF", **values)


async def test_repeated_and_odd_columns_and_the_index_are_told(folder):
    frame = pd.DataFrame([[1, 2, 3]], columns=["x", "x", ("a", "b")], index=pd.Index(["k"], name="key"))
    text = await text_of(folder, "SELECT * FROM df", df=frame)
    assert "\nkey,x,x_2,a_b\nk,1,2,3\n" in text
    assert "The index of df is key." in text
    assert "x is x_2" in text


async def test_a_result_may_repeat_names(folder):
    assert (await text_of(folder, "SELECT 1 AS a, 2 AS a")).endswith("\n1,2")


async def test_types_that_sql_has_not_are_read_as_text(folder):
    frame = pd.DataFrame(
        {"p": pd.period_range("2020", periods=2, freq="M"), "z": pd.arrays.SparseArray([0, 1])}
        | {"c": [1j, 2j], "n": [1, 2]}
    )
    text = await text_of(folder, "SELECT p, z + 1 AS z, c, n FROM df ORDER BY n", df=frame)
    assert "2020-01,1,1j,1" in text.replace("(", "").replace(")", "").replace("0+", "")
    assert "As text in df: p, c." in text
    assert list(frame.dtypes.astype(str)) == ["period[M]", "Sparse[int64, 0]", "complex128", "int64"]


async def test_a_frame_is_not_changed_by_being_queried(folder):
    frame = SALES.set_index("city")
    before = frame.copy()
    await run(folder, "SELECT * FROM df", df=frame)
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT * FROM sale", "There is no table sale. Did you mean sales?"),
        ("SELECT prize FROM sales", "There is no column prize. Did you mean price? sales has: city, price."),
        ("SELECT s.prize FROM sales s", "Did you mean price?"),
        ("SELECT peple FROM 'cities.csv'", "Did you mean people?"),
        ("SELEC 1", "The SQL does not parse: "),
        ("SELECT * FROM 'citys.csv'", "Nothing is at citys.csv. Did you mean cities.csv?"),
        ("SELECT * FROM 'parts'", "There is no table parts."),
        ("SELECT * FROM './parts'", "is a folder. Name its files: './parts/*.parquet'"),
        ("SELECT * FROM 'parts/*.csv'", "No file matches"),
        ("SELECT * FROM lazy", "is a LazyFrame, which would have to be computed first"),
        ("SELECT * FROM number", "number is a int, not a frame."),
        ("SELECT * FROM bare", "at least one column. Make a plain frame"),
        ("SELECT city::INT FROM sales", ". TRY_CAST gives NULL"),
        ("PIVOT sales ON city", "PIVOT needs its columns named"),
        ("SELECT 1; SELECT 2", "here are 2 statements"),
        ("SELECT * FROM read_csv(x)", "a path written out"),
        ("SELECT nofunc(1)", "nofunc"),
        ("SELECT * FROM 'bad.parquet'", "bad.parquet"),
    ],
)
async def test_what_the_model_can_mend_says_how(folder, sql, said):
    (folder / "bad.parquet").write_bytes(b"PAR1 no")
    assert said in await refusal(
        folder, sql, sales=SALES, lazy=pl.LazyFrame({"a": [1]}), number=1, bare=pd.DataFrame(index=range(3))
    )


ENDLESS = [
    "SELECT count(*) FROM range(100000000000000) WHERE random() * range > 2",
    "SELECT * FROM range(100000000000000)",
    "WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t",
    "SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b",
    "SELECT count(*) FROM df a, range(100000000000000) b WHERE random() * b.range > a.a",
]


@pytest.mark.parametrize("sql", ENDLESS)
async def test_an_endless_query_ends_soon_after_a_stop(folder, sql):
    task = asyncio.ensure_future(run(folder, sql, df=pl.DataFrame({"a": [2]})))
    while not _query_threads():
        assert not task.done()
        await asyncio.sleep(0.01)
    began = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    while _query_threads():
        await asyncio.sleep(0.01)
    assert time.monotonic() - began < SOON


def _query_threads():
    return [thread for thread in threading.enumerate() if thread.name == "pi-notebook-query"]


@pytest.mark.parametrize(
    "frame", [pl.DataFrame({"a": [2]}), pd.DataFrame({"a": [2]})], ids=["polars", "pandas"]
)
async def test_a_query_that_takes_too_long_says_so(folder, frame):
    text = await refusal(folder, ENDLESS[4], df=frame, timeout_seconds=0.3)
    assert text.startswith("The query took longer than 0.3 s and was stopped.")


@pytest.fixture
def sqlite_file(folder):
    path = folder / "shop.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE items (id INTEGER, name TEXT)")
    connection.executemany("INSERT INTO items VALUES (?, ?)", [(1, "pen"), (2, None)])
    connection.commit()
    connection.close()
    return path


async def test_a_sqlite_file_is_queried(folder, sqlite_file):
    text = await text_of(folder, "SELECT id, name FROM items ORDER BY id", "shop.sqlite")
    assert text == "Result: 2 rows x 2 columns; INTEGER, TEXT\nid,name\n1,pen\n2,NULL"


SQLITE_HOSTILE = [
    "DELETE FROM items",
    "INSERT INTO items VALUES (3, 'x')",
    "DROP TABLE items",
    "CREATE TABLE t (a)",
    "CREATE TEMP TABLE t (a)",
    "ATTACH 'other.db' AS o",
    "PRAGMA writable_schema = 1",
    "PRAGMA query_only = 0",
    "SELECT load_extension('x')",
    "SELECT 1; DELETE FROM items",
    "VACUUM",
    "VACUUM INTO 'copy.db'",
    "BEGIN",
    "REINDEX",
    "WITH x AS (SELECT 1) DELETE FROM items",
    "",
]


@pytest.mark.parametrize("source", ["shop.sqlite", "held"])
@pytest.mark.parametrize("sql", SQLITE_HOSTILE)
async def test_sqlite_is_only_read(folder, sqlite_file, sql, source):
    held = sqlite3.connect(sqlite_file)
    before = sqlite_file.read_bytes()
    await refusal(folder, sql, source, held=held)
    assert not held.in_transaction
    assert held.execute("SELECT count(*) FROM items").fetchone() == (2,)
    held.execute("CREATE TEMP TABLE mine (a)")  # the person still may
    held.close()
    assert sqlite_file.read_bytes() == before
    assert not list(folder.glob("*.db"))


async def test_a_connection_in_memory_is_queried_through_its_variable(folder):
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    connection.execute("CREATE TABLE t AS SELECT 1 AS a UNION ALL SELECT 2")
    assert (await text_of(folder, "SELECT sum(a) AS s FROM t", "db", db=connection)).endswith("\n3")
    assert "There is no table tt. Did you mean t? It has: t." in await refusal(
        folder, "SELECT * FROM tt", "db", db=connection
    )
    assert "There is no column b. t has: a." in await refusal(folder, "SELECT b FROM t", "db", db=connection)
    connection.close()


async def test_a_duckdb_file_is_queried_and_not_written(folder):
    with duckdb.connect(str(folder / "shop.duckdb")) as connection:
        connection.execute("CREATE TABLE items AS SELECT 1 AS id, 'pen' AS name")
    assert (await text_of(folder, "SELECT name FROM items", "shop.duckdb")).endswith("\npen")
    assert "There is no table item in" in await refusal(folder, "SELECT * FROM item", "shop.duckdb")
    assert "Did you mean name? items has: id, name." in await refusal(
        folder, "SELECT nam FROM items", "shop.duckdb"
    )
    assert "one SELECT" in await refusal(folder, "DROP TABLE items", "shop.duckdb")


async def test_a_duckdb_connection_is_queried_through_its_variable(folder):
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE items AS SELECT 1 AS id")
        assert (await text_of(folder, "SELECT id FROM items", "db", db=connection)).endswith("\n1")
        for sql in ("DROP TABLE items", "SELECT * FROM read_csv('/etc/passwd')", "SELECT * FROM sales"):
            await refusal(folder, sql, "db", db=connection, sales=SALES)
        assert connection.execute("SELECT count(*) FROM items").fetchone() == (1,)


class Driver:
    """A DB-API connection of no known driver."""

    def __init__(self):
        self.connection = sqlite3.connect(":memory:")
        self.connection.execute("CREATE TABLE t AS SELECT 1 AS a")
        self.seen = []

    def cursor(self):
        return self

    def execute(self, sql):
        self.seen.append(sql)
        self._cursor = self.connection.execute(sql)

    @property
    def description(self):
        return self._cursor.description

    def fetchmany(self, size):
        return self._cursor.fetchmany(size)

    def commit(self):
        raise AssertionError("nothing is committed")

    rollback = commit

    def close(self):
        self._cursor = None


async def test_any_driver_is_sent_selects_alone(folder):
    driver = Driver()
    assert (await text_of(folder, "SELECT a FROM t", "db", db=driver)).endswith("\n1")
    for sql in ("DELETE FROM t", "SELECT 1; DELETE FROM t", "WITH x AS (DELETE FROM t RETURNING *) FROM x"):
        await refusal(folder, sql, "db", db=driver)
    assert driver.seen == ["SELECT a FROM t"]
    assert "no such table" in await refusal(folder, "SELECT a FROM tt", "db", db=driver)
    driver.connection.close()


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("cities.csv", "A CSV, JSON or parquet file stands in the query"),
        ("sales", "neither a connection nor a file"),
        ("sale", "is no variable and no file. Did you mean sales?"),
        ("gone.db", "Nothing is at gone.db."),
        ("../secret.csv", "outside the working folder"),
    ],
)
async def test_a_source_that_is_none_says_what_is(folder, source, said):
    assert said in await refusal(folder, "SELECT 1", source, sales=SALES)


def test_the_definition_is_short_and_loads_nothing():
    assert len(msgspec.json.encode(query_data.definition)) <= 550
    assert query_data.risk == "read"
    code = "import sys, pi_notebook.tools; print('duckdb' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "False"


async def files_of(folder, sql, source=None, **values):
    result = await run(folder, sql, source, **values)
    return sorted(os.path.relpath(path, folder) for path in result.details["files"])


async def test_the_details_name_every_file_that_a_query_read(folder, tmp_path):
    assert await files_of(folder, "FROM 'cities.csv'") == ["cities.csv"]
    assert await files_of(folder, "SELECT * FROM read_csv('cities.csv') JOIN 'rows.json' ON true") == [
        "cities.csv", "rows.json",
    ]  # fmt: skip
    assert await files_of(folder, "FROM 'parts/*.parquet'") == [f"parts/p{n}.parquet" for n in range(3)]
    assert await files_of(folder, "FROM frame", frame=pd.DataFrame({"a": [1]})) == []
    with sqlite3.connect(folder / "shop.db") as database:
        database.execute("CREATE TABLE items (id)")
        database.execute("ATTACH ? AS other", [str(folder / "other.db")])
        assert await files_of(folder, "SELECT * FROM items", "shop.db") == ["shop.db"]
        assert await files_of(folder, "SELECT * FROM items", "db", db=database) == ["other.db", "shop.db"]
    database.close()
    with duckdb.connect(str(folder / "shop.duckdb")) as database:
        database.execute("CREATE TABLE items (id INT)")
        assert await files_of(folder, "FROM items", "db", db=database) == ["shop.duckdb"]
    with duckdb.connect() as database:
        assert await files_of(folder, "SELECT 1", "db", db=database) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id,name,age\n1,Ann\n2,Bo,26,tea\n", "The first 2 lines of odd.csv were left out"),
        (
            "1,null,0,0\n2,0,0,null\n3,null,,\n4,null,0,null\n5,0,0,\n",
            "odd.csv has no names in its first row, as it seems: column0 and so on",
        ),
        (
            "All sales,,,\n,,,\nid,a,b,c\n1,2,3,4\n",
            "Names that stand further down: read_csv('odd.csv', skip=3)",
        ),
        ("foo\n" * 300, "The first row of odd.csv was taken for names"),
        (
            "A title, alone\n***\n" + "".join(f"row{';1' * (n % 5 + 1)}\n" for n in range(40)),
            "lines have ';'",
        ),
    ],
)
async def test_what_was_guessed_of_a_csv_file_is_told(folder, text, said):
    (folder / "odd.csv").write_text(text)
    for table in ("'odd.csv'", "read_csv('odd.csv')"):
        assert said in await text_of(folder, f"SELECT * FROM {table}")


async def test_rows_of_different_lengths_are_had_in_the_way_that_is_told(folder):
    (folder / "odd.csv").write_text("id,name,age\n1,Ann\n2,Bo,26,tea\n")
    text = await text_of(folder, "SELECT * FROM read_csv('odd.csv', null_padding=true)")
    assert text.splitlines()[1:] == ["id,name,age,column3", "1,Ann,NULL,NULL", "2,Bo,26,tea"]


async def test_nothing_is_told_of_a_plain_csv_file(folder):
    (folder / "blank.csv").write_text("id,,age\n1,Ann,30\n")
    for name in ("cities.csv", "blank.csv"):
        assert "[" not in await text_of(folder, f"SELECT * FROM '{name}'")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("name\nJosé\n".encode("cp1252"), "Query it with read_csv('odd.csv', encoding='latin-1')"),
        ("name\nJosé\n".encode("utf-16"), "Query it with read_csv('odd.csv', encoding='utf-16')"),
        (
            codecs.BOM_UTF16_BE + "name\nJosé\n".encode("utf-16-be"),
            'does not read; in code encoding="utf-16".',
        ),
        ("名前,値\n東京駅前,1\n".encode("cp932"), "Find its encoding with run_code"),
    ],
)
async def test_a_file_that_is_no_utf8_is_told_in_one_sentence_with_the_way_on(folder, data, said):
    (folder / "odd.csv").write_bytes(data)
    problem = await refusal(folder, "SELECT * FROM 'odd.csv'")
    assert said in problem
    assert len(problem) < 200


@pytest.mark.parametrize(
    ("values", "rows", "note"),
    [
        (pa.array([1.5, None], pa.float16()), ["1.5", "NULL"], ""),
        (pa.array([10**40, None], pa.decimal256(60, 0)), [f"{10**40}", "NULL"], "As text in t: x."),
        (pa.array([[1.5], None], pa.list_(pa.float16())), ["[1.5]", "NULL"], "As text in t: x."),
    ],
)
async def test_columns_of_arrow_that_duckdb_has_no_type_for_are_read(folder, values, rows, note):
    table = pa.table({"x": values, "y": [1, 2]})
    text = await text_of(folder, "SELECT x FROM t", t=table)
    assert text.splitlines()[2:4] == rows
    assert note in text


async def test_a_column_whose_values_hold_themselves_is_read_as_text(folder):
    held = {"name": "root"}
    held["up"] = [held]
    frame = pd.DataFrame({"tree": pd.Series([held, None, {"name": "leaf"}], dtype=object), "n": [1, 2, 3]})
    text = await text_of(folder, "SELECT tree, n FROM t ORDER BY n DESC", t=frame)
    assert "As text in t: tree." in text
    assert text.splitlines()[2:4] == ['"{""name"": ""leaf""}",3', "NULL,2"]
    assert frame["tree"][0] is held


class Speechless:
    def __repr__(self):
        raise RuntimeError("no words")


class Closed(list):
    def __iter__(self):
        raise OSError("closed")


async def test_a_column_whose_lists_cannot_be_gone_through_is_read_as_text(folder):
    frame = pd.DataFrame({"x": pd.Series([Closed([1, 2]), None], dtype=object)})
    text = await text_of(folder, "SELECT x FROM t", t=frame)
    assert text.splitlines()[2:4] == ['"[1, 2]"', "NULL"]


async def test_a_column_whose_values_have_no_text_does_not_fail_the_query(folder):
    frame = pd.DataFrame({"x": pd.Series([Speechless(), "plain", None], dtype=object), "n": [1, 2, 3]})
    text = await text_of(folder, "SELECT x, n FROM t ORDER BY n", t=frame)
    assert text.splitlines()[2:5] == ["<Speechless>,1", "plain,2", "NULL,3"]
    assert "As text in t: x." in text
