"""What is searched for: words in any order and phrases, upper and lower case alike.

Lines are looked at as bytes first. What JSON writes in more than one way (quotes, line ends, letters
beyond ASCII) is left out of that look, so that it passes over no line that has the words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pi_notebook.errors import UsageError

_TERM = re.compile(r'"([^"]*)"?|([^\s"]+)')
_PLAIN = re.compile(r"[0-9a-z_]+")
_BEFORE_CHARS = 80
_EXCERPT_CHARS = 240


@dataclass(frozen=True, kw_only=True)
class Query:
    """Make one with `parse`."""

    terms: tuple[str, ...]
    """Folded; single spaces between the words of a phrase."""
    pieces: tuple[bytes, ...]
    """What stands in every line that has the terms, in lower case, the longest first."""
    spellings: tuple[bytes, ...]
    """Where there are no pieces: one of these stands in such a line."""

    @classmethod
    def parse(cls, text: str) -> Query:
        """The query that a person means by `text`; raises `UsageError` when it has no word."""
        terms = tuple(folded(phrase or word) for phrase, word in _TERM.findall(text))
        terms = tuple(dict.fromkeys(term for term in terms if term))
        if not terms:
            raise UsageError("Write what to search for: words, or a phrase in double quotes.")
        pieces = {piece.encode() for term in terms for piece in _PLAIN.findall(term)}
        return cls(
            terms=terms,
            pieces=tuple(sorted(pieces, key=len, reverse=True)),
            spellings=() if pieces else _spellings(max(terms, key=len)[0]),
        )

    def may_stand_in(self, line: bytes) -> bool:
        """False when the lower-case `line` has not all that the terms need."""
        return all(piece in line for piece in self.pieces)

    def excerpt(self, text: str) -> str | None:
        """One line of what stands around the first match in `text`; None when a term is missing."""
        line = " ".join(text.split())
        low = line.lower()
        if not all(term in low for term in self.terms):
            return None
        start = max(0, min(low.find(term) for term in self.terms) - _BEFORE_CHARS)
        cut = line[start : start + _EXCERPT_CHARS]
        return f"{'…' if start else ''}{cut}{'…' if start + len(cut) < len(line) else ''}"


def folded(text: str) -> str:
    """`text` as it is compared."""
    return " ".join(text.split()).lower()


def _spellings(letter: str) -> tuple[bytes, ...]:
    """How a line, in lower case but for letters beyond ASCII, may write a letter that folds to this one."""
    letters = dict.fromkeys((letter, letter.upper(), letter.title()))
    written = [one.encode("utf-8", "ignore") for one in letters]
    units = [one.encode("utf-16-be", "surrogatepass").hex() for one in letters]
    escaped = ["".join(f"\\u{unit[i : i + 4]}" for i in range(0, len(unit), 4)).encode() for unit in units]
    return tuple(dict.fromkeys(one for one in (*written, *escaped) if one))
