"""The context where there is no kernel: in a page that nbconvert makes of a notebook.

With `PI_NOTEBOOK_TEST_SCREENSHOTS` set to a folder, pictures of the pages are left there.
"""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbconvert import HTMLExporter
from playwright.sync_api import expect

from tests.browser.jupyter_server import ROOT
from tests.browser.lab import axe

ASK = "%load_ext pi_notebook\n%agent model offline"
INSPECT = "import pi_notebook\npi_notebook.inspect_context()"
VIEW = "application/vnd.jupyter.widget-view+json"


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """A notebook as `nbconvert --execute` leaves it."""
    folder = tmp_path_factory.mktemp("executed")
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(one) for one in (ASK, INSPECT)])
    made.metadata["kernelspec"] = {"name": "python3", "display_name": "python3", "language": "python"}
    nbformat.write(made, folder / "made.ipynb")
    command = [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "made.ipynb", "--inplace"]
    env = os.environ | {
        "PI_NOTEBOOK_MODEL": "offline",
        "PI_NOTEBOOK_HOME": str(folder / "home"),
        "IPYTHONDIR": str(folder / "ipython"),
        "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]),
    }
    subprocess.run(command, cwd=folder, env=env, check=True, capture_output=True, text=True)
    return nbformat.read(folder / "made.ipynb", as_version=4)


@pytest.fixture
def opened(browser, tmp_path):
    """Opens the page that nbconvert makes of a notebook; gives it with all that it asked for."""
    pages = []

    def open_page(notebook, theme="light"):
        file = tmp_path / "page.html"
        file.write_text(HTMLExporter(theme=theme).from_notebook_node(notebook)[0], encoding="utf-8")
        context = browser.new_context(viewport={"width": 900, "height": 800})
        pages.append(context)
        asked = []
        context.on("request", lambda request: asked.append(request.url))
        context.route(lambda url: not url.startswith("file:"), lambda route: route.abort())
        page = context.new_page()
        page.goto(file.as_uri())
        return page, asked

    yield open_page
    for context in pages:
        context.close()


def picture(page, name):
    folder = os.environ.get("PI_NOTEBOOK_TEST_SCREENSHOTS")
    if folder:
        page.screenshot(path=Path(folder) / f"static-{name}.png")


def saved_by_jupyterlab(notebook):
    """The same with the view of a widget whose state was not saved."""
    saved = nbformat.from_dict(notebook)
    saved.cells[1].outputs[0].data[VIEW] = {"version_major": 2, "version_minor": 1, "model_id": "a" * 32}
    return saved


def test_a_page_of_nbconvert_shows_the_context_and_asks_for_nothing_more(executed, opened):
    assert VIEW not in executed.cells[1].outputs[0].data
    bare = nbformat.from_dict(executed)
    bare.cells[1].outputs = []
    _, usual = opened(bare)
    for theme, notebook in (("light", executed), ("dark", saved_by_jupyterlab(executed))):
        page, asked = opened(notebook, theme)
        output = page.locator(".jp-OutputArea-output").last
        expect(output).to_contain_text("the next request · offline")
        expect(output.get_by_role("row").filter(has_text="system prompt")).to_contain_text("%")
        bar = output.locator("[title^='tool definitions']")
        assert bar.bounding_box()["width"] > 0
        assert axe(page, ".jp-OutputArea-output:last-child") == []
        picture(page, theme)
        assert sorted(asked) == sorted(usual)
