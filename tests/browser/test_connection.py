"""What the panel shows when kernel, page, connection or notebook change under it: the truth, each time."""

import os
import signal
import threading

import nbformat
import pytest
from playwright.sync_api import expect

from tests.browser.partner import INSTALL
from tests.provider import Wait, calls, chunk, stream, text

SLEEP = "```python\nimport time\nprint('asleep')\ntime.sleep(60)\n```"
PARTIAL = "Half of the answer"
NEWER = "{'protocol_version': 99, 'version': '9.0.0'}"
OLDER = "{'protocol_version': 0, 'version': '0.0.1'}"

# At one go: a notebook that has changed again by the time it is closed would ask whether to save it.
SAVE_AND_CLOSE = """async () => {
  const notebook = window.jupyterapp.shell.currentWidget;
  await notebook.context.save();
  notebook.close();
}"""


def half_answer(gate):
    """An answer whose second half comes when the test says so."""
    return stream(chunk({"content": f"{PARTIAL} is here, "}), Wait(gate), chunk({"content": "and the rest."}))


@pytest.fixture
def gate():
    gate = threading.Event()
    yield gate
    gate.set()


@pytest.fixture
def partner(lab, page, request):
    """A panel whose kernel says what the test has it say."""
    page.open(lab.notebook("partner", "1"), panel=False)
    page.execute(INSTALL)
    return page


def sent(page):
    return page.panel.get_by_role("button", name="Send")


def test_a_question_outlives_the_page_and_a_run_ends_with_its_kernel(lab, page):
    page.open(lab.notebook("restart", "1"))
    page.ask(SLEEP)
    expect(page.panel.get_by_role("button", name="Allow once")).to_be_visible()
    page.reload()
    page.panel.get_by_role("button", name="Allow once").click()
    expect(page.output(1)).to_contain_text("asleep")
    page.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.restartKernel()")
    expect(page.panel).to_contain_text("Ask about your data")
    expect(page.panel.get_by_role("button", name="Stop")).to_have_count(0)
    page.ask("```python\nprint('after')\n```")
    page.panel.get_by_role("button", name="Allow once").click()
    expect(page.cells.locator(".jp-OutputArea-output").filter(has_text="after")).to_be_visible()
    expect(sent(page)).to_be_visible()


def test_a_page_that_is_loaded_again_in_mid_stream_goes_on_with_the_answer(lab, page, provider, gate):
    provider.script(half_answer(gate))
    page.open(lab.notebook("stream", "%agent model openai/test"))
    page.choose_scripted_model()
    page.ask("Tell me.")
    expect(page.answer(PARTIAL)).to_be_visible()
    page.reload()
    expect(page.answer(PARTIAL)).to_be_visible()
    expect(page.panel.get_by_role("button", name="Stop")).to_be_visible()
    gate.set()
    expect(page.answer("is here, and the rest.")).to_be_visible()
    expect(page.panel).to_contain_text("Tell me.")
    expect(sent(page)).to_be_visible()
    assert len(provider.exchanges) == 1


def test_of_two_tabs_on_a_notebook_both_show_and_one_executes(lab, page, provider):
    provider.script(calls(("run_code", {"code": "print('once')"})), text("It ran."))
    page.open(lab.notebook("tabs", "%agent model openai/test"))
    page.choose_scripted_model()
    page.command("docmanager:save")
    page.tolerated.append("Comm not found")  # what JupyterLab says of the other tab's
    other = page.another()
    other.open("tabs")
    page.ask("Go.")
    for shown in (page, other):
        expect(shown.panel.get_by_role("button", name="Allow once")).to_be_visible()
    other.panel.get_by_role("button", name="Allow once").click()
    for shown in (page, other):
        expect(shown.answer("It ran.")).to_be_visible()
        expect(shown.panel.get_by_role("button", name="Allow once")).to_have_count(0)
        expect(sent(shown)).to_be_visible()
    counts = [shown.cells.count() for shown in (page, other)]
    assert sorted(counts) == [1, 2]
    expect((page, other)[counts.index(2)].output(1)).to_have_text("once")


def test_a_stop_hangs_up_on_the_provider_and_a_kernel_that_dies_breaks_off(lab, page, provider, gate):
    provider.script(half_answer(gate))
    page.open(lab.notebook("dies", "%agent model openai/test"))
    page.choose_scripted_model()
    page.ask("Tell me.")
    expect(page.answer(PARTIAL)).to_be_visible()
    page.panel.get_by_role("button", name="Stop").click()
    expect(page.answer(PARTIAL)).to_contain_text("Stopped here")
    expect(sent(page)).to_be_visible()
    assert provider.exchanges[0].hung_up.wait(20)
    page.ask("Once more.")
    expect(page.answer(PARTIAL)).to_have_count(2)
    page.execute("import os; open('pid', 'w').write(str(os.getpid()))")
    seen = page.page.evaluate_handle(
        """() => ({ broken: new Promise(resolve => new MutationObserver(() => {
          const panel = document.querySelector('#pi-notebook-panel').innerText;
          if (panel.includes('Broke off here') && panel.includes('The kernel is restarting')) resolve(true);
        }).observe(document.body, { subtree: true, childList: true, characterData: true })) })"""
    )
    os.kill(int((lab.notebooks / "pid").read_text()), signal.SIGKILL)
    assert seen.evaluate("seen => seen.broken")
    page.page.get_by_role("dialog", name="Kernel Restarting").get_by_role("button").click()
    expect(page.panel).to_contain_text("Ask about your data")
    expect(page.panel.get_by_role("button", name="Stop")).to_have_count(0)
    page.panel.get_by_role("button", name="Go on with the last session").click()
    expect(page.panel.locator(".jp-pi-Prompt")).to_have_text(["Tell me.", "Once more."])


