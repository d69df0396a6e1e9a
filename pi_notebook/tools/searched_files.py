"""What a search does with each file: searches it as it is, converts it first, or leaves it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO

from pi_notebook.tools.binary import SNIFFED_BYTES, is_binary_head
from pi_notebook.tools.converted import ConvertedText
from pi_notebook.tools.encoding import Encoding, is_guessed
from pi_notebook.tools.text_file import TextBlocks, whole_text

MAX_LINELESS_BYTES = 64 * 1024 * 1024
"""Larger files that do not begin with lines are named, not searched: a match would be all of them."""
_MAX_CONVERTED_BYTES = 64 * 1024 * 1024
"""Larger files are searched as they are."""
_BLOCK_BYTES = 1024 * 1024


class SearchedFiles:
    """Sorts the files of one search, and remembers those of which something must be said."""

    def __init__(self, folder: Path, *, should_stop: Callable[[], bool]) -> None:
        self._folder = folder
        self._should_stop = should_stop
        self.binary: set[str] = set()
        self.lineless: list[str] = []
        """One line too long."""
        self.guessed: dict[str, Encoding] = {}
        """Searched in an encoding that was guessed."""
        self.undecoded: set[str] = set()
        """Searched though their letters beyond ASCII are unknown."""

    def sort(self, names: Sequence[str], converted: ConvertedText) -> list[str]:
        """Those of `names` that can be searched as they are; what must be converted goes to `converted`."""
        return [name for name in names if not self._should_stop() and self._is_plain(name, converted)]

    def _is_plain(self, name: str, converted: ConvertedText) -> bool:
        try:
            with (self._folder / name).open("rb") as file:
                return self._is_plain_file(name, file, converted)
        except OSError:
            return False

    def _is_plain_file(self, name: str, file: IO[bytes], converted: ConvertedText) -> bool:
        head = file.read(SNIFFED_BYTES)
        size = file.seek(0, 2)
        file.seek(0)
        if is_binary_head(head):
            self.binary.add(name)
            return False
        if size > MAX_LINELESS_BYTES and b"\n" not in head:
            self.lineless.append(name)
            return False
        if name.endswith(".ipynb") and size <= _MAX_CONVERTED_BYTES:
            try:
                converted.add_notebook(name, file.read())
                return False
            except ValueError:
                file.seek(0)
        return self._is_plain_text(name, file, converted, may_convert=size <= _MAX_CONVERTED_BYTES)

    def _is_plain_text(
        self, name: str, file: IO[bytes], converted: ConvertedText, *, may_convert: bool
    ) -> bool:
        blocks = TextBlocks(self._blocks(file))
        for _ in blocks:
            if blocks.is_utf16 or blocks.is_settled:
                break
        encoding = blocks.encoding
        if encoding != "utf-8" and not (is_guessed(encoding) and may_convert):
            self.undecoded.add(name)
        if blocks.is_plain or not may_convert:
            return True
        if is_guessed(encoding):
            self.guessed[name] = encoding
        file.seek(0)
        converted.add_text(name, whole_text(TextBlocks(self._blocks(file))))
        return False

    def _blocks(self, file: IO[bytes]) -> Iterator[bytes]:
        while not self._should_stop() and (block := file.read(_BLOCK_BYTES)):
            yield block
