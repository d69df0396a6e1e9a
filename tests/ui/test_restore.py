"""The ledger as a person sees it, and a session's variables after a restart of the kernel."""

import pytest

from tests.kernel.client import Kernel
from tests.provider import Provider, calls, text

pytestmark = pytest.mark.kernel


@pytest.fixture(scope="module")
def provider():
    with Provider() as provider:
        yield provider


@pytest.fixture
def started(provider, tmp_path):
    """Starts a kernel, each time on the same folder and the same sessions."""
    folder = tmp_path / "folder"
    folder.mkdir()
    env = provider.environment(tmp_path / "home")
    kernels = []

    def start():
        for kernel in kernels:
            kernel.close()
        kernels[:] = [Kernel(env=env, cwd=folder)]
        kernels[0].run("%load_ext pi_notebook")
        return kernels[0]

    yield start
    for kernel in kernels:
        kernel.close()


def shown(execution):
    assert not execution.errors, execution.errors
    return "\n".join(execution.values())


FRAME = """
import pandas as pd
frame = pd.DataFrame({"n": range(500)}, index=pd.Index([f"r{i}" for i in range(500)], name="key"))
frame
"""


def ask(kernel, provider, *codes):
    provider.script(calls(*(("run_code", {"code": code}) for code in codes)), text("done"))
    execution = kernel.run("%%agent --auto\ngo")
    assert not execution.errors
    return execution


def test_a_restarted_kernel_gets_its_frames_from_files_and_the_rest_by_the_recorded_cells(
    started, provider, tmp_path
):
    pytest.importorskip("pyarrow")
    kernel = started()
    assert "touched no file" in shown(kernel.run("%agent ledger"))
    ask(
        kernel,
        provider,
        FRAME,
        "limit = 3\nopen('out.txt', 'w').write('x')",
        "small = frame.head(limit)\nimport subprocess\nsubprocess.run('echo 1 > child.txt', shell=True)",
        "gone = 1\n1 / 0",
    )
    ledger = shown(kernel.run("%agent ledger"))
    for expected in ("out.txt", "child.txt", "child processes or native code", "limit", "500 x 1", "pandas"):
        assert expected in ledger
    assert "%agent restore" not in ledger

    kernel = started()
    kernel.run("limit = 99")
    shown(kernel.run("%agent resume"))
    assert "no: %agent restore" in shown(kernel.run("%agent ledger"))
    asked = kernel.run("%agent restore", answers=["y"])
    table = shown(asked)
    assert "loaded from its file" in table
    assert "made again by the session's cells" in table
    assert "cells were run again" in table
    seen = kernel.run("frame.shape, frame.index.name, small.shape, limit").values()
    assert seen == ["((500, 1), 'key', (3, 1), 99)"]  # as it was, and the person's own limit as it is
    kernel.check_health()


def test_what_the_person_did_between_runs_is_in_the_ledger_as_theirs(started, provider, tmp_path):
    (tmp_path / "folder" / "in.csv").write_text("a,b\n1,2\n")
    kernel = started()
    kernel.run("text = open('in.csv').read()\nn = 3\nwith open('out.csv', 'w') as file: file.write(text)")
    ask(kernel, provider, "m = n + 1\nkept = [m]")
    kernel.run("m = 'mine'\ndel n")
    ask(kernel, provider, "used = m")
    rows = [row.split() for row in shown(kernel.run("%agent ledger")).splitlines()]
    by = {row[0]: "you" in row for row in rows if row}
    expected = {"in.csv": True, "out.csv": True, "text": True, "m": True, "kept": False, "used": False}
    assert {name: by.get(name) for name in expected} == expected
    assert "n" not in by

    kernel = started()
    shown(kernel.run("%agent resume"))
    prompts = []

    def look(message):
        if message["msg_type"] == "input_request":
            prompts.append(message["content"]["prompt"])

    lost = shown(kernel.run("%agent restore", answers=["n"], on_message=look))
    assert [line.split()[0] for line in lost.splitlines() if "still lost" in line] == ["kept", "used"]
    assert "They use n and m, made by cells of yours that have not run here yet." not in prompts[0]
    assert "They use m, made by cells of yours that have not run here yet." in prompts[0]


def test_where_nobody_can_be_asked_frames_are_loaded_and_no_cell_is_run(started, provider):
    pytest.importorskip("pyarrow")
    kernel = started()
    ask(kernel, provider, FRAME, "limit = 3\nopen('out.txt', 'a').write('x')")
    kernel = started()
    shown(kernel.run("%agent resume"))
    table = shown(kernel.run("%agent restore"))
    assert "Nobody can be asked here" in table
    assert "still lost" in table
    assert kernel.run("len(frame), 'limit' in globals(), open('out.txt').read()").values() == [
        "(500, False, 'x')"
    ]
    assert "Not run again: 1 cell." in shown(kernel.run("%agent restore", answers=["n"]))
    assert kernel.run("'limit' in globals()").values() == ["False"]
    assert "1 of the session's cells" in shown(kernel.run("%agent restore", answers=["yes"]))
    assert kernel.run("limit").values() == ["3"]
    assert "Nothing is lost" in shown(kernel.run("%agent restore"))
    kernel.check_health()


