"""Where the person writes: completions, attachments, pictures, the queue, history and keys."""

import base64

import pytest
from playwright.sync_api import expect

from tests.browser.test_panel import FRAME, picture
from tests.provider import text

WAITING = """\
```python
import os, time
while not os.path.exists('go'):
    time.sleep(0.05)
print('gone')
```"""
PLOT = """\
from base64 import b64decode
from IPython.display import Image
dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
Image(b64decode(dot), width=60, height=60)"""
PASTE = """async ([selector, type, side]) => {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = side;
    const context = canvas.getContext('2d');
    const pixels = context.createImageData(side, side);
    crypto.getRandomValues(pixels.data.subarray(0, 60000));
    for (let i = 60000; i < pixels.data.length; i++) pixels.data[i] = pixels.data[(i * 7919) % 60000];
    context.putImageData(pixels, 0, 0);
    const blob = await new Promise(resolve => canvas.toBlob(resolve, type));
    const data = new DataTransfer();
    data.items.add(new File([blob], 'shot', { type }));
    const box = document.querySelector(selector);
    box.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    return blob.size;
}"""


def prompt_box(page):
    box = page.panel.get_by_label("Prompt", exact=True)
    expect(box).to_be_enabled()
    return box


def options(page):
    return page.panel.get_by_role("listbox", name="Completions").get_by_role("option")


def test_names_are_completed_by_keyboard_and_cells_are_attached(lab, page):
    (lab.notebooks / "data").mkdir()
    (lab.notebooks / "data" / "sales.csv").write_text("a,b\n1,2\n")
    page.open(lab.notebook("complete", FRAME, "df.tail()"))
    page.run_cell(0)
    expect(page.output(0)).to_have_text("3")
    box = prompt_box(page)
    box.press_sequentially("how is @df")
    expect(options(page)).to_contain_text(["@dfDataFrame 3 × 2variable"])
    active = box.get_attribute("aria-activedescendant")
    expect(page.panel.locator(f"[id='{active}']")).to_have_attribute("aria-selected", "true")
    picture(page, "completions-light")
    box.press("Escape")
    expect(options(page)).to_have_count(0)
    expect(box).to_have_value("how is @df")
    box.press("Backspace")
    expect(options(page).filter(has_text="@data/")).to_be_visible()
    options(page).filter(has_text="@data/").click()
    expect(box).to_have_value("how is @data/")
    expect(options(page)).to_contain_text(["@data/sales.csv"])
    box.press("Tab")
    expect(box).to_have_value("how is @data/sales.csv ")
    box.press_sequentially("and @in[")
    expect(options(page)).to_contain_text(["@In[1]import pandas as pdcell"])
    box.press("Enter")
    expect(box).to_have_value("how is @data/sales.csv and @In[1] ")
    box.press_sequentially("@cell:2")
    expect(options(page)).to_contain_text(["@cell:2df.tail()cell"])
    box.press("Enter")
    expect(box).to_have_value("how is @data/sales.csv and @In[1] ")
    attached = page.panel.get_by_role("list", name="Attached")
    expect(attached).to_contain_text("Cell 2")
    remove = attached.get_by_role("button", name="Remove Cell 2")
    remove.focus()
    remove.press("Enter")
    expect(attached).to_have_count(0)


def test_selected_cells_and_pictures_go_with_a_prompt(lab, page, provider):
    provider.script(text("I see three rows and a picture."))
    page.open(lab.notebook("attach", "%agent model openai/gpt-4o", "print('thirty', 'three')", PLOT))
    expect(prompt_box(page)).to_be_enabled()
    page.run_cell(0)
    expect(page.output(0)).to_contain_text("openai/gpt-4o")  # which sees pictures
    page.run_cell(1)
    expect(page.output(1)).to_have_text("thirty three")
    page.cells.nth(1).locator(".jp-InputPrompt").click()
    page.page.keyboard.press("Alt+Shift+C")
    attached = page.panel.get_by_role("list", name="Attached")
    expect(attached).to_contain_text("Cell 2 with output")
    size = page.page.evaluate(PASTE, ["#pi-notebook-panel textarea", "image/png", 1700])
    assert size > 1_000_000
    shown = attached.get_by_role("img", name="Picture 1")
    expect(shown).to_be_visible(timeout=30_000)
    assert shown.evaluate("image => Math.max(image.naturalWidth, image.naturalHeight)") <= 1568
    kind, _, data = shown.get_attribute("src").partition(";base64,")
    assert kind in ("data:image/png", "data:image/jpeg")
    assert len(base64.b64decode(data)) <= 1_000_000
    page.run_cell(2)
    page.cells.nth(2).locator(".jp-OutputArea-output img").click(button="right")
    page.page.get_by_role("menuitem", name="Attach the Output to the Prompt").click()
    expect(attached).to_contain_text("Output of cell 3")
    expect(attached.get_by_role("img", name="Picture 2")).to_be_visible()
    picture(page, "attached-light")
    page.ask("What is there?")
    expect(page.answer("three rows and a picture")).to_be_visible()
    expect(attached).to_have_count(0)
    sent = str(provider.exchanges[-1].body)
    assert "thirty three" in sent
    assert sent.count("'image_url': {'url'") == 2
    assert "Output of cell 3:" in sent


