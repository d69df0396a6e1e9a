"""Values of libraries that may be missing, and of what is held open; the function's name is the kind."""

import asyncio
import datetime
import decimal
import enum
import fractions
import io
import itertools
import pathlib
import re
import sqlite3
import tempfile
import threading
import types
import uuid
import zoneinfo

import attrs
import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pydantic
import pytest

EXAMPLES = {}
HELD_OPEN = []
"""What would be closed, with a warning, when nobody holds it."""
FOLDER = tempfile.TemporaryDirectory()
DAY = datetime.datetime(2024, 3, 1, 12, 30)


def example(function):
    EXAMPLES[function.__name__] = function
    return function


def a_folder():
    return pathlib.Path(tempfile.mkdtemp(dir=FOLDER.name))


def held(value):
    HELD_OPEN.append(value)
    return value


def needs(name):
    return pytest.importorskip(name)


@example
def pyarrow_dataset():
    import pyarrow.dataset as ds
    import pyarrow.parquet as pq

    folder = a_folder()
    for part in ("a", "b"):
        pq.write_table(pa.table({"id": [1, 2], "name": [part, part]}), folder / f"{part}.parquet")
    return ds.dataset(sorted(map(str, folder.glob("*.parquet"))))


@example
def pyarrow_parquet_file():
    import pyarrow.parquet as pq

    target = io.BytesIO()
    pq.write_table(pa.table({"id": [1, 2], "name": ["x", "y"]}), target)
    return pq.ParquetFile(pa.BufferReader(target.getvalue()))


@example
def pyarrow_reader():
    table = pa.table({"id": [1, 2], "name": ["x", "y"]})
    return pa.RecordBatchReader.from_batches(table.schema, table.to_batches())


def _never():
    raise AssertionError("a lazy object was computed")


@example
def dask_frame():
    dataframe = needs("dask.dataframe")
    frame = dataframe.from_pandas(pd.DataFrame({"id": range(8), "name": ["x"] * 8}), npartitions=2)
    return frame.map_partitions(lambda part: _never(), meta=frame._meta)


@example
def dask_array():
    array = needs("dask.array").ones((1000, 500), chunks=(100, 500))
    return array.map_blocks(lambda block: _never(), dtype=float, meta=np.empty((0, 0)))


@example
def dask_delayed():
    return needs("dask").delayed(_never)()


def _cube(xarray):
    time = pd.date_range("2024-01-01", periods=4, freq="D")
    values = np.arange(24.0).reshape(4, 3, 2)
    return xarray.DataArray(
        values,
        dims=("time", "lat", "lon"),
        coords={"time": time, "lat": [10.0, 20.0, 30.0], "station": ("lon", ["Oslo", "Bergen"]), "run": 7},
        name="temperature",
        attrs={"units": "K", "history": "made " * 100},
    )


@example
def xarray_array():
    return _cube(needs("xarray"))


@example
def xarray_dataset():
    xarray = needs("xarray")
    cube = _cube(xarray)
    return xarray.Dataset(
        {"temperature": cube, "mask": ("lat", [True, False, True])}, attrs={"title": "Demo"}
    )


@example
def xarray_dataset_lazy():
    dask_array, xarray = needs("dask.array"), needs("xarray")
    data = dask_array.ones((4, 6), chunks=(2, 6)).map_blocks(lambda block: _never(), dtype=float)
    return xarray.Dataset({"v": (("x", "y"), data)})


@example
def scipy_sparse():
    sparse = needs("scipy.sparse")
    return sparse.csr_matrix((np.arange(1.0, 6.0), ([0, 1, 2, 3, 999], [0, 1, 2, 3, 499])), shape=(1000, 500))


@example
def scipy_sparse_lists():
    return needs("scipy.sparse").lil_array((3, 3), dtype="int32")


def _numbers():
    features = np.array([[0.0, 1.0], [1.0, 0.0], [4.0, 5.0], [5.0, 4.0]])
    return features, np.array(["low", "low", "high", "high"])


@example
def sklearn_fitted():
    needs("sklearn")
    from sklearn.naive_bayes import GaussianNB

    return GaussianNB(var_smoothing=0.5).fit(*_numbers())


@example
def sklearn_not_fitted():
    needs("sklearn")
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(n_estimators=10, max_depth=3)


@example
def sklearn_pipeline():
    needs("sklearn")
    from sklearn.compose import ColumnTransformer
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    columns = ColumnTransformer([("number", StandardScaler(), [0]), ("kind", OneHotEncoder(), [1])])
    return make_pipeline(columns, Ridge(alpha=0.1))


@example
def matplotlib_axes():
    from matplotlib.figure import Figure

    axes = Figure().subplots()
    axes.scatter([1, 2], [3, 4], label="points")
    axes.plot([1, 2], [3, 4], label="line")
    axes.set(title="Both", xlabel="x value")
    axes.legend()
    return axes


@example
def plotly_figure():
    graph = needs("plotly.graph_objects")
    traces = [
        graph.Scatter(x=[1, 2, 3], y=[4, 5, 6], mode="lines", name="a"),
        graph.Bar(x=["u", "v"], y=[1, 2]),
    ]
    return graph.Figure(
        traces, {"title": "Sales", "xaxis": {"title": "day"}, "yaxis": {"title": {"text": "NOK"}}}
    )


@example
def altair_chart():
    altair = needs("altair")
    data = pd.DataFrame({"day": [1, 2, 3], "price": [4.0, 5.0, 6.0]})
    return altair.Chart(data, title="Prices").mark_line().encode(x="day:Q", y=altair.Y("price", title="NOK"))


@example
def altair_layers():
    altair = needs("altair")
    chart = altair.Chart("prices.csv").encode(x="day:Q", y="price:Q")
    return chart.mark_point(size=60) + chart.mark_line()


