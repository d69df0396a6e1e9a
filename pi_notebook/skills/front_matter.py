"""The block between `---` lines at the head of a Markdown file, read as text by key.

Of YAML only the events are used: no object is made, so tags, aliases and merge keys have no effect
and cost nothing. What YAML refuses or takes for something else than text is read line by line, and
said: an unquoted colon shall not make a skill disappear.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, takewhile
from typing import Any

from pi_notebook._loading import installed

MAX_BYTES = 64 * 1024
"""Of the block."""

TEXT_KEYS = ("name", "description", "argument-hint")
"""Keys whose value is text."""

_BLOCK = re.compile(r"---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_OPENING = re.compile(r"---[ \t]*\n")
_PLAIN_LINE = re.compile(
    r"([A-Za-z][\w-]*): +([A-Za-z(][^:#\x00-\x1f\x7f-\xa0\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]*)"
)
_LOOSE_LINE = re.compile(r"([A-Za-z][\w-]*)[ \t]*:(?:[ \t]+(.*))?")
_FOLDED = re.compile(r"[>|][1-9+-]{0,2}")
_NOTHING = frozenset({"", "~", "null", "Null", "NULL"})


@dataclass(frozen=True, kw_only=True)
class FrontMatter:
    """What stands in the block, and what follows it."""

    values: Mapping[str, str] = field(default_factory=dict)
    """By key; one that has no value is left out."""
    body: str = ""
    faults: tuple[str, ...] = ()
    """What was put right, to stand behind the path."""
    problem: str = ""
    """Why the block cannot be used at all."""


def read_front_matter(text: str) -> FrontMatter:
    """The front matter of `text`, whose line ends are those of Unix; nothing is raised."""
    if _OPENING.match(text) is None:
        return FrontMatter(body=text)
    found = _BLOCK.match(text)
    if found is None:
        return FrontMatter(body=text, problem="has no line --- that ends its front matter")
    block, body = found[1], text[found.end() :]
    if len(block) > MAX_BYTES or len(block.encode("utf-8", "replace")) > MAX_BYTES:
        return FrontMatter(body=body, problem=f"has more than {MAX_BYTES // 1024} kB of front matter")
    plain = _plain_values(block)
    if plain is not None:
        return FrontMatter(values=plain, body=body)
    values, faults = _yaml_values(block)
    kept = {key: value for key, value in values.items() if value}
    return FrontMatter(values=kept, body=body, faults=tuple(faults))


def _plain_values(block: str) -> dict[str, str] | None:
    """The values of a block that needs no YAML: one unquoted text a line; None for any other.

    Most are so, and loading YAML takes longer than all else here.
    """
    values: dict[str, str] = {}
    for line in block.split("\n"):
        if not line.strip(" "):
            continue
        found = _PLAIN_LINE.fullmatch(line)
        if found is None or found[1] in values or found[2] in _NOTHING:
            return None
        values[found[1]] = found[2].rstrip(" ")
    return values


def _yaml_values(block: str) -> tuple[dict[str, str], list[str]]:
    with installed():
        import yaml

    faults: list[str] = []
    try:
        pairs = list(_pairs(block))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 2}" if mark is not None else ""
        faults.append(f"has front matter that is no YAML{line}: each line was read as it stands")
        return _loose_values(block), faults
    loose = _loose_values(block)
    values: dict[str, str] = {}
    for key, value in pairs:
        if key in values:
            faults.append(f"names {key[:60]!r} twice: the first counts")
            continue
        values[key] = value if value is not None else ""
        if key in TEXT_KEYS and not value and loose.get(key, "") not in _NOTHING:
            faults.append(f"has a {key} that is no text for YAML: put it in quotes. It was read as it stands")
            values[key] = loose[key]
    return values, faults


def _pairs(block: str) -> Iterator[tuple[str, str | None]]:
    """Keys of the outermost mapping with their text; None for a value that is nothing or no text."""
    with installed():
        import yaml

    nodes = _outer_nodes(yaml.parse(block, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
    for key in nodes:
        yield _scalar(key) or "", _scalar(next(nodes))


def _outer_nodes(events: Iterable[Any]) -> Iterator[Any]:
    """The keys and values of the mapping, in turn; `ValueError` where there is something else."""
    with installed():
        import yaml

    depth = 0
    for event in events:
        if isinstance(event, yaml.events.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.events.NodeEvent):
            if depth == 1:
                yield event
            elif depth == 0 and not isinstance(event, yaml.MappingStartEvent):
                raise ValueError("no mapping")
            depth += isinstance(event, yaml.events.CollectionStartEvent)


def _scalar(event: Any) -> str | None:
    """The text of a value; None when it is nothing, a list, a mapping or an alias."""
    value = getattr(event, "value", None)
    if not isinstance(value, str) or (event.implicit[0] and value in _NOTHING):
        return None
    return value.strip()


def _loose_values(block: str) -> dict[str, str]:
    """What stands behind the first colon of a line that begins with a key, and in those indented below."""
    values: dict[str, str] = {}
    lines = block.split("\n")
    for number, line in enumerate(lines):
        found = _LOOSE_LINE.fullmatch(line)
        if found is None or found[1] in values:
            continue
        value = (found[2] or "").strip()
        below = _indented(lines, number + 1)
        if value and not _FOLDED.fullmatch(value):
            below = takewhile(lambda line: _LOOSE_LINE.fullmatch(line) is None, below)
            below = chain([value], below)
        values[found[1]] = _unquoted(" ".join(below))
    return values


def _indented(lines: list[str], start: int) -> Iterator[str]:
    """The lines from `start` on that are, or are items of a list, up to the first that is neither."""
    for number in range(start, len(lines)):
        line = lines[number]
        if line.strip() and not line.startswith((" ", "\t", "- ")):
            return
        if line.strip():
            yield line.strip()


def _unquoted(value: str) -> str:
    is_quoted = len(value) >= 2 and value[0] == value[-1] and value[0] in "'\""
    return value[1:-1] if is_quoted else value
