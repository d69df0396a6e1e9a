"""Plots without a window, and none left open."""

import sys

import matplotlib
import pytest

matplotlib.use("agg")


@pytest.fixture(autouse=True)
def _close_plots():
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")
