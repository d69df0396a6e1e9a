"""The cells of the open notebook as the model reads and changes them."""

from dataclasses import replace

import msgspec
import pytest

from pi_notebook.agent.tools import ToolError
from pi_notebook.context.live_cells import NotebookCells
from pi_notebook.context.policies.bounds import Bounds
from pi_notebook.context.truncation import OutputLimits
from pi_notebook.kernel.executor import CodeExecutor
from pi_notebook.kernel.outputs import CellResult
from pi_notebook.tools.edit import edit
from pi_notebook.tools.notebook_cells import (
    delete_cell,
    edit_cell,
    insert_cell,
    move_cell,
    notebook_tools,
    read_cells,
    run_cell,
)
from pi_notebook.tools.run_code import CodeLimits
from pi_notebook.tools.write import write
from tests.tools.calling import context_for
from tests.tools.open_notebook import OpenNotebook


class Executor:
    """Runs nothing, and says what it was given."""

    def __init__(self) -> None:
        self.ran: list[tuple[str, str]] = []

    async def run_code(self, code, sink, *, timeout_seconds=None):
        return await self.run_cell("", code, sink)

    async def run_cell(self, cell_id, code, sink, *, timeout_seconds=None):
        self.ran.append((cell_id, code))
        sink.write("stdout", "printed\n")
        return CellResult(status="ok")

    async def call(self, function, *, timeout_seconds):
        return function()

    async def ask(self, prompt):
        return None


@pytest.fixture
def notebook():
    return OpenNotebook("a = 1", "b = a + 1\nprint(b)", "c")


@pytest.fixture
async def context(tmp_path, notebook):
    made = context_for(tmp_path)
    executor = Executor()
    more = {NotebookCells: notebook, CodeExecutor: executor, CodeLimits: CodeLimits()}
    return replace(made, resources={**made.resources, **more})


async def told(tool, context, **arguments):
    return await tool.execute(context, tool.parse(arguments))


async def text(tool, context, **arguments):
    return (await told(tool, context, **arguments)).content[0].text


async def shown(tool, context, **arguments):
    return await tool.preview(context.resources, tool.stated(tool.parse(arguments)))


def test_the_definitions_are_short():
    assert sum(len(msgspec.json.encode(tool.definition)) for tool in notebook_tools()) <= 1500


def test_what_each_may_do_is_said():
    assert {tool.name: tool.risk for tool in notebook_tools()} == {
        "read_cells": "read",
        "insert_cell": "edit",
        "edit_cell": "edit",
        "delete_cell": "edit",
        "move_cell": "edit",
        "run_cell": "execute",
    }


async def test_cells_are_read_with_their_ids_and_outputs(context, notebook):
    notebook.cells[1] = replace(notebook.cells[1], outputs="2\n", execution_count=4)
    assert await text(read_cells, context, first=2) == (
        "[cell 2, code, id 00000002, run 4]\nb = a + 1\nprint(b)\n[output] 2\n\n"
        "[cell 3, code, id 00000003]\nc\n\n[Showing cells 2-3 of 3.]"
    )
    assert await text(read_cells, context, cell="00000001") == "[cell 1, code, id 00000001]\na = 1"
    with pytest.raises(ToolError, match="There are no such cells: the notebook has 3 cells"):
        await text(read_cells, context, first=9)


async def test_a_long_notebook_is_read_in_parts(context, notebook):
    limits = OutputLimits(max_lines=2000, max_bytes=700)
    context = replace(context, resources={**context.resources, Bounds: Bounds(read=limits)})
    for number in range(40):
        await notebook.insert(f"x{number} = '{'y' * 50}'", cell_type="code", after="00000003")
    part = await text(read_cells, context)
    assert len(part.encode()) <= 700
    assert part.endswith("of 43. Use first=7 to continue.]")
    assert (await text(read_cells, context, first=7)).startswith("[cell 7, ")
    assert len(notebook.seen) < 20  # a cell that was not shown was not read


async def test_a_cell_is_put_in_where_it_was_asked_for(context, notebook):
    assert await text(insert_cell, context, source="top", after="top") == "Inserted cell 1 (id 00000004)."
    await text(insert_cell, context, source="## End", cell_type="markdown")
    await text(insert_cell, context, source="between", after="00000001")
    assert notebook.sources == ["top", "a = 1", "between", "b = a + 1\nprint(b)", "c", "## End"]
    assert notebook.cells[-1].cell_type == "markdown"
    assert (
        await shown(insert_cell, context, source="x\ny", after="top") == "new code cell, at the top\n+ x\n+ y"
    )


