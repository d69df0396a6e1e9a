"""Nothing runs, nothing is loaded and nothing pretends, whatever a model, a tool or a file has to say.

Each surface is shown every text of `tests.hostile`, in a Chromium that notes all it asks for.
"""

from __future__ import annotations

import itertools
import json

import nbformat
import pytest
from playwright.sync_api import expect

from tests.browser.jupyter_server import build_panel
from tests.browser.lab import Traffic, chromium, lab_page
from tests.browser.partner import INSTALL
from tests.browser.widget_page import PAGE, widget_page
from tests.hostile import corpus, messages
from tests.hostile.audit import audit
from tests.hostile.branches import branch
from tests.hostile.cells import DRAW, SHOW
from tests.session.export.test_page import page as exported

SIZE = 25
BATCHES = len(list(corpus.batches(SIZE)))
LIST_SIZE = 190
INSPECTOR = ".jp-pi-InspectorPanel"
PANEL = "#pi-notebook-panel"


EXTENTS = [
    pytest.param(False, id="once"),
    pytest.param(True, id="everywhere", marks=[pytest.mark.soak, pytest.mark.timeout(1800)]),
]
"""Whether each text stands wherever one may, which takes long."""


@pytest.fixture
def page(lab, playwright, tmp_path):
    """A page in a browser of its own."""
    traffic = tmp_path / "traffic.json"
    browser = chromium(playwright, traffic=traffic)
    with lab_page(browser, lab) as page:
        told: list[str] = []
        page.page.on("dialog", lambda dialog: (told.append(dialog.message), dialog.dismiss()))
        yield page
        assert told == []
        assert page.page.url.startswith(lab.url)
    browser.close()
    assert Traffic(traffic).elsewhere(lab.url) == []


def unfold(page):
    """Open whatever can be opened in the conversation."""
    page.page.evaluate(
        """selector => {
          const log = document.querySelector(`${selector} [role=log]`);
          for (let more = true; more; ) {
            const closed = [...log.querySelectorAll('details:not([open])')];
            closed.forEach(one => (one.open = true));
            more = closed.length > 0;
          }
          for (const one of log.querySelectorAll('button')) {
            if (['Open full output', 'Edit'].includes(one.textContent)) one.click();
          }
        }""",
        PANEL,
    )


def wait_until_drawn(page, mark):
    """Return when all that came before `mark` is drawn: answers are drawn one after the other."""
    page.execute(f"partner.say_answer('*{mark}*')")
    expect(page.panel.get_by_role("log").locator("em", has_text=mark)).to_be_attached()
    expect(page.panel.locator(".jp-pi-CodeBlock-tools:empty")).to_have_count(0)


def faults_of_batch(page, number, *, is_whole):
    """What is wrong when the conversation holds that batch, all of it opened."""
    page.execute(f"partner.show({SIZE}, {number}, is_whole={is_whole})")
    wait_until_drawn(page, f"shown {number}")
    unfold(page)
    wait_until_drawn(page, f"unfolded {number}")
    return set(audit(page.page, PANEL))


def open_partner(lab, page):
    """A panel at which a partner is the other end, and which draws all rows, not only those in sight."""
    page.open(lab.notebook("panel", "1"), panel=False)
    page.execute(INSTALL)
    page.command("pi-notebook:open-panel")
    expect(page.panel.get_by_role("log")).to_contain_text("How many rows has df?")
    page.page.add_style_tag(content=f"{PANEL} [role=log] {{ flex: none; height: 9999999px; }}")


@pytest.mark.parametrize("is_whole", EXTENTS)
def test_the_panel_shows_hostile_texts(lab, page, is_whole):
    open_partner(lab, page)
    told = [faults_of_batch(page, number, is_whole=is_whole) for number in range(BATCHES)]
    assert set().union(*told) == set()


