"""The panel as a part of JupyterLab: settings, layout, commands, language."""

import os
import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.lab import ROOT, Lab, lab_page
from tests.browser.partner import INSTALL
from tests.browser.test_panel import FRAME, picture
from tests.provider import calls, text

MAX_BYTES_AT_START = 150_000
"""Of scripts and styles that JupyterLab waits for before it starts."""
ALWAYS = {"Open the Agent Panel", "Write to the Agent"}
WITH_A_NOTEBOOK = {
    "Sessions of the Agent",
    "Attach Cells to the Prompt",
    "Inspect the Context of the Agent",
}
WITH_A_SESSION = {"New Agent Session", "Compact the Context"}
AGENT = """\
from tests.browser.partner import example
snapshot = example("snapshot")
def running(is_running):
    status = snapshot["status"] | {"is_running": is_running, "queued": []}
    return {"type": "events", "events": [status | {"type": "status"}]}
partner.answer = lambda request: [running(False)] if request["type"] == "stop" else []"""


def prompt_box(page):
    box = page.panel.get_by_label("Prompt", exact=True)
    expect(box).to_be_enabled(timeout=20_000)
    return box


def test_settings_work_at_once_and_the_layout_is_restored(lab, page):
    page.open(lab.notebook("settings", FRAME))
    box = prompt_box(page)
    page.command("settingeditor:open", query="Agent")
    editor = page.page.locator(".jp-SettingsPanel")
    editor.locator("select[id$=_sendKey]").select_option(label="ctrl-enter")
    expect(page.panel.locator(".jp-pi-Composer-hint")).to_have_text("Ctrl+Enter: send")
    box.fill("one")
    box.press("Enter")
    box.press_sequentially("two")
    expect(box).to_have_value("one\ntwo")
    picture(page, "settings-editor")
    editor.locator("select[id$=_side]").select_option(label="left")
    expect(page.page.locator("#jp-left-stack #pi-notebook-panel")).to_be_visible()
    expect(box).to_have_value("one\ntwo")
    page.command("docmanager:open", path="settings.ipynb")
    box.press("Control+Enter")
    expect(page.panel.locator(".jp-pi-Prompt")).to_have_text("one\ntwo")
    picture(page, "panel-left")
    page.wait_saved("left")
    page.page.reload()
    page.wait_idle()
    expect(page.page.locator("#jp-left-stack #pi-notebook-panel .jp-pi-Prompt")).to_have_text("one\ntwo")


def test_an_error_is_sent_to_the_agent_and_code_put_below(lab, page):
    page.open(lab.notebook("error", "1 / 0"), panel=False)
    page.run_cell(0)
    expect(page.output(0)).to_contain_text("ZeroDivisionError")
    page.command("pi-notebook:fix-error")
    expect(page.panel.locator(".jp-pi-Prompt")).to_contain_text("This cell fails")
    page.command("pi-notebook:insert-code", code="print('put')")
    expect(page.cells).to_have_count(2)
    expect(page.cells.nth(1).locator(".cm-content")).to_have_text("print('put')")


def test_the_panel_is_fetched_when_it_is_first_seen_and_again_when_that_fails(lab, page):
    page.tolerated.append("Failed to load resource")
    scripts = "**/extensions/pi-notebook/static/*.js*"
    fetched = []
    page.page.on("requestfinished", lambda request: fetched.append(urlsplit(request.url).path))
    page.open(lab.notebook("late", FRAME), panel=False)
    static = ROOT / "pi_notebook" / "labextension" / "static"
    at_start = [static / Path(path).name for path in fetched if "/extensions/pi-notebook/static/" in path]
    assert 0 < sum(file.stat().st_size for file in at_start) < MAX_BYTES_AT_START
    page.page.route(scripts, lambda route: route.abort())
    page.command("pi-notebook:focus-prompt")
    alert = page.panel.get_by_role("alert")
    expect(alert).to_contain_text("The server did not send this panel.")
    page.page.unroute(scripts)
    alert.get_by_role("button", name="Try again").click()
    expect(alert).to_have_count(0)
    box = prompt_box(page)
    expect(box).to_be_focused()
    page.command("pi-notebook:open-sessions")
    expect(page.panel.get_by_label("Search sessions")).to_be_focused()
    page.command("pi-notebook:focus-prompt")
    expect(box).to_be_focused()


