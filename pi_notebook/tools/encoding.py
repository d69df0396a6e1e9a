"""Which encoding a text file is in, as far as its bytes tell.

UTF-8 is certain, UTF-16 by its mark too; a Western single-byte encoding is a guess, made where the
bytes beyond ASCII stand alone as accented letters do. Of anything else it is said that it is unknown.
"""

from __future__ import annotations

import codecs
import re
from typing import Literal

from pi_notebook.context.cleaning import decode

Encoding = Literal["utf-8", "damaged utf-8", "cp1252", "latin-1", "unknown"]
"""`damaged utf-8` has bytes that do not decode among more that do."""

UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SAMPLE_BYTES = 64 * 1024
_RUN = re.compile(rb"[\x80-\xff]+")
_RARE = re.compile(rb"[\x81-\x84\x86-\x90\x98\x9b\x9d]")
"""Letters in the encodings of DOS and the old Mac; in cp1252 almost never met."""
_UNDEFINED = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")
"""In cp1252."""
_LONGEST_MEAN_RUN = 2


class EncodingCheck:
    """Takes a file block by block; knows at each moment what the blocks so far are."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._is_mid_character = False
        self._sample: bytes | None = None
        """From the block that does not decode on."""

    def take(self, block: bytes) -> None:
        if self._sample is not None:
            self._sample += block[: _SAMPLE_BYTES - len(self._sample)]
        elif self._is_mid_character or not block.isascii():
            self._decode(block)

    @property
    def is_settled(self) -> bool:
        """True when more blocks would change nothing."""
        return self._sample is not None and len(self._sample) >= _SAMPLE_BYTES

    def encoding(self) -> Encoding:
        """The encoding of what was taken, which is now the whole."""
        if self._sample is None and self._is_mid_character:
            return "damaged utf-8"
        return "utf-8" if self._sample is None else guess_encoding(self._sample)

    def _decode(self, block: bytes) -> None:
        try:
            self._decoder.decode(block)
        except UnicodeDecodeError as error:
            # The error counts in what was left of the block before and this one.
            start = max(0, error.start - _SAMPLE_BYTES // 2)
            self._sample = error.object[start : start + _SAMPLE_BYTES]
        else:
            self._is_mid_character = bool(self._decoder.getstate()[0])


def guess_encoding(sample: bytes) -> Encoding:
    """The likeliest encoding of bytes that are not all UTF-8."""
    text = sample.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    good = sum(not character.isascii() for character in text) - bad
    if good >= bad:
        return "damaged utf-8"
    runs = _RUN.findall(sample)
    high = sum(map(len, runs))
    if high > _LONGEST_MEAN_RUN * len(runs) or 2 * len(_RARE.findall(sample)) > high:
        return "unknown"
    return "latin-1" if _UNDEFINED.search(sample) else "cp1252"


def is_guessed(encoding: Encoding) -> bool:
    """Whether text is decoded by it, though nobody said that it is in it."""
    return encoding in ("cp1252", "latin-1")


def decode_text(data: bytes, encoding: Encoding) -> str:
    """`data` as text in the encoding found; what does not decode becomes U+FFFD."""
    return data.decode(encoding, "replace") if is_guessed(encoding) else decode(data)
