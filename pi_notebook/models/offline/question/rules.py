"""A prompt and a frame's schema turned into a `Query`, or into the reason why not.

Each rule answers one kind of question. The first whose sign is in the prompt takes it, and must
use every word that means something; a question that asks for more is declined.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from pi_notebook.models.offline.query import Query, Unclear
from pi_notebook.models.offline.question.checking import describe, duplicates, missing, outliers, shape
from pi_notebook.models.offline.question.clauses import build_reading
from pi_notebook.models.offline.question.measuring import aggregate, counts, extreme, share
from pi_notebook.models.offline.question.plotting import plot
from pi_notebook.models.offline.question.reading import Reading, UnclearError, unclear
from pi_notebook.models.offline.question.relating import compare, correlation, trend
from pi_notebook.models.offline.question.tags import Tag, tag_tokens
from pi_notebook.models.offline.question.tokens import Prompt, tokenize
from pi_notebook.models.offline.schema import Column, Schema


def read_question(prompt: str, schema: Schema, mentions: Collection[str] = ()) -> Query | Unclear:
    """What `prompt` asks of the frame; `mentions` are the words that name it."""
    names = [column.name for column in schema.columns]
    names += [str(value) for column in schema.columns for value in column.values if column.role == "text"]
    tokens = tokenize(prompt, names)
    tags = tag_tokens(tokens.tokens, schema, mentions)
    if _is_overview(tags):
        return Query(kind="overview", columns=_named(tags))
    try:
        return _focused(tags, schema, tokens)
    except UnclearError as error:
        if any(tag.kind == "intent" and tag.value == "overview" for tag in tags):
            return Query(kind="overview", columns=_named(tags))
        return error.unclear


_STRICT = frozenset({"measure", "share", "end", "plot", "between", "op", "after_op", "when", "after_when"})


def _is_overview(tags: Sequence[Tag]) -> bool:
    """No word asks for one thing, or words ask for an overview and something vague besides."""
    meaning = [
        tag
        for tag in tags
        if tag.kind not in ("stop", "frame", "mark", "and", "where", "rows", "noun", "ask")
    ]
    wants = any(tag.kind == "intent" and tag.value == "overview" for tag in meaning)
    if wants and not any(tag.kind in _STRICT for tag in meaning):
        others = [tag for tag in meaning if (tag.kind, tag.value) != ("intent", "overview")]
        return not others or any(tag.kind == "unknown" for tag in others) or len(others) > 2
    return not meaning


def _named(tags: Sequence[Tag]) -> tuple[Column, ...]:
    return tuple(
        dict.fromkeys(tag.columns[0] for tag in tags if tag.kind == "column" and len(tag.columns) == 1)
    )


def _focused(tags: Sequence[Tag], schema: Schema, prompt: Prompt) -> Query:
    reading = build_reading(tags, schema)
    rule = next(rule for sign, rule in _RULES if sign(reading))
    query = rule(reading)
    reading.need_empty()
    if len(query.groups) > 2:
        raise unclear("unsupported", [group.name for group in query.groups])
    _refuse_odd_columns(query)
    # A comparison has taken the filters that name its two groups.
    filters = query.filters if query.kind == "compare" else tuple(dict.fromkeys(reading.filters))
    return replace(
        query,
        filters=filters,
        decimals=prompt.decimals,
        readings=tuple(dict.fromkeys(reading.readings)),
        row_noun=reading.row_noun,
    )


def _refuse_odd_columns(query: Query) -> None:
    """Lists, spans of time and the like can be counted as missing, and no more."""
    columns = [*query.columns, *(group.column for group in query.groups)]
    odd = [column.name for column in columns if column.role == "other"]
    if odd and query.kind != "missing":
        raise unclear("unsupported", odd)


def _has_intent(*values: str) -> Callable[[Reading], bool]:
    return lambda reading: reading.has("intent", *values)


_RULES: tuple[tuple[Callable[[Reading], bool], Callable[[Reading], Query]], ...] = (
    (lambda reading: reading.has("plot"), plot),
    (lambda reading: reading.has("intent", "correlation") or reading.has("method"), correlation),
    (_has_intent("duplicates"), duplicates),
    (_has_intent("outliers"), outliers),
    (_has_intent("trend"), trend),
    (_has_intent("missing"), missing),
    (_has_intent("compare"), compare),
    (lambda reading: reading.has("share"), share),
    (_has_intent("counts"), counts),
    (lambda reading: reading.has("measure") and not reading.has("intent", "shape"), aggregate),
    (lambda reading: reading.has("end"), extreme),
    (_has_intent("shape"), shape),
    (lambda reading: True, describe),
)
"""Signs and rules, the most telling first."""
