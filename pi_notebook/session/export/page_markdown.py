"""A model's Markdown as HTML of which every tag and attribute is one that was let in.

The text goes through mistune, where it is installed, and what comes out is read again and written
anew from a short list: whatever a text, or a fault of the library, might bring in is escaped.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape
from html.parser import HTMLParser
from typing import Any

from pi_notebook._loading import installed

MAX_MARKDOWN_CHARS = 200_000
"""A longer text stands as it is."""
_MAX_COLOURED_CHARS = 50_000

_TAGS = {
    *("p", "br", "hr", "em", "strong", "del", "code", "pre", "blockquote", "ul", "ol", "li", "a", "div"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td", "span"),
}
_VOID = {"br", "hr"}
_LINK = re.compile(r"(?:https?://|mailto:)[^\s\x00-\x20]*", re.IGNORECASE)
_ALIGNED = re.compile(r"text-align:\s*(left|right|center)")
_COLOUR = re.compile(r"[a-z][a-z0-9]{0,2}")
"""Classes of coloured code."""


def has_renderer() -> bool:
    """Whether Markdown is rendered here."""
    return _renderer() is not None


def markdown_html(text: str) -> str:
    """`text` as HTML; as its own text where it cannot be rendered."""
    render = _renderer() if len(text) <= MAX_MARKDOWN_CHARS else None
    if render is None:
        return f'<div class="plain">{escape(text)}</div>'
    try:
        rendered = str(render(text))
    except RecursionError:
        return f'<div class="plain">{escape(text)}</div>'
    return let_in(rendered)


def code_html(code: str, language: str) -> str:
    """`code` as escaped HTML, with coloured spans where the language is known and the text not too long."""
    with installed():
        from pygments import highlight
        from pygments.formatters.html import HtmlFormatter
        from pygments.lexers import get_lexer_by_name
        from pygments.util import ClassNotFound

    if not language or len(code) > _MAX_COLOURED_CHARS:
        return escape(code)
    try:
        lexer = get_lexer_by_name(language, stripnl=False)
    except ClassNotFound:
        return escape(code)
    return let_in(str(highlight(code, lexer, HtmlFormatter(nowrap=True))).rstrip())


def let_in(html: str) -> str:
    """`html` with the tags that are let in, and all else as text or not at all."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.written()


@lru_cache(maxsize=1)
def _renderer() -> Any:
    """mistune's, if it is new enough; pictures become links."""
    try:
        import mistune
    except ImportError:
        return None
    if not hasattr(mistune, "create_markdown"):  # release 0.8, which old notebooks pin
        return None

    class Quiet(mistune.HTMLRenderer):
        def image(self, text: str, url: str, title: str | None = None) -> str:
            return f'<a href="{escape(self.safe_url(url))}">{escape(text or url)}</a>'

        def block_code(self, code: str, info: str | None = None) -> str:
            return f"<pre><code>{code_html(code.rstrip(), (info or '').split(' ')[0])}</code></pre>"

    return mistune.create_markdown(
        escape=True, renderer=Quiet(escape=True), plugins=["table", "strikethrough", "url"]
    )


class _Reader(HTMLParser):
    """Writes what it reads anew."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._parts: list[str] = []
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _TAGS:
            self._parts.append(escape(self.get_starttag_text() or ""))
            return
        self._parts.append(f"<{tag}{''.join(_attributes(tag, dict(attrs)))}>")
        if tag not in _VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open:
            while (inner := self._open.pop()) != tag:
                self._parts.append(f"</{inner}>")
            self._parts.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        self._parts.append(escape(data))

    def written(self) -> str:
        """All of it, with every tag closed."""
        return "".join([*self._parts, *(f"</{tag}>" for tag in reversed(self._open))])


def _attributes(tag: str, given: dict[str, str | None]) -> list[str]:
    if tag == "a" and _LINK.fullmatch(given.get("href") or ""):
        href = given["href"] or ""
        title = escape(_in_plain_letters(href))
        return [f' href="{escape(href)}" title="{title}" rel="noopener noreferrer nofollow"']
    if tag in ("td", "th") and (aligned := _ALIGNED.match(given.get("style") or "")):
        return [f' style="text-align:{aligned[1]}"']
    if tag == "span" and _COLOUR.fullmatch(given.get("class") or ""):
        return [f' class="{given["class"]}"']
    return []


def _in_plain_letters(href: str) -> str:
    """An address whose host cannot be taken for another that looks the same."""
    scheme, slashes, rest = href.partition("//")
    host, slash, path = rest.partition("/")
    if host.isascii():
        return href
    labels = [
        label if label.isascii() else f"xn--{label.encode('punycode').decode()}" for label in host.split(".")
    ]
    return f"{scheme}{slashes}{'.'.join(labels)}{slash}{path}"
