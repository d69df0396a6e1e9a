"""The token encodings that are on this machine already, found without importing what brings them.

tiktoken itself fetches its vocabularies from the network and, when a kept file seems wrong, deletes
and fetches it again. So they are read here, from the copies that litellm's wheel carries, and an
encoding whose file is not there is none.
"""

from __future__ import annotations

import base64
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pi_notebook._loading import find_installed, installed

if TYPE_CHECKING:
    import tiktoken

EncodingName = Literal["o200k_base", "cl100k_base"]

_FILES: dict[EncodingName, str] = {
    # tiktoken's name for a kept file is the SHA-1 of the address it came from.
    "o200k_base": "fb374d419588a4632f3f557e76b4b70aebbca790",
    "cl100k_base": "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
}
_ENDINGS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_PATTERNS: dict[EncodingName, str] = {
    "o200k_base": (
        rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+{_ENDINGS}|[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*{_ENDINGS}"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
    "cl100k_base": (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
        r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
}


@cache
def find_encoding(name: EncodingName) -> tiktoken.Encoding | None:
    """The encoding, without special tokens; None when its vocabulary or tiktoken is not installed."""
    path = _find_vocabulary(name)
    if path is None:
        return None
    try:
        with installed():
            import tiktoken

        return tiktoken.Encoding(
            name, pat_str=_PATTERNS[name], mergeable_ranks=_read_vocabulary(path), special_tokens={}
        )
    except (ImportError, OSError, ValueError):
        return None


def _find_vocabulary(name: EncodingName) -> Path | None:
    found = find_installed("litellm")
    for folder in (found and found.submodule_search_locations) or ():
        path = Path(folder, "litellm_core_utils", "tokenizers", _FILES[name])
        if path.is_file():
            return path
    return None


def _read_vocabulary(path: Path) -> dict[bytes, int]:
    pairs = (line.split() for line in path.read_bytes().splitlines() if line)
    return {base64.b64decode(token): int(rank) for token, rank in pairs}
