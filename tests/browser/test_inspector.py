"""The inspector of a real session: in a cell of JupyterLab and of Notebook 7, and in the main area.

With `PI_NOTEBOOK_TEST_SCREENSHOTS` set to a folder, pictures of the inspector are left there.
"""

import json
import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.lab import axe

SETUP = """\
%load_ext pi_notebook
%agent settings compaction.keep_recent_tokens 256
import pandas as pd
df = pd.DataFrame({'city': ['Oslo', 'Bergen', 'Oslo'], 'sales': [10, 20, 12]})
len(df)"""
QUESTION = "%%agent --auto\nWhat is the mean of sales by city in df?"
INSPECT = "import pi_notebook\npi_notebook.inspect_context()"
SLOW = """\
%%agent --auto
```python
import os, time
while not os.path.exists('go'):
    time.sleep(0.05)
```"""
SAVE_STATE = "@jupyter-widgets/jupyterlab-manager:saveWidgetState"
# Errors that Notebook 7 has in its console of its own accord, now and then, while it loads.
NOTEBOOK_7 = [r"reading 'schema'", r"'filebrowser:open-path' not registered"]


def picture(page, name):
    folder = os.environ.get("PI_NOTEBOOK_TEST_SCREENSHOTS")
    if folder:
        page.page.screenshot(path=Path(folder) / f"inspector-{name}.png")


def number(text):
    return int(re.sub(r"\D", "", text))


def ask_in_cells(page, lab, name, *cells):
    """Run a question in cells."""
    page.tolerated += NOTEBOOK_7 if page.front_end == "notebook" else []
    page.open(lab.notebook(name, SETUP, QUESTION, *cells), panel=False)
    page.run_cell(0)
    expect(page.output(0).last).to_have_text("3")
    page.run_cell(1)
    expect(page.output(1).filter(has_text="not a language model").first).to_be_visible()
    page.wait_idle()


def tab(inspector, name):
    inspector.get_by_role("tab", name=name).click()
    expect(inspector.get_by_role("tabpanel", name=name)).not_to_contain_text("Asking the kernel")


@pytest.mark.parametrize("page", ["lab", "notebook"], indirect=True)
def test_a_session_is_taken_apart_in_a_cell(lab, page):
    ask_in_cells(page, lab, "cell", INSPECT)
    page.run_cell(2)
    inspector = page.output(2).locator(".jp-pi-Inspector")
    the_composition_adds_up_and_its_parts_open(inspector)
    picture(page, f"composition-{page.front_end}")
    two_requests_are_compared(inspector)
    picture(page, f"timeline-{page.front_end}")
    the_ledger_is_sorted_and_filtered(inspector)
    picture(page, f"ledger-{page.front_end}")
    an_entry_is_hidden_and_restored(inspector)
    the_context_is_compacted_and_what_was_folded_opens(inspector)
    picture(page, f"compactions-{page.front_end}")
    tab(inspector, "Raw")
    expect(inspector.get_by_role("region", name="The request as sent")).to_contain_text('"messages"')
    assert axe(page.page, ".jp-pi-Inspector") == []
    if page.front_end == "notebook":
        it_stands_below_the_notebook_too(page)


def it_stands_below_the_notebook_too(page):
    page.command("pi-notebook:open-inspector")
    below = page.page.locator(".jp-pi-InspectorPanel")
    expect(below.locator(".jp-pi-Inspector-title")).to_contain_text("tokens")
    assert below.bounding_box()["height"] >= 250
    tab(below, "Timeline")
    expect(below.get_by_role("slider", name="Request")).to_be_visible()


def the_composition_adds_up_and_its_parts_open(inspector):
    heading = inspector.locator(".jp-pi-Inspector-title")
    expect(heading).to_contain_text("tokens")
    total = number(re.search(r"([\d,.]+) of", heading.inner_text())[1])
    shares = inspector.get_by_role("list", name="Categories").get_by_role("button")
    assert sum(number(share.inner_text().split("\n")[1]) for share in shares.all()) == total
    inspector.get_by_role("searchbox", name="Filter parts").fill("mean of sales")
    prompt = inspector.locator(".jp-pi-Part-line").filter(has_text="What is the mean of sales").first
    prompt.click()
    seen = inspector.get_by_role("region", name="What the model saw")
    expect(seen).to_have_text(re.compile(r"What is the mean of sales by city in df\?"))
    prompt.click()
    expect(seen).to_have_count(0)
    inspector.get_by_role("searchbox", name="Filter parts").fill("")


def two_requests_are_compared(inspector):
    tab(inspector, "Timeline")
    slider = inspector.get_by_role("slider", name="Request")
    slider.focus()
    slider.press("ArrowLeft")
    expect(inspector.get_by_text(re.compile(r"^Request \d+ of \d+$"))).to_be_visible()
    slider.press("d")
    slider.press("d")
    slider.press("Shift+Home")
    expect(inspector.get_by_text(re.compile(r"^request 1 → request \d+"))).to_be_visible()
    expect(inspector.get_by_role("table", name="Changes by category")).to_contain_text("tool results")
    inspector.get_by_role("button", name="Do not compare").click()
    inspector.get_by_role("button", name="Show the next one").click()


