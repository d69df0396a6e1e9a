"""A conversation as one HTML file: nothing in it runs, and nothing is loaded from anywhere.

Text is escaped where markup is written; a model's Markdown passes `page_markdown`; pictures are data of
kinds that only show. A policy in the page's head forbids the rest once more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from importlib.resources import files

from pi_notebook.agent.messages import ImageContent
from pi_notebook.session.export.calls import given, output
from pi_notebook.session.export.conversation import Answer, Call, Divider, Part, Prompt, Thinking, Told
from pi_notebook.session.export.page_markdown import code_html, markdown_html
from pi_notebook.session.export.texts import Mask, bounded, is_picture

MAX_OUTPUT_CHARS = 20_000
"""Of what one call printed, and of one message of the program."""
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


def html_pieces(title: str, about: str, parts: Iterable[Part], mask: Mask) -> Iterator[str]:
    """The page, piece by piece; `about` is the line below its title."""
    yield _HEAD.format(
        policy=escape(POLICY),
        title=escape(mask(title)),
        style=files(__package__).joinpath("page_style.css").read_text(encoding="utf-8"),
        about=escape(mask(about)),
    )
    prompts = 0
    for part in parts:
        prompts += isinstance(part, Prompt)
        yield _piece(part, mask, prompts)
    yield "</main>\n</body>\n</html>\n"


_HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="pi-notebook">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<main>
<header><h1>{title}</h1><div class="faint">{about}</div></header>
"""


def _piece(part: Part, mask: Mask, number: int) -> str:
    if isinstance(part, Prompt):
        moment = f" · {part.timestamp[:16].replace('T', ' ')} UTC" if part.timestamp else ""
        head = f'<span class="faint">Prompt {number}{escape(mask(moment))}</span>'
        text = f'<div class="text">{escape(mask(part.text))}</div>'
        shown = head + text + _pictures(part.images, mask)
        return f'<section class="prompt" id="prompt-{number}">{shown}</section>\n'
    if isinstance(part, Answer):
        note = f'<div class="note">{escape(mask(part.note))}</div>' if part.note else ""
        return (
            f'<section class="answer">{markdown_html(mask(part.text)) if part.text else ""}{note}</section>\n'
        )
    if isinstance(part, Call):
        return _call(part, mask)
    if isinstance(part, Divider):
        text = _aside("What stands for it in the context", part.text, mask) if part.text else ""
        return f'<div class="divider">{escape(mask(part.label))}</div>\n{text}'
    if isinstance(part, Thinking):
        return _aside("Thinking", part.text, mask)
    assert isinstance(part, Told)
    return _aside(f"Sent along by the program: {part.label}", part.text, mask)


def _aside(label: str, text: str, mask: Mask) -> str:
    shown = escape(bounded(mask(text), MAX_OUTPUT_CHARS))
    return f'<details class="aside"><summary>{escape(mask(label))}</summary><pre>{shown}</pre></details>\n'


def _call(part: Call, mask: Mask) -> str:
    what, language = given(part.call)
    shown = bounded(mask(output(part.result)), MAX_OUTPUT_CHARS)
    is_failed = part.result is None or part.result.is_error
    code = f'<pre class="given">{code_html(mask(what), language)}</pre>' if what else ""
    return (
        f'<section class="call{" failed" if is_failed else ""}"><details{" open" if language else ""}>'
        f"<summary>{escape(mask(part.heading))}</summary>{code}"
        + (f'<pre class="output">{escape(shown)}</pre>' if shown else "")
        + f"</details>{_pictures(part.images, mask)}</section>\n"
    )


def _pictures(images: Iterable[ImageContent], mask: Mask) -> str:
    shown = [
        f'<img alt="" src="data:{image.mime_type};base64,{image.data}">'
        if is_picture(image)
        else f'<span class="faint">(a picture of another kind: {escape(mask(image.mime_type)[:60])})</span>'
        for image in images
    ]
    return f'<div class="pictures">{"".join(shown)}</div>' if shown else ""
