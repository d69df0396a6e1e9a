"""Data to ask about: a small frame like the penguins, made here, and its schema."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pi_notebook.models.offline.schema import Column, Schema


def penguins() -> pd.DataFrame:
    """Made-up penguins with gaps, ties and a date column; the same each time."""
    rng = np.random.default_rng(7)
    rows = 180
    species = np.array(["Adelie", "Gentoo", "Chinstrap"])[rng.integers(0, 3, rows)]
    base = pd.Series(species).map({"Adelie": 3700, "Gentoo": 5100, "Chinstrap": 3750}).to_numpy()
    mass = (base + rng.normal(0, 300, rows)).round(-1)
    frame = pd.DataFrame(
        {
            "species": species,
            "island": np.array(["Biscoe", "Dream", "Torgersen"])[rng.integers(0, 3, rows)],
            "bill_length_mm": rng.normal(44, 5, rows).round(1),
            "flipper_length_mm": (mass / 25 + rng.normal(30, 6, rows)).round(),
            "body_mass_g": mass,
            "sex": np.array(["male", "female", None], dtype=object)[
                rng.choice(3, rows, p=[0.48, 0.48, 0.04])
            ],
            "year": rng.integers(2007, 2010, rows),
            "seen": pd.date_range("2021-01-03", periods=rows, freq="5D").strftime("%Y-%m-%d"),
        }
    )
    frame.loc[[3, 40], ["bill_length_mm", "body_mass_g"]] = np.nan
    frame.loc[10, "body_mass_g"] = 9500.0
    return frame


def column(position: int, name: str, dtype: str, values: list[object], *, missing: int = 0) -> Column:
    """A column with these values and no other."""
    return Column(
        position=position,
        label=name,
        name=name,
        dtype=dtype,
        missing=missing,
        distinct=len(values),
        values=tuple(values),
    )


def number(position: int, name: str, *, dtype: str = "float64", missing: int = 0) -> Column:
    """A column of many different numbers."""
    return Column(
        position=position,
        label=name,
        name=name,
        dtype=dtype,
        missing=missing,
        distinct=90,
        values=(41.5, 38.25, 40.0, 39.5, 37.75),
    )


PENGUINS = Schema(
    frame="penguins",
    library="pandas",
    rows=344,
    column_count=8,
    columns=(
        column(0, "species", "str", ["Adelie", "Gentoo", "Chinstrap"]),
        column(1, "island", "str", ["Biscoe", "Dream", "Torgersen"]),
        number(2, "bill_length_mm", missing=2),
        number(3, "bill_depth_mm", missing=2),
        number(4, "flipper_length_mm", missing=2),
        number(5, "body_mass_g", missing=2),
        column(6, "sex", "str", ["male", "female"], missing=11),
        column(7, "year", "int64", [2007, 2008, 2009]),
    ),
)
"""The Palmer penguins as their profile tells them."""

SALES = Schema(
    frame="sales",
    library="pandas",
    rows=1000,
    column_count=8,
    columns=(
        number(0, "order_id", dtype="int64"),
        Column(
            position=1,
            label="Order Date",
            name="Order Date",
            dtype="str",
            missing=0,
            distinct=700,
            values=("2021-03-04", "2022-11-30"),
        ),
        column(2, "Region", "str", ["North", "South", "East", "West"]),
        number(3, "unitPrice"),
        number(4, "qty", dtype="int64"),
        Column(
            position=5,
            label="Revenue $",
            name="Revenue $",
            dtype="str",
            missing=0,
            distinct=800,
            values=("1,200.50", "$95", "310"),
        ),
        column(6, "returned", "bool", [False, True]),
        column(7, "客户类型", "str", ["企业", "个人"]),
    ),
)
"""A frame with a text date, numbers kept as text and a Chinese column."""
