"""`python -m benchmarks.panel_speed [NAME ...]`: how fast the panel is, in a real JupyterLab and Chromium.

Each row is a JSON line. Tasks are those of the page's main thread, in the time that the thread itself
had: what else the machine does counts for little. The other rows are of worth only on a quiet machine.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from benchmarks.row import Row, median
from benchmarks.session_files import write_session
from pi_notebook.session.home import Home
from tests.browser.lab import Lab, LabPage, chromium, lab_page
from tests.browser.partner import INSTALL

MESSAGES = 5_000
DELTAS_PER_SECOND = 200
STREAM_SECONDS = 30
SCREENS = 200
STARTS = 5

# Notes when the panel has drawn rows after a snapshot came, and how often it changes.
WATCH = """() => {
  const log = () => document.querySelector('#pi-notebook-panel [role=log]');
  window.watched = { snapshot: 0, paint: 0, updates: 0 };
  const { kernel } = window.jupyterapp.shell.currentWidget.sessionContext.session;
  kernel.anyMessage.connect((_, { msg }) => {
    if (msg.content.data?.type === 'snapshot') window.watched.snapshot = performance.now();
  });
  new MutationObserver(() => {
    window.watched.updates += 1;
    const { watched } = window;
    if (watched.snapshot && !watched.paint && log()?.querySelector('.jp-pi-Turn, .jp-pi-Call')) {
      requestAnimationFrame(() => setTimeout(() => { watched.paint ||= performance.now(); }));
    }
  }).observe(document.querySelector('#pi-notebook-panel'), {
    subtree: true, childList: true, characterData: true
  });
}"""

# Scrolls up by a screen at a time, as fast as frames come, and brings older messages as it goes.
SCROLL = """async screens => {
  const log = document.querySelector('#pi-notebook-panel [role=log]');
  for (let screen = 0; screen < screens; screen++) {
    log.scrollTop -= log.clientHeight;
    await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
  }
}"""

STREAM = f"""\
import time
segment = dict(type="text", id="live", text="", is_whole=False, interrupted="")
partner.say(dict(type="events", events=[dict(type="segment", segment=segment)]))
began = time.perf_counter()
for number in range({DELTAS_PER_SECOND * STREAM_SECONDS}):
    text = "word " if number % 40 else "and **so** on, with `code`.\\n\\n"
    delta = dict(type="text_delta", segment_id="live", text=text)
    partner.say(dict(type="events", events=[delta]))
    time.sleep(max(0.0, began + number / {DELTAS_PER_SECOND} - time.perf_counter()))"""


def opening(lab: Lab, browser: Browser) -> Iterator[Row]:
    """A session of many messages: until its end is drawn, and scrolling up in it."""
    with lab_page(browser, lab) as page:
        path = write_session(Home(root=lab.notebooks.parent / "home"), lab.notebooks, entries=MESSAGES)
        page.open(lab.notebook("long", f"%agent resume {path}"))
        page.panel.get_by_label("Prompt", exact=True).wait_for()
        page.page.evaluate(WATCH)
        page.run_cell(0)
        page.page.wait_for_function("() => window.watched.paint", timeout=60_000)
        paint = page.page.evaluate("() => window.watched.paint - window.watched.snapshot")
        yield Row(name=f"panel.open {MESSAGES}.paint", value=paint, unit="ms", target="<= 500")
        page.settle("#pi-notebook-panel")
        with _tasks(browser, page) as tasks:
            page.page.evaluate(SCROLL, SCREENS)
        yield Row(name=f"panel.scroll {MESSAGES}.task", value=max(tasks), unit="ms", target="<= 50")


def streaming(lab: Lab, browser: Browser) -> Iterator[Row]:
    """An answer of many small pieces."""
    with lab_page(browser, lab) as page:
        page.open(lab.notebook("stream", "1"), panel=False)
        page.execute(INSTALL)
        page.command("pi-notebook:open-panel")
        page.panel.get_by_role("log").wait_for()
        page.settle("#pi-notebook-panel")
        page.page.evaluate(WATCH)
        began = page.page.evaluate("() => performance.now()")
        with _tasks(browser, page) as tasks:
            page.execute(STREAM)
        seconds = (page.page.evaluate("() => performance.now()") - began) / 1000
        yield Row(name="panel.stream.task", value=max(tasks), unit="ms", target="<= 50")
        updates = page.page.evaluate("() => window.watched.updates") / seconds
        # A growing paragraph changes twice for each update: when it is told, and when it is drawn.
        yield Row(name="panel.stream.changes", value=updates, unit="1/s", target="<= 40")


def start(lab: Lab, browser: Browser) -> Iterator[Row]:
    """JupyterLab with the extension and without it, in turn."""
    config = lab.notebooks.parent / "config" / "labconfig" / "page_config.json"
    config.parent.mkdir(parents=True, exist_ok=True)
    times: dict[bool, list[float]] = {True: [], False: []}
    worked: dict[bool, list[float]] = {True: [], False: []}
    for number in range(2 * (STARTS + 1)):
        has_panel = number % 2 == 0
        config.write_text(json.dumps({"disabledExtensions": {} if has_panel else {"pi-notebook": True}}))
        with lab_page(browser, lab) as page:
            with _tasks(browser, page) as tasks:
                page.page.goto(f"{lab.url}/lab?token={lab.token}&reset")
                page.page.wait_for_function("() => window.jupyterapp?.restored")
                page.page.evaluate("() => window.jupyterapp.restored")
                times[has_panel].append(page.page.evaluate("() => performance.now()"))
            worked[has_panel].append(sum(tasks))
    config.unlink()
    yield Row(name="panel.start.added", value=_added(times), unit="ms", target="<= 100")
    yield Row(name="panel.start.added.thread", value=_added(worked), unit="ms", target="<= 50")


def _added(times: dict[bool, list[float]]) -> float:
    """What the panel adds in the middle; the first of each, which fills the browser's caches, left out."""
    return median(times[True][1:]) - median(times[False][1:])


MEASUREMENTS: dict[str, Callable[[Lab, Browser], Iterator[Row]]] = {
    "opening": opening,
    "streaming": streaming,
    "start": start,
}


@contextmanager
def _tasks(browser: Browser, page: LabPage) -> Iterator[list[float]]:
    """Fills the list, in the end, with the milliseconds of each task of the page's main thread."""
    tasks: list[float] = []
    browser.start_tracing(page=page.page, categories=["toplevel"])
    yield tasks
    events = json.loads(browser.stop_tracing())["traceEvents"]
    threads = {
        (event["pid"], event["tid"])
        for event in events
        if event["name"] == "thread_name" and event["args"]["name"] == "CrRendererMain"
    }
    tasks.extend(
        event["tdur"] / 1000
        for event in events
        if event["name"].endswith("RunTask") and "tdur" in event and (event["pid"], event["tid"]) in threads
    )


@contextmanager
def _lab() -> Iterator[Lab]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        lab = Lab(Path(folder), {"PI_NOTEBOOK_MODEL": "offline", "PYTHONPATH": os.getcwd()})
        try:
            yield lab
        finally:
            lab.close()


def main(names: list[str]) -> None:
    """Print a JSON line for each measurement as it is made."""
    with _lab() as lab, sync_playwright() as playwright:
        browser = chromium(playwright)
        for name, measure in MEASUREMENTS.items():
            if not names or any(name.startswith(wanted) for wanted in names):
                for row in measure(lab, browser):
                    print(row.line(), flush=True)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
