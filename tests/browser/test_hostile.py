"""Nothing runs, nothing is loaded and nothing pretends, whatever a model, a tool or a file has to say.

Each surface is shown every text of `tests.hostile`, in a Chromium that notes all it asks for.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.lab import Traffic, chromium, lab_page
from tests.browser.partner import INSTALL
from tests.hostile import corpus
from tests.hostile.audit import audit
from tests.hostile.branches import branch
from tests.session.export.test_page import page as exported

SIZE = 25
BATCHES = len(list(corpus.batches(SIZE)))
PANEL = "#pi-notebook-panel"


@pytest.fixture
def page(lab, playwright, tmp_path):
    """A page in a browser of its own."""
    traffic = tmp_path / "traffic.json"
    browser = chromium(playwright, traffic=traffic)
    with lab_page(browser, lab) as page:
        page.page.on("dialog", lambda dialog: pytest.fail(f"a dialog: {dialog.message}"))
        yield page
        assert page.page.url.startswith(lab.url)
    browser.close()
    assert Traffic(traffic).elsewhere(lab.url) == []


def unfold(page):
    """Open whatever can be opened in the panel."""
    page.page.evaluate(
        """selector => {
          const root = document.querySelector(selector);
          root.querySelectorAll('details:not([open]) > summary').forEach(summary => summary.click());
          root.querySelectorAll('[role=log] button[aria-expanded=false]').forEach(button => button.click());
        }""",
        PANEL,
    )


def look_through(page):
    """The faults of all that the conversation holds, also of what is drawn only where one looks."""
    log = page.panel.get_by_role("log")
    faults = set()
    log.evaluate("log => { log.scrollTop = -1e9; log.scrollTop = 0; }")
    while True:
        unfold(page)
        page.settle(PANEL)
        faults |= set(audit(page.page, PANEL))
        before = log.evaluate("log => log.scrollTop")
        log.evaluate("log => { log.scrollTop += log.clientHeight; }")
        if log.evaluate("log => log.scrollTop") == before:
            return faults


@pytest.mark.soak
def test_the_panel_is_told_hostile_texts_in_every_field(lab, page):
    page.page.set_viewport_size({"width": 1400, "height": 8000})  # what is out of sight is not drawn
    page.open(lab.notebook("panel", "1"), panel=False)
    page.execute(INSTALL)
    page.command("pi-notebook:open-panel")
    expect(page.panel.get_by_role("log")).to_contain_text("How many rows has df?")
    faults = set()
    for number in range(BATCHES):
        page.execute(f"partner.show({SIZE}, {number})")
        expect(page.panel.get_by_role("log")).to_contain_text(f"The end of {number}.")
        faults |= look_through(page)
    assert faults == set()


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