def test_the_panel_shows_hostile_texts_that_code_drew(lab, page):
    settings = lab.notebooks.parent / "settings" / "pi-notebook" / "panel.jupyterlab-settings"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(json.dumps({"runCode": "hidden"}))
    open_partner(lab, page)
    codes = [DRAW.format(size=SIZE, number=number) for number in range(BATCHES)]
    page.execute(f"partner.draw({codes!r})")
    drawn = page.panel.locator(".jp-pi-Drawn")
    expect(drawn).to_have_count(BATCHES, timeout=180_000)
    page.settle(PANEL)
    assert drawn.locator(".jp-OutputArea-output").count() > len(corpus.payloads())
    assert audit(page.page, PANEL, are_links_ours=False) == []


def test_the_panel_lists_hostile_texts(lab, page):
    open_partner(lab, page)
    box = page.panel.get_by_label("Prompt", exact=True)
    faults = set()
    for number, batch in enumerate(corpus.batches(LIST_SIZE)):
        page.execute(f"partner.answer_with({LIST_SIZE}, {number})")
        page.panel.get_by_title("Sessions of this folder").click()
        expect(page.panel.locator(".jp-pi-Session").nth(len(batch) - 1)).to_be_attached()
        faults |= set(audit(page.page, PANEL))
        page.panel.get_by_label("Search sessions").press("Escape")
        for name in ("Model", "Context policy"):
            page.panel.get_by_role("button", name=f"{name}: ").click()
            options = page.panel.get_by_role("listbox", name=name).get_by_role("option")
            expect(options.nth(len(batch) - 1)).to_be_attached()
            faults |= set(audit(page.page, PANEL))
            page.panel.get_by_role("combobox", name=name).press("Escape")
        box.fill("")
        box.press_sequentially("@a")
        proposals = page.panel.get_by_role("listbox", name="Completions").get_by_role("option")
        expect(proposals.first).to_be_attached()
        faults |= set(audit(page.page, PANEL))
        box.press("Escape")
    assert faults == set()


def test_the_inspector_of_the_panel_shows_hostile_texts(lab, page):
    open_partner(lab, page)
    page.execute(f"partner.answer_with({LIST_SIZE}, 0)")
    page.command("pi-notebook:open-inspector")
    inspector = page.page.locator(INSPECTOR)
    faults = set()
    for number, batch in enumerate(corpus.batches(LIST_SIZE)):
        page.cells.first.locator(".cm-content").click()  # what is executed is executed by what is in front
        page.execute(f"partner.answer_with({LIST_SIZE}, {number})")
        for name in ("Composition", "Timeline", "Compactions", "Ledger", "Raw"):
            inspector.get_by_role("tab", name=name).click()
            shown = inspector.get_by_role("tabpanel", name=name)
            if name == "Timeline":
                shown.get_by_label("compare with").fill("1")
                expect(shown.locator(".jp-pi-RequestDifference .jp-pi-Part").first).to_be_attached()
            expect(shown).to_contain_text(batch[0].text.split("\n")[0].strip())
            shown.evaluate(
                "tab => tab.querySelectorAll('[aria-expanded=false]').forEach((b, at) => at < 2 && b.click())"
            )
            expect(shown).not_to_contain_text("Asking the kernel")
            if name == "Compactions":
                page.settle(INSPECTOR)  # its summaries are drawn as markdown
            faults |= set(audit(page.page, INSPECTOR))
    assert faults == set()


def saved_inspector(texts, *, is_spoilt):
    """A page with an inspector's widget as a notebook has it that nobody vouches for."""
    told = {name: messages.message(name, texts) for name in ("overview", "composition")}
    state = {**told, "time": 0, "isShortened": True}
    kept = json.dumps(spoilt(state, texts) if is_spoilt else state).replace("<", "\\u003c")
    model = f"{{ get: () => ({kept}), set() {{}}, on() {{}}, off() {{}}, send() {{}} }}"
    return PAGE.replace(
        "MODEL", f"widget.render({{ el: document.getElementById('place'), model: {model} }});"
    )


