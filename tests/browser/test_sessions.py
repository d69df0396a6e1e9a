"""The list of sessions in the panel, and what chooses and shows the state of a session above it."""

import re

from playwright.sync_api import expect

from tests.browser.test_panel import picture


def ask(page, prompt):
    page.ask(prompt)
    expect(page.panel.locator(".jp-pi-Prompt").filter(has_text=prompt)).to_be_visible()
    expect(page.panel.get_by_role("button", name="Send")).to_be_visible()
    expect(page.panel.locator(".jp-pi-Answer").last).to_be_visible()


def rows(page):
    return page.panel.get_by_role("region", name="Sessions").get_by_role("listitem")


def test_sessions_are_found_opened_renamed_exported_and_deleted(lab, page):
    page.open(lab.notebook("sessions", "1"))
    ask(page, "tell me of Oslo")
    page.panel.get_by_role("button", name="New session").last.click()
    expect(page.panel).to_contain_text("Ask about your data")
    ask(page, "tell me of Bergen")

    page.panel.get_by_title("Sessions of this folder").click()
    expect(rows(page)).to_have_count(2)
    expect(rows(page).nth(0)).to_contain_text("current")
    expect(rows(page).nth(0)).to_contain_text("1 prompt")
    expect(rows(page).nth(1).locator("time")).to_have_attribute("title", re.compile(r"\d"))
    picture(page, "sessions-light")
    search = page.panel.get_by_label("Search sessions")
    expect(search).to_be_focused()
    search.fill("Oslo")
    expect(rows(page)).to_have_count(1)
    expect(rows(page)).to_contain_text("Oslo")

    rows(page).get_by_role("button", name=re.compile("^Rename")).click()
    name = page.panel.get_by_label("Name of the session")
    expect(name).to_be_focused()
    name.press("Escape")
    expect(name).to_have_count(0)
    expect(rows(page).get_by_role("button").first).to_be_focused()
    rows(page).get_by_role("button", name=re.compile("^Rename")).click()
    name.fill("Capital")
    name.press("Enter")
    expect(rows(page).get_by_role("button", name="Capital", exact=True)).to_be_visible()

    rows(page).get_by_role("button", name="Export Capital").click()
    picture(page, "sessions-export")
    rows(page).get_by_role("button", name="Markdown").click()
    expect(page.panel.get_by_role("region", name="Sessions").get_by_role("status")).to_contain_text(".md")
    [exported] = [file for file in lab.notebooks.iterdir() if file.suffix == ".md"]
    assert "tell me of Oslo" in exported.read_text()

    rows(page).get_by_role("button", name="Capital", exact=True).click()
    expect(page.panel.locator(".jp-pi-Prompt")).to_have_text("tell me of Oslo")
    session = page.panel.get_by_title("Sessions of this folder")
    expect(session).to_have_text("Capital")

    session.click()
    other = rows(page).filter(has_not_text="Capital")
    other.get_by_role("button", name=re.compile("^Delete")).click()
    confirm = other.get_by_role("button", name="Delete", exact=True)
    expect(confirm).to_be_focused()
    confirm.press("Escape")
    expect(confirm).to_have_count(0)
    other.get_by_role("button", name=re.compile("^Delete")).click()
    confirm.press("Enter")
    expect(rows(page)).to_have_count(1)
    expect(rows(page).get_by_role("button").first).to_be_focused()
    expect(page.panel.get_by_role("region", name="Sessions").get_by_role("status")).to_contain_text("trash")
    search.press("Escape")
    expect(page.panel.get_by_label("Prompt", exact=True)).to_be_focused()
    expect(page.panel.locator(".jp-pi-Prompt")).to_have_text("tell me of Oslo")


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


def test_a_session_goes_on_from_behind_an_answer_or_a_call(lab, page):
    page.open(lab.notebook("forks", "1"))
    page.panel.get_by_label("Mode", exact=True).select_option("auto")
    ask(page, "run: print(6 * 7)")
    expect(page.answer("The code gave")).to_be_visible()
    ask(page, "tell me of Bergen")
    expect(page.answer("There is no dataframe")).to_be_visible()
    answer = page.panel.locator(".jp-pi-Turn").filter(has_text="The code gave")
    answer.get_by_role("button", name="Fork after this").focus()
    picture(page, "fork-answer")
    page.page.keyboard.press("Enter")
    expect(page.panel.locator(".jp-pi-Prompt")).to_have_text(["run: print(6 * 7)"])
    expect(page.panel.locator(".jp-pi-Answer").last).to_contain_text("The code gave")

    call = page.panel.locator(".jp-pi-Turn").filter(has=page.page.locator(".jp-pi-Call"))
    call.hover()
    picture(page, "fork-call")
    call.get_by_role("button", name="Fork after this").click()
    expect(answer).to_have_count(0)
    expect(call.get_by_label("Output", exact=True)).to_have_text("42")
    page.panel.get_by_role("button", name="Continue").click()
    expect(answer).to_be_visible()
    page.panel.get_by_title("Sessions of this folder").click()
    expect(rows(page)).to_have_count(3)
    page.command("apputils:display-notifications")
    for end in ("answer.", "answer and what came of its 1 call."):
        expect(page.page.get_by_text(f"The new session ends with this {end}", exact=True)).to_be_visible()
