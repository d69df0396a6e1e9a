"""A prompt cut into words, numbers, dates and quoted names, in English and Chinese alike."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal

from pi_notebook.models.offline.question.glossary import GLOSSARY
from pi_notebook.models.offline.question.vocabulary import CHINESE
from pi_notebook.models.offline.question.words import has_chinese, stem

TokenKind = Literal["word", "quoted", "number", "date", "range", "op", "mark"]

_TOKEN = re.compile(
    r"""
    (?P<quoted>`[^`\n]+`|"[^"\n]+"|“[^”\n]+”|「[^」\n]+」|『[^』\n]+』|‘[^’\n]+’|(?<!\w)'[^'\n]+'(?!\w))
  | (?P<range>(?<!\d)\d{4}\s*(?:-|–|—|~|到|至)\s*\d{4}(?!\d))
  | (?P<date>(?<!\d)\d{4}-\d{2}(?:-\d{2})?(?!\d))
  | (?P<op>>=|<=|!=|==|[=<>≥≤≠])
  | (?P<number>(?<![A-Za-z0-9_.])[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?%?(?![A-Za-z_\d]))
  | (?P<chinese>[\u4e00-\u9fff]+)
  | (?P<word>@?[A-Za-z0-9_\u00c0-\u024f](?:[A-Za-z0-9_\u00c0-\u024f]|['’.\-/&](?=[A-Za-z0-9_\u00c0-\u024f]))*)
  | (?P<mark>[,，、;；&%$])
    """,
    re.VERBOSE,
)
_CHINESE_DIGITS = {"一": "1", "二": "2", "两": "2", "三": "3", "四": "4", "五": "5", "六": "6", "十": "10"}
_DECIMALS = re.compile(
    r"(?i)\(?(?:rounded |round |give |with |to |up to |using )*(?P<en>\d|one|two|three)[ -]?"
    r"(?:decimals?(?: places?)?|dp|d\.p\.)\)?"
    r"|(?:保留|精确到|取)?\s*(?P<zh>[0-9一二两三四五六])\s*位小数"
)
_ENGLISH_DIGITS = {"one": "1", "two": "2", "three": "3"}
_PERIOD = re.compile(r"\(?\s*YYYY-MM(?P<day>-DD)?\s*\)?")


@dataclass(frozen=True)
class Token:
    """A piece of the prompt."""

    kind: TokenKind
    text: str

    @property
    def stem(self) -> str:
        return stem(self.text)


@dataclass(frozen=True)
class Prompt:
    """The tokens of a prompt, and the wishes for its answer's form."""

    tokens: tuple[Token, ...]
    decimals: int | None = None
    period: Literal["month", "day"] | None = None
    """The form of date asked for, as `YYYY-MM`."""


def tokenize(text: str, names: Collection[str] = ()) -> Prompt:
    """`text` in tokens; `names` are Chinese columns and values that must stay whole."""
    text, decimals = _take_decimals(text)
    period = _PERIOD.search(text)
    text = _PERIOD.sub(" ", text)
    return Prompt(
        tokens=tuple(_tokens(text, names)),
        decimals=decimals,
        period=None if period is None else "day" if period["day"] else "month",
    )


def _take_decimals(text: str) -> tuple[str, int | None]:
    match = _DECIMALS.search(text)
    if match is None:
        return text, None
    digit = match["en"] or match["zh"]
    digit = _CHINESE_DIGITS.get(digit, _ENGLISH_DIGITS.get(digit.casefold(), digit))
    return text[: match.start()] + " " + text[match.end() :], int(digit)


def _tokens(text: str, names: Collection[str]) -> Iterator[Token]:
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "chinese":
            yield from _segment(match[0], names)
        elif kind == "quoted":
            yield Token("quoted", match[0][1:-1].strip())
        elif kind == "word":
            yield Token("word", match[0])
        elif kind in ("range", "date", "op", "number", "mark"):
            yield Token(kind, match[0])  # type: ignore[arg-type]


def _segment(run: str, names: Collection[str]) -> Iterator[Token]:
    """A run of Chinese in words, the longest known one first; what is unknown stays together."""
    known = {name for name in names if has_chinese(name)}
    longest = max(map(len, [*known, *GLOSSARY, *CHINESE]))
    unknown = ""
    position = 0
    while position < len(run):
        word = _longest_word(run, position, longest, known)
        if word and unknown:
            yield Token("word", unknown)
            unknown = ""
        if not word:
            unknown += run[position]
            position += 1
            continue
        yield Token("number", _CHINESE_DIGITS[word]) if word in _CHINESE_DIGITS else Token("word", word)
        position += len(word)
    if unknown:
        yield Token("word", unknown)


def _longest_word(run: str, start: int, longest: int, known: set[str]) -> str:
    for length in range(min(longest, len(run) - start), 0, -1):
        word = run[start : start + length]
        if word in known or word in GLOSSARY or word in CHINESE or word in SYNONYMS_ZH:
            return word
        if word in _CHINESE_DIGITS and word not in CHINESE:
            return word
    return ""


SYNONYMS_ZH = frozenset(
    [
        "女性",
        "雌性",
        "女",
        "雌",
        "男性",
        "雄性",
        "男",
        "雄",
        "人",
        "乘客",
        "顾客",
        "客户",
        "学生",
        "患者",
        "员工",
        "汽车",
        "房屋",
        "企鹅",
        "动物",
        "用户",
        "行星",
        "航班",
    ]
)
