"""Why a reply ended, whatever its provider calls it, and whether it may count as one."""

from __future__ import annotations

from collections.abc import Sequence

from pi_notebook.agent.messages import AssistantContent, StopReason, TextContent, ToolCall, Usage
from pi_notebook.errors import ContextOverflowError, ModelRefusedError, ModelUnavailableError

_LENGTH = {"length", "max_tokens", "max_output_tokens", "model_length"}
_REFUSED = {
    "content_filter",
    "refusal",
    "safety",
    "recitation",
    "blocklist",
    "prohibited_content",
    "sensitive",
}
_FAILED = {"error", "network_error", "insufficient_system_resource"}
_OVERFLOWED = {"model_context_window_exceeded"}
_FULL_SHARE = 0.99


def stop_reason_of(reason: str | None, content: Sequence[AssistantContent], *, model: str) -> StopReason:
    """The stop reason of a reply with `content` that its provider ended for `reason`.

    What was cut at the output limit stays cut even when it holds calls, and else the content
    decides, not the provider's word: calls are to be run, and without calls there are none.
    Raises a `ModelError` when what came is no reply: broken off, refused, or nothing at all.
    """
    kind = (reason or "").lower()
    if kind in _REFUSED:
        raise ModelRefusedError(
            f"{model} broke off its answer because of its content ({kind}). "
            "Rephrase the prompt, or choose another model.",
            model=model,
        )
    if kind in _OVERFLOWED:
        raise ContextOverflowError(f"The context window of {model} is full.", model=model)
    if kind in _LENGTH:
        return "length"
    if not kind or kind in _FAILED:
        raise ModelUnavailableError(f"{model} broke off in the middle of its answer. Try again.", model=model)
    if any(isinstance(block, ToolCall) for block in content):
        return "toolUse"
    if not any(map(_is_text, content)):
        raise ModelUnavailableError(f"{model} answered with nothing. Try again.", model=model)
    return "stop"


def check_room(
    reason: StopReason, content: Sequence[AssistantContent], usage: Usage, *, context_window: int, model: str
) -> None:
    """Raise `ContextOverflowError` for a reply that was cut before its first word, for want of room.

    Some servers say no more than that when a request fills the window.
    """
    asked = usage.input + usage.cache_read + usage.cache_write
    is_empty = not any(isinstance(block, ToolCall) or _is_text(block) for block in content)
    if reason == "length" and is_empty and asked >= context_window * _FULL_SHARE:
        raise ContextOverflowError(f"The context window of {model} is full.", model=model)


def _is_text(block: AssistantContent) -> bool:
    return isinstance(block, TextContent) and bool(block.text.strip())
