"""What chooses and shows the state of a session, above the conversation."""

import re

from playwright.sync_api import expect

from tests.browser.test_panel import picture


def test_model_mode_and_policy_are_chosen_in_the_header(lab, page):
    page.open(lab.notebook("choices", "1"))
    expect(page.panel.get_by_label("Prompt", exact=True)).to_be_enabled()
    meter = page.panel.locator(".jp-pi-Gauge")
    expect(meter).to_have_attribute(
        "aria-label", re.compile(r"Context: [\d,]+ of [\d,]+ tokens \(.* %\); it is compacted at [\d,]+")
    )
    page.panel.get_by_role("button", name="Model: offline").click()
    box = page.panel.get_by_role("combobox", name="Model")
    expect(box).to_be_focused()
    expect(page.panel.get_by_role("listbox", name="Model").get_by_role("option").first).to_be_visible()
    picture(page, "models-light")
    box.fill("openai/some-model")
    box.press("Enter")
    model = page.panel.get_by_role("button", name="Model: openai/some-model")
    expect(model).to_be_focused()
    model.click()
    box.fill("offl")
    expect(page.panel.get_by_role("listbox", name="Model").get_by_role("option")).to_have_count(1)
    box.press("ArrowDown")
    box.press("Enter")
    expect(page.panel.get_by_role("button", name="Model: offline")).to_be_visible()
    page.panel.get_by_role("button", name=re.compile("^Context policy: notebook")).click()
    policies = page.panel.get_by_role("listbox", name="Context policy")
    policies.get_by_role("option", name="pi", exact=True).click()
    expect(page.panel.get_by_role("button", name="Context policy: pi")).to_be_visible()
    page.panel.get_by_label("Mode", exact=True).select_option("auto")
    expect(page.panel.get_by_label("Mode", exact=True)).to_have_value("auto")
