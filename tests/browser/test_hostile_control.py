"""The hostile texts are hostile, and the gates of `test_hostile` would see it.

Drawn as they are, by a page that trusts them, in the same browser: they run, they ask for what they
name, and the audit finds them. Without this, gates that let nothing through might look at nothing.
"""

from __future__ import annotations

import re

import pytest

from tests.browser.jupyter_server import ROOT, build_panel
from tests.browser.lab import Traffic, chromium
from tests.hostile import corpus
from tests.hostile.audit import audit

MARKED = ROOT / "labextension" / "node_modules" / "marked" / "lib" / "marked.umd.js"
PAGE = (
    "<!doctype html><meta charset=utf-8><title>bare</title><main><div class=jp-RenderedMarkdown></div></main>"
)
NOTE = """() => {
  window.ran = new Set();
  Object.defineProperty(window, 'pwned', { get: () => [...ran].at(-1), set: number => ran.add(number) });
}"""
# In frames of their own, so that none takes the page away from the others.
DRAW = """texts => {
  for (const text of texts) {
    for (const html of [text, marked.parse(text)]) {
      const inside = document.body.appendChild(document.createElement('iframe')).contentDocument;
      inside.open();
      inside.write(`<!doctype html><body>${html}`);
      inside.close();
    }
  }
}"""
# As the browser says: what was held before may have taken the names of what `document` can do.
HOLD = """text => {
  const held = Document.prototype.querySelector.call(document, 'main > div');
  held.innerHTML = `${text}\\n${marked.parse(text)}`;
}"""

RUNNING = [
    "<script>", "<ScRiPt>", "<script\n>", "<script/x>", "<<script>", "<script type=module>",
    "<svg><script>", "</script><script>", "</style><script>", "</title><script>",
    "</pre></code></details></div><script>", "--><script>", '"><script>', "<img src=x onerror=",
    "<ImG SrC=X\x0cOnErRoR=", "<svg onload=", "<SvG OnLoAd\n=\n'", "<SvG A='>' OnLoAd=", "<body onload=",
    "<iframe onload=", "<video><source onerror=", "<audio src=x onerror=", "<details open ontoggle=",
    "<style>@keyframes", "<svg><animate onbegin=", "<style onload=", "<svg><style><img",
    "<svg></p><style><a id='</style>", "<svg><desc><noscript>", "<svg><foreignObject>",
    "<math><annotation-xml encoding='text/html'>", "<noscript><p title='</noscript>", "<xmp><img",
    "<title><img", "<textarea><img", "<table><td><svg><tr>", "<form><div></form><form", "<!--><img",
    "<!-- <!-- --><img", "<!x><img", "<div>" * 300, "```\n```\n<img", "- ```\n```\n<img", "| <img",
    "1. <details open ontoggle=", "\x1b[31m<img", "<div class='jp-RenderedHTMLCommon jp-RenderedHTML'",
]  # fmt: skip
LOADING = [
    "<script src=", "<svg><script href=", "<img src=https", "<img srcset=", "<image src=",
    "<picture><source", "<input type=image", "<video poster=", "<object data=https", "<iframe src=https",
    "<iframe srcdoc='<img src=https", "<link rel=stylesheet href=https", "<style>@import url",
    "<style>body,div{background", "<div style='background:url", "<div style='background:\\75rl",
    "<div style='background-image:image-set", "<body background=", "<svg><image href=",
    "<svg><image xlink:href=", "<svg><filter", "<svg><style>@import", "![a](https", "![a][p", "![p",
    "[![a]", "> ![a]", "| ![a]", "![a](h&#116;tps", "![a](HTTPS", "````\n```\n````\n![a]",
]  # fmt: skip
SEEN = {
    "script": 28, "handler": 86, "nesting": 35, "name": 20, "form": 8, "link": 100, "loading": 52,
    "picture": 35, "fence": 21, "jupyter": 17,
}  # fmt: skip
"""How many of a family the audit finds at least. The others need readers of their own, or are plain text."""


def named(beginnings):
    """The first text that begins so, for each."""
    found = [next(one for one in corpus.payloads() if one.text.startswith(start)) for start in beginnings]
    assert len({one.number for one in found}) == len(beginnings)
    return found


@pytest.fixture
def bare(playwright, tmp_path):
    """A page that trusts what it draws, and the log of what its browser asks for."""
    build_panel()  # with the reader of markdown that is used here
    traffic = tmp_path / "traffic.json"
    browser = chromium(playwright, traffic=traffic)
    page = browser.new_page()
    file = tmp_path / "bare.html"
    file.write_text(PAGE, encoding="utf-8")
    page.goto(file.as_uri())
    page.evaluate(MARKED.read_text(encoding="utf-8"))
    page.evaluate(NOTE)
    yield page, Traffic(traffic)
    browser.close()


def test_texts_run_that_are_drawn_as_they_are(bare):
    page, _ = bare
    chosen = named(RUNNING)
    told = set()
    page.on("dialog", lambda dialog: (told.add(dialog.message), dialog.dismiss()))
    page.evaluate(DRAW, [*(one.text for one in chosen), "<svg onload=\"alert('told'); top.pwned = 0\">"])
    page.wait_for_function(
        "numbers => numbers.every(number => ran.has(number))", arg=[0, *(one.number for one in chosen)]
    )
    assert told == {"told"}
    assert [fault for fault in audit(page, "main") if fault.endswith("has run")] != []


def test_texts_load_that_are_drawn_as_they_are(bare):
    page, traffic = bare
    chosen = named(LOADING)
    hosts = {one.host for one in chosen}
    asked = set()
    page.on("request", lambda request: asked.update(re.findall(r"//(p\d+\.[\w.]+)", request.url)))
    page.evaluate(DRAW, [one.text for one in chosen])
    while not hosts <= asked:
        page.wait_for_event("request", timeout=30_000)
    page.context.browser.close()
    noted = " ".join(traffic.elsewhere(page.url))
    assert [host for host in sorted(hosts) if host not in noted] == []


def test_the_audit_finds_texts_that_are_drawn_as_they_are(bare):
    page, _ = bare
    inert = page.context.browser.new_context(java_script_enabled=False).new_page()
    inert.goto(page.url)
    inert.route(re.compile("^(?!file:)"), lambda route: route.abort("aborted"))
    inert.evaluate(MARKED.read_text(encoding="utf-8"))
    found = dict.fromkeys(SEEN, 0)
    for payload in corpus.payloads():
        if payload.family in found and "http-equiv" not in payload.text:  # which leaves the page
            inert.evaluate(HOLD, payload.text)
            found[payload.family] += bool(audit(inert, "main"))
    assert {family: count for family, count in found.items() if count < SEEN[family]} == {}
