"""Telling from a provider's words that a request does not fit its context window.

Providers have no common code for it, and few send the one they have: the words are what is left.
Each pattern names the numbers it holds, `tokens` for the request and `window` for what fits.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_N = r"(?P<tokens>\d[\d,]{0,15})"
_W = r"(?P<window>\d[\d,]{0,15})"

_OVERFLOW = [
    re.compile(pattern, re.IGNORECASE | re.DOTALL)
    for pattern in (
        rf"prompt is too long: {_N} tokens > {_W}",
        rf"input length and `?max_tokens`? exceed context limit: {_N} \+ [\d,]+ > {_W}",
        rf"configured limit of {_W} tokens(?:.{{0,60}}?resulted in {_N})?",
        rf"maximum (?:context|prompt|model) length (?:is|of) {_W}(?: tokens)?.{{0,120}}?"
        rf"(?:resulted in|requested(?: about| a total of)?|contains|has|too large[^\d]*|is) {_N}",
        rf"input token count (?:\(?{_N}\)? )?exceeds the maximum number of tokens allowed(?: \(?{_W}\)?)?",
        rf"prompt contains {_N} tokens.{{0,80}}too large.{{0,80}}?{_W}",
        rf"decoder prompt \(length {_N}\).{{0,60}}maximum model length of {_W}",
        rf"exceeded model token limit: {_W}(?: \(requested: {_N}\))?",
        rf"prompt token count of {_N} exceeds the limit of {_W}",
        rf"current length is {_N} while limit is {_W}",
        rf"range of input length should be \[\d+, ?{_W}\]",
        rf"too many tokens.{{0,80}}cannot exceed {_W}",
        rf"inputs` tokens \+ `max_new_tokens` must be <= {_W}",
        rf"request \({_N} tokens\) exceeds the available context size(?: \({_W} tokens\))?",
        rf"(?:number of tokens|tokens in (?:the )?prompt).{{0,60}}(?:exceeds?|greater than) .{{0,40}}?{_W}",
        rf"request too large for .{{0,80}}tokens per min.{{0,40}}limit:? {_W}, requested:? {_N}",
        rf"too large for (?:a )?model with {_W} maximum context length",
        rf"prompt has {_N} tokens.{{0,60}}maximum of {_W}",
        rf"maximum (?:context|prompt|model) length (?:is|of) {_W}",
        rf"inputs?`? (?:\({_N} tokens\) )?(?:is longer than the model.?s context length|length exceeds)"
        rf"(?: \({_W} tokens\))?",
        rf"input length (?:\(?{_N}(?: tokens\))? )?exceeds the maximum allowed length(?: \(?{_W})?",
        rf"`?inputs`? must have less than {_W} tokens(?:\. given: {_N})?",
        rf"(?:number of |\b)(?:input|prompt) tokens? \(?{_N}\)? exceeds? (?:the )?(?:limit|{_W})",
        rf"keep the first {_N} tokens.{{0,120}}context length of (?:only )?{_W}",
        rf"request body too large for .{{0,80}}max size: {_W} tokens",
        r"context[_ ]length[_ ]exceeded|context[_ ]size has been exceeded",
        r"(?:input|prompt)(?: tokens?)?(?: count)? (?:is too large|exceeds? the (?:configured )?limit)",
        r"exceeds? max message tokens|prompt_tokens_exceeded|prompt_too_long|tokens_limit_reached",
        r"(?:exceeds?|exceeded|larger than|beyond) (?:the |its )?(?:available |model.?s? )?(?:max(?:imum)? )?"
        r"context (?:size|window|length|limit)",
        r"context[ _]?window[_ ](?:exceeds? limit|(?:is |was )?exceeded)|ContextWindowExceeded",
        r"length of (?:all )?(?:the )?messages is too long",
        r"prompt exceeds max(?:imum)? length",
        r"(?:prompt|input|request|conversation) is too long(?! for (?:field|user))",
        r"input is too long for requested model",
        r"too many input tokens",
        r"reduce the length of the (?:messages|prompt|input)",
        r"tokens to keep from the initial prompt is greater than the context length",
        r"model_context_window_exceeded",
        r"request_too_large",
    )
]

_NOT_OVERFLOW = re.compile(
    r"string too long|exceeds? (?:the )?limit.{0,60} per (?:second|minute|hour|day)|"
    r"rate limit reached|too many requests|max_tokens is too large|"
    r"max_(?:completion_)?tokens.{0,40}(?:must be|at most|less than)|image.{0,40}(?:too large|exceeds)",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class Overflow:
    """That a request did not fit, with the numbers the provider named."""

    tokens: int | None = None
    context_window: int | None = None


def find_overflow(text: str) -> Overflow | None:
    """What `text` says of a request that is too long; None when it speaks of something else."""
    if _NOT_OVERFLOW.search(text):
        return None
    for pattern in _OVERFLOW:
        if found := pattern.search(text):
            numbers = found.groupdict()
            return Overflow(
                tokens=_number(numbers.get("tokens")), context_window=_number(numbers.get("window"))
            )
    return None


def _number(text: str | None) -> int | None:
    return int(text.replace(",", "")) if text else None
