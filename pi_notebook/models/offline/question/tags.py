"""What each word of a prompt means for one frame: a column, a value, a measure, nothing known.

Tagging looks at words alone, longest phrase first; what the tags mean together is left to
`question`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from pi_notebook.models.offline.question.columns import (
    MAX_SPAN,
    ColumnMatch,
    match_exactly,
    match_partly,
    match_value,
)
from pi_notebook.models.offline.question.glossary import ENTITIES, MONTHS, UNITS
from pi_notebook.models.offline.question.tokens import Token
from pi_notebook.models.offline.question.vocabulary import CHINESE, LONGEST_PHRASE, PHRASES
from pi_notebook.models.offline.question.words import split_name, stem
from pi_notebook.models.offline.schema import Column, Schema

_NUMERALS = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "twenty": 20,
}


@dataclass(frozen=True)
class Tag:
    """A piece of the prompt and its meaning."""

    kind: str
    """A kind of the vocabulary, or column, value, number, year, range, month, date, unit, noun, unknown."""
    value: Any
    text: str
    columns: tuple[Column, ...] = ()
    """For a column: those it may mean."""
    is_exact: bool = True


def tag_tokens(tokens: Sequence[Token], schema: Schema, mentions: Collection[str] = ()) -> list[Tag]:
    """The tags of `tokens`; `mentions` are the stems of the words that name the frame or its file."""
    tags: list[Tag] = []
    position = 0
    while position < len(tokens):
        length, tag = _next(tokens, position, schema, mentions)
        tags.append(tag)
        position += length
    return tags


def _next(tokens: Sequence[Token], start: int, schema: Schema, mentions: Collection[str]) -> tuple[int, Tag]:
    token = tokens[start]
    if _names_frame(token, schema, mentions):
        return 1, Tag("frame", None, token.text)
    if token.kind in ("number", "range", "date", "op", "mark"):
        return 1, _plain(token)
    if token.kind == "quoted":
        return 1, _quoted(token, schema)
    return _word(tokens, start, schema, mentions)


def _names_frame(token: Token, schema: Schema, mentions: Collection[str]) -> bool:
    """True for the frame's name, in singular too; a column of that name goes before the singular."""
    word = token.text.lstrip("@")
    if stem(word) not in mentions:
        return False
    return word == schema.frame or all(column.name.casefold() != word.casefold() for column in schema.columns)


def _plain(token: Token) -> Tag:
    if token.kind == "op":
        return Tag(*PHRASES[(token.text,)], token.text)
    if token.kind == "mark":
        return Tag("and", "", token.text) if token.text in "&,，、" else Tag("stop", "", token.text)
    if token.kind == "range":
        low, high = int(token.text[:4]), int(token.text[-4:])
        return Tag("range", (low, high), token.text)
    if token.kind == "date":
        return Tag("date", token.text, token.text)
    if token.text.endswith("%"):
        return Tag("unknown", "", token.text)
    number = float(token.text.replace(",", ""))
    whole = int(number) if number.is_integer() else number
    is_year = isinstance(whole, int) and len(token.text) == 4 and 1500 <= whole <= 2199
    return Tag("year" if is_year else "number", whole, token.text)


def _quoted(token: Token, schema: Schema) -> Tag:
    words = (token.text,)
    found = match_exactly(words, schema)
    if found:
        return Tag("column", None, token.text, found.columns)
    value = match_value(words, schema)
    if value:
        return Tag("value", value.pairs, token.text)
    partly = match_partly(words, schema)
    if partly:
        return Tag("column", None, token.text, partly.columns, False)
    return Tag("unknown", "quoted", token.text)


def _word(tokens: Sequence[Token], start: int, schema: Schema, mentions: Collection[str]) -> tuple[int, Tag]:
    run = _run(tokens, start, schema, mentions)
    phrase = _phrase(run)
    for length in range(min(MAX_SPAN, len(run)), 0, -1):
        words = [token.text for token in run[:length]]
        if phrase and length <= phrase[0] and not _insists(words, schema, phrase[1]):
            return phrase
        text = " ".join(words)
        columns = match_exactly(words, schema)
        if columns:
            return length, Tag("column", None, text, columns.columns)
        value = match_value(words, schema)
        if value:
            return length, Tag("value", value.pairs, text)
    return phrase or _loose(run, schema)


def _run(tokens: Sequence[Token], start: int, schema: Schema, mentions: Collection[str]) -> list[Token]:
    """The words from `start` on that no other token parts; numbers may be part of a name (`pop 2023`)."""
    run = [tokens[start]]
    for token in tokens[start + 1 : start + max(MAX_SPAN, LONGEST_PHRASE)]:
        if token.kind not in ("word", "number") or _names_frame(token, schema, mentions):
            break
        run.append(token)
    return run


def _insists(words: Sequence[str], schema: Schema, tag: Tag) -> bool:
    """A column is named letter by letter by a word that also has a meaning, and that meaning is weak."""
    weak = tag.kind in ("part", "intent", "stop", "rows", "share", "where")
    return weak and any(
        column.name in (words[0], words[0].casefold()) for column in schema.columns if len(words) == 1
    )


def _phrase(run: Sequence[Token]) -> tuple[int, Tag] | None:
    first = run[0].text
    if first in CHINESE:
        return 1, Tag(*CHINESE[first], first)
    for length in range(min(LONGEST_PHRASE, len(run)), 0, -1):
        words = tuple(token.text.casefold() for token in run[:length])
        found = PHRASES.get(words) or PHRASES.get(tuple(map(stem, words)))
        if found:
            return length, Tag(*found, " ".join(token.text for token in run[:length]))
    return None


def _loose(run: Sequence[Token], schema: Schema) -> tuple[int, Tag]:
    """A word that is neither vocabulary nor a whole name: part of a column's name, a month, a unit."""
    for length in range(min(MAX_SPAN, len(run)), 0, -1):
        if any(_phrase(run[position:length]) for position in range(1, length)):
            continue
        partly: ColumnMatch | None = match_partly([token.text for token in run[:length]], schema)
        if partly:
            text = " ".join(token.text for token in run[:length])
            return length, Tag("column", None, text, partly.columns, False)
    return 1, _single(run[0], schema)


def _single(token: Token, schema: Schema) -> Tag:
    word = token.stem
    # "may" and "march" are verbs unless they are written as names.
    if token.text.casefold() in MONTHS and (token.text[0].isupper() or word not in ("may", "march")):
        return Tag("month", MONTHS[token.text.casefold()], token.text)
    if word in UNITS:
        return Tag("unit", UNITS[word], token.text)
    if word in _NUMERALS:
        return Tag("number", _NUMERALS[word], token.text)
    if word in ENTITIES or _is_part_of(word, schema.frame):
        return Tag("noun", word, token.text)
    return Tag("unknown", "", token.text)


def _is_part_of(word: str, frame: str) -> bool:
    """`strikes` of a frame called `birdstrikes`: its rows."""
    return word in split_name(frame) or (len(word) >= 5 and stem(frame).endswith(word))
