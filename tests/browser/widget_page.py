"""The inspector's built module in a plain page: no JupyterLab, no kernel, a model that answers from data.

This is what front ends without JupyterLab's style and scripts give a widget; its policy forbids more
than theirs do.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Browser, Frame, Page

from tests.browser.jupyter_server import ROOT

STATIC = ROOT / "pi_notebook" / "ui" / "static"
DAY = 1764514800.0
WINDOW = 200_000
TRIGGER = 160_000

PAGE = """\
<!doctype html><html lang="en"><head><meta charset="utf-8"><title>widget</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self' 'nonce-page';
 style-src 'self'; img-src data:">
<meta name="color-scheme" content="SCHEME">
<link rel="stylesheet" href="/inspector.css"></head>
<body><main id="place"></main><script type="module" nonce="page">
import widget from '/inspector.js';
MODEL
</script></body></html>
"""
MODEL = """\
const listeners = new Set();
let kept = {};
window.asked = [];
window.tell = content => listeners.forEach(listener => listener(content, []));
const model = {
  get: name => kept[name],
  set: (name, value) => { kept[name] = value; },
  on: (event, listener) => event === 'msg:custom' && listeners.add(listener),
  off: (event, listener) => listeners.delete(listener),
  send: content => { window.asked.push(content); send(JSON.stringify(content)); }
};
// A frame within the page may have begun before it was given the way to answer.
const send = text => window.answer ? window.answer(text) : setTimeout(() => send(text), 20);
const place = document.getElementById('place');
window.close = widget.render({ model, el: place });
window.openSaved = () => {
  window.close();
  kept = JSON.parse(JSON.stringify(kept));
  window.close = widget.render({ model, el: place });
};
"""
"""What stands for the front end's part of the widget; `openSaved` shows it as a notebook that was saved."""

Answer = Callable[[dict[str, Any]], dict[str, Any] | None]


def widget_page(
    browser: Browser,
    answer: Answer,
    *,
    host: str = PAGE,
    scheme: str = "light",
    width: int = 1100,
    height: int = 700,
    is_clock_set: bool = False,
) -> Page:
    """A page with the widget; `answer` gives the reply to a question, or None where none comes.

    With `is_clock_set` its time goes on with `page.clock` alone.
    """
    context = browser.new_context(viewport={"width": width, "height": height}, base_url="http://widget.test")
    page = context.new_page()
    if is_clock_set:
        page.clock.install()

    def serve(route: Any) -> None:
        name = route.request.url.removeprefix("http://widget.test/")
        if name in ("inspector.js", "inspector.css"):
            kind = "text/javascript" if name.endswith("js") else "text/css"
            route.fulfill(path=STATIC / name, content_type=kind)
        elif name:
            route.fulfill(status=404)
        else:
            shown = host.replace("SCHEME", scheme).replace("MODEL", MODEL)
            route.fulfill(body=shown, content_type="text/html")

    def reply(source: Any, text: str) -> None:
        question = json.loads(text)
        found = answer(question)
        if found is not None:
            tell(source["frame"], {**found, "request_id": question["request_id"]})

    context.route("**/*", serve)
    page.expose_binding("answer", reply)
    context.set_default_timeout(60_000)
    page.goto("/")
    return page


def tell(page: Page | Frame, message: dict[str, Any]) -> None:
    """Have the widget hear `message`."""
    page.evaluate("message => window.tell(message)", message)


