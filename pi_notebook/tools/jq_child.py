"""The program that applies a jq filter, run as a process of its own: a filter may loop for ever, take all
memory or end the process it runs in.

Reads JSON from its standard input and writes one JSON object. It imports nothing of the package, whose
environment it does not have; `json_filter` starts it and knows what it writes.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from typing import Any

MAX_RESULT_BYTES = 4_000_000
MAX_RESULTS = 20_000
_MEMORY_BYTES = 4 * 1024**3
_ESCAPE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\."
)
_SHAPE = """
def names: keys_unsorted as $k | ($k[:12] | join(", ")) + (if ($k | length) > 12 then ", …" else "" end);
if type == "object" then "an object with the keys " + names
elif type == "array" then "an array of \\(length)" + (if length == 0 then "" else .[0] | type as $t
  | ", the first " + (if $t == "object" then "an object with the keys " + names else "of type " + $t end) end)
else "of type " + type end
"""


def answer(jq: Any, expression: str, text: str) -> dict[str, Any]:
    """The results as texts of JSON, or what is wrong; `shape` says what the input is."""
    try:
        jq.compile(expression)
    except ValueError as error:
        return {"error": "filter", "said": str(error)}
    text = _ESCAPE.sub(lambda found: "\\ufffd" if found[1] else found[0], text)
    try:
        shape = next(iter(jq.compile(f"({_SHAPE})").input_text(text)), "")
    except ValueError as error:
        return {"error": "input", "said": str(error)}
    found: list[str] = []
    try:
        # As text, for numbers keep all their digits so.
        results = iter(jq.compile(f"({expression}\n) | tojson").input_text(text))
        is_cut = _take(results, found)
    except ValueError as error:
        return {"error": "run", "said": str(error), "shape": shape, "results": found}
    return {"results": found, "isCut": is_cut, "shape": shape}


def _take(results: Iterator[str], found: list[str]) -> bool:
    """Put results into `found`; true when there are more than may be."""
    room = MAX_RESULT_BYTES
    for result in results:
        room -= len(result)
        if room < 0 or len(found) >= MAX_RESULTS:
            return True
        found.append(result)
    return False


def _limit_memory() -> None:
    if sys.platform not in ("win32", "darwin"):
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_AS)
        if most == resource.RLIM_INFINITY or most > _MEMORY_BYTES:
            resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, most))


def main(library_folder: str, expression: str) -> None:
    sys.path.append(library_folder)
    import jq

    _limit_memory()
    text = sys.stdin.buffer.read().decode("utf-8-sig", "replace")
    sys.stdout.buffer.write(json.dumps(answer(jq, expression, text)).encode("ascii"))


if __name__ == "__main__":
    main(*sys.argv[1:])
