"""Single values of arrow tables as Python's own, also those that Python's types cannot hold."""

from __future__ import annotations

import sys
from decimal import Decimal
from typing import Any

from pi_notebook.context.amounts import count_of
from pi_notebook.context.previews.foreign import attempt, is_instance, plain_attribute


def arrow_cell(scalar: Any) -> object:
    """The Python value of a scalar; a list stays an arrow array, whose length costs nothing.

    A date behind the year 9999 or before the year 1, and a span of months, become text.
    """
    if plain_attribute(scalar, "is_valid", bool) is False:
        return None
    if is_instance(scalar, "pyarrow", "ListScalar", "LargeListScalar", "FixedSizeListScalar"):
        return scalar.values
    if is_instance(scalar, "pyarrow", "MonthDayNanoIntervalScalar"):
        return attempt(lambda: _span(scalar), scalar)
    held = attempt(lambda: (scalar.as_py(),), None)
    return attempt(lambda: _moment(scalar), scalar) if held is None else held[0]


def _span(scalar: Any) -> str:
    """`1 month 2 days 7200 s`."""
    months, days, nanoseconds = scalar.as_py()
    seconds = f"{Decimal(nanoseconds).scaleb(-9).normalize():f} s" if nanoseconds else ""
    named = [count_of(months, "month") if months else "", count_of(days, "day") if days else "", seconds]
    return " ".join(filter(None, named)) or "0 s"


def _moment(scalar: Any) -> object:
    if is_instance(scalar, "pyarrow", "Date32Scalar", "Date64Scalar"):
        unit, zone = ("D" if is_instance(scalar, "pyarrow", "Date32Scalar") else "ms"), ""
    elif is_instance(scalar, "pyarrow", "TimestampScalar"):
        unit, zone = scalar.type.unit, "+00:00" if scalar.type.tz else ""
    else:
        return scalar
    return str(sys.modules["numpy"].datetime64(scalar.value, unit)).replace("T", " ") + zone
