"""Figures and pictures in a few words; what they look like is an image's business."""

from __future__ import annotations

from typing import Any

from pi_notebook.context.amounts import count_of
from pi_notebook.context.previews.foreign import attempt, instance_attributes, is_instance, type_name
from pi_notebook.context.previews.listing import listed
from pi_notebook.context.previews.preview import Preview
from pi_notebook.context.previews.wording import byte_size, one_line, quoted

_MAX_PANELS = 6
_ARTISTS = (
    ("line", "lines"), ("patch", "patches"), ("collection", "collections"), ("image", "images"),
    ("text", "texts"), ("table", "tables"),
)  # fmt: skip
"""What an axes draws, and its attribute."""


def preview_figure(value: object, max_tokens: int) -> Preview | None:
    """A line on a figure of matplotlib, an axes or a picture; None for anything else."""
    text = attempt(lambda: _line(value), None)
    return None if text is None else Preview(text=text, kind="figure", is_complete=False)


def _line(value: Any) -> str | None:
    if is_instance(value, "matplotlib.figure", "FigureBase"):
        return _figure(value)
    if is_instance(value, "matplotlib.axes", "Axes"):
        return f"{type_name(value)} (matplotlib): {_axes(value)}"
    if is_instance(value, "PIL.Image", "Image"):
        return _picture(value)
    return None


def _figure(figure: Any) -> str:
    panels = [_axes(axes) for axes in figure.axes[:_MAX_PANELS]]
    size = attempt(lambda: [round(side * figure.dpi) for side in figure.get_size_inches()], None)
    title = attempt(lambda: figure.get_suptitle(), "")
    facts = [f"{type_name(figure)} (matplotlib)" + (f" {quoted(title, 80)}" if title else "")]
    facts += [f"{size[0]}x{size[1]} px"] if size else []
    more = f"; … {len(figure.axes) - _MAX_PANELS} more" if len(figure.axes) > _MAX_PANELS else ""
    plots = f": {'; '.join(panels)}{more}" if panels else ""
    return f"{', '.join(facts)}, {count_of(len(figure.axes), 'plot')}{plots}"


def _axes(axes: Any) -> str:
    parts = [quoted(title, 80)] if (title := axes.get_title()) else []
    for name, text in (("x", axes.get_xlabel()), ("y", axes.get_ylabel())):
        if text:
            parts.append(f"{name} {quoted(text, 40)}")
    for noun, plural in _ARTISTS:
        if count := len(getattr(axes, plural)):
            parts.append(count_of(count, noun, plural))
    legend = attempt(lambda: [text.get_text() for text in axes.get_legend().get_texts()], [])
    if legend:
        parts.append(f"legend {listed([quoted(text, 24) for text in legend])}")
    return " ".join(parts) or "empty"


def _picture(image: Any) -> str:
    """Size and mode; an image that was only opened stays unread."""
    facts = [
        f"{type_name(image)} (PIL), {image.width}x{image.height} px, mode {one_line(str(image.mode), 12)}"
    ]
    held = instance_attributes(image)
    if isinstance(name := held.get("filename"), str) and name:
        facts.append(f"from {quoted(name, 120)}")
    bands = attempt(lambda: len(image.getbands()), 0)
    is_unread = bool(held.get("tile")) or held.get("_im", bands) is None
    if is_unread:
        facts.append("not read yet")
    elif bands:
        facts.append(f"{byte_size(image.width * image.height * bands)} of pixels")
    return ", ".join(facts)