def test_a_notebook_that_is_renamed_closed_and_opened_again_keeps_its_run(lab, page, provider, gate):
    provider.script(
        [*half_answer(gate)[:3], *calls(("run_code", {"code": "print('here')"}), say="and the rest.")],
        text("All is done."),
        text("So it goes on."),
    )
    page.open(lab.notebook("old", "%agent model openai/test"))
    page.choose_scripted_model()
    page.ask("Tell me.")
    expect(page.answer(PARTIAL)).to_be_visible()
    page.page.evaluate("() => window.jupyterapp.shell.currentWidget.context.rename('new.ipynb')")
    gate.set()
    page.panel.get_by_role("button", name="Allow once").click()
    expect(page.output(1)).to_have_text("here")
    expect(page.answer("All is done.")).to_be_visible()
    expect(sent(page)).to_be_visible()
    page.page.evaluate(SAVE_AND_CLOSE)
    saved = nbformat.read(lab.notebooks / "new.ipynb", as_version=4)
    assert [saved.cells[1].source, bool(saved.metadata["pi_notebook"]["session"])] == ["print('here')", True]
    assert not (lab.notebooks / "old.ipynb").exists()
    expect(page.panel.locator("p")).to_have_text("Open a notebook to talk to the agent in its kernel.")
    page.command("docmanager:open", path="new.ipynb")
    expect(page.answer("All is done.")).to_be_visible()
    page.ask("Go on.")
    expect(page.answer("So it goes on.")).to_be_visible()
    page.open("new")
    expect(page.panel.locator(".jp-pi-Prompt")).to_have_text(["Tell me.", "Go on."])
    expect(page.panel.locator(".jp-pi-Answer")).to_have_text(
        [f"{PARTIAL} is here, and the rest.", "All is done.", "So it goes on."]
    )


def test_a_notebook_remembers_its_session_and_a_new_kernel_is_told_of_it(lab, page):
    page.open(lab.notebook("remembers", "%agent resume", "%agent tree"))
    page.ask("```python\nprint('before')\n```")
    page.panel.get_by_role("button", name="Allow once").click()
    expect(sent(page)).to_be_visible()
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
    expect(page.panel.get_by_label("Prompt", exact=True)).to_have_count(0)


def test_a_notebook_without_a_kernel_gives_one_sentence(lab, page):
    page.open(lab.notebook("shut", "1"))
    expect(page.panel.get_by_label("Prompt", exact=True)).to_be_enabled()
    page.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    expect(page.panel.locator("p")).to_have_text(
        "This notebook has no kernel: choose a Python kernel, in which the agent then works."
    )


def test_of_two_versions_the_panel_says_which_side_to_update(partner):
    partner.execute(f"partner.welcome[0].update({NEWER})")
    partner.command("pi-notebook:open-panel")
    told = partner.panel.locator("p")
    expect(told).to_contain_text(
        "pi-notebook 9.0.0, which is newer than this panel: update it where Jupyter itself"
    )
    partner.execute(f"partner.welcome[0].update({OLDER})")
    partner.panel.get_by_role("button", name="Try again").click()
    expect(told).to_contain_text(
        "pi-notebook 0.0.1, which is older than this panel: run %pip install --upgrade"
    )
    expect(partner.panel.get_by_label("Prompt", exact=True)).to_have_count(0)


def test_odd_and_large_messages_do_no_harm_and_a_comm_that_ends_in_mid_stream_is_said(partner):
    told = []
    partner.page.on("console", lambda message: told.append(message.text))
    partner.command("pi-notebook:open-panel")
    log = partner.panel.get_by_role("log")
    expect(log).to_contain_text("How many rows has df?")
    box = partner.panel.get_by_label("Prompt", exact=True)
    box.fill("Written meanwhile")
    partner.execute("partner.say_odd()")
    for kind, field in (("prompt", "text"), ("text", "text"), ("call", "output"), ("call", "given")):
        large = f"'{kind} begins ' + 'x' * 2_500_000 + ' and ' * 500_000 + 'here it ends'"
        partner.execute(f"partner.say_segment({kind!r}, {field}={large})")
        partner.execute(f"partner.say_segment('text', text='The {kind} is past.')")
        expect(log).to_contain_text(f"The {kind} is past.")
    assert log.evaluate("log => log.textContent.length") < 2_000_000
    warnings = [text for text in told if text.startswith("pi-notebook: ")]
    assert [text for text in warnings if "from_the_future" in text] == [
        "pi-notebook: messages of the unknown type from_the_future are dropped"
    ]
    assert len(warnings) == len(set(warnings))
    partner.execute("partner.say_segment('text', text='It is', is_whole=False)\npartner.leave()")
    expect(partner.panel.locator(".jp-pi-Absence p")).to_have_text(
        "The kernel has let this panel go: try again, or restart the kernel."
    )
    expect(partner.answer("It is").last).to_contain_text("Broke off here")
    partner.execute("partner.arrive()")
    partner.panel.get_by_role("button", name="Try again").click()
    expect(partner.panel.locator(".jp-pi-Absence")).to_have_count(0)
    expect(log).not_to_contain_text("Broke off here")
    expect(box).to_have_value("Written meanwhile")
