"""Why a query of a file that is no UTF-8 fails, in one sentence with the way on."""

from __future__ import annotations

import codecs
from collections.abc import Iterable
from pathlib import Path

from pi_notebook.tools.encoding import EncodingCheck, is_guessed
from pi_notebook.tools.paths import shown_path

_JSON_ENDINGS = (".json", ".jsonl", ".ndjson")
_ENDINGS = (".csv", ".tsv", ".txt", *_JSON_ENDINGS)
_SAMPLE_BYTES = 1024 * 1024
_MOST_FILES = 20


def encoding_problem(paths: Iterable[str], folder: Path) -> str | None:
    """What is wrong with the first of `paths` that is not in UTF-8, as far as its beginning tells."""
    for path in map(Path, list(paths)[:_MOST_FILES]):
        if path.suffix.lower() in _ENDINGS and (said := _problem(path, shown_path(path, folder))) is not None:
            return said
    return None


def _problem(path: Path, shown: str) -> str | None:
    try:
        with path.open("rb") as file:
            sample = file.read(_SAMPLE_BYTES)
            is_whole = not file.read(1)
    except OSError:
        return None
    if sample.startswith(codecs.BOM_UTF16_BE):
        return f'{shown} is in UTF-16 of the order that query_data does not read; in code encoding="utf-16".'
    if sample.startswith(codecs.BOM_UTF16_LE):
        return f'{shown} is in UTF-16. {_queried(path, shown, "utf-16")}encoding="utf-16".'
    check = EncodingCheck()
    check.take(sample)
    encoding = check.encoding()
    if encoding == "utf-8" or (encoding == "damaged utf-8" and not is_whole):
        # The sample may end within a character.
        return None
    if is_guessed(encoding):
        query = _queried(path, shown, "latin-1")
        return f'{shown} is not UTF-8, probably {encoding}. {query}encoding="{encoding}".'
    return f"{shown} is not UTF-8. Find its encoding with run_code and load it there."


def _queried(path: Path, shown: str, encoding: str) -> str:
    """How DuckDB reads it, which reads JSON in UTF-8 alone."""
    if path.suffix.lower() in _JSON_ENDINGS:
        return "Load it with run_code: "
    return f"Query it with read_csv('{shown}', encoding='{encoding}'); in code "
