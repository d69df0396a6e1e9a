"""A session as Markdown: nothing leaves its block, and the pictures lie beside it."""

from __future__ import annotations

import base64
import re

import mistune
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_notebook.agent.entries import CompactionEntry
from pi_notebook.agent.messages import ImageContent, ThinkingContent
from pi_notebook.session.export.conversation import conversation
from pi_notebook.session.export.markdown import MarkdownExport
from pi_notebook.session.export.texts import bounded, fenced, masking, quiet_markdown
from tests.hostile.branches import branch
from tests.hostile.corpus import DOMAIN, FAMILIES, texts
from tests.session.export.scripted import PNG, Script


def document(script):
    export = MarkdownExport(pictures_folder="sales_files", mask=masking())
    return "".join(export.pieces("Sales", conversation(script.entries))), export.pictures


def test_the_document_reads_as_the_conversation_went():
    script = Script()
    script.prompt("How many?\n# Really")
    script.say("", ThinkingContent(thinking="Hm."))
    picture = ImageContent(data=PNG, mime_type="image/png")
    script.call("run_code", {"code": "print('```')"}, "```", say="I *count*.", images=[picture])
    script._add(CompactionEntry, summary="We counted.", first_kept_entry_id="", tokens_before=12)
    script.call("edit", {"path": "a.py", "edits": [{"old_text": "a", "new_text": "b"}]}, "Edited")
    script.say("Stop", stop_reason="aborted")
    text, pictures = document(script)
    assert text == (
        "# Sales\n\n## Prompt\n\n> How many?\n> # Really\n\n*Thinking*\n\n```\nHm.\n```\n\nI *count*.\n\n"
        "**run_code · 1.2 s**\n\n````python\nprint('```')\n````\n\n````\n```\n````\n\n"
        "![picture-1.png](<sales_files/picture-1.png>)\n\n"
        "---\n\n*What stands above was compacted (12 tokens before)*\n\n> We counted.\n\n"
        "**edit a.py · 1.2 s**\n\n```diff\npath: a.py\n-a\n+b\n```\n\n```\nEdited\n```\n\n"
        "Stop\n\n*(Stopped here.)*\n"
    )
    assert pictures == {"picture-1.png": base64.b64decode(PNG)}


def test_a_picture_that_is_none_is_left_out_with_a_note():
    script = Script()
    script.prompt()
    script.call("run_code", {"code": "x"}, images=[ImageContent(data="<svg>", mime_type="image/svg+xml")])
    text, pictures = document(script)
    assert "*(a picture, image/svg+xml, left out)*" in text
    assert pictures == {}


@pytest.mark.parametrize("family", FAMILIES)
def test_rendered_without_any_care_it_loads_and_runs_nothing(family):
    render = mistune.create_markdown(escape=False, plugins=["table", "strikethrough", "url"])
    own = r"h[1-6]|p|em|strong|code|pre|blockquote|hr|a|img|ul|ol|li|table|thead|tbody|tr|t[hd]|del|br"
    for payload in texts(family):
        text, _ = document(branch(payload))
        html = str(render(text))
        assert DOMAIN not in "".join(re.findall(r'<[^>]*\ssrc="[^"]*"', html)), payload
        assert re.findall(rf"<(?!/?(?:{own})\b)[a-z!?]", html, re.IGNORECASE) == [], payload
        assert not re.search(r'(?:href|src)="\s*(?:javascript|vbscript|data):', html, re.IGNORECASE), payload


@given(
    st.lists(
        st.sampled_from(["```", "~~~", "`", "x", "\n", " ", "<img src=x>", "- ", "> ", "1. "]), max_size=14
    )
)
@settings(max_examples=400, derandomize=True, deadline=None)
def test_no_arrangement_of_fences_lets_markup_through(pieces):
    text = quiet_markdown("".join(pieces))
    html = str(mistune.create_markdown(escape=False, plugins=["url", "table"])(f"{text}\n\n[after](/a)"))
    assert "<img" not in html
    assert html.endswith('<a href="/a">after</a></p>\n')


@given(st.text(alphabet="`~ax\n ", max_size=30))
@settings(max_examples=300, derandomize=True, deadline=None)
def test_nothing_in_a_fenced_text_ends_its_fence(text):
    html = str(mistune.create_markdown(escape=False)(f"{fenced(text)}\n\nafter"))
    assert html.endswith("<p>after</p>\n")
    assert html.count("<pre>") == 1


@given(st.text(max_size=50), st.integers(2, 20))
@settings(derandomize=True)
def test_a_bounded_text_holds_no_more_than_it_may(text, most):
    assert len(bounded(text, most)) <= most + 60


@pytest.mark.parametrize(
    ("text", "quiet"),
    [
        ("[a](b/c.md 'd') [a](#e) [a]() [a](https://f/?g:h) [a](mailto:i@j)", None),
        ("[a](&#106;avascript:b)", "[a](#&#106;avascript:b)"),
        ("[a](view-source:b) [a](command:c)", "[a](#view-source:b) [a](#command:c)"),
        ("[a](\njavascript:b)", "[a](#\njavascript:b)"),
        ("```c++ a\nb\n```", "```c++\nb\n```"),
        ('```html" onload="a\nb\n```', "```\nb\n```"),
        ("~~~ mermaid\nb\n~~~", "~~~text\nb\n~~~"),
        (r"$\href{a}{b}$ \hrefs", r"$\ href{a}{b}$ \hrefs"),
    ],
)
def test_links_languages_and_formulas_lead_to_nothing_but_pages(text, quiet):
    assert quiet_markdown(text) == (text if quiet is None else quiet)
