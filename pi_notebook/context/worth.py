"""How much a variable counts for whoever goes on with the work, and which are worth naming to a model.

Told from names, types and sizes, and from what calls and prompts name; no value is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pi_notebook.agent.messages import Message, UserMessage, text_of
from pi_notebook.context.instruction_reads import calls_by_id
from pi_notebook.context.scratch import is_scratch

FULL, OTHER, SMALL = 1.0, 0.5, 0.1
"""Tables, arrays and what has a shape; models, functions, collections; numbers, words, plots."""
FADING = 0.9
"""How much less a use counts with each call since."""
_UNUSED = 0.01
_LEAST_ITEMS = 2
_SCALAR = re.compile(r"int|float|bool|complex|str|bytes|NoneType|numpy\.\w+|datetime\.\w+")
_COLLECTION_TYPES = frozenset({"list", "tuple", "dict", "set", "frozenset"})
_PLOTTING = frozenset({"matplotlib", "seaborn", "plotly", "altair", "bokeh"})
_USED_UP = frozenset({"generator", "map", "zip", "filter", "enumerate", "reversed", "module"})
_USED_UP_MODULES = frozenset({"_io", "io", "itertools", "_csv"})
WORD = re.compile(r"\w+")
_ASKING_TOOLS = frozenset({"preview_data", "query_data", "query_json"})
"""Whoever asks for a value by these wants it known by its name."""


def worth(name: str, type_name: str, *, has_shape: bool, length: int | None = None) -> float:
    """How much the variable counts; nothing for what code needed for a moment, by its name or type."""
    if is_scratch(name, loops=(), has_shape=has_shape) or is_used_up(type_name):
        return 0.0
    if has_shape:
        return FULL
    is_few = type_name in _COLLECTION_TYPES and length is not None and length < _LEAST_ITEMS
    is_small = is_few or is_plot(type_name) or _SCALAR.fullmatch(type_name) is not None
    return SMALL if is_small else OTHER


def is_used_up(type_name: str) -> bool:
    """Whether such a value is an open file or gives its items once."""
    return type_name in _USED_UP or type_name.partition(".")[0] in _USED_UP_MODULES


def is_plot(type_name: str) -> bool:
    """Whether such a value is a plot or a part of one."""
    return type_name.partition(".")[0] in _PLOTTING


def worth_naming(weights: dict[str, float], messages: Sequence[Message]) -> list[str]:
    """The variables worth naming, of those weighed, what the work goes on with first.

    That is what `messages` use often and lately, tables before what is smaller, and the newest, which
    stand last in `weights`, before the older. What is small is named where a prompt speaks of it, and
    whatever the model has asked to see.
    """
    asked, spoken = set[str](), names_in_prompts(messages)
    uses = {name: 1.0 if name in spoken else _UNUSED for name in reversed(weights)}
    for age, call in enumerate(reversed(calls_by_id(messages).values())):
        words = set(WORD.findall(" ".join(value for value in call.arguments.values() if type(value) is str)))
        asked |= words if call.name in _ASKING_TOOLS else set()
        for name in words & uses.keys():
            uses[name] += FADING**age
    least = {name: SMALL for name in uses if name in asked or (weights[name] and name in spoken)}
    named = [name for name in uses if weights[name] > SMALL or name in least]
    return sorted(named, key=lambda name: -max(weights[name], least.get(name, 0.0)) * uses[name])


def names_in_prompts(messages: Iterable[Message]) -> set[str]:
    """What the person's prompts may name."""
    texts = (text_of(message) for message in messages if isinstance(message, UserMessage))
    return {word for text in texts for word in words_that_name(text)}


def words_that_name(prompt: str) -> set[str]:
    """The words of `prompt`; a letter by itself names nothing."""
    return {word for word in WORD.findall(prompt) if len(word) > 1}
