"""Prompts that ask for no data: greetings, what can be done, and code to run as it stands."""

from __future__ import annotations

import re

_CODE = re.compile(r"\s*```(?:python|py)?[ \t]*\n(.*?)\n?```\s*", re.DOTALL)
_RUN = re.compile(r"\s*(?:run|运行)\s*[:：]\s*(\S.*)", re.DOTALL | re.IGNORECASE)
_GREETINGS = frozenset(["hello", "hi", "hey", "thanks", "thank", "你好", "您好", "嗨", "谢谢"])
_ABILITIES = re.compile(
    r"(what (can|could) (you|i) (do|ask)|help|help me|who are you|what are you)\b.{0,20}"
    r"|.{0,4}(你能做什么|你会什么|你会做什么|能做什么|你是谁|帮助).{0,4}",
    re.IGNORECASE,
)


def find_code(prompt: str) -> str | None:
    """The code that a prompt begins with in a fence, or gives after `run:`."""
    match = _CODE.match(prompt) or _RUN.fullmatch(prompt)
    return match[1] if match else None


def is_greeting(prompt: str) -> bool:
    words = re.findall(r"[^\W\d_]+", prompt.casefold())
    return bool(words) and len(words) <= 3 and words[0] in _GREETINGS


def asks_for_abilities(prompt: str) -> bool:
    """True for "what can you do", and for a prompt without a word."""
    return not re.search(r"\w", prompt) or _ABILITIES.fullmatch(prompt.strip()) is not None
