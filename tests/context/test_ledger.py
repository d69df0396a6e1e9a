"""What the records of a branch add up to, at any point of it."""

import re

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_notebook.agent.entries import CustomEntry
from pi_notebook.agent.messages import ToolCall
from pi_notebook.context.call_record import (
    LEDGER_TYPE,
    CallRecord,
    FileNote,
    FrameNote,
    VariableNote,
    record_of,
)
from pi_notebook.context.ledger import Ledger, ledger_of
from pi_notebook.kernel.effects import CellEffects, FileEffect, VariableEffect
from tests.context.conversations import asks, replies


def entry(number, record, kind=LEDGER_TYPE):
    data = record.data() if isinstance(record, CallRecord) else record
    return CustomEntry(id=f"{number:08x}", parent_id=None, timestamp="", custom_type=kind, data=data)


def record(call="c", **fields):
    return CallRecord(tool_call_id=call, tool="run_code", **fields)


def made(name, action="created", **fields):
    return VariableNote(name=name, action=action, type="list", **fields)


def test_counts_of_a_file_add_up_and_its_witnesses_are_kept():
    ledger = Ledger(
        [
            record(files=[FileNote(path="a", action="read", witness="python", count=2)]),
            record(files=[FileNote(path="a", action="read", witness="tools")]),
            record(files=[FileNote(path="a", action="deleted", witness="scan")]),
        ]
    )
    state = ledger.files["a"]
    assert (state.counts, state.witnesses, state.last) == (
        {"read": 3, "deleted": 1},
        {"python", "tools", "scan"},
        "deleted",
    )


def test_a_deleted_variable_is_gone_and_one_made_again_is_there():
    first = [record("1", variables=[made("x")]), record("2", variables=[made("x", "deleted")])]
    assert (list(Ledger(first).variables), list(Ledger(first).deleted)) == ([], ["x"])
    again = Ledger([*first, record("3", variables=[made("x", length=2)])])
    assert again.variables["x"].description == "list, length 2"
    assert again.variables["x"].call_id == "3"
    assert not again.deleted


def test_a_file_of_a_frame_counts_until_the_variable_changes():
    frame = FrameNote(name="x", path="/spill/x.parquet")
    records = [record("1", variables=[made("x")], frames=[frame])]
    assert Ledger(records).variables["x"].frame == frame
    assert Ledger([*records, record("2", variables=[made("x", "changed")])]).variables["x"].frame is None


def test_a_ledger_is_computed_at_any_point_of_a_branch():
    entries = [
        entry(1, record(imports=["pandas"])),
        entry(2, {"name": "model"}, "pi_notebook/setting"),
        entry(3, {"nonsense": True}),
        entry(4, record(imports=["polars"])),
    ]
    assert list(ledger_of(entries).imports) == ["pandas", "polars"]
    assert list(ledger_of(entries, until="00000003").imports) == ["pandas"]
    assert list(ledger_of(entries, until="00000001").imports) == ["pandas"]


def test_paths_are_relative_inside_the_folder_and_the_programs_own_are_left_out(tmp_path):
    outside = tmp_path / "elsewhere" / "b"
    effects = CellEffects(
        files=tuple(
            FileEffect(path=str(path), action="read", witness="python")
            for path in (tmp_path / "work" / "sub" / "a", outside, tmp_path / "home" / "spill" / "c")
        ),
        variables=(VariableEffect(name="x", action="created", type="pandas.DataFrame", shape=(2, 1)),),
    )
    found = record_of(
        effects,
        call_id="c",
        tool="run_code",
        folder=str(tmp_path / "work"),
        apart=[str(tmp_path / "home")],
    )
    assert [note.path for note in found.files] == ["sub/a", str(outside)]
    assert found.variables[0].shape == [2, 1]
    assert msgspec.convert(msgspec.json.decode(msgspec.json.encode(found.data())), CallRecord) == found


def test_a_folder_reached_through_a_link_names_its_files_alike(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "work").symlink_to("real")
    (tmp_path / "home").symlink_to("kept")
    paths = ("work/a", "real/b", "kept/spill/c", "home/spill/d")
    effects = CellEffects(
        files=tuple(FileEffect(path=str(tmp_path / one), action="read", witness="tools") for one in paths)
    )
    found = record_of(
        effects, call_id="c", tool="t", folder=str(tmp_path / "work"), apart=[str(tmp_path / "home")]
    )
    assert [note.path for note in found.files] == ["a", "b"]


def test_a_call_that_did_nothing_leaves_no_record():
    assert record_of(CellEffects(execution_count=7), call_id="c", tool="run_code", folder="/").is_empty


def test_the_text_names_every_kind():
    ledger = Ledger(
        [
            record(
                files=[
                    FileNote(path="in.csv", action="read", witness="python"),
                    FileNote(path="out.csv", action="written", witness="tools"),
                ],
                variables=[made("xs", length=3)],
                imports=["pandas"],
                frames=[FrameNote(name="x", path="/spill/x-1.parquet")],
                is_cut=True,
            )
        ]
    )
    assert ledger.text().splitlines() == [
        "Files read: in.csv",
        "Files written: out.csv",
        "Variables: xs (list, length 3)",
        "Frames on disk in /spill: x-1.parquet",
        "Packages imported: pandas",
        "Some calls touched more files, or ran in a larger folder, than was looked at.",
    ]


