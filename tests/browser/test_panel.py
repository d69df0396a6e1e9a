"""The side panel in a real JupyterLab and a real browser.

With `PI_NOTEBOOK_TEST_SCREENSHOTS` set to a folder, pictures of the panel are left there.
"""

import os
import re
from pathlib import Path

import nbformat
import pytest
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


def test_a_stop_ends_code_that_runs_and_the_next_cell_works(lab, page):
    page.open(lab.notebook("stop", "6 * 7"))
    page.ask("```python\nimport time\nprint('asleep')\ntime.sleep(60)\n```")
    page.panel.get_by_role("button", name="Allow once").click()
    expect(page.panel.locator(".jp-pi-Call .jp-pi-Output")).to_contain_text("asleep")
    page.panel.get_by_role("button", name="Stop").click()
    expect(page.panel.get_by_role("button", name="Send")).to_be_visible(timeout=5_000)
    page.run_cell(0)
    expect(page.output(0)).to_have_text("42")


def test_a_reload_keeps_the_conversation_and_its_open_question(lab, page):
    page.open(lab.notebook("reload", FRAME))
    page.run_cell(0)
    expect(page.output(0)).to_have_text("3")
    page.ask("How many rows has df?")
    expect(page.panel.get_by_role("button", name="Allow once")).to_be_visible()
    page.reload()
    expect(page.panel.locator(".jp-pi-Prompt")).to_have_text("How many rows has df?")
    page.panel.get_by_role("button", name="Always in this run").click()
    expect(page.answer("3").last).to_be_visible()
    expect(page.panel.get_by_role("button", name="Send")).to_be_visible()


def test_a_call_that_is_denied_leaves_no_cell(lab, page):
    page.open(lab.notebook("deny", FRAME))
    page.ask("```python\nopen('made.txt', 'w').write('x')\n```")
    page.panel.get_by_label("Reason for denying").fill("not now")
    page.panel.get_by_role("button", name="Deny").click()
    expect(page.panel.locator(".jp-pi-Call.jp-mod-failed")).to_contain_text("not now")
    expect(page.panel.get_by_role("button", name="Send")).to_be_visible()
    assert page.cells.count() == 1
    assert not (lab.notebooks / "made.txt").exists()


def test_code_may_be_changed_before_it_is_allowed(lab, page):
    page.open(lab.notebook("edit", FRAME))
    page.ask("```python\nprint('theirs')\n```")
    page.panel.get_by_role("button", name="Edit").click()
    page.panel.get_by_label("Code to run instead").fill("print('mine')")
    page.panel.get_by_role("button", name="Allow once").click()
    expect(page.output(1)).to_have_text("mine")


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


def test_a_restarted_kernel_is_found_again(lab, page):
    page.open(lab.notebook("restart", FRAME))
    page.ask("```python\nprint('before')\n```")
    page.panel.get_by_role("button", name="Allow once").click()
    expect(page.panel.get_by_role("button", name="Send")).to_be_visible()
    page.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.restartKernel()")
    expect(page.panel).to_contain_text("Ask about your data")
    page.ask("```python\nprint('after')\n```")
    page.panel.get_by_role("button", name="Allow once").click()
    expect(page.panel.locator(".jp-pi-Output")).to_have_text(re.compile("after"))


def test_a_notebook_remembers_its_session_and_a_new_kernel_is_told_of_it(lab, page):
    page.open(lab.notebook("remembers", "%agent resume", "%agent tree"))
    page.ask("```python\nprint('before')\n```")
    page.panel.get_by_role("button", name="Allow once").click()
    expect(page.panel.get_by_role("button", name="Send")).to_be_visible()
    page.command("docmanager:save")
    page.page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")
    kept = nbformat.read(lab.notebooks / "remembers.ipynb", as_version=4).metadata["pi_notebook"]["session"]
    page.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    (lab.notebooks / "remembers.ipynb").rename(lab.notebooks / "renamed.ipynb")
    page.open("renamed")
    expect(page.panel).to_contain_text("Ask about your data")
    page.run_cell(0)
    expect(page.output(0)).to_contain_text(f"session {kept} goes on")
    expect(page.panel).to_contain_text("before")


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


@pytest.mark.parametrize(
    ("kernel", "sentence"),
    [
        ("bare", "pi-notebook is not installed in this kernel: run %pip install pi-notebook."),
        (
            "other",
            "The agent works in Python and this kernel runs R: choose a Python kernel for this notebook.",
        ),
    ],
)
def test_a_kernel_that_cannot_serve_gives_one_sentence(lab, page, kernel, sentence):
    page.open(lab.notebook(f"absent-{kernel}", "1", kernel=kernel))
    expect(page.panel.locator("p")).to_have_text(sentence)
    expect(page.panel.get_by_label("Prompt")).to_have_count(0)
    picture(page, f"absent-{kernel}")


def test_a_notebook_without_a_kernel_gives_one_sentence(lab, page):
    page.open(lab.notebook("shut", "1"))
    expect(page.panel.get_by_label("Prompt")).to_be_enabled()
    page.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    expect(page.panel.locator("p")).to_have_text(
        "This notebook has no kernel: choose a Python kernel, in which the agent then works."
    )


HOSTILE = (
    "Look: <img src=x onerror=\"window.hit=1\"><img src='https://example.invalid/a.png'>"
    "![b](https://example.invalid/b.png) <script>window.hit=2</script> [c](javascript:window.hit=3) "
    "<video poster='https://example.invalid/c.png'></video> <b onclick='window.hit=4'>The end.</b>"
)


def test_an_answer_runs_nothing_and_fetches_nothing(lab, page, provider):
    requests: list[str] = []
    page.page.on("request", lambda request: requests.append(request.url))
    provider.script(calls(("run_code", {"code": f"print({HOSTILE!r})"})), text(HOSTILE))
    page.open(lab.notebook("hostile", "%agent model openai/test"))
    page.choose_scripted_model()
    page.ask(HOSTILE)
    page.panel.get_by_role("button", name="Allow once").click()
    expect(page.answer("The end.")).to_be_visible()
    expect(page.panel.locator(".jp-pi-Output")).to_contain_text("<img src=x onerror")
    expect(page.panel.locator(".jp-pi-Prompt")).to_have_text(HOSTILE)
    page.answer("The end.").get_by_text("The end.").click()
    assert page.page.evaluate("window.hit") is None
    assert page.panel.locator("img, video, script").count() == 0
    assert page.panel.locator("a[href^=javascript]").count() == 0
    assert [url for url in requests if "example.invalid" in url] == []
