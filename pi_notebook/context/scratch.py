"""Names that code needs for a moment, loop variables above all: nobody goes on with them.

Told from the text of the code that ran, by rule; nothing is parsed or asked of the kernel.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from pi_notebook.agent.messages import AssistantMessage, CustomMessage, Message

_CELLS_TYPE = "pi_notebook/cells"
_LOOP = re.compile(r"^[ \t]*(?:async[ \t]+)?for[ \t]+([^\n:]{1,200}?)[ \t]+in\b", re.MULTILINE)
_WITH = re.compile(r"^[ \t]*(?:async[ \t]+)?with\b[^\n]{1,500}\bas[ \t]+(\w+)[ \t]*:", re.MULTILINE)
_SET = re.compile(r"^(\w+)[ \t]*=(?!=)", re.MULTILINE)
_WORD = re.compile(r"\w+")
_PASSING = frozenset({"tmp", "temp", "dummy"})


def codes_in(messages: Iterable[Message]) -> Iterator[str]:
    """The code that ran by `messages`: the agent's calls and the cells of the person that are told of."""
    for message in messages:
        if isinstance(message, AssistantMessage):
            for call in message.tool_calls:
                if call.name == "run_code":
                    yield str(call.arguments.get("code", ""))
        elif isinstance(message, CustomMessage) and message.custom_type == _CELLS_TYPE:
            cells = message.details.get("cells") if isinstance(message.details, dict) else None
            for cell in cells if isinstance(cells, list) else ():
                yield str(cell.get("code", "")) if isinstance(cell, dict) else ""


def loop_names(codes: Iterable[str], *, also: Iterable[str] = ()) -> set[str]:
    """What `codes` bind in loops and `with` alone, and never by a plain assignment outside of all.

    `also` names what earlier code is known to have bound so.
    """
    bound: set[str] = set(also)
    kept: set[str] = set()
    for code in codes:
        for found in (*_LOOP.finditer(code), *_WITH.finditer(code)):
            bound.update(_WORD.findall(found[1]))
        kept.update(_SET.findall(code))
    return bound - kept


def is_scratch(name: str, *, loops: Collection[str], has_shape: bool) -> bool:
    """Whether `name` stands for something passing; a table or array under a short name does not."""
    if name in loops or name.startswith("_") or name in _PASSING:
        return True
    return len(name) == 1 and not has_shape
