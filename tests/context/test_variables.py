"""Variables as a model reads them."""

import pytest

from pi_notebook.context.variables import grouped, variable_line, variable_notes
from pi_notebook.kernel.namespace import VariableInfo


def frame(*columns, rows=344, width=None, index=None, name="df"):
    shape = (rows, width or len(columns))
    return VariableInfo(name=name, type="pandas.DataFrame", shape=shape, columns=columns, index=index)


def test_columns_are_told_by_type():
    columns = (("rain", "float64"), ("city", "str"), ("wind", "float64"))
    assert variable_line(frame(*columns)) == "df: pandas.DataFrame, 344 x 3; float64: rain, wind; str: city"


def test_a_named_index_is_told():
    line = variable_line(frame(("a", "int64"), index=(("date", "int32"),)))
    assert line == "df: pandas.DataFrame, 344 x 1, index date (int32); int64: a"


def test_numbered_columns_are_told_by_their_ends_and_the_rest_is_counted():
    columns = tuple((f"sensor_{i}", "float64") for i in range(50))
    line = variable_line(frame(*columns, width=300))
    assert line.endswith("float64: sensor_0 … sensor_49; … and 250 more")


def test_no_name_is_cut_at_the_end_of_a_long_line():
    names = [f"population_of_{chr(97 + i)}_{i * i}" for i in range(26)]
    line = variable_line(frame(*((name, "int64") for name in names)))
    assert len(line) <= 300
    shown = line.partition("int64: ")[2].partition("; … and ")
    assert set(shown[0].split(", ")) < set(names)
    assert len(shown[0].split(", ")) + int(shown[2].split()[0]) == 26


def test_a_frame_of_endless_names_is_one_bounded_line():
    line = variable_line(frame(("x" * 80 + "\n", "a" * 500), *((f"{i}" * 70, "t") for i in range(9))))
    assert "\n" not in line
    assert len(line) <= 300


@pytest.mark.parametrize(
    ("info", "told"),
    [
        (VariableInfo(name="t", type="float", text="0.5"), "t (float)"),
        (VariableInfo(name="ax", type="matplotlib.axes._axes.Axes"), "ax (Axes)"),
        (VariableInfo(name="x", type="numpy.float64"), "x (float64)"),
        (
            VariableInfo(name="a", type="numpy.ndarray", shape=(2,), dtype="int64"),
            "a: numpy.ndarray, 2, int64",
        ),
        (VariableInfo(name="s", type="str", length=2, text="'ab'"), "s: str, length 2, 'ab'"),
        (VariableInfo(name="m", type="sklearn.svm.SVC"), "m: sklearn.svm.SVC"),
    ],
)
def test_scalars_and_plots_need_no_line_of_their_own(info, told):
    assert variable_notes([info])[info.name].told == told


def test_names_with_one_type_are_told_together():
    infos = [
        VariableInfo(name=name, type=kind) for name, kind in [("t", "float"), ("n", "int"), ("b", "float")]
    ]
    assert grouped(variable_notes(infos).values()) == ["t, b (float)", "n (int)"]