async def test_an_edit_names_the_text_it_replaces(context, notebook):
    arguments = {"cell": "00000002", "old_text": "a + 1", "new_text": "a + 2"}
    question = "cell 2 (id 00000002)\n- b = a + 1\n+ b = a + 2\n  print(b)"
    assert await shown(edit_cell, context, **arguments) == question
    result = await told(edit_cell, context, **arguments)
    assert result.content[0].text == "Edited cell 2 (id 00000002)."
    assert result.details["diff"].startswith("- b = a + 1\n+ b = a + 2")
    assert notebook.sources[1] == "b = a + 2\nprint(b)"
    with pytest.raises(ToolError, match=r"(?s)The cell is now:\n.*a \+ 2"):
        await text(edit_cell, context, **arguments)


async def test_a_whole_cell_is_written_over_only_when_it_was_read_as_it_is(context, notebook):
    with pytest.raises(ToolError, match=r"(?s)you have not read it.*a = 1"):
        await text(edit_cell, context, cell="00000001", source="a = 2")
    await text(edit_cell, context, cell="00000001", source="a = 2")
    notebook.type_in(0, "a = 3  # mine")
    with pytest.raises(ToolError, match=r"(?s)the person has changed it.*a = 3  # mine"):
        await text(edit_cell, context, cell="00000001", source="a = 4")
    assert notebook.sources[0] == "a = 3  # mine"


@pytest.mark.parametrize("tool", [delete_cell, run_cell], ids=lambda tool: tool.name)
async def test_nothing_the_person_has_changed_is_deleted_or_run(context, notebook, tool):
    await text(read_cells, context)
    notebook.type_in(2, "c  # mine")
    for call in (shown, text):
        notebook.seen["00000003-long"] = "c"
        with pytest.raises(ToolError, match=r"(?s)the person has changed it.*c  # mine"):
            await call(tool, context, cell="00000003")
    assert notebook.sources[2] == "c  # mine"
    assert context.resources[CodeExecutor].ran == []


async def test_a_cell_is_deleted_and_moved(context, notebook):
    await text(read_cells, context)
    assert (
        await shown(delete_cell, context, cell="00000002") == "cell 2 (id 00000002)\n- b = a + 1\n- print(b)"
    )
    assert await text(delete_cell, context, cell="00000002") == "Deleted cell 2 (id 00000002)."
    assert await text(move_cell, context, cell="00000001", position=2) == (
        "Moved cell 1 (id 00000001): it is cell 2 now."
    )
    assert notebook.sources == ["c", "a = 1"]


async def test_a_cell_is_run_where_it_stands(context, notebook):
    await text(read_cells, context)
    assert await shown(run_cell, context, cell="00000001") == "cell 1 (id 00000001)\na = 1"
    result = await told(run_cell, context, cell="00000001")
    assert result.content[0].text == "printed"
    assert result.details["code"] == "a = 1"
    assert context.resources[CodeExecutor].ran == [("00000001-long", "a = 1")]
    note = await notebook.insert("# Text", cell_type="markdown", after="")
    await text(read_cells, context)
    with pytest.raises(ToolError, match="markdown cell: there is nothing to run"):
        await text(run_cell, context, cell=note.id)


async def test_the_open_notebooks_file_is_the_editors(context, notebook, tmp_path):
    notebook.path = tmp_path / "open.ipynb"
    notebook.path.write_text("{}")
    (tmp_path / "link.ipynb").symlink_to(notebook.path)
    for path in ("open.ipynb", "link.ipynb"):
        with pytest.raises(ToolError, match="is open before the person: its file is the editor's.*edit_cell"):
            await text(write, context, path=path, content="[]")
        with pytest.raises(ToolError, match="is open before the person"):
            await text(edit, context, path=path, edits=[{"old_text": "{", "new_text": "["}])
    assert notebook.path.read_text() == "{}"
    assert (await text(write, context, path="other.ipynb", content="{}")).startswith("Created")


@pytest.mark.parametrize("tool", notebook_tools(), ids=lambda tool: tool.name)
async def test_a_run_without_a_notebook_says_where_there_is_one(tmp_path, tool):
    arguments = {"cell": "c", "source": "x", "position": 1}
    taken = {name: arguments[name] for name in tool.arguments.__struct_fields__ if name in arguments}
    context = context_for(tmp_path, name=tool.name)
    context = replace(context, resources={**context.resources, CodeExecutor: Executor()})
    with pytest.raises(ToolError, match="no notebook before you in this run"):
        await text(tool, context, **taken)