class PretendSession:
    """Answers as the kernel does, from a session of `count` requests that was made up."""

    def __init__(self, count: int = 60) -> None:
        self.done: list[dict[str, Any]] = []
        self.hidden: list[dict[str, Any]] = []
        self.is_running = False
        self._random = random.Random(7)
        self.timeline = list(self._points(count))
        self.parts = list(self._make_parts())

    def __call__(self, question: dict[str, Any]) -> dict[str, Any] | None:
        found: dict[str, Any] | None = getattr(self, f"_{question['type']}")(question)
        return found

    def _points(self, count: int) -> Any:
        tokens = 9_000
        for number in range(1, count + 1):
            tokens += self._random.randrange(500, 9_000)
            compactions = int(tokens > TRIGGER)
            edits = int(number % 17 == 0)
            tokens = 24_000 if compactions else tokens - edits * tokens // 4
            yield {
                "number": number,
                "time": DAY + 40 * number,
                "tokens": tokens,
                "context_window": WINDOW,
                "is_estimate": False,
                "outcome": "aborted" if number % 31 == 0 else "done",
                "compactions": compactions,
                "edits": edits,
            }

    def _make_parts(self) -> Any:
        head = [
            ("system_prompt", "system prompt", 2_400),
            ("instructions", "instructions", 800),
            ("skills", "skills", 350),
            ("tool_definitions", "run_code", 900),
            ("tool_definitions", "read", 300),
            ("summaries", "## Goal: how do sales differ by city", 2_900),
        ]
        talk = [
            ("user", "Which city sold most in the last quarter?", 30),
            ("tool_calls", "run_code(code='df.groupby(\"city\").sales.sum()')", 90),
            ("tool_results", "run_code: city Bergen 20 Oslo 22 dtype: int64", 260),
            ("assistant", "Oslo sold most: 22 of 42.", 40),
            ("tool_results", "read: data/sales.csv date,city,sales 2024-01-01,Oslo,10", 6_200),
            ("previews", "preview_data: df 344 × 7", 700),
            ("thinking", "(thinking)", 420),
        ]
        sizes = [*head, *(one for _ in range(12) for one in talk)]
        for index, (category, label, tokens) in enumerate(sizes):
            is_message = index >= 5
            yield {
                "key": f"entry:e{index:04}" if is_message else f"section:{index}",
                "entry_id": f"e{index:04}" if is_message else "",
                "category": category,
                "label": label,
                "tokens": tokens + index,
                "age": max(0, len(sizes) - index - 4),
                "is_cached": index < len(sizes) - 4,
                "is_shortened": label.startswith("read:") and index < 60,
                "can_hide": index > 5,
            }

    def _inspect_overview(self, _: dict[str, Any]) -> dict[str, Any]:
        return {
            "type": "overview",
            "session_id": "01JDEXAMPLE",
            "session_name": "Sales by city",
            "is_running": self.is_running,
            "count": len(self.timeline),
            "timeline": self.timeline,
            "compactions": [_compaction("c2", DAY + 1600, "c1"), _compaction("c1", DAY + 800, "")],
            "hidden": self.hidden,
            "hidden_count": len(self.hidden),
        }

    def _inspect_composition(self, question: dict[str, Any]) -> dict[str, Any]:
        parts = self.parts if question["number"] is None else self.parts[: 20 + question["number"] % 40]
        sums: dict[str, list[int]] = {}
        for part in parts:
            known = sums.setdefault(part["category"], [0, 0])
            sums[part["category"]] = [known[0] + part["tokens"], known[1] + 1]
        return {
            "type": "composition",
            "sizes": self._sizes(question["number"], sum(part["tokens"] for part in parts)),
            "shares": [
                {"category": category, "name": "", "tokens": tokens, "count": count}
                for category, (tokens, count) in sums.items()
            ],
            "parts": parts,
        }

    def _sizes(self, number: int | None, tokens: int) -> dict[str, Any]:
        return {
            "number": number,
            "model": "anthropic/claude-sonnet-4-5",
            "tokens": tokens,
            "context_window": WINDOW,
            "trigger": TRIGGER,
            "free": max(0, TRIGGER - tokens),
            "reserve": 16_384,
            "is_estimate": number is None,
        }

    def _inspect_part(self, question: dict[str, Any]) -> dict[str, Any]:
        part = next(part for part in self.parts if part["key"] == question["key"])
        full = "\n".join(f"2024-01-{day:02},Oslo,{day * 3}" for day in range(1, 32))
        seen = "\n".join([*full.splitlines()[:8], "[… 23 lines left out …]"])
        return {
            "type": "part",
            "key": question["key"],
            "seen": seen if part["is_shortened"] else part["label"],
            "images": [],
            "full": full if part["is_shortened"] else "",
            "full_path": "data/sales.csv" if part["is_shortened"] else "",
            "is_gone": False,
            "is_cut": False,
        }

    def _inspect_difference(self, question: dict[str, Any]) -> dict[str, Any]:
        earlier, later = question["earlier"], question["later"]
        return {
            "type": "difference",
            "earlier": self._sizes(earlier, 41_000),
            "later": self._sizes(later, 52_600),
            "kept_share": 0.93,
            "kept_parts": 31,
            "changes": [
                {"category": "tool_results", "name": "", "tokens": 9_400, "count": 2},
                {"category": "assistant", "name": "", "tokens": 3_100, "count": 4},
                {"category": "previews", "name": "", "tokens": -900, "count": 1},
            ],
            "added": self.parts[30:38],
            "gone": self.parts[11:12],
            "compactions": 0,
            "edits": 1,
        }

    def _inspect_compaction(self, question: dict[str, Any]) -> dict[str, Any]:
        return {
            "type": "compaction",
            "record": _compaction(question["entry_id"], DAY + 800, ""),
            "summary": "## Goal\nHow do sales differ **by city**?\n\n"
            "## Done\n- `df` read from `data/sales.csv`, 344 rows\n- Oslo sold most\n\n"
            "## Next\n1. Compare the quarters\n2. Draw it",
            "folded": self.parts[6:14],
            "folded_count": 41,
        }

    def _inspect_ledger(self, _: dict[str, Any]) -> dict[str, Any]:
        paths = ["data/sales.csv", "report.md", "plots/by_city.png", "clean.py"]
        names = ["df", "by_city", "fig", "total", "quarters"]
        return {
            "type": "ledger",
            "files": [
                {
                    "path": path,
                    "reads": 3 - index,
                    "writes": index % 2,
                    "modifications": index // 2,
                    "last": "modified" if index // 2 else "read",
                    "renamed_to": "",
                    "by": ["agent", "you"] if index % 2 else ["agent"],
                    "time": DAY + 60 * index,
                }
                for index, path in enumerate(paths)
            ],
            "file_count": len(paths),
            "variables": [
                {
                    "name": name,
                    "kind": "DataFrame" if index < 2 else "int",
                    "shape": f"{344 - index} × 7" if index < 2 else "",
                    "state": ("alive", "alive", "lost", "deleted", "alive")[index],
                    "spill": "spill/by_city.parquet" if index == 1 else "",
                    "by": "agent" if index else "you",
                    "time": DAY + 30 * index,
                }
                for index, name in enumerate(names)
            ],
            "variable_count": len(names),
        }

    def _inspect_raw(self, question: dict[str, Any]) -> dict[str, Any]:
        messages = [{"role": "user", "content": part["label"]} for part in self.parts]
        raw = {"model": "claude-sonnet-4-5", "api_key": "***", "messages": messages}
        return {"type": "raw", "text": json.dumps(raw, indent=2), "is_cut": question["number"] is None}

    def _act(self, question: dict[str, Any]) -> dict[str, Any]:
        self.done.append(question)
        return {"type": "done", "text": f"Done: {question['type']}.", "path": ""}

    def _hide_entry(self, question: dict[str, Any]) -> dict[str, Any]:
        entry = question["entry_id"]
        self.hidden.append(
            {"entry_id": entry, "label": f"the entry {entry}", "is_hidden": True, "reason": "you"}
        )
        self.parts = [part for part in self.parts if part["entry_id"] != entry]
        return self._act(question)

    def _restore_entry(self, question: dict[str, Any]) -> dict[str, Any]:
        self.hidden = [one for one in self.hidden if one["entry_id"] != question["entry_id"]]
        return self._act(question)

    _compact = _export = _act


def _compaction(entry_id: str, time: float, previous_id: str) -> dict[str, Any]:
    return {
        "entry_id": entry_id,
        "time": time,
        "reason": "threshold",
        "tokens_before": 161_200,
        "tokens_after": 24_400,
        "folded": 41,
        "kept": 6,
        "seconds": 8.2,
        "cost_usd": 0.0312,
        "model": "anthropic/claude-sonnet-4-5",
        "by": "model",
        "focus": "",
        "previous_id": previous_id,
    }