def palette(page):
    """The panel's commands as the palette lists them, with whether they can be used."""
    page.command("apputils:activate-command-palette")
    found = page.page.locator("#modal-command-palette")
    found.locator("input").fill("Agent")
    expect(found.locator("mark").first).to_be_visible()  # what was found is drawn anew
    listed = found.locator(".lm-CommandPalette-item[data-command^='pi-notebook:']").evaluate_all(
        "items => items.map(item => [item.querySelector('.lm-CommandPalette-itemLabel').textContent,"
        " !item.classList.contains('lm-mod-disabled')])"
    )
    page.page.keyboard.press("Escape")
    expect(found).to_be_hidden()
    return dict(listed)


def usable(page):
    return {label for label, is_enabled in palette(page).items() if is_enabled}


def test_palette_launcher_status_bar_and_keys_do_what_they_say(lab, page):
    page.open(lab.notebook("commands", "1 / 0"), panel=False)
    page.execute(f"{INSTALL}\n{AGENT}")
    known = set(palette(page))
    assert known > ALWAYS | WITH_A_NOTEBOOK | WITH_A_SESSION
    assert usable(page) == ALWAYS | WITH_A_NOTEBOOK
    press = page.page.keyboard.press
    press("Alt+Shift+A")
    box = prompt_box(page)
    expect(box).to_be_focused()
    assert usable(page) == ALWAYS | WITH_A_NOTEBOOK | WITH_A_SESSION
    box.fill("What is in df?")
    assert usable(page) == ALWAYS | WITH_A_NOTEBOOK | WITH_A_SESSION | {"Send the Prompt"}
    page.run_cell(0)
    expect(page.output(0)).to_contain_text("ZeroDivisionError")
    assert "Ask the Agent to Fix This" in usable(page)
    page.cells.first.locator(".jp-InputPrompt").click()
    press("Alt+Shift+C")
    expect(page.panel.get_by_role("list", name="Attached")).to_contain_text("Cell")
    page.execute("partner.say(running(True))")
    expect(page.panel.get_by_role("button", name="Stop")).to_be_visible()
    assert "Stop the Agent" in usable(page)
    box.focus()
    press("Alt+Shift+Period")
    expect(page.panel.get_by_role("button", name="Send")).to_be_visible()
    assert "Stop the Agent" not in usable(page)
    page.command("application:toggle-right-area")
    expect(page.panel).to_be_hidden()
    page.page.locator("#jp-main-statusbar").get_by_role("button", name="offline · 1 %").click()
    expect(page.panel).to_be_visible()
    picture(page, "status-bar")
    page.command("docmanager:save")
    page.command("application:close")
    card = page.page.locator(".jp-LauncherCard").filter(has_text="Open the Agent Panel")
    expect(card).to_be_visible()
    assert usable(page) == ALWAYS
    page.command("application:toggle-right-area")
    expect(page.panel).to_be_hidden()
    card.click()
    expect(page.panel).to_contain_text("Open a notebook to talk to the agent in its kernel.")
    picture(page, "launcher")


