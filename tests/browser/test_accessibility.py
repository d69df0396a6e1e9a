"""Panel and inspector for those who do not see them, see few colours, or use no mouse.

With `PI_NOTEBOOK_TEST_SCREENSHOTS` set to a folder, pictures are left there.
"""

import pytest
from playwright.sync_api import expect

from tests.browser.lab import axe
from tests.browser.partner import INSTALL
from tests.browser.test_panel import picture

PANEL = "#pi-notebook-panel"
INSPECTOR = ".jp-pi-InspectorPanel"
TABS = ["Composition", "Timeline", "Compactions", "Ledger", "Raw"]
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


# Gives what the panel shows, answers what it and the inspector ask, and puts a cell into the notebook.
AGENT = """\
from tests.browser.partner import EXAMPLES, example
partner.welcome = [example('hello'), example('snapshot'), example('ask'), example('error')]
def answer(request):
    name = request["type"].removeprefix("inspect_")
    if "request_id" in request and (EXAMPLES / f"kernel_{name}.json").exists():
        yield example(name) | {"request_id": request["request_id"]}
partner.answer = answer
put = example("notebook") | {"action": "insert", "cell_id": "", "source": "df.head()", "expected": None}"""


def open_filled(lab, page):
    """A panel with every kind of segment, open questions, a changed cell and a run that goes on."""
    page.open(lab.notebook("filled", "1"), panel=False)
    page.execute(f"{INSTALL}\n{AGENT}")
    page.command("pi-notebook:open-panel")
    expect(page.panel.get_by_role("group", name="Permission for run_code")).to_be_visible()
    page.execute("partner.say(put)")
    expect(page.panel.get_by_role("group", name="Changes of this run")).to_contain_text("1 cell changed")
    page.settle(PANEL)


def walk(page, selector):
    """The names of all that Tab leads to in what `selector` names; that it has the focus must be seen."""
    page.page.locator(selector).evaluate(
        "place => { place.tabIndex = -1; place.focus(); place.removeAttribute('tabindex'); }"
    )
    reached = []
    for _ in range(MAX_STOPS):
        page.page.keyboard.press("Tab")
        name = page.page.evaluate(FOCUSED, selector)
        if not name:
            break
        reached.append(name)
        assert page.page.evaluate(
            "() => { const { outlineStyle, boxShadow } = getComputedStyle(document.activeElement);"
            " return outlineStyle !== 'none' || boxShadow !== 'none'; }"
        ), f"that {name} has the focus is not seen"
    return reached


def missed(page, selector):
    """What can be used and Tab does not lead to."""
    reached = walk(page, selector)
    usable = page.page.evaluate(USABLE, [selector, CONTROLS])
    assert usable != []
    return sorted(set(usable) - set(reached))


@pytest.mark.parametrize("page", ["lab", "notebook"], indirect=True)
def test_axe_finds_nothing_grave_in_any_theme(lab, page):
    open_filled(lab, page)
    for theme in THEMES:
        page.theme(theme)
        page.panel.get_by_role("button", name="Model: offline").click()
        expect(page.panel.get_by_role("option", name="anthropic/claude-sonnet-4-5")).to_be_visible()
        page.settle(PANEL)
        assert axe(page.page, PANEL) == [], theme
        page.page.keyboard.press("Escape")
        page.command("pi-notebook:open-sessions")
        page.panel.get_by_role("button", name="Delete Sales by city").click()
        page.settle(PANEL)
        assert axe(page.page, PANEL) == [], theme
        page.page.keyboard.press("Escape")
        page.command("pi-notebook:focus-prompt")


def test_all_that_can_be_used_is_reached_by_tab_and_the_focus_is_seen(lab, page):
    open_filled(lab, page)
    page.panel.get_by_label("Prompt", exact=True).fill("x")
    page.panel.get_by_role("group", name="Changes of this run").locator("summary").click()
    assert missed(page, PANEL) == []
    the_focus_stays_in_a_row_that_is_out_of_view(page)