def test_a_renamed_file_is_told_by_both_names_until_there_is_one_of_the_old_name_again():
    moved = [
        FileNote(path="a.csv", action="deleted", witness="scan", renamed_to="b.csv"),
        FileNote(path="b.csv", action="written", witness="scan"),
        FileNote(path="c.csv", action="deleted", witness="scan"),
    ]
    records = [record(files=[FileNote(path="a.csv", action="read", witness="tools")]), record(files=moved)]
    assert Ledger(records).text().splitlines() == [
        "Files read: a.csv",
        "Files deleted: c.csv",
        "Files renamed: a.csv -> b.csv",
    ]
    again = [FileNote(path=name, action="written", witness="tools") for name in ("a.csv", "c.csv")]
    assert Ledger([*records, record(files=again)]).text().splitlines() == [
        "Files read: a.csv",
        "Files written: a.csv, b.csv, c.csv",
    ]


def of_type(name, type_name, *, shape=None, length=None, is_passing=False, action="created"):
    return VariableNote(
        name=name, action=action, type=type_name, shape=shape, length=length, is_passing=is_passing
    )


KERNEL = [
    of_type("sales", "pandas.DataFrame", shape=[9000, 12]),
    of_type("cities", "list", length=40),
    of_type("i", "int"),
    of_type("row", "pandas.Series", shape=[12], is_passing=True),
    of_type("_", "str"),
    of_type("fig", "matplotlib.figure.Figure"),
    of_type("ax", "matplotlib.axes._axes.Axes"),
    of_type("file", "_io.TextIOWrapper"),
    of_type("lines", "generator"),
    of_type("first", "list", length=1),
    of_type("threshold", "float"),
    of_type("tmp", "pandas.DataFrame", shape=[3, 2]),
    of_type("d", "dict", length=5),
    of_type("clean", "function"),
    of_type("model", "sklearn.svm._classes.SVC"),
    of_type("monthly", "pandas.DataFrame", shape=[12, 3]),
]


def variables_in(ledger, *messages, max_chars=4_000):
    line = next(
        line
        for line in ledger.text(max_chars=max_chars, messages=messages).splitlines()
        if line.startswith("Variables: ")
    )
    return re.findall(r"(\w+) \(", line)


def test_variables_worth_naming_stand_there_tables_and_the_newest_first():
    ledger = Ledger([record(variables=KERNEL)])
    assert ledger.text() == (
        "Variables: monthly (pandas.DataFrame, 12 x 3), sales (pandas.DataFrame, 9000 x 12), "
        "model (sklearn.svm._classes.SVC), clean (function), cities (list, length 40)"
    )


def test_what_is_in_use_comes_first_and_small_things_stand_there_once_they_were_spoken_of():
    ledger = Ledger([record(variables=KERNEL)])
    uses = replies(ToolCall(id="1", name="run_code", arguments={"code": "model.fit(sales)"}))
    assert variables_in(ledger, uses) == ["sales", "model", "monthly", "clean", "cities"]
    prompt = asks("Is the threshold right for a row of d? Save fig.")
    looked = replies(ToolCall(id="2", name="preview_data", arguments={"name": "d"}))
    assert variables_in(ledger, prompt, looked)[:3] == ["d", "threshold", "fig"]
    assert set(variables_in(ledger, prompt, looked)) == {
        "monthly", "sales", "model", "clean", "cities", "threshold", "fig", "d"
    }  # fmt: skip


def test_the_most_useful_variables_stay_when_not_all_fit():
    many = [of_type(f"list_{number}", "list", length=9) for number in range(40)]
    ledger = Ledger([record(variables=[*KERNEL[:1], *many])])
    text = ledger.text(max_chars=1_200)
    assert text.startswith("Variables: sales (pandas.DataFrame, 9000 x 12), list_39 (list, length 9), ")
    assert text.endswith(" more: list_variables)")
    told = len(variables_in(ledger, max_chars=1_200))
    assert f"({41 - told} more: " in text


def test_a_name_that_was_bound_in_passing_is_known_until_it_is_set_plainly():
    passing = [of_type("part", "pandas.DataFrame", shape=[3, 2], is_passing=True)]
    rebound = [of_type("part", "pandas.DataFrame", shape=[9, 2], action="rebound")]
    grown = [of_type("part", "pandas.DataFrame", shape=[4, 2], action="changed")]
    records = [record(variables=passing), record(variables=grown)]
    assert Ledger(records).text() == ""
    assert variables_in(Ledger([*records, record(variables=rebound)])) == ["part"]
    assert variables_in(Ledger([record(variables=rebound), record(variables=passing)])) == ["part"]


@settings(derandomize=True, max_examples=50)
@given(st.lists(st.text(min_size=1, max_size=300), max_size=200), st.integers(600, 5000))
def test_the_text_stays_within_its_bound_however_much_there_is(names, max_chars):
    ledger = Ledger(
        record(files=[FileNote(path=name, action="read", witness="python")], variables=[made(name)])
        for name in names
    )
    assert len(ledger.text(max_chars=max_chars)) <= max_chars
