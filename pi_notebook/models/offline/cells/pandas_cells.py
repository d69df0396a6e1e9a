"""The pandas cell for each kind of query."""

from __future__ import annotations

from pi_notebook.models.offline.cells.common import Writer
from pi_notebook.models.offline.cells.pandas_checks import duplicates, missing, outliers
from pi_notebook.models.offline.cells.pandas_measures import (
    aggregate,
    counts,
    describe,
    overview,
    shape,
    share,
    top,
)
from pi_notebook.models.offline.cells.pandas_relations import compare, correlation, trend

CELLS: dict[str, Writer] = {
    "overview": overview,
    "describe": describe,
    "aggregate": aggregate,
    "counts": counts,
    "share": share,
    "missing": missing,
    "duplicates": duplicates,
    "outliers": outliers,
    "trend": trend,
    "compare": compare,
    "correlation": correlation,
    "top": top,
    "shape": shape,
}
"""The cell for each kind of query but plots."""
