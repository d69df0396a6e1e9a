"""A page of a browser in a real JupyterLab or Notebook 7, and what is held of every page.

Whatever a page's console or scripts report as an error fails its test at the end, and so does any
request to another place than the page's own server; such requests go nowhere. `Traffic` is what
Chromium itself noted of all it asked for, names that were looked up included.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, Playwright, expect

from tests.browser.jupyter_server import ROOT, Lab

__all__ = [
    "CHROMIUM",
    "ROOT",
    "FrontEnd",
    "Lab",
    "LabPage",
    "Traffic",
    "axe",
    "chromium",
    "chromium_profile",
    "lab_page",
]

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # what is elsewhere is not there
]
VIEW: dict[str, Any] = {"viewport": {"width": 1400, "height": 900}}
FrontEnd = Literal["lab", "notebook"]
PLACES: dict[FrontEnd, str] = {"lab": "lab/tree", "notebook": "notebooks"}
SERVICES = (".google.com", ".googleapis.com", ".gvt1.com")
"""Of the browser's maker, which it asks whatever page it shows."""
QUIET_MS = 300
OWN_FAULTS: dict[FrontEnd, list[str]] = {
    "lab": [],
    "notebook": [
        "reading 'schema'",
        "'filebrowser:open-path' not registered",
        "reading 'last_modified'",  # 7.2, of a notebook without a checkpoint
    ],
}
"""What a front end reports of itself, whatever is installed in it."""
GRAVE = ("serious", "critical")


class LabPage:
    """A page with one notebook and the panel."""

    def __init__(self, page: Page, lab: Lab, front_end: FrontEnd = "lab") -> None:
        self.page = page
        self.front_end = front_end
        self.tolerated = list(OWN_FAULTS[front_end])
        """Regular expressions of console errors that a test provokes."""
        self._lab = lab
        self.panel = page.locator("#pi-notebook-panel")
        self.cells = page.locator(".jp-Notebook:visible .jp-CodeCell")

    def open(self, notebook: str, *, panel: bool = True) -> None:
        """Show a notebook alone, wait for its kernel, and open the panel by its command."""
        place = PLACES[self.front_end]
        self.page.goto(f"{self._lab.url}/{place}/{notebook}.ipynb?token={self._lab.token}&reset")
        self.wait_idle()
        if panel:
            self.command("pi-notebook:open-panel")

    def another(self) -> LabPage:
        """Another tab of the same browser."""
        return LabPage(self.page.context.new_page(), self._lab, self.front_end)

    def wait_idle(self) -> None:
        """Return when the notebook in front has a kernel that waits for work."""
        self.page.wait_for_function(
            "() => { const context = window.jupyterapp?.shell?.currentWidget?.sessionContext;"
            " return context?.isReady && context.session?.kernel?.status === 'idle'; }",
            timeout=60_000,
        )

    def command(self, name: str, **arguments: Any) -> None:
        """Execute a command to its end; what it gives, often a widget with all it holds, stays there."""
        self.page.evaluate(
            "([name, args]) => window.jupyterapp.commands.execute(name, args).then(() => undefined)",
            [name, arguments],
        )

    def execute(self, code: str) -> None:
        """Run code in the kernel that leaves no trace in the notebook; an error of it is one here."""
        self.page.evaluate(
            """async code => {
              const { kernel } = window.jupyterapp.shell.currentWidget.sessionContext.session;
              const request = { code, silent: true, store_history: false };
              const { content } = await kernel.requestExecute(request).done;
              if (content.status !== 'ok') throw new Error(content.traceback?.join('\\n') ?? content.status);
            }""",
            code,
        )

    def settle(self, selector: str) -> None:
        """Return when nothing below `selector` has changed for a while, as when all is drawn."""
        self.page.evaluate(
            """([selector, quiet]) => new Promise(resolve => {
              const done = () => { observer.disconnect(); resolve(); };
              let timer = setTimeout(done, quiet);
              const observer = new MutationObserver(() => {
                clearTimeout(timer);
                timer = setTimeout(done, quiet);
              });
              const root = document.querySelector(selector);
              observer.observe(root, { subtree: true, childList: true, characterData: true });
            })""",
            [selector, QUIET_MS],
        )

    def reload(self) -> None:
        """Load the page again once the workspace that brings notebook and panel back is saved."""
        if self.front_end == "lab":
            self.wait_saved("right")
        self.page.reload()
        self.wait_idle()
        if self.front_end == "notebook":
            self.command("pi-notebook:open-panel")

    def wait_saved(self, side: str) -> None:
        """Return when JupyterLab has saved that the panel is what this side shows, beside a document."""
        # `wait_for_function` takes a promise for true, so the page itself waits.
        self.page.evaluate(
            """async side => {
              for (;;) {
                const answer = await fetch('/lab/api/workspaces/default', { cache: 'no-store' });
                const saved = await answer.json();
                const layout = saved.data['layout-restorer:data'];
                if (layout?.[side]?.current === 'pi-notebook-panel' && layout.main?.current) return;
                await new Promise(resolve => setTimeout(resolve, 100));
              }
            }""",
            side,
        )

    def theme(self, name: str) -> None:
        """Use the theme of that name, and wait until it is there."""
        self.command("apputils:change-theme", theme=name)
        expect(self.page.locator(f"body[data-jp-theme-name='{name}']")).to_be_attached()
        expect(self.page.locator("#jupyterlab-splash")).to_have_count(0)

    def run_cell(self, index: int) -> None:
        self.cells.nth(index).locator(".cm-content").click()
        self.page.keyboard.press("Control+Enter")

    def output(self, index: int) -> Locator:
        """What a cell put out; its source may hold the same text."""
        return self.cells.nth(index).locator(".jp-OutputArea-output")

    def ask(self, text: str) -> None:
        box = self.panel.get_by_label("Prompt", exact=True)
        box.fill(text)
        box.press("Enter")

    def answer(self, text: str) -> Locator:
        """The answer that has `text`, once it stands there."""
        return self.panel.locator(".jp-pi-Answer").filter(has_text=text)

    def choose_scripted_model(self) -> None:
        """Run the first cell, which is `%agent model openai/test`, once the panel is connected."""
        expect(self.panel.get_by_label("Prompt", exact=True)).to_be_enabled()
        self.run_cell(0)
        expect(self.output(0)).to_contain_text("openai/test")


