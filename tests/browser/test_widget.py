"""The inspector's built module in a page without JupyterLab, as other front ends show it.

With `PI_NOTEBOOK_TEST_SCREENSHOTS` set to a folder, pictures of its tabs are left there.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.jupyter_server import build_panel
from tests.browser.lab import axe
from tests.browser.widget_page import WINDOW, PretendSession, tell, widget_page
from tests.hostile import corpus
from tests.hostile.audit import audit

INSPECTOR = ".jp-pi-Inspector"
TABS = ["Composition", "Timeline", "Compactions", "Ledger", "Raw"]


@pytest.fixture(scope="module", autouse=True)
def built():
    build_panel()


@pytest.fixture
def shown(browser):
    """Shows the widget in a page; whatever its scripts report as an error fails the test."""

    @contextmanager
    def show(session, **options):
        page = widget_page(browser, session, **options)
        errors = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda said: said.type == "error" and errors.append(said.text))
        yield page
        page.context.close()
        assert errors == []

    return show


def tab(page, name):
    page.get_by_role("tab", name=name).click()


def picture(page, name):
    folder = os.environ.get("PI_NOTEBOOK_TEST_SCREENSHOTS")
    if folder:
        page.screenshot(path=Path(folder) / f"widget-{name}.png")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_tab_is_drawn_and_reachable_in_a_light_and_a_dark_page(shown, scheme):
    with shown(PretendSession(), scheme=scheme, width=600) as page:
        expect(page.get_by_role("list", name="Parts")).to_be_visible()
        page.get_by_role("button", name="shortened").first.click()
        expect(page.get_by_role("region", name="All of it")).to_contain_text("2024-01-31,Oslo,93")
        expect(page.get_by_role("region", name="What the model saw")).to_contain_text("23 lines left out")
        for name in TABS:
            tab(page, name)
            expect(page.get_by_role("tabpanel", name=name)).not_to_contain_text("Asking")
            assert axe(page, INSPECTOR) == []
            picture(page, f"{name.lower()}-{scheme}")


def test_the_bar_is_the_window_to_scale(shown):
    with shown(PretendSession()) as page:
        stretches = page.locator(".jp-pi-Bar-stretch")
        expect(stretches.first).to_be_visible()
        widths = stretches.evaluate_all("all => all.map(one => one.getBoundingClientRect().width)")
        whole = page.locator(".jp-pi-Bar-window").evaluate("bar => bar.clientWidth")
        assert sum(widths) == pytest.approx(whole, abs=1)
        legend = page.get_by_role("list", name="Categories").get_by_role("button", name="tool results")
        tokens = int(legend.inner_text().split("\n")[1].replace(",", ""))
        drawn = page.locator(".jp-pi-Bar-stretch[data-name=tool_results]").bounding_box()["width"]
        assert drawn == pytest.approx(whole * tokens / WINDOW, abs=1)


def test_what_happened_is_marked_and_leads_to_its_records(shown):
    session = PretendSession()
    points = session.timeline
    with shown(session) as page:
        tab(page, "Timeline")
        for mark, count in (
            ("compaction", sum(one["compactions"] > 0 for one in points)),
            ("edit", sum(one["edits"] > 0 for one in points)),
            ("ended", sum(one["outcome"] != "done" for one in points)),
        ):
            assert count
            expect(page.locator(f".jp-pi-Chart-{mark}")).to_have_count(count)
        page.get_by_label("compare with").fill("3")
        expect(page.get_by_text("request 3 → next request")).to_be_visible()
        expect(page.get_by_role("tabpanel")).to_contain_text("93% of the earlier one")
        tab(page, "Compactions")
        record, before = page.locator(".jp-pi-CompactionRecord").all()
        record.locator(".jp-pi-CompactionRecord-line").click()
        for fact in (
            "161,200 → 24,400 tokens",
            "41 messages",
            "6 messages",
            "8.2 s",
            "$0.03",
            "claude-sonnet",
        ):
            expect(record).to_contain_text(fact)
        expect(record.locator(".jp-pi-CompactionRecord-summary strong")).to_have_text("by city")
        record.get_by_role("button", name="Compaction before").click()
        expect(before.get_by_text("Folded messages (41)")).to_be_visible()
        expect(before.get_by_text("The newest 8 are shown.")).to_be_visible()
        expect(before.locator(".jp-pi-CompactionRecord-line")).to_be_focused()


def test_a_request_is_copied_and_the_session_written_into_a_file(shown):
    session = PretendSession()
    with shown(session) as page:
        tab(page, "Raw")
        request = page.get_by_role("region", name="The request as sent")
        expect(request).to_contain_text('"api_key": "***"')
        page.get_by_role("button", name="Copy", exact=True).click()
        expect(page.get_by_role("status").last).to_have_text("The request is copied.")
        page.evaluate(
            "document.body.append(Object.assign(document.createElement('textarea'), { id: 'pasted' }))"
        )
        page.locator("#pasted").press("Control+V")
        expect(page.locator("#pasted")).to_have_value(request.inner_text())
        page.get_by_role("button", name="Export …").click()
        page.get_by_role("button", name="Markdown (.md)").click()
        expect(page.get_by_role("status").last).to_have_text("Done: export.")
        assert session.done[-1]["format"] == "md"


def test_all_is_done_with_the_keyboard_alone(shown):
    session = PretendSession()
    with shown(session) as page:
        expect(page.get_by_role("list", name="Parts")).to_be_visible()
        press = page.keyboard.press
        page.get_by_role("button", name="Compact …").focus()
        press("Enter")
        page.keyboard.type("keep df")
        press("Tab")
        press("Enter")
        expect(page.get_by_role("status").last).to_have_text("Done: compact.")
        assert session.done[-1]["instructions"] == "keep df"
        page.get_by_role("tab", name="Composition").focus()
        press("ArrowRight")
        expect(page.get_by_role("tab", name="Timeline")).to_be_focused()
        slider = page.get_by_role("slider", name="Request")
        slider.focus()
        press("ArrowLeft")
        press("ArrowLeft")
        expect(slider).to_have_attribute("aria-valuenow", "59")
        press("Shift+Home")
        expect(page.get_by_text("request 1 → request 59")).to_be_visible()
        page.get_by_role("tab", name="Timeline").focus()
        press("End")
        expect(page.get_by_role("region", name="The request as sent")).to_be_visible()
        press("Home")
        page.get_by_role("searchbox", name="Filter parts").focus()
        page.keyboard.type("Oslo sold")
        part = page.get_by_role("button", name="Oslo sold most").first
        part.focus()
        press("Enter")
        expect(part).to_have_attribute("aria-expanded", "true")
        expect(page.get_by_role("region", name="What the model saw")).to_have_text(
            "Oslo sold most: 22 of 42."
        )


def test_what_is_looked_at_is_asked_for_again_when_the_session_goes_on(shown):
    session = PretendSession()
    with shown(session, height=900) as page:
        page.get_by_role("button", name="shortened").first.click()
        expect(page.get_by_role("region", name="All of it")).to_be_visible()
        body = page.locator(".jp-pi-Inspector-page")
        body.evaluate("page => { page.scrollTop = 120; }")
        session.is_running = True
        session.parts = [*session.parts, {**session.parts[-1], "key": "entry:new", "label": "the newest"}]
        before = page.evaluate("window.asked.length")
        page.evaluate("for (let n = 0; n < 20; n++) window.tell({ type: 'inspection_changed' });")
        expect(page.get_by_text("91 of 91 parts")).to_be_visible()
        expect(page.get_by_text("running", exact=True)).to_be_visible()
        assert page.evaluate("window.asked.length") - before <= 6
        expect(page.get_by_role("region", name="All of it")).to_be_visible()
        assert body.evaluate("page => page.scrollTop") == 120


def test_what_a_busy_kernel_tells_unasked_is_shown(shown):
    session = PretendSession()
    with shown(lambda question: None) as page:
        expect(page.get_by_text("Asking the kernel")).to_be_visible()
        for kind in ("inspect_overview", "inspect_composition"):
            tell(page, {**session({"type": kind, "number": None}), "request_id": ""})
        expect(page.get_by_text("90 of 90 parts")).to_be_visible()
        expect(page.get_by_text("Sales by city", exact=True)).to_be_visible()


def test_a_kernel_that_is_gone_is_said_in_a_sentence_and_asked_again_on_demand(browser, shown):
    session = PretendSession()
    answers = []
    with shown(lambda question: session(question) if answers else None, is_clock_set=True) as page:
        expect(page.get_by_text("Asking the kernel")).to_be_visible()
        page.clock.fast_forward(15_000)
        expect(page.get_by_role("alert")).to_contain_text("The kernel does not answer: it is busy or gone.")
        answers.append(True)
        page.get_by_role("button", name="Try again").click()
        expect(page.get_by_text("90 of 90 parts")).to_be_visible()
        expect(page.get_by_role("alert")).to_have_count(0)


def test_five_thousand_requests_are_walked_through(shown):
    with shown(PretendSession(5_000)) as page:
        tab(page, "Timeline")
        slider = page.get_by_role("slider", name="Request")
        expect(slider).to_have_attribute("aria-valuemax", "5001")
        assert page.locator(".jp-pi-Chart-line").get_attribute("d").count("L") < 2_500
        slider.focus()
        for _ in range(30):
            page.keyboard.press("ArrowLeft")
        expect(page.get_by_text("Request 4,971 of 5,000", exact=True)).to_be_visible()


def test_what_is_taken_away_leaves_nothing_behind(shown):
    with shown(PretendSession()) as page:
        expect(page.get_by_role("list", name="Parts")).to_be_visible()
        asked = page.evaluate("window.close(), window.asked.length")
        tell(page, {"type": "inspection_changed"})
        expect(page.locator(INSPECTOR)).to_have_count(0)
        assert page.evaluate("window.asked.length") == asked


class HostileSession(PretendSession):
    """A session whose every text is one of `texts`."""

    def __init__(self, texts):
        super().__init__(count=len(texts))
        self._texts = texts
        self.hidden = [
            {"entry_id": f"h{n}", "label": text, "is_hidden": True, "reason": text}
            for n, text in enumerate(texts)
        ]
        self.parts = [
            {**self.parts[n % 40 + 6], "key": f"entry:x{n}", "entry_id": f"x{n}", "label": text}
            for n, text in enumerate(texts)
        ]

    def __call__(self, question):
        found = super().__call__(question)
        joined = "\n\n".join(self._texts)
        match found["type"]:
            case "overview":
                return {**found, "session_name": joined, "compactions": found["compactions"][:1]}
            case "part":
                return {**found, "seen": joined, "full": joined + ".", "full_path": joined}
            case "compaction":
                return {**found, "summary": joined, "folded": self.parts[:5]}
            case "ledger":
                files = [{**found["files"][0], "path": text} for text in self._texts]
                variables = [
                    {**found["variables"][0], "name": text, "kind": text, "shape": text, "spill": text}
                    for text in self._texts
                ]
                return {**found, "files": files, "variables": variables}
            case "raw":
                return {**found, "text": joined}
        return found


@pytest.mark.parametrize("texts", [[one.text for one in batch] for batch in corpus.batches(95)])
def test_hostile_texts_are_shown_and_do_nothing(shown, texts):
    with shown(HostileSession(texts)) as page:
        page.on("dialog", lambda dialog: pytest.fail(f"a dialog: {dialog.message}"))
        page.locator(".jp-pi-Part-line").first.click()
        expect(page.get_by_role("region", name="All of it")).to_be_visible()
        page.get_by_role("button", name="Hidden").click()
        faults = set(audit(page, INSPECTOR))
        for name in TABS[1:]:
            tab(page, name)
            if name == "Compactions":
                page.locator(".jp-pi-CompactionRecord-line").first.click()
                expect(page.get_by_text("Folded messages")).to_be_visible()
            expect(page.get_by_role("tabpanel")).not_to_contain_text("Asking the kernel")
            faults |= set(audit(page, INSPECTOR))
        page.evaluate("window.answer = () => undefined, window.openSaved()")
        expect(page.get_by_role("status").filter(has_text="A saved picture of the context")).to_be_visible()
        faults |= set(audit(page, INSPECTOR))
        assert faults == set()
