"""A look leaves a value as it was: nothing is read from it, computed for it, begun or closed on it."""

import pickle
import sqlite3
import sys

import duckdb
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pi_notebook.context.previews import preview
from tests.context.previews.library_examples import EXAMPLES, SHOP, Access, Level, Order, Setting, needs

PROBES = {
    "pyarrow_reader": lambda reader: reader.read_all().to_pylist(),
    "pyarrow_dataset": lambda dataset: dataset.to_table().to_pylist(),
    "pyarrow_parquet_file": lambda file: file.read().to_pylist(),
    "xarray_array": lambda array: array.to_dict(),
    "xarray_dataset": lambda dataset: dataset.to_dict(),
    "scipy_sparse": lambda matrix: matrix.toarray().tolist(),
    "scipy_sparse_lists": lambda matrix: matrix.toarray().tolist(),
    "sklearn_fitted": lambda estimator: {name: str(item) for name, item in vars(estimator).items()},
    "sklearn_not_fitted": lambda estimator: {name: str(item) for name, item in vars(estimator).items()},
    "plotly_figure": lambda figure: figure.to_json(),
    "altair_chart": lambda chart: chart.to_dict(),
    "altair_layers": lambda chart: {**chart.to_dict(), "params": None},
    "bokeh_plot": lambda plot: sorted(plot.properties_with_values(include_defaults=False)),
    "pillow_image": lambda image: image.tobytes(),
    "sqlite_cursor": lambda cursor: cursor.fetchall(),
    "sqlite_connection": lambda connection: (connection.in_transaction, connection.total_changes),
    "generator_suspended": list,
    "iterator_of_a_list": list,
    "iterator_of_pairs": list,
    "iterator_without_end": next,
    "file_of_text": lambda file: file.read(),
    "file_in_memory": lambda file: (file.tell(), file.read()),
    "lock": lambda lock: lock.acquire(blocking=False),
    "path_of_a_folder": lambda path: len(list(path.iterdir())),
    "bytes_mutable": bytes,
    "pydantic_model": lambda model: model.model_dump_json(),
    "attrs_instance": str,
}  # fmt: skip
"""What is left of a value for its owner."""


@pytest.mark.parametrize("name", PROBES)
def test_a_value_that_was_looked_at_is_as_one_that_was_not(name):
    seen, unseen = EXAMPLES[name](), EXAMPLES[name]()
    for max_tokens in (20, 300, 2000):
        preview(seen, max_tokens=max_tokens)
        preview([seen, {"inner": seen}], max_tokens=max_tokens)
    assert PROBES[name](seen) == PROBES[name](unseen)


single = st.one_of(
    st.datetimes(timezones=st.none() | st.timezones()), st.timedeltas(), st.times(), st.uuids(),
    st.decimals(), st.fractions(), st.sampled_from([Level.LOW, Access.READ, Access.READ | Access.WRITE]),
    st.integers(), st.binary(), st.binary().map(bytearray), st.text(),
    st.builds(ValueError, st.text()), st.builds(Setting, name=st.text(), values=st.lists(st.integers())),
    st.builds(Order, id=st.integers(), tags=st.lists(st.text()), key=st.just("hunter2")),
)  # fmt: skip


@settings(
    max_examples=150, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck)
)
@given(single | st.lists(single) | st.dictionaries(st.text(), single), st.sampled_from([10, 200, 2000]))
def test_looking_twice_gives_one_text_and_changes_nothing(value, max_tokens):
    before = pickle.dumps(value)
    first = preview(value, max_tokens=max_tokens)
    assert preview(value, max_tokens=max_tokens) == first
    assert "hunter2" not in first.text
    assert pickle.dumps(value) == before


def test_a_row_a_password_and_the_values_of_secrets_are_never_shown():
    for name in ("sqlite_connection", "duckdb_connection", "object_with_secrets", "pydantic_model"):
        text = preview(EXAMPLES[name](), max_tokens=2000).text
        assert "never shown" not in text
        assert "hunter2" not in text


@pytest.mark.parametrize("name", ["sqlalchemy_engine_of_a_server", "sqlalchemy_connection"])
def test_an_address_is_shown_without_its_user_and_password(name):
    text = preview(EXAMPLES[name](), max_tokens=2000).text
    assert "hunter2" not in text
    assert "ada" not in text
    assert "never shown" not in text


