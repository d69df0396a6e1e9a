"""Finding the most that fits a number of tokens."""

from __future__ import annotations

from collections.abc import Callable

from pi_notebook.context.amounts import count_of
from pi_notebook.context.tokens import count_tokens

__all__ = ["count_tokens", "cut_to_fit", "fits", "largest", "most_fitting"]

_MAX_CHARS_PER_TOKEN = 16
"""Text of more characters per token than this is blank or one character repeated."""


def fits(text: str, max_tokens: int) -> bool:
    """Whether `text` is at most `max_tokens` long; texts far too long are not counted."""
    return len(text) <= max_tokens * _MAX_CHARS_PER_TOKEN and count_tokens(text) <= max_tokens


def largest(is_fitting: Callable[[int], bool], high: int) -> int:
    """The largest number in 0..`high` that fits, when all smaller ones do; 0 when none does.

    Doubles from 1 before it halves, so that a trial costs in proportion to what will be shown and
    not to what there is.
    """
    low, step = 0, 1
    while step <= high and is_fitting(step):
        low, step = step, step * 2
    high = min(high, step - 1)
    while low < high:
        middle = (low + high + 1) // 2
        if is_fitting(middle):
            low = middle
        else:
            high = middle - 1
    return low


def most_fitting(is_fitting: Callable[[int], bool], high: int) -> int:
    """A number in 0..`high` that fits while one more does not, where most smaller ones do; 0 if none does.

    A text may take fewer tokens than one it begins with, and a table with all its rows needs no line for
    a gap: what the search finds is verified, and stepped down and up from there.
    """
    if is_fitting(high):
        return high
    count = largest(is_fitting, high)
    while count and not is_fitting(count):
        count -= 1
    while count < high and is_fitting(count + 1):
        count += 1
    return count


def cut_to_fit(text: str, max_tokens: int) -> str:
    """`text`, or as much of its head and tail as fits with a note of the gap between them."""
    if fits(text, max_tokens):
        return text

    def shown(chars: int) -> str:
        tail = chars // 3
        omitted = count_of(len(text) - chars, "character")
        return f"{text[: chars - tail]}\n[… {omitted} left out …]\n{text[len(text) - tail :]}"

    chars = largest(lambda n: fits(shown(n), max_tokens), min(len(text) - 1, max_tokens * 16))
    if chars:
        return shown(chars)
    return text[: largest(lambda n: fits(text[:n], max_tokens), min(len(text), max_tokens))]