def the_focus_stays_in_a_row_that_is_out_of_view(page):
    page.execute("for n in range(60): partner.say_answer(f'Answer {n}.\\n\\nIt has two paragraphs.')")
    page.panel.get_by_role("button", name="Jump to the newest").click()
    expect(page.answer("Answer 59.")).to_be_in_viewport()
    page.settle(PANEL)  # while rows are measured, the end is kept in view
    scroller = page.panel.get_by_role("log", name="Conversation")
    scroller.evaluate("one => { one.scrollTop = 0; }")
    thought = page.panel.locator("summary").filter(has_text="Thought")
    thought.focus()
    scroller.evaluate("one => { one.scrollTop = one.scrollHeight; }")
    expect(page.answer("Answer 59.")).to_be_in_viewport()
    expect(thought).to_be_focused()
    expect(thought).not_to_be_in_viewport()
    page.page.keyboard.press("Enter")
    expect(page.panel.get_by_text("A count is enough.")).to_be_attached()
    expect(thought).to_be_focused()


def test_the_inspector_is_read_in_every_theme_and_walked_through_by_key(lab, page):
    open_filled(lab, page)
    page.command("pi-notebook:open-inspector")
    inspector = page.page.locator(INSPECTOR)
    for theme in THEMES:
        page.theme(theme)
        inspector.get_by_role("tab", selected=True).focus()
        for tab in TABS:
            expect(inspector.get_by_role("tabpanel", name=tab)).not_to_contain_text("Asking the kernel")
            assert axe(page.page, INSPECTOR) == [], f"{tab} in {theme}"
            if theme == THEMES[0]:
                assert missed(page, INSPECTOR) == [], tab
                inspector.get_by_role("tab", name=tab).focus()
            page.page.keyboard.press("ArrowRight")
        picture(page, f"inspector-{theme.split()[-1].lower()}")


def test_bars_marks_and_the_focus_are_seen_where_the_system_gives_the_colours(lab, page):
    page.page.emulate_media(forced_colors="active")
    open_filled(lab, page)
    page.command("pi-notebook:open-inspector")
    inspector = page.page.locator(INSPECTOR)
    expect(inspector.locator(".jp-pi-Bar-stretch").first).to_be_visible()
    drawn = [
        (page.panel.locator(".jp-pi-Gauge-fill"), None),
        (page.panel.locator(".jp-pi-Gauge-threshold"), None),
        (page.cells.first, "::after"),
        (inspector.locator(".jp-pi-Bar-stretch").first, None),
        (inspector.get_by_role("list", name="Categories").locator(".jp-pi-Swatch").first, None),
    ]
    for one, part in drawn:
        colours = one.evaluate(
            "(one, part) => [getComputedStyle(one, part).backgroundColor,"
            " getComputedStyle(document.body).backgroundColor, 'rgba(0, 0, 0, 0)']",
            part,
        )
        assert colours[0] not in colours[1:]
    chosen = inspector.get_by_role("tab", name="Composition")
    other = inspector.get_by_role("tab", name="Raw")
    line = "tab => getComputedStyle(tab).borderBottomColor"
    assert chosen.evaluate(line) != other.evaluate(line)
    walk(page, INSPECTOR)
    picture(page, "forced-colours-composition")
    inspector.get_by_role("tab", name="Timeline").click()
    expect(inspector.get_by_role("slider", name="Request")).to_be_visible()
    page.panel.get_by_label("Prompt", exact=True).focus()
    picture(page, "forced-colours-timeline")


def test_the_keyboard_alone_is_enough_and_the_conversation_is_told_while_it_grows(lab, page):
    page.open(lab.notebook("keys", "1"))
    box = page.panel.get_by_label("Prompt", exact=True)
    expect(box).to_be_enabled()
    expect(page.panel.get_by_role("log", name="Conversation")).to_be_visible()
    box.fill("```python\nprint('by key')\n```")
    page.page.keyboard.press("Enter")
    allow = page.panel.get_by_role("button", name="Allow once")
    allow.focus()
    page.page.keyboard.press("Enter")
    expect(page.output(1)).to_have_text("by key")
    expect(box).to_be_focused()
    expect(page.panel.get_by_role("button", name="Send")).to_be_visible()
    box.fill("What are you?")
    page.page.keyboard.press("Enter")
    spoken = page.panel.locator("[aria-live=polite]")
    expect(spoken.filter(has_text="not a language model").first).to_be_attached()