def spoilt(value, texts):
    """`value` with a text in place of all that is none."""
    if isinstance(value, dict):
        return {name: spoilt(one, texts) for name, one in value.items()}
    if isinstance(value, list):
        return [spoilt(one, [text]) for one, text in zip(value, itertools.cycle(texts), strict=False)]
    return value if isinstance(value, str) else texts[0]


@pytest.mark.parametrize("is_spoilt", [False, True], ids=["as it is written", "with texts for numbers"])
def test_a_saved_inspector_shows_hostile_texts(browser, is_spoilt):
    build_panel()
    told: list[str] = []
    for batch in corpus.batches(LIST_SIZE):
        texts = [one.text for one in batch]
        page = widget_page(browser, lambda _: None, host=saved_inspector(texts, is_spoilt=is_spoilt))
        page.on("dialog", lambda dialog: (told.append(dialog.message), dialog.dismiss()))
        page.wait_for_function("document.getElementById('place').className.includes('InspectorWidget')")
        if not is_spoilt:
            expect(page.locator(".jp-pi-Part-line").first).to_be_visible()
        for name in ("Timeline", "Compactions", "Composition"):
            for tab in page.get_by_role("tab", name=name).all():
                tab.click()
            assert audit(page, "main") == []
        page.context.close()
    assert told == []


def cells_with_hostile_texts(lab, page, *, is_whole):
    """Run the cells of a notebook that show them, and open it again as one that came from elsewhere."""
    lab.set("notebook-extension/tracker", windowingMode="none", maxNumberOutputs=10_000)
    cells = [SHOW.format(size=SIZE, number=number, is_whole=is_whole) for number in range(BATCHES)]
    page.open(lab.notebook("cells", *cells), panel=False)
    page.command("notebook:run-all-cells")
    yield
    page.command("docmanager:save")
    page.page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")
    saved = nbformat.read(lab.notebooks / "cells.ipynb", as_version=4)
    saved.metadata["from"] = "elsewhere"  # it is no longer what was signed
    nbformat.write(saved, lab.notebooks / "received.ipynb")
    page.open("received", panel=False)
    assert not page.page.evaluate(
        "() => window.jupyterapp.shell.currentWidget.content.widgets[0].model.trusted"
    )
    yield


@pytest.mark.parametrize("is_whole", EXTENTS)
def test_cells_show_hostile_texts_live_and_when_the_notebook_is_opened_without_trust(lab, page, is_whole):
    for _ in cells_with_hostile_texts(lab, page, is_whole=is_whole):
        expect(page.output(BATCHES - 1).last).to_contain_text(f"The end of {BATCHES - 1}.", timeout=180_000)
        page.settle(".jp-Notebook")
        assert page.page.locator(".jp-OutputArea-output").count() > 2 * len(corpus.payloads())
        assert audit(page.page, ".jp-OutputArea-output", are_links_ours=False) == []


def test_an_exported_page_holds_hostile_texts(playwright, tmp_path):
    traffic = tmp_path / "traffic.json"
    browser = chromium(playwright, traffic=traffic)
    page = browser.new_page()
    told: list[str] = []
    page.on("dialog", lambda dialog: told.append(dialog.message))
    page.on("console", lambda message: told.append(message.text))
    for number, batch in enumerate(corpus.batches(SIZE)):
        path = tmp_path / f"{number}.html"
        session = branch(*(payload.text for payload in batch))
        path.write_text(exported(session, title=batch[0].text), encoding="utf-8", errors="replace")
        page.goto(path.as_uri())
        page.evaluate("document.querySelectorAll('details').forEach(one => (one.open = true))")
        assert audit(page, "main") == []
        assert page.evaluate("document.scripts.length") == 0
        assert page.url == path.as_uri()
    browser.close()
    assert told == []
    assert Traffic(traffic).elsewhere(tmp_path.as_uri()) == []
