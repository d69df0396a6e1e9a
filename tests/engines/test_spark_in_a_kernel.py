"""Spark in a real kernel, asked for by a provider on loopback."""

import pytest

pytest.importorskip("pyspark")

from tests.kernel.client import Kernel  # noqa: E402
from tests.provider import Provider, calls, text  # noqa: E402
from tests.tools.lazy_calling import written  # noqa: E402

pytestmark = pytest.mark.timeout(500, method="thread")
START = """
from pyspark.sql import SparkSession
builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
spark = builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()
spark.sparkContext.setLogLevel("OFF")
df = spark.range(0, 1_000, 1, 4).selectExpr("id", "id * 2 AS twice")
asleep = spark.range(0, 4, 1, 4).selectExpr("reflect('java.lang.Thread', 'sleep', 600000L) AS a")
df.count()
def jobs(): return spark.sparkContext._jsc.sc().statusStore().jobsList(None).size()
def active(): return list(spark.sparkContext.statusTracker().getActiveJobsIds())
"""
INTERRUPT_WHEN_ON = """
import os, signal, threading, time
def watch():
    while not active(): time.sleep(0.05)
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=watch, daemon=True).start()
"""


@pytest.fixture(scope="module")
def provider():
    with Provider() as provider:
        yield provider


@pytest.fixture(scope="module")
def kernel(provider, tmp_path_factory):
    env = provider.environment(tmp_path_factory.mktemp("home"))
    with Kernel(env=env, cwd=tmp_path_factory.mktemp("folder")) as kernel:
        kernel.run("%load_ext pi_notebook")
        assert kernel.run(START, timeout=300).status == "ok"
        yield kernel


def ask(kernel, provider, tool, **arguments):
    provider.script(calls((tool, arguments)), text("done"))
    done = kernel.run("%%agent\ngo", timeout=200)
    assert done.status == "ok", done.errors
    messages = provider.exchanges[-1].body["messages"]
    return [item["content"] for item in messages if item["role"] == "tool"][-1]


def number(kernel, expression):
    return int(kernel.run(f"print({expression})", timeout=100).text())


def test_a_frame_is_told_without_a_job_its_rows_are_computed_and_its_files_queried(kernel, provider):
    before = number(kernel, "jobs()")
    told = ask(kernel, provider, "preview_data", name="df")
    assert "not computed: 2 columns, number of rows unknown" in told
    assert number(kernel, "jobs()") == before
    rows = ask(kernel, provider, "preview_data", name="df", rows="3")
    assert "rows 0:3:\nid,twice\n0,0\n1,2\n2,4" in rows
    assert number(kernel, "jobs()") > before
    kept = ask(kernel, provider, "preview_data", name="df", keep=True)
    answer = ask(kernel, provider, "query_data", sql=f"SELECT count(*), sum(twice) FROM '{written(kept)}'")
    assert "1000,999000" in answer


def test_an_interrupt_ends_the_job_and_the_kernel_goes_on(kernel, provider):
    provider.script(calls(("preview_data", {"name": "asleep", "rows": "3"})), text("done"))
    kernel.run(INTERRUPT_WHEN_ON)
    stopped = kernel.run("%%agent\ngo", timeout=200)
    assert stopped.errors == ["RunStopped: "]
    kernel.run("until = time.monotonic() + 30\nwhile active() and time.monotonic() < until: time.sleep(0.05)")
    assert number(kernel, "len(active())") == 0
    assert number(kernel, "spark.range(5).count()") == 5
