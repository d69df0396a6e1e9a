"""Cells that the agent reads and changes in a notebook that is open, and the person's way back."""

import json
import os
import re
from pathlib import Path

import nbformat
from playwright.sync_api import expect

from tests.provider import calls, text

MODEL = "%agent model openai/test"


ANSWER_MS = 60_000
"""The first request of a kernel loads the provider library."""


def picture(page, name):
    folder = os.environ.get("PI_NOTEBOOK_TEST_SCREENSHOTS")
    if folder:
        page.page.screenshot(path=Path(folder) / f"{name}.png")


def open_notebook(lab, page, name, *cells, mode="auto"):
    """Show a notebook whose first cell has chosen the model; the ids of its cells."""
    page.open(lab.notebook(name, MODEL, *cells))
    page.choose_scripted_model()
    page.page.evaluate(
        "code => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel"
        ".requestExecute({ code }).done.then(() => undefined)",
        f"%agent mode {mode}",
    )
    return [cell.id for cell in nbformat.read(lab.notebooks / f"{name}.ipynb", as_version=4).cells]


def sources(page):
    """The sources of all cells, as the notebook's model has them."""
    return page.page.evaluate(
        "() => window.jupyterapp.shell.currentWidget.content.model.sharedModel.cells"
        ".map(cell => cell.getSource())"
    )


def told(provider):
    """The results of tool calls in the newest request, as the model reads them."""
    messages = provider.exchanges[-1].body["messages"]
    return [message["content"] for message in messages if message["role"] == "tool"]


def test_cells_are_changed_seen_and_taken_back_as_the_person_wants(lab, page, provider):
    first, second, third, fourth = open_notebook(lab, page, "cells", "a = 1", "b = 2", "gone = 3")
    file = lab.notebooks / "cells.ipynb"
    page.command("docmanager:save")
    saved = file.read_bytes()
    provider.script(
        calls(("read_cells", {})),
        calls(
            ("insert_cell", {"source": "# Title\nof *this*", "cell_type": "markdown", "after": "top"}),
            ("edit_cell", {"cell": second, "old_text": "1", "new_text": "10\nprint(a)"}),
            ("run_cell", {"cell": second}),
            ("delete_cell", {"cell": fourth}),
            ("move_cell", {"cell": third, "position": 2}),
            ("write", {"path": "cells.ipynb", "content": "{}"}),
        ),
        text("All changed."),
    )
    page.ask("Go.")
    expect(page.answer("All changed.")).to_be_visible(timeout=ANSWER_MS)
    assert sources(page) == ["# Title\nof *this*", "b = 2", MODEL, "a = 10\nprint(a)"]
    expect(page.page.locator(".jp-MarkdownCell h1")).to_contain_text("Title")
    expect(page.output(2)).to_have_text("10")
    results = told(provider)
    assert f"[cell 2, code, id {second}]\na = 1" in results[0]
    assert [result.split(" ")[0] for result in results[1:6]] == [
        "Inserted",
        "Edited",
        "10",
        "Deleted",
        "Moved",
    ]
    assert "is open before the person: its file is the editor's" in results[6]
    assert file.read_bytes() == saved

    changes = page.panel.get_by_role("group", name="Changes of this run")
    expect(changes.get_by_role("status")).to_have_text("4 cells changed")
    assert page.page.locator(".jp-Cell.jp-pi-mod-changed:visible").count() == 3
    changes.locator("summary").click()
    edited = changes.locator("li").filter(has_text="Edited")
    expect(edited.locator("pre")).to_have_text("- a = 1+ a = 10+ print(a)")
    picture(page, "changes-light")
    page.theme("JupyterLab Dark")
    picture(page, "changes-dark")
    edited.get_by_role("button", name="Accept").click()
    expect(changes.get_by_role("status")).to_have_text("3 cells changed")
    changes.locator("li").filter(has_text="Inserted").get_by_role("button", name="Undo").click()
    expect(page.page.locator(".jp-MarkdownCell h1")).to_have_count(0)
    changes.get_by_role("button", name="Undo all").click()
    expect(changes).to_have_count(0)
    assert sources(page) == [MODEL, "a = 10\nprint(a)", "b = 2", "gone = 3"]
    assert file.read_bytes() == saved


