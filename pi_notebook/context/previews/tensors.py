"""Previews of torch's tensors: shape, type, device; values of those in plain memory."""

from __future__ import annotations

from typing import Any

from pi_notebook.context.amounts import count_of
from pi_notebook.context.previews.arrays import corners, figures_of
from pi_notebook.context.previews.foreign import attempt, is_instance, type_name
from pi_notebook.context.previews.listing import preview_lines
from pi_notebook.context.previews.preview import Preview
from pi_notebook.context.previews.wording import byte_size, one_line

_EDGE = 3


def preview_tensor(value: Any, max_tokens: int) -> Preview | None:
    """What is known of a tensor without moving it from its device; None for anything else."""
    if not is_instance(value, "torch", "Tensor"):
        return None
    shape = tuple(int(size) for size in value.shape)
    count = int(value.numel())
    facts = [
        f"{type_name(value)} (torch): shape {shape}",
        one_line(str(value.dtype), 40),
        one_line(str(value.device), 40),
        count_of(count, "value"),
        byte_size(count * int(value.element_size())),
        *(["requires grad"] if value.requires_grad else []),
    ]
    lines = attempt(lambda: _values(value), [])
    details = {"shape": list(shape)}
    return preview_lines(", ".join(facts), lines, max_tokens=max_tokens, kind="array", details=details)


def _values(tensor: Any) -> list[str]:
    if tensor.device.type != "cpu":
        return []
    held = tensor.detach().numpy()  # shares memory; fails for what has none
    figures = attempt(lambda: figures_of(held), "")
    return [*([figures] if figures else []), *corners(held, _EDGE).split("\n")]
