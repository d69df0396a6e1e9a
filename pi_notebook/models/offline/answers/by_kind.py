"""The answer to each kind of query but plots."""

from __future__ import annotations

from pi_notebook.models.offline.answers import checks, measures, relations
from pi_notebook.models.offline.answers.finding import Writer
from pi_notebook.models.offline.answers.overview import overview

ANSWERS: dict[str, Writer] = {
    "overview": overview,
    "describe": measures.describe,
    "aggregate": measures.aggregate,
    "counts": measures.counts,
    "share": measures.share,
    "missing": checks.missing,
    "duplicates": checks.duplicates,
    "outliers": checks.outliers,
    "trend": relations.trend,
    "compare": relations.compare,
    "correlation": relations.correlation,
    "top": measures.top,
    "shape": measures.shape,
}
"""A function for each kind of query; each gives the paragraphs of the answer."""
