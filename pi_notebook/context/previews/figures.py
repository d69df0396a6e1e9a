"""Figures, charts and pictures in one line; what they look like is an image's business."""

from __future__ import annotations

from typing import Any

from pi_notebook.context.amounts import count_of
from pi_notebook.context.previews.foreign import attempt, is_instance, type_name
from pi_notebook.context.previews.preview import Preview
from pi_notebook.context.previews.wording import one_line, quoted

_MAX_PANELS = 6
_ARTISTS = (("line", "lines"), ("patch", "patches"), ("collection", "collections"), ("image", "images"))
"""What an axes draws, and its attribute."""


def preview_figure(value: object) -> Preview | None:
    """A line on a figure of matplotlib or plotly, an axes or a picture; None for anything else."""
    text = attempt(lambda: _line(value), None)
    return None if text is None else Preview(text=text, kind="figure", is_complete=False)


def _line(value: Any) -> str | None:
    if is_instance(value, "matplotlib.figure", "FigureBase"):
        panels = [_axes(axes) for axes in value.axes[:_MAX_PANELS]]
        size = attempt(lambda: [round(side * value.dpi) for side in value.get_size_inches()], None)
        pixels = f", {size[0]}x{size[1]} px" if size else ""
        plots = f"{count_of(len(value.axes), 'plot')}: {'; '.join(panels)}"
        return f"{type_name(value)} (matplotlib){pixels}, {plots}"
    if is_instance(value, "matplotlib.axes", "Axes"):
        return f"{type_name(value)} (matplotlib): {_axes(value)}"
    if is_instance(value, "plotly.basedatatypes", "BaseFigure"):
        kinds = ", ".join(str(trace.type) for trace in value.data[:_MAX_PANELS])
        return f"{type_name(value)} (plotly), {count_of(len(value.data), 'trace')}: {one_line(kinds, 200)}"
    if is_instance(value, "PIL.Image", "Image"):
        return f"{type_name(value)} (PIL), {value.width}x{value.height} px, mode {value.mode}"
    return None


def _axes(axes: Any) -> str:
    parts = [quoted(title, 80)] if (title := axes.get_title()) else []
    for name, text in (("x", axes.get_xlabel()), ("y", axes.get_ylabel())):
        if text:
            parts.append(f"{name} {quoted(text, 40)}")
    for noun, plural in _ARTISTS:
        if count := len(getattr(axes, plural)):
            parts.append(count_of(count, noun, plural))
    return " ".join(parts) or "empty"
