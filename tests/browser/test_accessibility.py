"""The panel for those who do not see it, or use no mouse."""

import pytest
from playwright.sync_api import expect

from tests.browser.lab import axe
from tests.browser.partner import INSTALL

PANEL = "#pi-notebook-panel"
THEMES = ["JupyterLab Light", "JupyterLab Dark", "JupyterLab Dark High Contrast"]
MAX_STOPS = 80

# What has the focus, as a person would call it; empty outside of the panel.
FOCUSED = """
selector => {
  const element = document.activeElement;
  const name = element.getAttribute('aria-label') || element.textContent.trim() || element.localName;
  return element.closest(selector) ? name : '';
}
"""
CONTROLS = "button, select, textarea, input, summary, a[href]"
# What can be used in the panel, by the same names; of a group of radios one is in the order of Tab.
USABLE = """
([selector, controls]) => [...document.querySelector(selector).querySelectorAll(controls)]
  .filter(one => one.checkVisibility() && !one.disabled && one.tabIndex >= 0)
  .map(one => one.getAttribute('aria-label') || one.textContent.trim() || one.localName)
"""


def open_filled(lab, page):
    """A panel with every kind of segment, open questions and a run that goes on."""
    page.open(lab.notebook("filled", "1"), panel=False)
    page.execute(f"{INSTALL}\nfrom tests.browser.partner import example")
    page.execute(
        "partner.welcome = [example('hello'), example('snapshot'), example('ask'), example('error')]"
    )
    page.command("pi-notebook:open-panel")
    expect(page.panel.get_by_role("group", name="Permission for run_code")).to_be_visible()
    page.settle(PANEL)


@pytest.mark.parametrize("page", ["lab", "notebook"], indirect=True)
def test_axe_finds_nothing_grave_in_any_theme(lab, page):
    open_filled(lab, page)
    for theme in THEMES:
        page.theme(theme)
        page.settle(PANEL)
        assert axe(page.page, PANEL) == [], theme


def test_all_that_can_be_used_is_reached_by_tab_and_the_focus_is_seen(lab, page):
    open_filled(lab, page)
    page.panel.get_by_label("Prompt", exact=True).fill("x")
    page.page.locator(PANEL).evaluate(
        "panel => { panel.tabIndex = -1; panel.focus(); panel.removeAttribute('tabindex'); }"
    )
    reached = []
    for _ in range(MAX_STOPS):
        page.page.keyboard.press("Tab")
        name = page.page.evaluate(FOCUSED, PANEL)
        if not name:
            break
        reached.append(name)
        assert page.page.evaluate(
            "() => { const { outlineStyle, boxShadow } = getComputedStyle(document.activeElement);"
            " return outlineStyle !== 'none' || boxShadow !== 'none'; }"
        ), f"that {name} has the focus is not seen"
    usable = page.page.evaluate(USABLE, [PANEL, CONTROLS])
    assert usable != []
    assert sorted(set(usable) - set(reached)) == []


def test_a_question_is_answered_and_a_prompt_is_sent_with_the_keyboard_alone(lab, page):
    page.open(lab.notebook("keys", "1"))
    box = page.panel.get_by_label("Prompt", exact=True)
    expect(box).to_be_enabled()
    box.fill("```python\nprint('by key')\n```")
    page.page.keyboard.press("Enter")
    allow = page.panel.get_by_role("button", name="Allow once")
    allow.focus()
    page.page.keyboard.press("Enter")
    expect(page.output(1)).to_have_text("by key")


def test_the_conversation_is_told_while_it_grows(lab, page):
    page.open(lab.notebook("told", "1"))
    expect(page.panel.get_by_role("log", name="Conversation")).to_be_visible()
    page.ask("What are you?")
    spoken = page.panel.locator("[aria-live=polite]")
    expect(spoken.filter(has_text="not a language model").first).to_be_attached()
