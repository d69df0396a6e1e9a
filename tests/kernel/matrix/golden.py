"""What a model reads of each case, in a file for each family that people read too.

Run with `UPDATE_GOLDEN=1` in the environment to write what is read now, then read the difference.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "fixtures" / "matrix"
_HEAD = "#### "
_VARYING = (
    (re.compile(r"0x[0-9a-f]{6,}"), "0xADDRESS"),
    (re.compile(r"\S*/ipykernel_\d+/\d+\.py|<ipython-input-\S+>"), "CELL.py"),
    (re.compile(r"^ *[~^]+ *\n", re.MULTILINE), ""),  # where in the line, since Python 3.11
    (re.compile(r"/\S*/site-packages/"), "SITE/"),
    (re.compile(r"-[0-9a-f]{16}\.log"), "-RANDOM.log"),
    (re.compile(r"/\S*/lib/python3\.\d+/"), "LIB/"),
)


def comparable(text: str, folder: Path) -> str:
    """`text` without what differs from one process or place to the next."""
    text = text.replace(str(folder), "FOLDER")
    for pattern, plain in _VARYING:
        text = pattern.sub(plain, text)
    return text


class Golden:
    """The file of one family."""

    def __init__(self, family: str) -> None:
        self.path = FOLDER / f"{family}.txt"

    def check(self, label: str, text: str) -> None:
        """Fail unless `text` is what the file has under `label`; or put it there."""
        sections = self._sections()
        if os.environ.get("UPDATE_GOLDEN"):
            sections[label] = text
            self._write(sections)
        assert sections.get(label) == text, (label, text)

    def _sections(self) -> dict[str, str]:
        if not self.path.exists():
            return {}
        parts = f"\n{self.path.read_text()}".split(f"\n{_HEAD}")[1:]
        return {label: text.removesuffix("\n") for label, _, text in (part.partition("\n") for part in parts)}

    def _write(self, sections: dict[str, str]) -> None:
        self.path.parent.mkdir(exist_ok=True)
        self.path.write_text("".join(f"{_HEAD}{label}\n{text}\n" for label, text in sections.items()))