def test_a_cell_that_fails_again_ends_the_restoring_and_is_named(started, provider, tmp_path):
    (tmp_path / "folder" / "in.txt").write_text("7")
    kernel = started()
    ask(kernel, provider, "first = 1", "second = int(open('in.txt').read()) + first", "third = second")
    (tmp_path / "folder" / "in.txt").unlink()
    kernel = started()
    shown(kernel.run("%agent resume"))
    table = shown(kernel.run("%agent restore", answers=["y"]))
    assert "Cell 2 of 3 failed (FileNotFoundError" in table
    assert kernel.run("first, 'second' in globals()").values() == ["(1, False)"]
    kernel.check_health()


MAKERS = """
import datetime, enum
import numpy as np, pandas as pd, polars as pl, pyarrow as pa
from pandas.api.extensions import ExtensionArray, ExtensionDtype, register_extension_dtype

N = 400
DAYS = pd.date_range("2024-01-01", periods=N, freq="h", tz="Europe/Oslo")

def plain():
    return pd.DataFrame({"n": range(N), "t": [f"text {i}" for i in range(N)]})

def typed():
    frame = pd.DataFrame({"day": DAYS, "small": np.arange(N, dtype="int8"), "kind": ["a", "b"] * (N // 2)})
    frame["kind"] = pd.Categorical(frame["kind"], categories=["b", "a"], ordered=True)
    frame["maybe"] = pd.array([2**60 + 1, None] * (N // 2), dtype="Int64")
    frame["arrow"] = pd.array([1, None] * (N // 2), dtype="int64[pyarrow]")
    frame["flag"] = pd.array([True, None] * (N // 2), dtype="boolean")
    frame["word"] = pd.array(["x", None] * (N // 2), dtype="string")
    frame["span"] = pd.to_timedelta(range(N), unit="s")
    return frame

def indexed():
    return plain().set_index("t")

def by_day():
    return pd.DataFrame({"n": range(N)}, index=DAYS.tz_convert("UTC"))

def nested():
    index = pd.MultiIndex.from_product([["a", "b"], range(N // 2)], names=["side", "place"])
    return pd.DataFrame({"n": range(N)}, index=index)

def polars():
    return pl.DataFrame({
        "n": range(N), "when": [datetime.datetime(2024, 1, 1)] * N,
        "kind": pl.Series(["a", "b"] * (N // 2), dtype=pl.Categorical), "some": [[1, 2]] * N,
    })

def arrow():
    kinds = pa.array(["a", "b"] * (N // 2)).dictionary_encode()
    return pa.table({"n": range(N), "kind": kinds, "s": [{"a": 1}] * N})

class Point:
    def __init__(self, x): self.x = x
    def __repr__(self): return f"POINT ({self.x})"

@register_extension_dtype
class GeometryDtype(ExtensionDtype):
    name, type, na_value = "pointy", Point, None
    @classmethod
    def construct_array_type(cls): return Geometry

class Geometry(ExtensionArray):
    dtype = GeometryDtype()
    def __init__(self, points): self._points = np.asarray(points, dtype=object)
    @classmethod
    def _from_sequence(cls, scalars, *, dtype=None, copy=False): return cls(list(scalars))
    def __len__(self): return len(self._points)
    def __getitem__(self, item):
        found = self._points[item]
        return found if isinstance(found, (Point, type(None))) else Geometry(found)
    def isna(self): return np.array([point is None for point in self._points])
    def copy(self): return Geometry(self._points.copy())
    def take(self, indices, allow_fill=False, fill_value=None): return Geometry(self._points.take(indices))
    @property
    def nbytes(self): return 8 * len(self)

def shapes():
    return pd.DataFrame({"n": range(N), "geometry": Geometry([Point(i) for i in range(N)])})
"""
SAME = """
import makers, pandas as pd
def same(name, value):
    made = getattr(makers, name)()
    if isinstance(made, pd.DataFrame):
        pd.testing.assert_frame_equal(value, made, check_freq=False)
        return True
    return type(value) is type(made) and bool(value.equals(made))
"""


def test_frames_of_every_library_come_back_as_they_were(started, provider, tmp_path):
    pytest.importorskip("pyarrow")
    pytest.importorskip("polars")
    (tmp_path / "folder" / "makers.py").write_text(MAKERS)
    names = ["plain", "typed", "indexed", "by_day", "nested", "polars", "arrow"]
    kernel = started()
    ask(
        kernel,
        provider,
        "import makers",
        *(f"{name} = makers.{name}()\n{name}" for name in [*names, "shapes"]),
    )
    kernel = started()
    shown(kernel.run("%agent resume"))
    table = shown(kernel.run("%agent restore"))
    assert table.count("loaded from its file") == len(names) + 1, table
    assert "as text: geometry" in table
    kernel.run(SAME)
    for name in names:
        seen = kernel.run(f"same({name!r}, {name})")
        assert (seen.errors, seen.values()) == ([], ["True"]), name
    assert kernel.run("list(shapes.columns), int(shapes.n.sum()), shapes.geometry[3]").values() == [
        "(['n', 'geometry'], 79800, 'POINT (3)')"
    ]
    kernel.check_health()


def test_what_running_cells_again_means_is_said_before_the_person_is_asked(started, provider):
    kernel = started()
    ask(kernel, provider, "total = 3\nopen('out.txt', 'w').write('x')")
    kernel = started()
    shown(kernel.run("%agent resume"))
    prompts = []

    def look(message):
        if message["msg_type"] == "input_request":
            prompts.append(message["content"]["prompt"])

    shown(kernel.run("%agent restore", answers=["n"], on_message=look))
    assert prompts == ["Run 1 of the session's cells again? They write out.txt again.  y yes · n no › "]
