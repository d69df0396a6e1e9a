"""`python -m benchmarks.panel_speed [NAME ...]`: how fast the panel is, in a real JupyterLab and Chromium.

Each row is a JSON line. `task` is the longest task of the page's main thread in the time that the thread
itself had, and `cpu` the time of all processes of the browser: what else the machine does counts for little.
`longtask` is the longest that the page itself is told of, by the clock, 0 where none is over 50 ms: what a
person feels. That and all other rows are of worth only on a quiet machine.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

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
PAIRS = 7
"""Of starts with the extension and without it."""

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

# Notes the tasks that Chromium itself calls long.
OBSERVE = """() => {
  window.longTasks = [];
  new PerformanceObserver(list => {
    window.longTasks.push(...list.getEntries().map(entry => entry.duration));
  }).observe({ type: 'longtask' });
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
            page.page.evaluate(OBSERVE)
            page.page.evaluate(SCROLL, SCREENS)
        yield from _longest(f"panel.scroll {MESSAGES}", page, tasks)


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
            page.page.evaluate(OBSERVE)
            page.execute(STREAM)
        seconds = (page.page.evaluate("() => performance.now()") - began) / 1000
        yield from _longest("panel.stream", page, tasks)
        updates = page.page.evaluate("() => window.watched.updates") / seconds
        # A growing paragraph changes twice for each update: when it is told, and when it is drawn.
        yield Row(name="panel.stream.changes", value=updates, unit="1/s", target="<= 40")


class Start(NamedTuple):
    """What it took until JupyterLab's layout stood there, in milliseconds."""

    clock: float
    thread: float
    cpu: float


def start(lab: Lab, browser: Browser) -> Iterator[Row]:
    """JupyterLab with the extension and without it: the middle of what pairs, made in turn, differ by."""
    pairs = []
    for number in range(PAIRS + 1):
        order = (True, False) if number % 2 else (False, True)
        pairs.append({has_panel: _start(lab, browser, has_panel=has_panel) for has_panel in order})
    # The first pair fills the caches of server and disk.
    added = Start(*(median(list(each)) for each in zip(*map(_added, pairs[1:]), strict=True)))
    yield Row(name="panel.start.added", value=added.clock, unit="ms", target="<= 100")
    yield Row(name="panel.start.added.thread", value=added.thread, unit="ms", target="<= 50")
    yield Row(name="panel.start.added.cpu", value=added.cpu, unit="ms", target="<= 100")


def _start(lab: Lab, browser: Browser, *, has_panel: bool) -> Start:
    config = lab.notebooks.parent / "config" / "labconfig" / "page_config.json"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(json.dumps({"disabledExtensions": {} if has_panel else {"pi-notebook": True}}))
    before = _cpu_ms(browser)
    with lab_page(browser, lab) as page:
        with _tasks(browser, page) as tasks:
            page.page.goto(f"{lab.url}/lab?token={lab.token}&reset")
            page.page.wait_for_function("() => window.jupyterapp?.restored")
            page.page.evaluate("() => window.jupyterapp.restored.then(() => undefined)")
            clock = page.page.evaluate("() => performance.now()")
            after = _cpu_ms(browser)
        cpu = sum(spent - before.get(process, 0.0) for process, spent in after.items())
    config.unlink()
    return Start(clock=clock, thread=sum(tasks), cpu=cpu)


def _added(pair: dict[bool, Start]) -> tuple[float, ...]:
    return tuple(with_panel - without for with_panel, without in zip(pair[True], pair[False], strict=True))


def _cpu_ms(browser: Browser) -> dict[int, float]:
    """What each process of the browser has worked so far."""
    session = browser.new_browser_cdp_session()
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    return {process["id"]: process["cpuTime"] * 1000 for process in processes}


def _longest(name: str, page: LabPage, tasks: list[float]) -> Iterator[Row]:
    """The longest task by the thread's time, and by the clock as the page was told."""
    yield Row(name=f"{name}.task", value=max(tasks), unit="ms", target="<= 50")
    told = page.page.evaluate("() => window.longTasks")
    yield Row(name=f"{name}.longtask", value=max(told, default=0.0), unit="ms", target="<= 50")


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
