"""Why a reply ended, whatever its provider calls it, and whether it may count as one."""

from __future__ import annotations

from collections.abc import Sequence

from pi_notebook.agent.messages import AssistantContent, StopReason, TextContent, ToolCall
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
    if not any(isinstance(block, TextContent) and block.text.strip() for block in content):
        raise ModelUnavailableError(f"{model} answered with nothing. Try again.", model=model)
    return "stop"
