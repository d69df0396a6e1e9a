"""How long a provider asks to be left alone, by whichever of its ways it says so."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

_DURATION = re.compile(
    r"(?:try again|retry|wait)(?: in| after| for)? "
    r"((?:\d+(?:\.\d+)?\s*(?:ms|seconds?|s|minutes?|m|hours?|h)\s*)+)|"
    r"\"retryDelay\":\s*\"(\d+(?:\.\d+)?s)\"",
    re.IGNORECASE,
)
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h)", re.IGNORECASE)
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


_LONGEST_SECONDS = 7 * 24 * 3600.0
"""What is asked for beyond that is no time anybody waits."""


def find_retry_after(headers: Mapping[str, str], text: str) -> float | None:
    """Seconds to wait, from lower-case `headers` or else the words; None when neither tells."""
    seconds = _told(headers, text)
    return seconds if seconds is None else min(seconds, _LONGEST_SECONDS)


def _told(headers: Mapping[str, str], text: str) -> float | None:
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    named = headers.get("retry-after", "")
    for seconds in (_number(named), _until(named), _duration(text)):
        if seconds is not None:
            return seconds
    resets = [_reset(value) for name, value in headers.items() if _is_spent_limit(name, headers)]
    return max((reset for reset in resets if reset is not None), default=None)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None


def _until(text: str) -> float | None:
    """Seconds until an HTTP date."""
    try:
        moment = parsedate_to_datetime(text)
    except (TypeError, ValueError, IndexError):
        return None
    return max(0.0, moment.timestamp() - time.time())


def _duration(text: str) -> float | None:
    found = _DURATION.search(text)
    return _sum(found[1] or found[2]) if found else None


def _is_spent_limit(name: str, headers: Mapping[str, str]) -> bool:
    """True for the reset of a limit of which nothing remains; the others do not matter."""
    kind = name.removeprefix("x-ratelimit-reset-")
    return kind != name and headers.get(f"x-ratelimit-remaining-{kind}") == "0"


def _reset(value: str) -> float | None:
    return _sum(value) if _PART.search(value) else _number(value)


def _sum(text: str) -> float:
    return sum(float(count) * _SECONDS[unit.lower()] for count, unit in _PART.findall(text))