@example
def bokeh_plot():
    needs("bokeh")
    from bokeh.plotting import figure

    plot = figure(title="Sales", x_axis_label="day", y_axis_label="NOK")
    plot.line([1, 2, 3], [4, 5, 6])
    plot.scatter([1, 2], [4, 5])
    return plot


@example
def bokeh_layout():
    needs("bokeh")
    from bokeh.layouts import row
    from bokeh.plotting import figure

    return row(figure(title="left"), figure(title="right"))


@example
def pillow_image():
    return needs("PIL.Image").new("RGB", (320, 200), "red")


SHOP = (
    "create table orders (id integer primary key, city text, price real)",
    "create view cities as select distinct city from orders",
    "insert into orders values (1, 'a row that is never shown', 2.5)",
)


@example
def sqlite_connection():
    connection = held(sqlite3.connect(":memory:"))
    for statement in SHOP:
        connection.execute(statement)
    connection.execute('create table "odd "" name" (a)')
    return connection


@example
def sqlite_cursor():
    return held(sqlite3.connect(":memory:")).execute("select 1 as one, 'x' as name")


@example
def duckdb_connection():
    connection = duckdb.connect()
    for statement in SHOP:
        connection.execute(statement.replace("text", "varchar"))
    connection.execute("create schema archive; create table archive.old (day date)")
    return connection


@example
def sqlalchemy_engine_of_a_server():
    driver = types.SimpleNamespace(paramstyle="pyformat", Error=Exception, __version__="1.0.0")
    address = "mysql+pymysql://ada:hunter2@db.example:3306/shop?ssl_key_password=hunter2"
    return needs("sqlalchemy").create_engine(address, module=driver)


@example
def sqlalchemy_connection():
    sqlalchemy = needs("sqlalchemy")
    connection = held(sqlalchemy.create_engine("sqlite://").connect())
    for statement in SHOP:
        connection.execute(sqlalchemy.text(statement))
    connection.commit()
    return connection


@attrs.define
class Setting:
    name: str
    values: list
    token: str = attrs.field(repr=False, default="hidden")


@example
def attrs_instance():
    return Setting(name="grid", values=list(range(500)))


class Order(pydantic.BaseModel):
    id: int
    tags: list[str]
    key: pydantic.SecretStr
    inner: str = pydantic.Field(default="hidden", repr=False)


@example
def pydantic_model():
    return Order(id=7, tags=["a", "b"], key="hunter2")


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Access(enum.Flag):
    READ = enum.auto()
    WRITE = enum.auto()


@example
def enum_member():
    return Level.HIGH


@example
def enum_flags():
    return Access.READ | Access.WRITE


@example
def generator_suspended():
    def count():
        yield from range(3)

    values = count()
    next(values)
    return values


@example
def coroutine():
    async def fetch():
        await asyncio.sleep(0)

    return held(fetch())


@example
def iterator_of_a_list():
    return iter([1, 2, 3])


@example
def iterator_without_end():
    return itertools.cycle([1, 2])


@example
def iterator_of_pairs():
    return zip([1, 2], [3, 4], strict=True)


@example
def file_of_text():
    path = a_folder() / "notes.txt"
    path.write_text("one\ntwo\n", encoding="utf-8")
    return held(open(path, encoding="utf-8"))  # noqa: SIM115


@example
def file_closed():
    with open(a_folder() / "out.bin", "wb") as file:
        file.write(b"12345")
    return file


@example
def file_in_memory():
    file = io.BytesIO(b"1234567890")
    file.read(3)
    return file


@example
def lock():
    return threading.Lock()


@example
def regex_match():
    return re.search(r"(?P<year>\d{4})-(\d\d)", "due 2024-03 or later")


@example
def regex_pattern():
    return re.compile(r"(\d+)\s")


@example
def path_of_a_file():
    path = a_folder() / "data.csv"
    path.write_text("a,b\n" * 100, encoding="utf-8")
    return path


@example
def path_of_a_folder():
    path = a_folder()
    (path / "one").touch()
    return path


@example
def path_to_nothing():
    return pathlib.Path("/no/such/file.parquet")


@example
def path_pure():
    return pathlib.PureWindowsPath("C:/data/a.csv")


@example
def date():
    return DAY.date()


@example
def time_with_zone():
    return DAY.replace(tzinfo=zoneinfo.ZoneInfo("Europe/Oslo"))


@example
def duration():
    return datetime.timedelta(days=3, hours=2)


@example
def decimal_number():
    return decimal.Decimal("12345.67890")


@example
def fraction():
    return fractions.Fraction(10**6000 + 1, 3)


@example
def identifier():
    return uuid.UUID(int=5)


@example
def bytes_mutable():
    return bytearray(b"abc" * 100)


@example
def memory_view():
    return memoryview(np.arange(12, dtype="int32"))


@example
def int_large():
    return 7**20_000


@example
def exception_chain():
    try:
        try:
            try:
                int("x")
            except ValueError:
                {}["price"]
        except KeyError as error:
            raise RuntimeError("no price") from error
    except RuntimeError as error:
        return _bare(error)


def _bare(error):
    """Without places, which differ from Python to Python."""
    found = error
    while found is not None:
        found = found.with_traceback(None).__cause__ or found.__context__
    return error


@example
def exception_that_hides_its_context():
    try:
        try:
            int("x")
        except ValueError:
            raise RuntimeError("no price") from None
    except RuntimeError as error:
        return _bare(error)


class Account:
    """Of a driver that has no repr."""

    def __init__(self):
        self.user, self.password, self.api_key = "ada", "hunter2", "k-123"
        self.tokens = 5


@example
def object_with_secrets():
    return Account()