def test_changes_are_there_after_a_reload_and_what_the_person_did_since_stays(lab, page, provider):
    _, second = open_notebook(lab, page, "undone", "a = 1")
    provider.script(
        calls(
            ("edit_cell", {"cell": second, "old_text": "1", "new_text": "2"}),
            ("insert_cell", {"source": "b = 3", "after": second}),
        ),
        text("Edited."),
    )
    page.ask("Go.")
    expect(page.answer("Edited.")).to_be_visible(timeout=ANSWER_MS)
    editor = page.cells.nth(1).locator(".cm-content")
    expect(editor).to_have_text("a = 2")
    editor.click()
    page.page.keyboard.press("Control+z")
    expect(editor).to_have_text("a = 1")
    editor.fill("a = 5")
    changes = page.panel.get_by_role("group", name="Changes of this run")
    changes.locator("summary").click()
    edited = changes.locator("li").filter(has_text="Edited")
    edited.get_by_role("button", name="Undo").click()
    expect(edited.get_by_role("alert")).to_contain_text("no longer as the run left it")
    page.command("docmanager:save")
    page.reload()

    expect(changes.get_by_role("status")).to_have_text("2 cells changed")
    changes.locator("summary").click()
    expect(edited.get_by_role("alert")).to_contain_text("no longer as the run left it")
    expect(changes.get_by_role("alert")).to_have_count(1)
    picture(page, "changes-reloaded")
    page.tolerated.append("Comm not found")  # what JupyterLab says of the other tab's
    other = page.another()
    other.open("undone")
    there = other.panel.get_by_role("group", name="Changes of this run")
    there.locator("summary").click()
    there.locator("li").filter(has_text="Edited").get_by_role("button", name="Accept").click()
    expect(changes.get_by_role("status")).to_have_text("1 cell changed")
    changes.get_by_role("button", name="Undo all").click()
    expect(there).to_have_count(0)
    assert sources(page) == [MODEL, "a = 5"]


def test_what_the_person_locked_or_just_changed_is_left_and_the_question_shows_the_change(
    lab, page, provider
):
    _, locked, other = open_notebook(lab, page, "locked", "a = 1", "b = 1", mode="ask")
    page.page.evaluate(
        "() => window.jupyterapp.shell.currentWidget.content.model.sharedModel.getCell(1)"
        ".setMetadata('editable', false)"
    )
    provider.script(
        calls(("edit_cell", {"cell": locked, "old_text": "1", "new_text": "2"})),
        calls(("edit_cell", {"cell": other, "old_text": "1", "new_text": "2"})),
        calls(("run_cell", {"cell": other})),
        text("Done."),
    )
    page.ask("Go.")
    question = page.panel.get_by_role("group", name="Permission for edit_cell")
    expect(question).to_contain_text(f"cell 2 (id {locked[:8]})", timeout=ANSWER_MS)
    question.get_by_role("button", name="Allow once").click()
    expect(question).to_contain_text(f"cell 3 (id {other[:8]})- b = 1+ b = 2")
    picture(page, "edit-question")
    question.get_by_role("button", name="Allow once").click()
    question = page.panel.get_by_role("group", name="Permission for run_cell")
    expect(question).to_contain_text("b = 2")
    page.page.evaluate(
        "() => window.jupyterapp.shell.currentWidget.content.model.sharedModel.getCell(2)"
        ".setSource('b = 3  # mine')"
    )
    question.get_by_role("button", name="Allow once").click()
    expect(page.answer("Done.")).to_be_visible(timeout=ANSWER_MS)
    results = told(provider)
    assert "Cell 2 is locked by the person (editable: false)" in results[0]
    assert results[1].startswith("Edited cell 3")
    assert "the person has changed it since you read it" in results[2]
    assert "b = 3  # mine" in results[2]
    assert sources(page)[1:] == ["a = 1", "b = 3  # mine"]


def test_code_that_runs_hidden_shows_its_table_in_the_panel(lab, page, provider):
    settings = lab.notebooks.parent / "settings" / "pi-notebook" / "panel.jupyterlab-settings"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(json.dumps({"runCode": "hidden"}))
    open_notebook(lab, page, "hidden")
    code = "import pandas as pd\npd.DataFrame({'city': ['Oslo'], 'sales': [10]})"
    provider.script(calls(("run_code", {"code": code})), text("Here it is."))
    page.ask("Go.")
    expect(page.answer("Here it is.")).to_be_visible(timeout=ANSWER_MS)
    expect(page.panel.locator(".jp-pi-Call table").first).to_contain_text("Oslo")
    picture(page, "hidden-table")
    assert len(sources(page)) == 1


def test_an_error_has_a_button_that_asks_the_agent(lab, page, provider):
    open_notebook(lab, page, "error", "1 / 0")
    provider.script(text("It divides by zero."))
    page.run_cell(1)
    button = page.cells.nth(1).get_by_role("button", name="Ask the agent to fix this")
    expect(button).to_be_visible()
    picture(page, "fix-error")
    button.focus()
    page.page.keyboard.press("Enter")
    expect(page.answer("It divides by zero.")).to_be_visible(timeout=ANSWER_MS)
    said = json.dumps(provider.exchanges[-1].body["messages"])
    assert "ZeroDivisionError" in said
    assert "1 / 0" in said
    page.cells.nth(1).locator(".cm-content").fill("1 / 1")
    page.run_cell(1)
    expect(page.output(1)).to_have_text(re.compile("1.0"))
    expect(button).to_have_count(0)
