"""How words are made comparable: singular, lower case, and parted like a column's name."""

from __future__ import annotations

import re

_IRREGULAR = {
    "women": "woman",
    "men": "man",
    "children": "child",
    "species": "species",
    "series": "series",
    "analyses": "analysis",
    "indices": "index",
}


def stem(word: str) -> str:
    """`word` in lower case and singular."""
    word = word.casefold().replace("\u2019", "'")
    word = word[:-2] if word.endswith("'s") else word.rstrip("'")
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def root(word: str) -> str:
    """A shorter form, for words that differ by their ending: survived and survival, killed and kills."""
    word = stem(word)
    for ending in ("ation", "ing", "ed", "al", "er", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


def split_name(name: str) -> tuple[str, ...]:
    """The stems of a name's parts: `body_mass_g`, `bodyMass`, `pop2023`, `No. of cases`."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])", " ", name)
    return tuple(stem(part) for part in re.findall(r"[^\W_]+|%", spaced))


def has_chinese(text: str) -> bool:
    return re.search(r"[\u4e00-\u9fff]", text) is not None