def test_all_views_of_a_notebook_show_what_a_run_changed_and_another_notebook_does_not(lab, page, provider):
    provider.script(calls(("run_code", {"code": "'theirs'"})), text("It ran."))
    lab.notebook("beside", "1")
    page.open(lab.notebook("views", "%agent model openai/test"))
    page.choose_scripted_model()
    views = page.page.locator(".jp-NotebookPanel").filter(has_text="openai/test")
    first = views.nth(0)
    page.command("docmanager:clone")
    expect(views).to_have_count(2)
    marks = page.page.locator(".jp-Cell.jp-pi-mod-changed")
    changed = page.panel.get_by_role("group", name="Changes of this run")
    page.ask("Go.")
    page.panel.get_by_role("button", name="Always in this run").click()
    expect(page.answer("It ran.")).to_be_visible()
    expect(changed).to_contain_text("1 cell changed")
    expect(views.locator(".jp-OutputArea-output").filter(has_text="'theirs'")).to_have_count(2)
    expect(marks).to_have_count(2)
    picture(page, "two-views")
    first.locator(".jp-InputPrompt").first.click()
    expect(changed).to_contain_text("1 cell changed")
    expect(page.answer("It ran.")).to_be_visible()
    page.command("docmanager:open", path="beside.ipynb", options={"mode": "split-right"})
    expect(page.panel).to_contain_text("Ask about your data")
    expect(changed).to_have_count(0)
    expect(marks).to_have_count(2)
    picture(page, "two-notebooks")
    first.locator(".jp-InputPrompt").first.click()
    expect(page.answer("It ran.")).to_be_visible()
    page.command("application:close")
    expect(views).to_have_count(1)
    views.locator(".jp-InputPrompt").first.click()
    expect(page.answer("It ran.")).to_be_visible()
    changed.get_by_role("button", name="Undo all").click()
    expect(marks).to_have_count(0)
    expect(views.locator(".jp-OutputArea-output").filter(has_text="'theirs'")).to_have_count(0)


@pytest.fixture
def chinese_lab(tmp_path, provider):
    """A server with a language pack that holds nothing: JupyterLab offers only languages that have one."""
    pack = tmp_path / "pack"
    (pack / "empty_pack").mkdir(parents=True)
    (pack / "empty_pack" / "__init__.py").touch()
    made = pack / "empty_pack-1.dist-info"
    made.mkdir()
    (made / "METADATA").write_text("Metadata-Version: 2.1\nName: empty-pack\nVersion: 1\n")
    (made / "entry_points.txt").write_text(
        "[jupyterlab.languagepack]\nzh_CN = empty_pack\n[jupyterlab.locale]\npi_notebook = pi_notebook\n"
    )
    paths = [str(pack), str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    env = {"PI_NOTEBOOK_MODEL": "offline", "PYTHONPATH": os.pathsep.join(paths)}
    (tmp_path / "lab").mkdir()
    lab = Lab(tmp_path / "lab", env)
    chosen = tmp_path / "lab" / "settings" / "@jupyterlab" / "translation-extension"
    chosen.mkdir(parents=True, exist_ok=True)
    (chosen / "plugin.jupyterlab-settings").write_text('{"locale": "zh_CN"}')
    yield lab
    lab.close()


def test_the_panel_speaks_chinese(chinese_lab, browser):
    with lab_page(browser, chinese_lab) as page:
        page.open(chinese_lab.notebook("chinese", FRAME))
        box = page.panel.get_by_label("提示", exact=True)
        expect(box).to_be_enabled(timeout=20_000)
        expect(page.panel.get_by_role("button", name="发送")).to_be_visible()
        page.command("pi-notebook:attach-cells")
        expect(page.panel.get_by_role("list", name="附件")).to_contain_text("单元格 1")
        box.fill("你好")
        box.press("Enter")
        expect(page.panel.locator(".jp-pi-Prompt")).to_have_text("你好")
        expect(page.panel.get_by_role("button", name="复制回答")).to_be_visible()
        picture(page, "chinese")
        page.panel.get_by_title("此文件夹中的会话").click()
        expect(page.panel.get_by_role("listitem").first).to_contain_text("1 条提示")
        picture(page, "chinese-sessions")
        # What the kernel says is Chinese too: an error, and what came of a request with what is filled in.
        page.panel.get_by_role("button", name="返回对话").click()
        box.fill("/compact")
        box.press("Enter")
        expect(page.panel.get_by_role("alert")).to_contain_text(
            "没有可压缩的内容：所有消息都在保留范围之内。"
        )
        picture(page, "chinese-error")
        page.panel.get_by_title("此文件夹中的会话").click()
        page.panel.get_by_role("button", name="删除“你好”").click()
        page.panel.get_by_role("button", name="删除", exact=True).click()
        told = re.compile("会话已移到回收站：/.+jsonl")
        expect(page.panel.get_by_role("status").filter(has_text=told)).to_be_visible()
        page.command("settingeditor:open", query="智能体")
        expect(page.page.locator(".jp-SettingsPanel")).to_contain_text("发送键")
        picture(page, "chinese-settings")