def test_a_result_that_waits_on_a_connection_of_duckdb_is_not_lost():
    with duckdb.connect() as connection:
        connection.execute("create table t as select range as n from range(3)")
        connection.execute("select n from t order by n")
        assert "table t: n BIGINT" in preview(connection, max_tokens=300).text
        assert connection.fetchall() == [(0,), (1,), (2,)]


def test_an_open_transaction_of_sqlite_stays_open_and_none_is_begun():
    connection = sqlite3.connect(":memory:")
    connection.row_factory = lambda cursor, row: 1 / 0
    connection.text_factory = bytes
    connection.execute(SHOP[0])
    assert "table orders: id INTEGER" in preview(connection, max_tokens=300).text
    assert not connection.in_transaction
    connection.execute("insert into orders (city) values ('Oslo')")
    preview(connection, max_tokens=300)
    assert connection.in_transaction
    connection.rollback()
    connection.close()
    assert "tables not looked at" in preview(connection, max_tokens=300).text


@pytest.mark.skipif(sys.version_info < (3, 12), reason="came with Python 3.12")
def test_a_connection_of_sqlite_that_holds_transactions_open_is_not_asked():
    connection = sqlite3.connect(":memory:", autocommit=False)
    assert "tables not looked at" in preview(connection, max_tokens=300).text
    connection.close()


def test_what_is_not_committed_through_sqlalchemy_is_kept():
    sqlalchemy = needs("sqlalchemy")
    engine = sqlalchemy.create_engine("sqlite://")
    assert "tables not looked at" in preview(engine, max_tokens=300).text
    with engine.connect() as connection:
        connection.execute(sqlalchemy.text(SHOP[0]))
        connection.commit()
        assert "table orders" in preview(connection, max_tokens=300).text
        assert not connection.in_transaction()
        connection.execute(sqlalchemy.text("insert into orders (city) values ('Oslo')"))
        preview(connection, max_tokens=300)
        preview(engine, max_tokens=300)
        assert connection.in_transaction()
        assert connection.execute(sqlalchemy.text("select city from orders")).fetchall() == [("Oslo",)]
    assert "table orders" in preview(engine, max_tokens=300).text
    engine.dispose()


def test_an_engine_that_never_connected_makes_no_file(tmp_path):
    engine = needs("sqlalchemy").create_engine(f"sqlite:///{tmp_path}/new.db")
    preview(engine, max_tokens=300)
    assert not list(tmp_path.iterdir())


def test_a_file_of_a_picture_that_was_opened_is_not_read(tmp_path):
    pictures = needs("PIL.Image")
    pictures.new("L", (30, 20)).save(tmp_path / "a.png")
    with pictures.open(tmp_path / "a.png") as picture:
        assert preview(picture, max_tokens=300).text.endswith("not read yet")
        assert picture.tile


def test_a_file_of_netcdf_that_was_opened_is_not_loaded(tmp_path):
    xarray = needs("xarray")
    needs("scipy")
    path = tmp_path / "a.nc"
    xarray.Dataset({"v": ("x", np.arange(5.0))}).to_netcdf(path, engine="scipy")
    with xarray.open_dataset(path, engine="scipy") as dataset:
        assert "variable v (x) float64, not loaded" in preview(dataset, max_tokens=300).text
        assert "not loaded" in preview(dataset["v"], max_tokens=300).text
        assert not dataset["v"].variable._in_memory


def test_text_that_waits_to_be_written_is_not_written(tmp_path):
    with open(tmp_path / "out.txt", "w", encoding="utf-8") as file:
        file.write("waits")
        assert "mode 'w'" in preview(file, max_tokens=300).text
        assert (tmp_path / "out.txt").stat().st_size == 0


class Connection:
    def __init__(self):
        self.db, self.user, self.password = b"shop", "ada", "hunter2"

    def cursor(self):
        raise AssertionError("a transaction was begun")

    commit = rollback = close = cursor


def test_a_connection_of_an_unknown_driver_is_asked_nothing():
    text = preview(Connection(), max_tokens=300).text
    assert text == "Connection (tests), database connection, database 'shop', tables not looked at"
