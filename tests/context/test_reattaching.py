"""What the work goes on with: which variables and files are shown again, and which are shown already."""

from pi_notebook.agent.messages import CustomMessage, ToolCall
from pi_notebook.context.call_record import CallRecord, FileNote, VariableNote
from pi_notebook.context.reattaching import shows_the_same, things_in_use
from pi_notebook.context.scratch import codes_in, is_scratch, loop_names
from tests.context.conversations import asks, replies

FRAME = "df = DataFrame (pandas): 90 rows x 2 columns, 2 kB\ncolumn,dtype,min,max\na,int64,1,9\nb,int64,2,8\n"
ROWS = [f"{n},{n * 2}" for n in range(90)]


def shown(count, frame=FRAME):
    head, tail = ROWS[:count], ROWS[-count:]
    return f"{frame}rows (first {count}, last {count}):\na,b\n" + "\n".join(
        [*head, f"… {90 - 2 * count} rows not shown …", *tail]
    )


def sets(call_id, *notes):
    variables = [
        VariableNote(
            name=name, action="created", type=type_, shape=list(shape) if shape is not None else None
        )
        for name, type_, shape in notes
    ]
    return CallRecord(tool_call_id=call_id, tool="run_code", variables=variables)


def runs(call_id, code):
    return replies(ToolCall(id=call_id, name="run_code", arguments={"code": code}))


def names(records, messages=()):
    return [thing.name for thing in things_in_use(records, messages)]


def test_the_frame_that_is_used_comes_before_what_was_set_last():
    frame, other = ("sales", "pandas.DataFrame", (90, 2)), ("old", "pandas.DataFrame", (5, 2))
    records = [sets("c0", frame, other), *(sets(f"c{n}", (f"value{n}", "float", None)) for n in range(1, 8))]
    messages = [asks("go"), runs("c0", "sales = load()\nold = load()")]
    messages += [runs(f"c{n}", f"value{n} = sales.a.mean()") for n in range(1, 8)]
    assert names(records, messages)[0] == "sales"
    assert names(records, messages)[1:3] == ["old", "value7"]


def test_loop_variables_and_scratch_names_are_not_shown_again():
    code = "for name, group in sales.groupby('city'):\n    tmp = group.a\nwith open('x') as f:\n    i = 3\n"
    made = [("name", "str", None), ("group", "pandas.DataFrame", (3, 2)), ("tmp", "pandas.Series", (3,))]
    made += [("f", "io.TextIOWrapper", None), ("i", "int", None), ("X", "numpy.ndarray", (9, 9))]
    assert names([sets("c", *made)], [runs("c", code)]) == ["X"]


def test_files_that_tools_touched_count_as_tables_do():
    read = CallRecord(
        tool_call_id="r", tool="read", files=[FileNote(path="notes.md", action="read", witness="tools")]
    )
    records = [sets("a", ("df", "pandas.DataFrame", (3, 3)), ("n", "list", None)), read]
    assert names(records) == ["notes.md", "df"]


def test_what_loops_bind_is_scratch_unless_it_is_also_set_plainly():
    codes = ["for df in frames:\n    pass\ndf = join(frames)", "    for i, (a, b) in pairs:\n        go(i)"]
    assert loop_names(codes) == {"i", "a", "b"}
    assert loop_names(["%matplotlib inline\nfor key in d: print(key)", "x = [y for y in z]"]) == {"key"}
    cells = CustomMessage(
        custom_type="pi_notebook/cells", content="", display=False, timestamp=0,
        details={"cells": [{"code": "for row in rows: pass"}]},
    )  # fmt: skip
    assert loop_names(codes_in([cells])) == {"row"}
    assert is_scratch("_x", loops=set(), has_shape=True)
    assert is_scratch("x", loops=set(), has_shape=False)
    assert not is_scratch("y", loops=set(), has_shape=True)


def test_a_preview_that_shows_fewer_rows_shows_the_same():
    assert shows_the_same(f"done\n{shown(5)}\n[result r12345]", shown(20))
    assert shows_the_same(shown(20), shown(5))


def test_a_preview_from_before_a_change_or_of_another_name_does_not():
    assert not shows_the_same(shown(5, FRAME.replace("1,9", "1,7").replace("2,8", "0,6")), shown(5))
    assert not shows_the_same(shown(5).replace("df =", "other ="), shown(5))
    assert not shows_the_same("", shown(5))
