"""Texts of a session made fit for a document: bounded, without secrets, and unable to leave their place."""

from __future__ import annotations

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
_FENCE = re.compile(r"^(`{3,}|~{3,})[^`]*$")
_NESTED_FENCE = re.compile(r"^(?:[ \t>*+-]|\d+[.)])[ \t>*+\d.)-]*(?:`{3}|~{3})")
_MARKUP = re.compile(r"<(?=[A-Za-z/!?])")
_LINK = re.compile(r"(!\[)|(\]\(\s*<?\s*(?:javascript|vbscript|data|file):)", re.IGNORECASE)

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

    Blocks of code stay as they are, where it is certain that every reader takes them for such.
    """
    lines = text.split("\n")
    if any(_NESTED_FENCE.match(line) for line in lines):
        return "\n".join(map(_quiet, lines))
    quiet = []
    fence = ""
    for line in lines:
        opening = _FENCE.match(line.rstrip())
        if fence:
            is_end = line.startswith(fence) and not line.strip().strip(fence[0])
            quiet.append(line)
            fence = "" if is_end else fence
        else:
            fence = opening[1] if opening else ""
            quiet.append(line if opening else _quiet(line))
    return "\n".join(quiet)


def _quiet(line: str) -> str:
    return _MARKUP.sub(r"\\<", _LINK.sub(lambda m: r"\![" if m[1] else r"](#", line))


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
    whole = folder / Path(path).expanduser()
    return whole.relative_to(folder).as_posix() if whole.is_relative_to(folder) else str(whole)