def the_ledger_is_sorted_and_filtered(inspector):
    tab(inspector, "Ledger")
    variables = inspector.get_by_role("table", name="Variables")
    expect(variables).to_contain_text("df")
    header = variables.get_by_role("columnheader", name="Name")
    header.get_by_role("button").click()
    expect(header).to_have_attribute("aria-sort", "ascending")
    names = variables.locator("tbody tr td:first-child").all_inner_texts()
    assert names == sorted(names)
    header.get_by_role("button").click()
    expect(header).to_have_attribute("aria-sort", "descending")
    expect(variables.locator("tbody tr td:first-child").first).to_have_text(names[-1])
    inspector.get_by_role("searchbox").fill("df DataFrame")
    expect(variables.locator("tbody tr")).to_have_count(1)
    inspector.get_by_role("searchbox").fill("")


def an_entry_is_hidden_and_restored(inspector):
    tab(inspector, "Composition")
    inspector.get_by_role("list", name="Categories").get_by_role("button", name="tool results").click()
    inspector.locator(".jp-pi-Part-line").first.click()
    inspector.get_by_role("button", name="Hide from the model").click()
    opener = inspector.get_by_role("button", name="Hidden")
    expect(opener).to_have_text("Hidden (1)")
    opener.click()
    inspector.get_by_role("group", name="Hidden and shortened entries").get_by_role("button").click()
    expect(opener).to_have_text("Hidden (0)")
    opener.press("Escape")
    expect(inspector.get_by_role("group", name="Hidden and shortened entries")).to_have_count(0)
    expect(opener).to_be_focused()


def the_context_is_compacted_and_what_was_folded_opens(inspector):
    tab(inspector, "Compactions")
    expect(inspector.get_by_text("Nothing was compacted yet.")).to_be_visible()
    inspector.get_by_role("button", name="Compact …").click()
    inspector.get_by_role("textbox", name="What the summary should keep").fill("keep the mean of Bergen")
    inspector.get_by_role("button", name="Compact now").click()
    expect(inspector.get_by_role("status").last).to_contain_text("Compacted:")
    inspector.locator(".jp-pi-CompactionRecord-line").click()
    expect(inspector.get_by_text("Folded messages")).to_be_visible()
    expect(inspector.locator(".jp-pi-CompactionRecord-summary")).not_to_be_empty()
    folded = inspector.locator(".jp-pi-CompactionRecord .jp-pi-Part-line").first
    folded.click()
    expect(inspector.get_by_role("region", name="What the model saw")).not_to_be_empty()


def test_it_follows_a_run_of_another_cell_in_the_main_area_too(lab, page):
    ask_in_cells(page, lab, "live", INSPECT, SLOW)
    page.run_cell(2)
    shown = page.output(2).locator(".jp-pi-Inspector .jp-pi-Inspector-title")
    expect(shown).to_contain_text("tokens")
    before = re.search(r"[\d,]+ of [\d,]+ tokens", shown.inner_text())[0]
    page.command("pi-notebook:open-inspector")
    beside = page.page.locator(".jp-pi-InspectorPanel")
    expect(beside.locator(".jp-pi-Inspector-title")).to_contain_text(before)
    expect(beside.get_by_role("tab", name="Composition")).to_be_focused()
    expect(page.page.get_by_role("tab", name="Context: live.ipynb")).to_be_visible()
    page.run_cell(3)
    for one in (shown, beside.locator(".jp-pi-Inspector-title")):
        expect(one).to_contain_text("running")
        expect(one).not_to_contain_text(before)
    picture(page, "live-lab")
    (lab.notebooks / "go").touch()
    for one in (shown, beside.locator(".jp-pi-Inspector-title")):
        expect(one).not_to_contain_text("running")
    page.theme("JupyterLab Dark")
    picture(page, "live-lab-dark")
    assert axe(page.page, ".jp-pi-InspectorPanel") == []


def test_a_notebook_that_is_opened_again_without_its_kernel_has_a_page_or_the_picture_of_its_widget(
    lab, page
):
    page.tolerated.append("widget model not found")  # as ipywidgets says it
    page.open(lab.notebook("kept", "%load_ext pi_notebook\n%agent model offline", INSPECT), panel=False)
    shown = page.cells.nth(1).locator(".jp-OutputArea-child")
    title = shown.locator(".jp-pi-Inspector-title")
    for is_first in (True, False):
        page.run_cell(0)
        expect(page.output(0)).to_contain_text("offline")
        page.run_cell(1)
        expect(title).to_contain_text("tokens")
        expect(shown.locator("table")).to_have_count(0)
        told = title.inner_text()
        if is_first:
            open_again_without_kernel(page, lab)
            a_page_stands_in_place_of_the_widget(page, shown)
    tab(shown, "Timeline")
    expect(shown).to_contain_text("No request was sent yet.")
    page.command(SAVE_STATE)
    page.page.wait_for_function("name => window.jupyterapp.commands.isToggled(name)", arg=SAVE_STATE)
    open_again_without_kernel(page, lab)
    expect(shown.get_by_role("status").first).to_contain_text("A saved picture of the context")
    assert title.inner_text() == told
    picture(page, "saved-lab")


def open_again_without_kernel(page, lab):
    page.command("docmanager:save")
    for session in json.loads(lab.api("GET", "sessions")):
        lab.api("DELETE", f"sessions/{session['id']}")
    page.open("kept", panel=False)


def a_page_stands_in_place_of_the_widget(page, shown):
    expect(shown).to_contain_text("the next request · offline")
    expect(shown).to_contain_text("Run the cell again to look into it.")
    expect(shown.get_by_text("Error displaying widget")).to_be_hidden()
    assert axe(page.page, ".jp-pi-StillPage") == []
    picture(page, "still-lab")
