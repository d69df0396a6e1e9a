"""Which column, or which value of one, some words of a prompt mean.

Matching forgives case, underscores, plurals, word order, units and usual abbreviations. It never
picks among equals: all columns that fit equally well are returned, and the question decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pi_notebook.models.offline.question.glossary import GLOSSARY, SYNONYMS, UNITS
from pi_notebook.models.offline.question.words import root, split_name, stem
from pi_notebook.models.offline.schema import Column, Schema

MAX_SPAN = 6
"""Words of a prompt that may name one column."""


@dataclass(frozen=True)
class ColumnMatch:
    """Columns that some words may mean, equally well."""

    columns: tuple[Column, ...]
    is_exact: bool
    """The words are the column's whole name, units aside."""


@dataclass(frozen=True)
class ValueMatch:
    """Values of columns that some words may mean: (column, value)."""

    pairs: tuple[tuple[Column, Any], ...]


def match_exactly(words: Sequence[str], schema: Schema) -> ColumnMatch | None:
    """Columns named just so: letter by letter first, then whatever the case and the order of words."""
    text = " ".join(words)
    for key in (lambda name: name, str.casefold):
        same = tuple(column for column in schema.columns if key(column.name.strip()) == key(text))
        if same:
            return ColumnMatch(same, True)
    for parts in _readings(words):
        for names in (_full, _core):
            same = tuple(c for c in schema.columns if parts and sorted(names(c)) == sorted(parts))
            if same:
                return ColumnMatch(same, True)
    return None


def match_partly(words: Sequence[str], schema: Schema) -> ColumnMatch | None:
    """Columns whose names contain the words, or are short for them."""
    for test in (_contains, _same_root, _abbreviates, _glued):
        for parts in _readings(words):
            if not any(len(part) > 2 for part in parts):
                continue
            found = tuple(c for c in schema.columns if test(_core(c), parts))
            if found:
                return ColumnMatch(found, False)
    return None


def match_value(words: Sequence[str], schema: Schema) -> ValueMatch | None:
    """Values, of columns whose values are all known, that the words name."""
    return _equal_values(" ".join(words), schema, lambda text: {_fold(text)}) or _equal_values(
        " ".join(words), schema, _value_forms
    )


def _equal_values(text: str, schema: Schema, forms: Any) -> ValueMatch | None:
    wanted = forms(text)
    pairs = tuple(
        (column, value)
        for column in schema.columns
        if column.role == "text" and column.has_all_values
        for value in column.values
        if isinstance(value, str) and len(value) > 1 and _fold(value) in wanted
    )
    return ValueMatch(pairs) if pairs else None


def _value_forms(text: str) -> set[str]:
    single = " ".join(stem(word) for word in text.split())
    return {_fold(text), _fold(text.removesuffix("s")), _fold(single), *map(_fold, SYNONYMS.get(single, ()))}


def _fold(text: str) -> str:
    return " ".join(text.casefold().replace("_", " ").replace("-", " ").split())


def _readings(words: Sequence[str]) -> list[tuple[str, ...]]:
    """The words as stems, as they stand and with one synonym or translation put in."""
    readings = [tuple(part for word in words for part in split_name(word))]
    for position, word in enumerate(words):
        others = [*SYNONYMS.get(stem(word), ()), *GLOSSARY.get(word, "").split("|")]
        for other in filter(None, others):
            changed = [*words[:position], *other.split(), *words[position + 1 :]]
            readings.append(tuple(part for item in changed for part in split_name(item)))
    return readings


def _full(column: Column) -> tuple[str, ...]:
    return split_name(column.name)


def _core(column: Column) -> tuple[str, ...]:
    """The parts of a column's name without its unit."""
    parts = _full(column)
    return parts[:-1] if len(parts) > 1 and parts[-1] in UNITS else parts


def unit_of(column: Column) -> str | None:
    """The unit a column's name ends with."""
    parts = _full(column)
    return UNITS.get(parts[-1]) if len(parts) > 1 else None


def _contains(name: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    return set(parts) <= set(name)


def _same_root(name: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    roots = {root(part) for part in name}
    return all(len(part) > 3 and root(part) in roots for part in parts)


def _abbreviates(name: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    """`temp` for temperature, part by part."""
    return len(name) == len(parts) and all(
        short == part or (len(short) >= 3 and part.startswith(short))
        for short, part in zip(name, parts, strict=True)
    )


def _glued(name: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    """`alldeaths` for deaths."""
    joined = "".join(parts)
    return len(joined) >= 5 and any(
        len(part) > len(joined) and (part.endswith(joined) or part.startswith(joined)) for part in name
    )
