"""The inspector's module in pages like those of VS Code and Colab, and in a notebook without a kernel.

With `PI_NOTEBOOK_TEST_SCREENSHOTS` set to a folder, pictures are left there.
"""

import os
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.jupyter_server import build_panel
from tests.browser.lab import axe
from tests.browser.widget_hosts import VSCODE_DARK, VSCODE_HIGH_CONTRAST, colab, vscode
from tests.browser.widget_page import PretendSession, widget_page

INSPECTOR = ".jp-pi-Inspector"
TABS = ["Composition", "Timeline", "Compactions", "Ledger", "Raw"]


@pytest.fixture(scope="module", autouse=True)
def built():
    build_panel()


@pytest.fixture
def shown(browser):
    """Shows the widget in a page; whatever its scripts report as an error fails the test."""
    pages, errors = [], []

    def show(session, **options):
        page = widget_page(browser, session, **options)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda said: said.type == "error" and errors.append(said.text))
        pages.append(page)
        return page

    yield show
    for page in pages:
        page.context.close()
    assert errors == []


def picture(page, name):
    folder = os.environ.get("PI_NOTEBOOK_TEST_SCREENSHOTS")
    if folder:
        page.screenshot(path=Path(folder) / f"host-{name}.png")


def walk(page, frame, name):
    """Open a part and every tab."""
    expect(frame.get_by_role("list", name="Parts")).to_be_visible()
    frame.get_by_role("button", name="shortened").first.click()
    expect(frame.get_by_role("region", name="All of it")).to_contain_text("2024-01-31,Oslo,93")
    for tab in TABS:
        frame.get_by_role("tab", name=tab).click()
        expect(frame.get_by_role("tabpanel", name=tab)).not_to_contain_text("Asking")
        picture(page, f"{name}-{tab.lower()}")


@pytest.mark.parametrize(
    ("kind", "variables"),
    [("vscode-dark", VSCODE_DARK), ("vscode-high-contrast", VSCODE_HIGH_CONTRAST)],
)
def test_it_has_vs_codes_colours_and_all_is_read_in_a_narrow_page(shown, kind, variables):
    page = shown(PretendSession(), host=vscode(kind, variables), width=420)
    walk(page, page, kind)
    assert page.locator(INSPECTOR).evaluate("one => getComputedStyle(one).backgroundColor") == (
        "rgb(31, 31, 31)" if kind == "vscode-dark" else "rgb(0, 0, 0)"
    )
    for tab in TABS:
        page.get_by_role("tab", name=tab).click()
        assert axe(page, INSPECTOR) == [], tab
    scrolled = "one => one.scrollWidth - one.clientWidth"
    assert page.locator("html").evaluate(scrolled) == 0


def test_it_works_in_a_frame_that_may_do_little_as_colabs(shown):
    page = shown(PretendSession(), host=colab())
    frame = page.frame_locator("iframe")
    walk(page, frame, "colab")
    frame.get_by_role("button", name="Copy").click()
    expect(frame.get_by_role("status").last).to_contain_text("The request is copied.")


def test_a_notebook_without_a_kernel_shows_what_was_saved_and_says_so(shown):
    session, answers = PretendSession(), [True]
    session.parts = [{**session.parts[n % 90], "key": f"entry:p{n}", "tokens": n} for n in range(400)]
    page = shown(lambda question: session(question) if answers else None)
    expect(page.get_by_text("400 of 400 parts")).to_be_visible()
    total = page.locator(".jp-pi-Inspector-title").inner_text()
    answers.clear()
    page.evaluate("window.openSaved()")
    expect(page.get_by_text("200 of 200 parts")).to_be_visible()
    assert page.locator(".jp-pi-Inspector-title").inner_text() == total
    note = page.get_by_role("status").filter(has_text="A saved picture of the context, as it was on")
    expect(note).to_contain_text("The largest parts were saved.", timeout=5_000)
    expect(page.get_by_role("button", name="Compact …")).to_be_disabled()
    page.locator(".jp-pi-Part-line").first.click()
    expect(page.locator(".jp-pi-Part-body")).to_have_text("This was not saved.")
    picture(page, "saved")
    page.get_by_role("tab", name="Timeline").click()
    expect(page.get_by_role("slider", name="Request")).to_be_visible()
    expect(note).to_be_visible()
    answers.append(True)
    note.locator("..").get_by_role("button", name="Try again").click()
    expect(note).to_have_count(0)
    expect(page.get_by_role("button", name="Compact …")).to_be_enabled()


def test_a_row_keeps_the_focus_when_it_is_scrolled_out_of_view(shown):
    page = shown(PretendSession())
    line = page.locator(".jp-pi-Part-line").nth(2)
    line.focus()
    label = line.inner_text()
    body = page.locator(".jp-pi-Inspector-page")
    body.evaluate("page => { page.scrollTop = page.scrollHeight; }")
    expect(page.locator("[aria-posinset='90']")).to_be_in_viewport()
    focused = page.locator("*:focus")
    expect(focused).to_have_text(label, use_inner_text=True)
    page.keyboard.press("Tab")
    expect(focused).to_be_in_viewport()
    expect(page.locator("[role=listitem]:focus-within")).to_have_attribute("aria-posinset", "4")
    page.keyboard.press("Shift+Tab")
    expect(focused).to_have_text(label, use_inner_text=True)
