"""A query, what its cell printed, and the language to say it in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pi_notebook.models.offline.answers.figures import code, label, number
from pi_notebook.models.offline.answers.texts import Language, listed, say
from pi_notebook.models.offline.query import Query
from pi_notebook.models.offline.schema import Column, Output, Schema


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A query, what it gave, and the language to say it in."""

    query: Query
    schema: Schema
    output: Output
    language: Language

    def say(self, key: str, **values: object) -> str:
        return say(key, self.language, **values)

    def number(self, value: object) -> str:
        return number(value, self.query.decimals)

    @property
    def conditions(self) -> str:
        """The filters as they are written."""
        return listed([code(item.text) for item in self.query.filters], self.language)

    @property
    def where(self) -> str:
        """The filters, to be put behind a noun."""
        return self.say("where", conditions=self.conditions) if self.query.filters else ""

    @property
    def frame(self) -> str:
        return code(self.schema.frame)

    @property
    def column(self) -> Column:
        return self.query.columns[0]

    def label(self, value: object) -> str:
        return label(value, self.say("missing_label"))


Writer = Callable[[Finding], list[str]]
"""The paragraphs of an answer."""
