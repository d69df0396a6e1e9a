"""Plots without a window, and none left open."""

import matplotlib
import pytest

matplotlib.use("agg")


@pytest.fixture(autouse=True)
def _close_plots():
    yield
    from matplotlib import pyplot

    pyplot.close("all")
