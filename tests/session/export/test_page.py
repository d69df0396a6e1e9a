"""A session as one page: all of it is there, nothing in it runs, nothing is loaded."""

from __future__ import annotations

import time
import tracemalloc
from html.parser import HTMLParser

import pytest

from pi_notebook.agent.entries import CompactionEntry
from pi_notebook.agent.messages import ImageContent, TextContent, ThinkingContent
from pi_notebook.session.export import page_markdown
from pi_notebook.session.export.conversation import conversation
from pi_notebook.session.export.html import POLICY, html_pieces
from pi_notebook.session.export.texts import masking
from tests.hostile.branches import branch
from tests.hostile.corpus import FAMILIES, texts
from tests.session.export.scripted import PNG, Script

MAY_HAVE = {
    "a": {"href", "title", "rel"},
    "code": set(),
    "details": {"class", "open"},
    "div": {"class"},
    "html": {"lang"},
    "img": {"alt", "src"},
    "meta": {"charset", "http-equiv", "content", "name"},
    "pre": {"class"},
    "section": {"class", "id"},
    "span": {"class"},
    "td": {"style"},
    "th": {"style"},
}


def page(script, title="Sales"):
    return "".join(html_pieces(title, "a folder", conversation(script.entries), masking()))


class Elements(HTMLParser):
    """Every element of a page, and its text."""

    def __init__(self, html):
        super().__init__()
        self.found = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data


def test_the_whole_conversation_is_there_in_its_order():
    script = Script()
    script.prompt([TextContent(text="How <many>?"), ImageContent(data=PNG, mime_type="image/png")])
    script.say("", ThinkingContent(thinking="Let me think."))
    script.call("run_code", {"code": "n = 3  # <b>"}, "three", say="I count.")
    script._add(CompactionEntry, summary="We counted.", first_kept_entry_id="", tokens_before=12_345)
    script.prompt("And now?")
    script.say("There are **3**.\n\n| a | b |\n|---|--:|\n| 1 | 2 |")
    script.call("bash", {"command": "make", "timeout": 5}, None)
    found = Elements(page(script))
    places = [
        found.text.index(text)
        for text in (
            "How <many>?",
            "Thinking",
            "Let me think.",
            "I count.",
            "run_code · 1.2 s",
            "n = 3  # <b>",
            "three",
            "compacted (12,345 tokens before)",
            "We counted.",
            "And now?",
            "There are 3.",
            "bash · no result recorded, it may have run",
            "# timeout: 5\nmake",
        )
    ]
    assert places == sorted(places)
    tags = [tag for tag, _ in found.found]
    assert "table" in tags
    assert tags.count("img") == 1
    assert ("td", {"style": "text-align:right"}) in found.found


def test_a_long_output_keeps_its_beginning_and_its_end():
    script = Script()
    script.prompt()
    script.call("run_code", {"code": "x"}, "BEGIN" + "a" * 100_000 + "END")
    html = page(script)
    assert len(html) < 40_000
    assert "BEGINaaa" in html
    assert "aaaEND" in html
    assert "characters left out" in html


def test_secrets_are_masked(monkeypatch):
    monkeypatch.setenv("SERVICE_TOKEN", "hunter2-hunter2")
    assert "hunter2" not in page(branch("It is hunter2-hunter2."), title="hunter2-hunter2")


@pytest.mark.parametrize("has_mistune", [True, False])
@pytest.mark.parametrize("family", FAMILIES)
def test_a_page_has_no_element_or_attribute_but_its_own(family, has_mistune, monkeypatch):
    if not has_mistune:
        monkeypatch.setattr(page_markdown, "_renderer", lambda: None)
    found = [one for text in texts(family) for one in Elements(page(branch(text), title=text)).found]
    own = {tag for tag, _ in Elements(page(Script())).found}
    assert {tag for tag, _ in found} <= own | page_markdown._TAGS | {"section", "details", "summary", "img"}
    for tag, attributes in found:
        assert set(attributes) <= MAY_HAVE.get(tag, set()), (tag, attributes)
        assert not attributes.get("src") or attributes["src"].startswith("data:image/")
        href = attributes.get("href") or ""
        assert not href or href.lower().startswith(("http://", "https://", "mailto:"))
    assert {a["content"] for tag, a in found if a.get("http-equiv")} == {POLICY}


def test_markup_that_the_library_might_let_in_is_written_as_text():
    written = page_markdown.let_in(
        '<p onclick="x">a<img src=x><b>b</b><a href="javascript:x">c</a><a href="https://e.com/&quot;>">d</a>'
        '<span class="k x">e</span></td><td style="background:url(x)">f'
    )
    assert written == (
        "<p>a&lt;img src=x&gt;&lt;b&gt;b<a>c</a>"
        '<a href="https://e.com/&quot;&gt;" title="https://e.com/&quot;&gt;"'
        ' rel="noopener noreferrer nofollow">d</a>'
        "<span>e</span><td>f</td></p>"
    )


def test_a_link_says_its_host_in_letters_that_cannot_be_taken_for_others():
    written = page_markdown.let_in('<a href="https://\u0430pple.com/\u0430?b">x</a>')
    assert 'title="https://xn--pple-43d.com/\u0430?b"' in written


def test_a_long_session_is_written_piece_by_piece():
    class Endless(Script):
        def many(self, count):
            for _ in range(count):
                self.prompt("x" * 500)
                self.say("y" * 500)
                yield from self.entries
                self.entries = []

    script = Endless()
    tracemalloc.start()
    start = time.perf_counter()
    size = sum(len(piece) for piece in html_pieces("t", "", conversation(script.many(2_000)), masking()))
    seconds = time.perf_counter() - start
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size > 2_000_000
    assert peak < 20_000_000
    assert seconds < 60


def test_a_call_of_a_name_that_was_given_twice_is_shown_with_its_own_result():
    script = Script()
    script.prompt()
    for output in ("first", "second"):
        script._calls = 0
        script.call("run_code", {"code": f"print('{output}')"}, f"= {output}")
    text = Elements(page(script)).text
    assert text.index("print('first')") < text.index("= first") < text.index("print('second')")
