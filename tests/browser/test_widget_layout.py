"""How the inspector's widget holds what does not fit: names without an end, and more than the window."""

from __future__ import annotations

from contextlib import closing

import pytest
from playwright.sync_api import expect

from tests.browser.jupyter_server import build_panel
from tests.browser.widget_page import WINDOW, PretendSession, widget_page

TABS = ["Composition", "Timeline", "Compactions", "Ledger", "Raw"]
STICKING_OUT = """() => {
  const edge = document.querySelector('.jp-pi-Inspector').getBoundingClientRect().right;
  const isOut = one => !one.closest('.jp-pi-Inspector-wide, svg') && one.getBoundingClientRect().right > edge;
  return [...document.querySelectorAll('.jp-pi-Inspector *')].filter(isOut).map(one => one.className);
}"""
"""The classes of what stands further right than the inspector, but for tables, which scroll."""


@pytest.fixture(scope="module", autouse=True)
def built():
    build_panel()


def tab(page, name):
    page.get_by_role("tab", name=name).click()


class WordySession(PretendSession):
    """A session whose names are long; its request is over what the window holds."""

    def __call__(self, question):
        found = super().__call__(question)
        name = "a_long_name_" * 20
        match found["type"]:
            case "overview":
                hidden = [{"entry_id": "h", "label": name, "is_hidden": True, "reason": f"model: {name}"}]
                return {**found, "session_name": name * 9, "hidden": hidden, "hidden_count": 250}
            case "composition":
                sizes = {**found["sizes"], "model": name, "tokens": WINDOW + 1, "free": 0, "reserve": 0}
                return {**found, "sizes": sizes}
            case "ledger":
                files = [{**found["files"][0], "path": name, "renamed_to": name, "last": "deleted"}]
                return {**found, "files": files}
        return found


@pytest.mark.parametrize("width", [400, 1400])
def test_long_names_push_nothing_out_of_a_cell(browser, width):
    with closing(widget_page(browser, WordySession(), width=width).context) as context:
        (page,) = context.pages
        title = page.locator(".jp-pi-Inspector-title")
        expect(title.get_by_text(f"{WINDOW + 1:,} of {WINDOW:,} tokens")).to_be_visible()
        assert title.bounding_box()["height"] < 120
        expect(page.get_by_text("it is over that")).to_be_visible()
        page.get_by_role("button", name="Hidden (250)").click()
        expect(page.get_by_text("The newest 1 are shown.")).to_be_visible()
        tab(page, "Compactions")
        when = page.locator(".jp-pi-CompactionRecord-line time").first
        assert when.bounding_box()["height"] < 30
        tab(page, "Ledger")
        expect(page.get_by_role("table", name="Files")).to_be_visible()
        for name in TABS:
            tab(page, name)
            expect(page.get_by_role("tabpanel", name=name)).not_to_contain_text("Asking")
            assert page.evaluate(STICKING_OUT) == []
