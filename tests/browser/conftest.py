"""One server and one browser for all tests of this folder, or for those of a worker.

Both belong to the folder, not to the whole run: while Playwright is on, its loop is the thread's.
"""

from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="the browser tests need playwright: pip install playwright")
pytest.importorskip("jupyterlab", reason="the browser tests need JupyterLab: pip install jupyterlab")

from tests.browser.lab import CHROMIUM, Lab, chromium, chromium_profile, lab_page
from tests.provider import Provider

MARKS = (
    pytest.mark.browser,
    pytest.mark.timeout(400),
    pytest.mark.skipif(
        CHROMIUM is None, reason="no Chromium is installed: the package 'chromium' has what is needed"
    ),
)


def pytest_collection_modifyitems(items):
    here = [item for item in items if item.path.is_relative_to(Path(__file__).parent)]
    for item in here:
        for mark in MARKS:
            item.add_marker(mark)


@pytest.fixture(scope="package")
def provider():
    with Provider() as provider:
        yield provider


@pytest.fixture(scope="package")
def lab(tmp_path_factory, provider):
    env = {
        "PI_NOTEBOOK_MODEL": "offline",
        "OPENAI_API_KEY": "sk-test",
        "OPENAI_API_BASE": provider.base_url,
    }
    lab = Lab(tmp_path_factory.mktemp("lab"), env)
    yield lab
    lab.close()


@pytest.fixture(scope="package")
def playwright():
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=60_000)  # the machine may have much else to do
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="package")
def browser(playwright):
    browser = chromium(playwright)
    yield browser
    browser.close()


@pytest.fixture(scope="package")
def profile(playwright, tmp_path_factory):
    """A context that keeps the front ends' scripts, fetched and compiled, from test to test."""
    profile = chromium_profile(playwright, tmp_path_factory.mktemp("profile"))
    yield profile
    profile.close()


@pytest.fixture
def page(lab, profile, request):
    """A page in JupyterLab; `parametrize("page", ["lab", "notebook"], indirect=True)` for others too."""
    with lab_page(profile, lab, getattr(request, "param", "lab")) as page:
        yield page
