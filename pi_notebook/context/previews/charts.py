"""Previews of charts of plotly, altair and bokeh: title, axes, marks, size of data; nothing is exported."""

from __future__ import annotations

import collections
from typing import Any

from pi_notebook.context.amounts import count_of
from pi_notebook.context.previews.foreign import attempt, instance_attributes, is_instance, type_name
from pi_notebook.context.previews.leaves import leaf
from pi_notebook.context.previews.listing import listed, preview_lines
from pi_notebook.context.previews.preview import Preview
from pi_notebook.context.previews.wording import label, one_line, quoted

_MAX_TRACES = 20
_MAX_DEPTH = 3
_DATA_OF_TRACES = ("x", "y", "z", "values", "labels", "r", "theta", "lat", "lon", "locations", "ids")
_LAYERS = ("layer", "hconcat", "vconcat", "concat")


def preview_chart(value: Any, max_tokens: int) -> Preview | None:
    """What a chart shows; None for what is no chart."""
    if is_instance(value, "plotly.basedatatypes", "BaseFigure"):
        lines = _plotly(value)
    elif is_instance(value, "altair", "TopLevelMixin"):
        lines = _altair(value, 0)
    elif is_instance(value, "bokeh.models", "Plot"):
        lines = _bokeh(value)
    elif is_instance(value, "bokeh.models", "LayoutDOM"):
        lines = _bokeh_layout(value)
    else:
        return None
    header = f"{type_name(value)} ({type(value).__module__.partition('.')[0]})"
    return preview_lines(header + lines[0], lines[1:], max_tokens=max_tokens, kind="figure")


def _plotly(figure: Any) -> list[str]:
    """The figure's own dicts; its attributes would make objects of them."""
    layout, traces = dict(figure._layout), list(figure._data)
    axes = [
        f"{name.replace('axis', '')} {quoted(title, 40)}"
        for name, axis in layout.items()
        if name[1:].startswith("axis") and (title := _titled(axis))
    ]
    title = _titled(layout)
    shown = [f" {quoted(title, 80)}"] if title else []
    header = ", ".join([*shown, count_of(len(traces), "trace"), *axes[:6]])
    lines = [_trace(trace) for trace in traces[:_MAX_TRACES]]
    if len(traces) > _MAX_TRACES:
        lines.append(f"… {count_of(len(traces) - _MAX_TRACES, 'more trace')} …")
    return [header if header.startswith(" ") else f", {header}", *lines]


def _titled(holder: Any) -> str:
    title = holder.get("title") if isinstance(holder, dict) else None
    text = title.get("text") if isinstance(title, dict) else title
    return text if isinstance(text, str) else ""


def _trace(trace: dict[str, Any]) -> str:
    name = trace.get("name")
    facts = [
        str(trace.get("type", "scatter")),
        *([quoted(name, 40)] if isinstance(name, str) and name else []),
    ]
    if isinstance(mode := trace.get("mode"), str):
        facts.append(mode)
    sizes = [f"{key} {_length(trace[key])}" for key in _DATA_OF_TRACES if key in trace]
    return one_line(f"{' '.join(facts)}: {', '.join(sizes)}" if sizes else " ".join(facts), 200)


def _length(data: Any) -> str:
    shape = getattr(data, "shape", None)
    if isinstance(shape, tuple) and shape:
        return " x ".join(f"{size:,}" for size in shape)
    if isinstance(data, dict) and "bdata" in data:
        return "(encoded)"
    return attempt(lambda: f"{len(data):,}", "?")


