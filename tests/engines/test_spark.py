"""Frames of a real local Spark: told without a job, rows and files only as jobs that were asked for."""

import os
import signal
import threading
import time

import pytest

pyspark = pytest.importorskip("pyspark")

from pyspark.sql import SparkSession  # noqa: E402

from pi_notebook.agent.tools import ToolError  # noqa: E402
from pi_notebook.context.previews import preview  # noqa: E402
from tests.tools.lazy_calling import Desk, written  # noqa: E402

pytestmark = pytest.mark.timeout(500, method="thread")


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    folder = tmp_path_factory.mktemp("spark")
    options = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.warehouse.dir": str(folder),
        "spark.sql.shuffle.partitions": "2",
    }
    builder = SparkSession.builder.master("local[2]")
    for name, value in options.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    # The first job and the first preview load what later ones have; it is not those that are looked at.
    assert session.range(3).selectExpr("id * 2 AS twice").count() == 3
    assert preview(session.range(3)).kind == "lazy"
    yield session
    session.stop()


@pytest.fixture
def frame(spark):
    return spark.range(0, 1_000, 1, 4).selectExpr("id", "id * 2 AS twice", "concat('city ', id % 3) AS city")


def job_count(spark):
    """All jobs that Spark has ever begun."""
    return spark.sparkContext._jsc.sc().statusStore().jobsList(None).size()


async def test_a_frame_is_told_by_its_schema_and_no_job_runs(spark, frame, tmp_path):
    before = job_count(spark)
    desk = Desk(tmp_path, df=frame)
    text = await desk.text("df")
    assert text.startswith("df = DataFrame (pyspark), not computed: 3 columns, number of rows unknown")
    assert "\nid,bigint\ntwice,bigint\ncity,string\n" in text
    preview([frame, {"inner": frame}])
    assert job_count(spark) == before
    assert not desk.folder.exists()
    frame.count()
    assert job_count(spark) > before


async def test_rows_are_computed_by_a_job_of_their_own_that_leaves_no_name_behind(spark, frame, tmp_path):
    before = job_count(spark)
    text = await Desk(tmp_path, df=frame).text("df", rows=5)
    assert "only these rows computed, in " in text
    assert "; rows 0:5:\nid,twice,city\n0,0,city 0\n1,2,city 1\n" in text
    assert job_count(spark) > before
    assert spark.sparkContext.getLocalProperty("spark.jobGroup.id") is None


@pytest.mark.parametrize(
    ("rows", "expected"),
    [("10:12", ["10,20,city 1", "11,22,city 2"]), ("tail 2", ["998,1996,city 2", "999,1998,city 0"])],
)
async def test_rows_from_within_and_from_the_end_are_computed(rows, expected, frame, tmp_path):
    text = await Desk(tmp_path, df=frame).text("df", rows=rows)
    assert text.splitlines()[-2:] == expected


async def test_a_frame_is_written_by_spark_and_its_folder_is_queried(spark, frame, tmp_path):
    desk = Desk(tmp_path, df=frame)
    text = await desk.text("df", keep=True)
    assert "(parquet, 4 files, " in text
    answer = await desk.query(f"SELECT count(*), sum(twice), max(city) FROM '{written(text)}'")
    assert "\n1000,999000,city 2" in answer
    before = job_count(spark)
    assert written(await desk.text("df", keep=True)) == written(text)
    assert job_count(spark) == before


async def test_a_frame_that_spark_cannot_write_is_told_with_the_reason(spark, tmp_path):
    desk = Desk(tmp_path, df=spark.range(3).selectExpr("id AS a", "id AS a"))
    text = await desk.text("df", keep=True)
    assert "2 columns" in text
    assert "Not kept on disk: AnalysisException: " in text
    assert "`a`" in text


async def test_what_fails_while_it_is_computed_is_an_error_in_one_line(spark, tmp_path):
    desk = Desk(tmp_path, df=spark.range(3).selectExpr("raise_error('no rows today') AS a"))
    with pytest.raises(ToolError, match="Computing rows of df failed: ") as caught:
        await desk.text("df", rows=1)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


def active_jobs(spark):
    return list(spark.sparkContext.statusTracker().getActiveJobsIds())


def alarm_when_a_job_is_on(spark, seconds=120.0):
    """Send what a deadline sends, once Spark is at work; a thread that ends in any case."""

    def watch():
        until = time.monotonic() + seconds
        while time.monotonic() < until and not active_jobs(spark):
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGALRM)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    return watcher


@pytest.mark.parametrize(
    ("arguments", "said"),
    [({"rows": 3}, "was stopped"), ({"rows": "tail 2"}, "was stopped"), ({"keep": True}, "it took longer")],
)
async def test_a_job_ends_with_the_look_that_took_too_long(arguments, said, spark, tmp_path):
    asleep = spark.range(0, 4, 1, 4).selectExpr("reflect('java.lang.Thread', 'sleep', 600000L) AS a")
    desk = Desk(tmp_path, df=asleep)
    watcher = alarm_when_a_job_is_on(spark)
    try:
        told = await desk.text("df", **arguments)
    except ToolError as error:
        told = str(error)
    watcher.join()
    assert said in told
    until = time.monotonic() + 30
    while active_jobs(spark) and time.monotonic() < until:
        time.sleep(0.05)
    assert active_jobs(spark) == []
    assert not list(desk.folder.glob("*.parquet"))
    assert spark.range(5).count() == 5


async def test_pandas_on_spark_is_told_without_a_job(spark, frame, tmp_path):
    pandas_on_spark = pytest.importorskip("pyspark.pandas")
    value = frame.pandas_api(index_col="id")
    before = job_count(spark)
    text = await Desk(tmp_path, df=value).text("df")
    assert "not computed: 2 columns" in text
    assert job_count(spark) == before
    assert isinstance(value, pandas_on_spark.DataFrame)
    rows = await Desk(tmp_path, df=value).text("df", rows=2)
    assert rows.splitlines()[-1] == "2,city 1"
