"""Leaving the values of keys and passwords out of texts that go to a model or onto a screen.

What is secret is told by the names of the environment's variables; texts are not guessed at.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence

_NAME = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD)$", re.IGNORECASE)
_LEAST_CHARS = 4
"""A shorter value would take letters out of words."""
_SURE_CHARS = 8
"""Of a value this long, every occurrence is left out; a shorter one may be part of a word."""
_CUT_CHARS = 16
"""So much of a value's start or end is left out too: a text may have been cut within it."""
_COMMON = frozenset(("true", "false", "none", "null", "auto", "default", "enabled", "disabled"))
"""Words that switch something and are no secret."""
MASK = "[key]"


def without_secrets(text: str, values: Sequence[str] | None = None) -> str:
    """`text` without `values`, which are `secret_values()` unless given."""
    values = secret_values() if values is None else values
    for value in values:
        if len(value) >= _SURE_CHARS:
            text = text.replace(value, MASK)
        elif value in text:
            text = re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", MASK, text)
    for value in values:
        if len(value) > _CUT_CHARS and "/" not in value:  # paths have their beginnings in common
            text = _without_cut(text, value)
    return text


def secret_values(environ: Mapping[str, str] | None = None) -> list[str]:
    """The values of variables named *KEY, *TOKEN, *SECRET or *PASSWORD, the longest first.

    Each is there as it is and as a string literal shows it.
    """
    found: set[str] = set()
    for name, value in (os.environ if environ is None else environ).items():
        if _NAME.search(name) and len(value.strip()) >= _LEAST_CHARS and value.lower() not in _COMMON:
            found |= {value, value.strip(), repr(value)[1:-1], json.dumps(value)[1:-1]}
    return sorted(found, key=len, reverse=True)


def _without_cut(text: str, value: str) -> str:
    """`text` without a long start or end of `value`."""
    start, end = value[:_CUT_CHARS], value[-_CUT_CHARS:]
    while (at := text.find(start)) >= 0:
        length = len(os.path.commonprefix([text[at : at + len(value)], value]))
        text = text[:at] + MASK + text[at + length :]
    while (at := text.find(end)) >= 0:
        stop = at + len(end)
        before = text[max(0, stop - len(value)) : stop]
        length = len(os.path.commonprefix([before[::-1], value[::-1]]))
        text = text[: stop - length] + MASK + text[stop:]
    return text