def _altair(chart: Any, depth: int) -> list[str]:
    """The chart's own specification, as it was put together."""
    held: dict[str, Any] = instance_attributes(chart).get("_kwds", {})
    title = _altair_text(held.get("title"))
    mark = _altair_text(held.get("mark"), "type")
    facts = [quoted(title, 80)] if title else []
    facts += [f"mark {mark}"] if mark else []
    facts += _altair_data(held.get("data"))
    lines = [f" {', '.join(facts)}" if facts else "", *_altair_channels(held.get("encoding"))]
    for name in _LAYERS:
        parts = held.get(name)
        if type(parts) is list and depth < _MAX_DEPTH:
            lines.append(f"{name} of {count_of(len(parts), 'chart')}")
            for part in parts[:_MAX_TRACES]:
                inner = _altair(part, depth + 1)
                lines += [f"  {type_name(part)}{inner[0]}", *(f"  {line}" for line in inner[1:])]
    if is_instance(inner_chart := held.get("spec"), "altair", "TopLevelMixin") and depth < _MAX_DEPTH:
        lines += [f"  {line}" for line in _altair(inner_chart, depth + 1)]
    return lines


def _altair_text(item: Any, field: str = "text") -> str:
    if isinstance(item, str):
        return item
    found = instance_attributes(item).get("_kwds", {}).get(field)
    return found if isinstance(found, str) else ""


def _altair_data(data: Any) -> list[str]:
    text = leaf(data, 80)[0]
    if data is None or text == "Undefined":
        return []
    url = instance_attributes(data).get("_kwds", {}).get("url")
    return [f"data {quoted(url, 120) if isinstance(url, str) else text}"]


def _altair_channels(encoding: Any) -> list[str]:
    channels: dict[str, Any] = instance_attributes(encoding).get("_kwds", {})
    lines = []
    for name, channel in channels.items():
        held: dict[str, Any] = instance_attributes(channel).get("_kwds", {})
        given = {key: item for key, item in held.items() if leaf(item, 60)[0] != "Undefined"}
        field = given.pop("shorthand", None) or given.pop("field", None)
        title = given.get("title")
        if field is None and title is None and not given:
            continue
        shown = label(field, 60) if field is not None else leaf(next(iter(given.values())), 60)[0]
        lines.append(f"{name}: {shown}" + (f", title {quoted(title, 60)}" if isinstance(title, str) else ""))
    return lines


def _bokeh(plot: Any) -> list[str]:
    title = attempt(lambda: plot.title.text, "")
    facts = [quoted(title, 80)] if isinstance(title, str) and title else []
    for name, places in (("x", ("below", "above")), ("y", ("left", "right"))):
        axes = [item for place in places for item in getattr(plot, place)]
        texts = [text for axis in axes if isinstance(text := getattr(axis, "axis_label", None), str) and text]
        facts += [f"{name} {quoted(text, 40)}" for text in texts[:2]]
    drawn = list(plot.renderers)
    facts.append(count_of(len(drawn), "renderer"))
    lines = [attempt(lambda item=item: _glyph(item), type_name(item)) for item in drawn[:_MAX_TRACES]]  # type: ignore[misc]
    if len(drawn) > _MAX_TRACES:
        lines.append(f"… {count_of(len(drawn) - _MAX_TRACES, 'more renderer')} …")
    return [f" {', '.join(facts)}", *lines]


def _glyph(renderer: Any) -> str:
    glyph = type_name(renderer.glyph)
    data = dict(renderer.data_source.data)
    columns = listed([f"{label(name, 24)} {_length(column)}" for name, column in data.items()])
    return f"{glyph}: {columns}"


def _bokeh_layout(value: Any) -> list[str]:
    children = attempt(lambda: list(value.children), [])
    items = [child[0] if isinstance(child, tuple) else child for child in children]
    kinds = collections.Counter(map(type_name, items))
    counted = [f"{name} x {count}" if count > 1 else name for name, count in kinds.items()]
    lines = [
        f"  {type_name(item)}{line}"
        for item in items[:_MAX_TRACES]
        if is_instance(item, "bokeh.models", "Plot")
        for line in _bokeh(item)[:1]
    ]
    return [f" of {listed(counted)}" if items else "", *lines]
