"""What the records of a branch add up to, at any point of it."""

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_notebook.agent.entries import CustomEntry
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
                variables=[made("x", length=3)],
                imports=["pandas"],
                frames=[FrameNote(name="x", path="/spill/x-1.parquet")],
                is_cut=True,
            )
        ]
    )
    assert ledger.text().splitlines() == [
        "Files read: in.csv",
        "Files written: out.csv",
        "Variables: x (list, length 3)",
        "Frames on disk in /spill: x-1.parquet",
        "Packages imported: pandas",
        "Some calls touched more files, or ran in a larger folder, than was looked at.",
    ]


@settings(derandomize=True, max_examples=50)
@given(st.lists(st.text(min_size=1, max_size=300), max_size=200), st.integers(600, 5000))
def test_the_text_stays_within_its_bound_however_much_there_is(names, max_chars):
    ledger = Ledger(
        record(files=[FileNote(path=name, action="read", witness="python")], variables=[made(name)])
        for name in names
    )
    assert len(ledger.text(max_chars=max_chars)) <= max_chars