def test_prompts_during_a_run_wait_and_can_be_taken_back(lab, page):
    page.open(lab.notebook("queue", "1"))
    box = prompt_box(page)
    page.ask(WAITING)
    page.panel.get_by_role("button", name="Allow once").click()
    expect(page.panel.get_by_role("button", name="Stop")).to_be_visible()
    box.fill("be brief")
    hint = page.panel.locator(".jp-pi-Composer-hint")
    expect(hint).to_have_text("Enter: at the next step · Alt+Enter: after this")
    box.press("Enter")
    waiting = page.panel.get_by_role("list", name="Waiting for the agent")
    expect(waiting).to_have_text("next stepbe brief")
    box.fill("then say bye")
    box.press("Alt+Enter")
    expect(waiting.get_by_role("listitem")).to_have_text(["next stepbe brief", "after thisthen say bye"])
    picture(page, "queue-light")
    box.fill("mine")
    page.panel.get_by_role("button", name="Take back").click()
    expect(waiting).to_have_count(0)
    expect(box).to_have_value("be brief\n\nthen say bye\n\nmine")
    box.fill("one more thing")
    box.press("Enter")
    expect(waiting).to_contain_text("one more thing")
    (lab.notebooks / "go").touch()
    expect(page.panel.locator(".jp-pi-Prompt").nth(1)).to_have_text("one more thing")
    expect(waiting).to_have_count(0)
    expect(page.panel.get_by_role("button", name="Send")).to_be_visible()


def test_older_prompts_come_back_by_the_arrow_keys(lab, page):
    page.open(lab.notebook("history", "1"))
    box = prompt_box(page)
    for prompt in ("hello one", "hello two"):
        page.ask(prompt)
        expect(page.panel.locator(".jp-pi-Prompt").filter(has_text=prompt)).to_be_visible()
        expect(page.answer("not a language model")).to_have_count(1 + (prompt == "hello two"))
        expect(page.panel.get_by_role("button", name="Send")).to_be_visible()
    box.fill("being written")
    box.press("Shift+Enter")
    box.press_sequentially("on two lines")
    expect(box).to_have_value("being written\non two lines")
    box.press("ArrowUp")
    expect(box).to_have_value("being written\non two lines")
    for value in ("hello two", "hello one", "hello one"):
        box.press("ArrowUp")
        expect(box).to_have_value(value)
    for value in ("hello two", "being written\non two lines"):
        box.press("End")
        box.press("ArrowDown")
        expect(box).to_have_value(value)


@pytest.mark.parametrize("page", ["lab", "notebook"], indirect=True)
def test_what_was_being_written_is_there_after_a_reload(lab, page):
    page.open(lab.notebook("draft", "1"))
    prompt_box(page).fill("being written")
    page.reload()
    expect(prompt_box(page)).to_have_value("being written")
    prompt_box(page).fill("")
    page.reload()
    expect(prompt_box(page)).to_have_value("")


@pytest.mark.parametrize("page", ["notebook"], indirect=True)
def test_notebook_7_has_the_same(lab, page):
    # On a slow machine it loads settings before those of its shortcuts, and misses its file browser.
    page.tolerated = [r"reading 'schema'", r"'filebrowser:open-path' not registered"]
    page.open(lab.notebook("seven", FRAME))
    page.run_cell(0)
    expect(page.output(0)).to_have_text("3")
    box = prompt_box(page)
    box.press_sequentially("@d")
    expect(options(page)).to_contain_text(["@df"])
    box.press("Enter")
    expect(box).to_have_value("@df ")
    page.command("pi-notebook:attach-cells")
    expect(page.panel.get_by_role("list", name="Attached")).to_contain_text("Cell 1")
    picture(page, "notebook-7")
    page.command("pi-notebook:open-sessions")
    expect(page.panel.get_by_label("Search sessions")).to_be_focused()
