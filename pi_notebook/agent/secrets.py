"""Leaving the values of keys and passwords out of texts that go to a model or onto a screen.

What is secret is told by the names of the environment's variables; texts are not guessed at. What the
program adds of itself is without any secret. What a tool finds is without the providers' keys alone: a
file that is to be edited, or a column's name, may well be the value of some other variable.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any
from urllib.parse import quote

_NAME = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD)$", re.IGNORECASE)
_PROVIDER_NAME = re.compile(
    r"API_?(?:KEY|TOKEN|SECRET)$"
    r"|^AWS_(?:SECRET_ACCESS_KEY|SESSION_TOKEN|BEARER_TOKEN\w*)$"
    r"|^AZURE_(?:AD_TOKEN|CLIENT_SECRET|CERTIFICATE_PASSWORD)$"
    r"|^(?:ANTHROPIC_AUTH|CLAUDE_CODE_OAUTH|HF|HUGGING_FACE_HUB|GITHUB|GH|FRIENDLI|WATSONX|VERCEL_OIDC)_TOKEN$"
    r"|(?:^|_)AI_TOKEN$"
    r"|^(?:AIMLAPI|COMETAPI|LITELLM_MASTER|SCW_SECRET)_KEY$"
    r"|^(?:DATABRICKS_CLIENT_SECRET|GIGACHAT_(?:ACCESS_TOKEN|CREDENTIALS))$"
)
"""Variables in which providers' keys are looked for."""
_LEAST_KEY_CHARS = 12
"""A shorter value is no key of a provider, but a word put in its place."""
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


def provider_keys(environ: Mapping[str, str] | None = None) -> list[str]:
    """The keys of model providers that the environment holds, the longest first, in every spelling."""
    found: set[str] = set()
    for name, value in (os.environ if environ is None else environ).items():
        key = value.strip()
        if len(key) >= _LEAST_KEY_CHARS and _PROVIDER_NAME.search(name):
            found |= {key, repr(key)[1:-1], json.dumps(key)[1:-1], quote(key, safe=""), escape(key)}
    return sorted(found, key=len, reverse=True)


def without_secrets_in(data: Any, values: Sequence[str]) -> Any:
    """`data` with every text in its lists and mappings without `values`; other objects as they are."""
    if type(data) is str:
        return without_secrets(data, values)
    if type(data) is dict:
        return {
            without_secrets_in(key, values): without_secrets_in(item, values) for key, item in data.items()
        }
    if type(data) in (list, tuple):
        return type(data)(without_secrets_in(item, values) for item in data)
    return data


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
