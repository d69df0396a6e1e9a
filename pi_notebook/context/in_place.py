"""Names whose values code changes without setting them anew: an item, a column, an attribute.

Told from the text of the code that ran, by rule: type, shape and identity of such a value stay as they
were, so nothing else tells of it. What a function does to its arguments is not seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_PART_SET = re.compile(
    r"^[ \t]*(\w+)(?:\.\w+)*(?:\[[^\n]*?\]|\.\w+)[ \t]*(?:[-+*/%&|^@]|//|\*\*|<<|>>)?=(?!=)", re.MULTILINE
)
_IN_PLACE = re.compile(r"^[ \t]*(\w+)\.[^\n]*\binplace[ \t]*=[ \t]*True\b", re.MULTILINE)


def changed_in_place(codes: Iterable[str]) -> list[str]:
    """The names of which `codes` set a part, each once."""
    found = (name for code in codes for rule in (_PART_SET, _IN_PLACE) for name in rule.findall(code))
    return list(dict.fromkeys(found))
