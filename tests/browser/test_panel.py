"""The side panel in a real JupyterLab and a real browser.

With `PI_NOTEBOOK_TEST_SCREENSHOTS` set to a folder, pictures of the panel are left there.
"""

import os
import re
from pathlib import Path

from playwright.sync_api import expect

from tests.provider import calls, text

FRAME = """\
import pandas as pd
df = pd.DataFrame({'city': ['Oslo', 'Bergen', 'Oslo'], 'sales': [10, 20, 12]})
len(df)"""


def picture(page, name):
    folder = os.environ.get("PI_NOTEBOOK_TEST_SCREENSHOTS")
    if folder:
        page.page.screenshot(path=Path(folder) / f"{name}.png")


def test_a_question_is_answered_by_a_cell_that_was_consented_to(lab, page):
    page.open(lab.notebook("question", FRAME, ""))
    page.run_cell(0)
    expect(page.output(0)).to_have_text("3")
    page.ask("What is the mean of sales by city in df?")
    question = page.panel.get_by_role("group", name="Permission for run_code")
    expect(question.locator("pre")).to_contain_text("df")
    picture(page, "ask-light")
    question.get_by_role("button", name="Always in this run").click()
    expect(page.answer("Bergen")).to_be_visible()
    expect(page.answer("11")).to_be_visible()
    expect(page.answer("not a language model")).to_be_in_viewport()
    expect(page.panel.get_by_role("button", name="Send")).to_be_visible()
    assert page.cells.count() > 2
    expect(page.output(1).first).to_be_visible()
    expect(page.cells.nth(1).locator(".jp-InputPrompt")).to_have_text(re.compile(r"\[\d+\]:"))
    picture(page, "answer-light")
    page.theme("JupyterLab Dark")
    picture(page, "answer-dark")


def test_a_call_is_denied_or_changed_first_and_one_that_runs_is_stopped_and_gone_on_from(lab, page):
    page.open(lab.notebook("consent", "6 * 7"))
    page.ask("```python\nopen('made.txt', 'w').write('x')\n```")
    page.panel.get_by_label("Reason for denying").fill("not now")
    page.panel.get_by_role("button", name="Deny").click()
    expect(page.panel.locator(".jp-pi-Call.jp-mod-failed")).to_contain_text("not now")
    expect(page.panel.get_by_role("button", name="Send")).to_be_visible()
    assert page.cells.count() == 1
    assert not (lab.notebooks / "made.txt").exists()

    page.ask("```python\nprint('theirs')\n```")
    page.panel.get_by_role("button", name="Edit").click()
    page.panel.get_by_label("Code to run instead").fill("print('mine')")
    page.panel.get_by_role("button", name="Allow once").click()
    expect(page.output(1)).to_have_text("mine")
    expect(page.panel.get_by_role("button", name="Send")).to_be_visible()

    page.ask("```python\nimport time\nprint('asleep')\ntime.sleep(60)\n```")
    page.panel.get_by_role("button", name="Allow once").click()
    expect(page.panel.locator(".jp-pi-Call .jp-pi-Output").last).to_contain_text("asleep")
    page.panel.get_by_role("button", name="Stop").click()
    expect(page.panel.get_by_role("button", name="Send")).to_be_visible()
    page.run_cell(0)
    expect(page.output(0)).to_have_text("42")
    newest = page.panel.locator(".jp-pi-Row:not(:empty)").last
    expect(newest).to_contain_text("asleep")
    page.panel.get_by_role("button", name="Continue", exact=True).click()
    expect(newest.locator(".jp-pi-Answer")).to_be_visible()


def test_a_prompt_shows_at_once_while_the_persons_own_cell_runs(lab, page):
    page.open(lab.notebook("busy", "import time\ntime.sleep(60)"))
    expect(page.panel.get_by_label("Prompt")).to_be_enabled()
    page.run_cell(0)
    expect(page.cells.nth(0).locator(".jp-InputPrompt")).to_have_text("[*]:")
    page.ask("```python\nprint('mine')\n```")
    expect(page.panel.locator(".jp-pi-Prompt")).to_contain_text("print('mine')")
    page.panel.get_by_role("button", name="Stop").click()
    expect(page.panel.get_by_role("button", name="Send")).to_be_visible()
    expect(page.cells.nth(0).locator(".jp-InputPrompt")).to_have_text("[*]:")
    page.command("notebook:interrupt-kernel")
    expect(page.output(0)).to_contain_text("KeyboardInterrupt")


def slow_code(number):
    return calls(("run_code", {"code": f"import time\ntime.sleep(0.7)\n'cell {number}'"}))


def test_the_agent_stays_with_its_notebook_when_the_person_turns_to_another(lab, page, provider):
    provider.script(slow_code(1), slow_code(2), text("Both ran."))
    lab.notebook("other", "1")
    page.open(lab.notebook("bound", "%agent model openai/test"))
    page.choose_scripted_model()
    page.ask("Go.")
    page.panel.get_by_role("button", name="Always in this run").click()
    page.command("docmanager:open", path="other.ipynb")
    expect(page.panel).to_contain_text("Ask about your data")
    page.command("docmanager:open", path="bound.ipynb")
    expect(page.answer("Both ran.")).to_be_visible()
    expect(page.output(1)).to_have_text("'cell 1'")
    expect(page.output(2)).to_have_text("'cell 2'")
    page.command("docmanager:open", path="other.ipynb")
    expect(page.cells).to_have_count(1)


def test_a_person_who_types_in_a_cell_is_not_disturbed_by_the_agents(lab, page, provider):
    provider.script(slow_code(1), slow_code(2), text("Both ran."))
    page.open(lab.notebook("typing", "%agent model openai/test", ""))
    page.choose_scripted_model()
    page.ask("Go.")
    page.panel.get_by_role("button", name="Always in this run").click()
    expect(page.cells).to_have_count(3)  # the first of the agent's cells stands above the empty one
    editor = page.cells.last.locator(".cm-content")
    editor.click()
    page.page.keyboard.type("# dd and aa and xx: a note that is long", delay=60)
    expect(page.answer("Both ran.")).to_be_visible()
    expect(page.cells).to_have_count(4)
    expect(editor).to_have_text("# dd and aa and xx: a note that is long")
