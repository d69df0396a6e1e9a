"""What tools and hooks of others give a model, within the bounds that our own tools keep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pi_notebook.agent.messages import TextContent, UserContent
from pi_notebook.context.accumulator import OutputAccumulator
from pi_notebook.context.policies.bounds import Bounds
from pi_notebook.context.spill import SpillFolder

_MOST_IMAGES = 8


def bounded_content(content: Sequence[UserContent], resources: Mapping[type, Any]) -> list[UserContent]:
    """`content` as it is when it is within the bounds; else its text cut, the whole kept on disk.

    `resources` are those of the session.
    """
    texts = [block.text for block in content if isinstance(block, TextContent)]
    images = [block for block in content if not isinstance(block, TextContent)]
    bounds = Bounds.of(resources)
    sink = OutputAccumulator(limits=bounds.output, spill_folder=resources.get(SpillFolder), prefix="result")
    sink.write("stdout", "\n".join(texts))
    captured = sink.result(keep=bounds.error_keep)
    sink.close()
    if not captured.notice and len(images) <= _MOST_IMAGES:
        return list(content)
    kept: list[UserContent] = [TextContent(text=captured.text), *images[:_MOST_IMAGES]]
    if len(images) > _MOST_IMAGES:
        kept.append(TextContent(text=f"[{len(images) - _MOST_IMAGES} more images are left out.]"))
    return kept
