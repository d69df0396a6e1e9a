"""Texts of a session made fit for a document: bounded, without secrets, and unable to leave their place."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pi_notebook.agent.messages import ImageContent, ToolResultMessage, without_surrogates
from pi_notebook.agent.secrets import secret_values, without_secrets
from pi_notebook.context.cleaning import show_controls
from pi_notebook.context.displays import joined

PICTURE_TYPES = {"image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp"}
"""Pictures that cannot carry code, and the ends of their file names."""

_BASE64 = re.compile(r"[A-Za-z0-9+/]*={0,2}")
_PICTURE_LINE = re.compile(r"^\[image/[^\]\n]*\]\n?", re.MULTILINE)
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_NESTED_FENCE = re.compile(r"^((?:[ \t]*(?:[>*+-]|\d{1,9}[.)]))+[ \t]*)(?=```|~~~)")
_DEFINITION = re.compile(r"^(\s*)(?=\[[^\]]*\]:)")
_MARKUP = re.compile(r"<(?=[A-Za-z/!?])(?!(?:https?://|mailto:)[^\s<>\\]*>)")
_LINK = re.compile(
    r"""
    \]\( (?! [ \t]* (?:
        \) | \# | <? (?:https?://|mailto:)
        | <? [^\s:&\\<>()]+ (?: [/?\#>)\s] | $ )  # a path: no scheme, nor what a reader may take for one
    ) )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_LANGUAGE = re.compile(r"\s*([\w+.-]+#?)(?=\s|$)")
_DRAWN_LANGUAGES = ("mermaid",)
"""What a reader draws in the page, with all that it loads."""
_MACRO = re.compile(
    r"""
    \\(?= (?:
        href|url|style|class|cssId|data|bbox|mmlToken|require|unicode|html[A-Z]\w*
        | [egx]?def|let|(?:re)?new(?:command|environment|tagform)|Newextarrow|Declare\w+
        | definecolor|mathtoolsset|usetagform
    ) (?![A-Za-z]) )
    """,
    re.VERBOSE,
)
"""In formulas, what makes links, says how they look or loads code; and what gives a name another meaning,
which it would have in all formulas of the page.
"""

Mask = Callable[[str], str]


def masking() -> Mask:
    """Leaves the values of this environment's secrets out of a text, and shows what cannot be seen in it."""
    values: Sequence[str] = secret_values()

    def mask(text: str) -> str:
        plain = without_secrets(without_surrogates(text), values).replace("\r\n", "\n")
        return "\n".join("\t".join(map(show_controls, line.split("\t"))) for line in plain.split("\n"))

    return mask


def bounded(text: str, max_chars: int) -> str:
    """`text`, without its middle when it is longer."""
    if len(text) <= max_chars:
        return text
    half = max_chars // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half:,} characters left out …]\n{text[-half:]}"


def fenced(text: str, language: str = "") -> str:
    """`text` as a block of code in Markdown that nothing in it ends."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.rstrip(chr(10))}\n{fence}"


def quoted(text: str) -> str:
    """`text` as a quotation in Markdown."""
    return "\n".join(f"> {line}".rstrip() for line in text.strip("\n").split("\n"))


def quiet_markdown(text: str) -> str:
    """Markdown that loads nothing and runs nothing when it is shown: pictures become links, markup text.

    Blocks of code stay as they are. Their fences are moved to the beginning of the line, and what is
    open at the end is closed, so that every reader sees the same blocks and none goes on behind the text.
    """
    quiet = []
    fence = ""
    for line in text.split("\n"):
        found = _FENCE.match(line)
        if fence:
            is_end = found is not None and found[1].startswith(fence) and line.strip() == found[1]
            quiet.append(line.strip() if is_end else line)
            fence = "" if is_end else fence
        elif found and (found[1][0] == "~" or "`" not in line[found.end() :]):
            fence = found[1]
            quiet.append(fence + _language(line[found.end() :]))
        else:
            quiet.append(quiet_line(line))
    return "\n".join([*quiet, fence] if fence else quiet)


def _language(info: str) -> str:
    """The name of a language at the beginning of what is said of a block of code."""
    found = _LANGUAGE.match(info)
    language = found[1] if found else ""
    return "text" if language.lower() in _DRAWN_LANGUAGES else language


def one_line(text: str) -> str:
    """`text` as a part of one line of Markdown, quiet too."""
    return quiet_line(" ".join(text.split())).replace("`", "'")


def quiet_line(line: str) -> str:
    """A line of Markdown outside blocks of code that loads nothing and runs nothing.

    A backslash would not do: a reader that finds addresses in plain text takes it for a part of one.
    """
    line = _NESTED_FENCE.sub(r"\1\\", _DEFINITION.sub(r"\1\\", line))
    line = _MACRO.sub(r"\\ ", _LINK.sub("](#", line.replace("![", "! [")))
    has_code_or_formula = "`" in line or "$" in line  # in which an entity would stand as it is written
    return _MARKUP.sub("< " if has_code_or_formula else "&lt;", line)


def output_of(result: ToolResultMessage) -> tuple[str, str]:
    """What a call printed, and the text of its value; without lines that were for the model alone."""
    text, value = result.text, ""
    details: dict[str, Any] = result.details if isinstance(result.details, dict) else {}
    shown = details.get("shownValue")
    if isinstance(shown, list) and len(shown) == 2 and all(isinstance(at, int) for at in shown):
        value = text[shown[0] : shown[1]]
        text = text[: shown[0]] + text[shown[1] :]
    notice = joined(details.get("notice") or "")
    if notice and notice in text:
        text = text.replace(notice, "[… output left out …]")
    text = _PICTURE_LINE.sub("", text).strip("\n")
    return ("" if text == "(no output)" else text), _without_way_back(value, details)


def _without_way_back(value: str, details: dict[str, Any]) -> str:
    """The value without the line that tells the model where all of it is."""
    head, _, last = value.rstrip("\n").rpartition("\n")
    spill = details.get("valueSpill")
    path = str(spill.get("path") or "\0") if isinstance(spill, dict) else "\0"
    return head if last.startswith("[") and path in last else value


def is_picture(image: ImageContent) -> bool:
    """Whether `image` is of a kind that only shows, and its data nothing but that."""
    return image.mime_type in PICTURE_TYPES and bool(_BASE64.fullmatch(image.data))


def shown_file(path: str, folder: Path) -> str:
    """`path` as a document in `folder` names it."""
    whole = folder / os.path.expanduser(path)
    return whole.relative_to(folder).as_posix() if whole.is_relative_to(folder) else str(whole)