def chromium(playwright: Playwright, *, traffic: Path | None = None) -> Browser:
    """Chromium of the system; with `traffic` it notes there what it asks for."""
    noted = [f"--log-net-log={traffic}"] if traffic else []
    return playwright.chromium.launch(executable_path=CHROMIUM, args=[*ARGUMENTS, *noted], headless=True)


def chromium_profile(playwright: Playwright, folder: Path) -> BrowserContext:
    """Chromium with one context for all, which caches on disk; `lab_page` empties it but for the cache."""
    launch = playwright.chromium.launch_persistent_context
    return launch(folder, executable_path=CHROMIUM, args=ARGUMENTS, headless=True, **VIEW)


@contextmanager
def lab_page(browser: Browser | BrowserContext, lab: Lab, front_end: FrontEnd = "lab") -> Iterator[LabPage]:
    """A page of a context that holds nothing yet; at its end the server is as it was."""
    errors: list[str] = []
    asked: list[str] = []
    with _context(browser) as context, _watched(context, asked, errors):
        shown = LabPage(context.new_page(), lab, front_end)
        try:
            yield shown
        finally:
            _forget(context, lab.url)
            lab.reset()
    elsewhere = re.compile(rf"^(?!(http|ws)://127\.0\.0\.1:{lab.port}/|data:|blob:|about:)")
    strange = [url for url in asked if elsewhere.match(url)]
    assert not strange, f"requests to elsewhere: {strange}"
    told = [text for text in errors if not any(re.search(one, text) for one in shown.tolerated)]
    assert not told, f"errors in the console: {told}"


@contextmanager
def _context(browser: Browser | BrowserContext) -> Iterator[BrowserContext]:
    """One of its own in a browser, or the profile, which stays."""
    if isinstance(browser, BrowserContext):
        yield browser
        return
    context = browser.new_context(**VIEW)
    try:
        yield context
    finally:
        context.close()


@contextmanager
def _watched(context: BrowserContext, asked: list[str], errors: list[str]) -> Iterator[None]:
    """Fills the lists with what pages ask for and with the errors that they report."""
    listeners: dict[Any, Callable[..., None]] = {
        "request": lambda request: asked.append(request.url),
        "console": lambda message: _note(errors, message),
        "weberror": lambda error: errors.append(str(error.error)),
        "page": lambda page: page.on("websocket", lambda socket: asked.append(socket.url)),
    }
    context.set_default_timeout(60_000)
    for event, listener in listeners.items():
        context.on(event, listener)
    yield
    for event, listener in listeners.items():
        context.remove_listener(event, listener)


def _forget(context: BrowserContext, url: str) -> None:
    """Close all pages but an empty one, without which a browser ends, and empty what `url` keeps."""
    empty = context.new_page()
    for page in context.pages:
        if page != empty:
            page.close()
    context.clear_cookies()
    session = context.new_cdp_session(empty)
    session.send("Storage.clearDataForOrigin", {"origin": url, "storageTypes": "all"})
    session.detach()


def _note(errors: list[str], message: ConsoleMessage) -> None:
    if message.type == "error":
        errors.append(message.text)


def axe(page: Page, selector: str) -> list[str]:
    """The faults of accessibility that axe-core finds grave in what `selector` names."""
    page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate(
        "selector => axe.run(selector, { resultTypes: ['violations'] })",
        selector,
    )
    return [
        f"{fault['id']}: {node['failureSummary']}\n{node['html'][:200]}"
        for fault in found["violations"]
        if fault["impact"] in GRAVE
        for node in fault["nodes"]
    ]


class Traffic:
    """What Chromium asked for, from its own log; to be read when it has been closed."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def elsewhere(self, url: str) -> list[str]:
        """Addresses and names that were looked up, but those of `url` and of Chromium's own services."""
        here = urlsplit(url).netloc
        seen = {
            str(event["params"][key])
            for event in json.loads(self._path.read_text())["events"]
            for key in ("url", "host", "location")
            if key in event.get("params", {})
        }
        hosts = {one: urlsplit(one).netloc if "://" in one else one for one in seen}
        # The last is what names are mapped to, above; what was asked for stands there too.
        allowed = ("", here, urlsplit(url).hostname, "~notfound")
        return sorted(
            one for one, host in hosts.items() if host not in allowed and not host.endswith(SERVICES)
        )
