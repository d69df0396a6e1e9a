"""Segments of a run as mimebundles: markdown for the answer, HTML for a tool call, a plain twin for both.

What is made here is static and bounded: a saved notebook shows the exchange without a kernel. Text
of the model, of tools and of data is escaped wherever markup is written, and no answer loads or runs
anything when it is shown.
"""

from __future__ import annotations

import re
from html import escape
from typing import Any

from pi_notebook.agent.messages import ToolResultMessage
from pi_notebook.context.result_notes import without_notes
from pi_notebook.session.export.texts import quiet_markdown
from pi_notebook.ui.excerpt import count_lines, excerpt
from pi_notebook.ui.given import given
from pi_notebook.ui.highlight import highlight_python
from pi_notebook.ui.transcript import CallSegment, NoticeSegment, Segment, TextSegment

Bundle = dict[str, str]

_BOX = (
    "border-left:3px solid var(--jp-border-color1,#bbb);padding:2px 0 2px 10px;margin:4px 0;"
    "font-size:var(--jp-code-font-size,13px)"
)
_PRE = (
    "margin:4px 0;padding:0;background:transparent;white-space:pre-wrap;overflow-wrap:anywhere;"
    "font-family:var(--jp-code-font-family,monospace);line-height:1.35"
)
AS_IT_STANDS = "tex2jax_ignore mathjax_ignore"
"""Classes of what a front end looks for no formulas in: they make links and load code."""
_FAINT = "color:var(--jp-ui-font-color2,#777)"
_PICTURE_LINE = re.compile(r"^\[image/[^\]\n]*\]\n?", re.MULTILINE)
"""What stands for a picture to the model; the person sees the picture."""

_ERROR = "color:var(--jp-error-color1,#c62828)"


def render(segment: Segment) -> Bundle:
    """The mimebundle of a segment as it stands now."""
    if isinstance(segment, TextSegment):
        return _text_bundle(segment)
    if isinstance(segment, CallSegment):
        return {"text/html": _call_html(segment), "text/plain": call_text(segment)}
    return _notice_bundle(segment)


def call_text(segment: CallSegment) -> str:
    """A tool call in plain text: heading, what it was given, the end of its output."""
    what = given(segment.call, whole=segment.result is None)
    parts = [heading(segment), indented(what), output_text(segment)]
    return "\n".join(part for part in parts if part)


def output_text(segment: CallSegment) -> str:
    """The end of a call's output, with a line on what stands before it."""
    shown, hidden = excerpt(_output(segment))
    return "\n".join(part for part in (_more(hidden, segment.result), shown) if part)


def heading(segment: CallSegment) -> str:
    """`run_code · 0.3 s`, and how it went when it went wrong."""
    return " · ".join([segment.call.name, *_status(segment.result)])


def _status(result: ToolResultMessage | None) -> list[str]:
    if result is None:
        return ["running"]
    seconds = (result.duration_ms or 0) / 1000
    return [f"{seconds:.1f} s", "failed"] if result.is_error else [f"{seconds:.1f} s"]


def _output(segment: CallSegment) -> str:
    """What a person has not seen yet: without the value shown below as itself, and the model's notice."""
    if segment.result is None:
        return segment.glance
    text, details = for_person(segment.result), details_of(segment.result)
    if shown := details.get("shownValue"):
        text = text[: shown[0]] + text[shown[1] :]
    text = text.replace(str(details.get("notice") or "\0"), "")
    return _PICTURE_LINE.sub("", text).strip("\n")


def _more(hidden_lines: int, result: ToolResultMessage | None) -> str:
    """One line on what is not shown, and where it is."""
    if not hidden_lines:
        return ""
    path = spill_path(result)
    return f"… {count_lines(hidden_lines)} above" + (f"; all of it: {path}" if path else "")


def for_person(result: ToolResultMessage) -> str:
    """What a result says to a person: its text without notes to the model, or what its tool says shorter."""
    return str(details_of(result).get("forPerson") or without_notes(result).text)


def spill_path(result: ToolResultMessage | None) -> str:
    """Where all of a result's output is; empty when it is all in the result."""
    spill = details_of(result).get("spill")
    return str(spill.get("path") or "") if isinstance(spill, dict) else ""


def details_of(result: ToolResultMessage | None) -> dict[str, Any]:
    """A result's details, where it has any."""
    return result.details if result is not None and isinstance(result.details, dict) else {}


def _call_html(segment: CallSegment) -> str:
    shown, hidden = excerpt(_output(segment))
    is_error = segment.result is not None and segment.result.is_error
    what = given(segment.call, whole=segment.result is None)
    code = highlight_python(what) if "code" in segment.call.arguments else escape(what)
    output = f'<pre style="{_PRE};{_ERROR if is_error else _FAINT}">{escape(shown)}</pre>' if shown else ""
    more = _more(hidden, segment.result)
    return (
        f'<div class="{AS_IT_STANDS}" style="{_BOX}"><details open><summary style="{_FAINT};cursor:pointer">'
        f"{escape(heading(segment))}</summary>"
        f'<pre style="{_PRE};max-height:36em;overflow:auto">{code}</pre></details>'
        + (f'<div style="{_FAINT}">{escape(more)}</div>' if more else "")
        + f"{output}</div>"
    )


def _text_bundle(segment: TextSegment) -> Bundle:
    text = segment.text
    if segment.interrupted:
        text += f"\n\n*({segment.interrupted} here)*"
    return {"text/markdown": quiet_markdown(text), "text/plain": text}


def _notice_bundle(segment: NoticeSegment) -> Bundle:
    style = _ERROR if segment.is_warning else _FAINT
    html = f'<div class="{AS_IT_STANDS}" style="{style}">{escape(segment.text)}</div>'
    return {"text/html": html, "text/plain": segment.text}


def indented(text: str) -> str:
    """`text` as a block that stands apart in plain text."""
    return "\n".join(f"    {line}" for line in text.split("\n")) if text else ""
