"""The panel as a part of JupyterLab: settings, layout, commands, language."""

import os
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.lab import ROOT, Lab, lab_page
from tests.browser.test_panel import FRAME, picture

MAX_BYTES_AT_START = 140_000
"""Of scripts and styles that JupyterLab waits for before it starts."""


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
    page.page.wait_for_function(
        "async () => { const saved = await (await fetch('/lab/api/workspaces/default')).json();"
        " return saved.data['layout-restorer:data']?.left?.current === 'pi-notebook-panel'; }"
    )
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


@pytest.mark.parametrize("page", ["notebook"], indirect=True)
def test_a_command_leaves_the_panel_open_in_notebook_7(lab, page):
    page.open(lab.notebook("open", FRAME))
    prompt_box(page)
    page.command("pi-notebook:attach-cells")
    expect(page.panel.get_by_role("list", name="Attached")).to_contain_text("Cell 1")
    page.command("pi-notebook:open-sessions")
    expect(page.panel.get_by_label("Search sessions")).to_be_focused()


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
        expect(page.panel.get_by_role("button", name="发送")).to_be_visible()
        picture(page, "chinese")
        page.panel.get_by_title("此文件夹中的会话").click()
        expect(page.panel.get_by_role("listitem").first).to_contain_text("1 条提示")
        picture(page, "chinese-sessions")
