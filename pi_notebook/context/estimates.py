"""How many tokens a text takes by its kind of characters, for when no vocabulary is at hand.

The figures are measured against tiktoken's `o200k_base`, script by script: texts of all kinds come within
a quarter of its count.
"""

from __future__ import annotations

import re
from bisect import bisect

_KINDS = re.compile(
    r"(?P<dense>[A-Za-z0-9+/]{40,})"
    r"|(?P<line>(?P<mark>[^\w\s\u0300-\u036f\u200b-\u200d\U00010000-\U0010ffff]|_)(?P=mark){3,})"
    # Only from its start: blanks without a number behind them would be gone through from each of them.
    r"|(?P<gap>(?<![ \t])[ \t]+(?=[0-9])|\t)|(?P<plain>[A-Za-z]+(?![\u00c0-\u024f\u1e00-\u1eff]))"
    r"|(?P<latin>[A-Za-z\u00c0-\u024f\u1e00-\u1eff]+)|(?P<number>[0-9]+)"
    r"|(?P<ideographs>[\u2e80-\uabff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]+)"
    r"|(?P<hangul>[\u1100-\u11ff\uac00-\ud7ff]+)"
    r"|(?P<letters>[\u0250-\u1fff][\u0250-\u1fff\u200b-\u200d]*)"
    r"|(?P<symbols>[^\x00-\x7f]+)|(?P<space>\s{2,})|(?P<marks>[^\sA-Za-z0-9]+)"
)
_PLAIN_KINDS = re.compile(r"(?P<plain>[A-Za-z]+)|(?P<number>[0-9]+)|(?P<marks>[+/]+)")
_CHANGE = re.compile(r"(?<=[a-z])[A-Z0-9]|(?<=[A-Z])[a-z0-9]|(?<=[0-9])[A-Za-z]")

_TOKENS_EACH = {"ideographs": 0.79, "hangul": 0.7, "symbols": 1.7}
"""Tokens a character."""
_CHARS_EACH = {"space": 100, "line": 20, "latin": 3.2}
"""Characters a token, where many are one."""

_SCRIPTS = (
    (0x0250, 1.0),
    (0x0370, 0.37),  # Greek
    (0x0400, 0.36),  # Cyrillic
    (0x0530, 0.39),  # Armenian
    (0x0590, 0.40),  # Hebrew
    (0x0600, 0.38),  # Arabic
    (0x0700, 1.2),
    (0x0900, 0.36),  # Devanagari
    (0x0980, 0.39),  # Bengali
    (0x0A00, 0.6),  # Gurmukhi
    (0x0A80, 0.46),  # Gujarati
    (0x0B00, 0.9),
    (0x0B80, 0.36),  # Tamil
    (0x0C00, 0.39),  # Telugu, Kannada
    (0x0D00, 0.33),  # Malayalam
    (0x0D80, 0.63),  # Sinhala
    (0x0E00, 0.44),  # Thai
    (0x0E80, 1.9),  # Lao
    (0x0F00, 1.5),  # Tibetan
    (0x1000, 0.47),  # Burmese
    (0x10A0, 0.38),  # Georgian
    (0x1200, 2.1),  # Ethiopic
    (0x1780, 0.6),  # Khmer
    (0x1800, 1.5),
)
"""Where a script begins, and tokens a letter; a space before a word costs nothing."""
_STARTS = [start for start, _ in _SCRIPTS]

_SHORT_WORD_CHARS = 3
_ENGLISH_SHARE = 0.08
"""Of words with letters beyond ASCII: with more, the others are no English words either."""
_TOKENS_MORE = 2.0
"""That a long word takes, times the share above that."""


def estimate_tokens(text: str) -> int:
    """Tokens of `text`."""
    tokens = 0.0
    plain = long = latin = 0
    for match in _KINDS.finditer(text):
        tokens += _match_tokens(match)
        if match.lastgroup == "plain":
            plain += 1
            long += match.end() - match.start() > _SHORT_WORD_CHARS
        elif match.lastgroup == "latin":
            latin += 1
    foreign = latin / max(1, latin + plain) - _ENGLISH_SHARE
    return round(tokens + long * min(1.0, _TOKENS_MORE * max(0.0, foreign)))


def _match_tokens(match: re.Match[str]) -> float:
    kind, length = match.lastgroup or "", match.end() - match.start()
    if kind == "plain":
        return 1 if length <= 8 else length / 6
    if kind == "number":
        return (length + 2) // 3
    if kind == "dense":
        return _dense_tokens(match[0])
    if kind == "letters":
        return length * _SCRIPTS[bisect(_STARTS, ord(match[0][0])) - 1][1]
    if kind == "gap":
        return 1.0 if length == 1 else 2.0
    each = _TOKENS_EACH.get(kind)
    return length * each if each else max(1.0, length / _CHARS_EACH.get(kind, 3))


def _dense_tokens(run: str) -> float:
    """Tokens of a long run without spaces: base64 or a hash by its length, a path by its words."""
    if 4 * len(_CHANGE.findall(run)) > len(run):
        return len(run) * 0.67
    return sum(_match_tokens(match) for match in _PLAIN_KINDS.finditer(run))
