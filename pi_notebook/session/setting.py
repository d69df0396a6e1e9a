"""What one setting is and which values it may have.

All of them stand in `setting_table`; which value holds is the business of `settings`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from pi_notebook._nearest import did_you_mean
from pi_notebook.errors import SettingsError

Kind = Literal["text", "integer", "number", "flag"]

_FLAGS = {
    **dict.fromkeys(("true", "on", "yes", "1"), True),
    **dict.fromkeys(("false", "off", "no", "0"), False),
}
_NOTHING = ("none", "null")
_DEFAULT = "default"


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One thing a person can choose."""

    name: str
    """Dotted; in a file also written nested."""
    kind: Kind
    default: Any
    meaning: str
    """One line."""
    choices: tuple[str, ...] = ()
    minimum: int | None = None
    variable: str | None = None
    """The environment variable that sets it."""
    is_optional: bool = False
    """True when it may be none."""
    from_project: bool = True
    """False when a folder's own file may not set it: it decides what may run or who is sent the data."""

    def parse(self, text: str) -> Any:
        """The value that a person means by `text`; `SettingsError` names what is allowed."""
        text = text.strip()
        word = text.lower()
        if word == _DEFAULT:
            return self.default
        if self.is_optional and word in _NOTHING:
            return None
        return self.check(self._convert(text))

    def check(self, value: Any) -> Any:
        """`value` when this setting may have it; `SettingsError` names what is allowed."""
        if value is None and self.is_optional:
            return None
        if not self._has_kind(value) or (self.choices and value not in self.choices):
            raise self._wrong(value)
        if self.minimum is not None and value < self.minimum:
            raise self._wrong(value)
        return float(value) if self.kind == "number" else value

    def _convert(self, text: str) -> Any:
        try:
            if self.kind == "integer":
                return int(text)
            if self.kind == "number":
                return float(text)
            if self.kind == "flag":
                return _FLAGS[text.lower()]
        except (ValueError, KeyError):
            raise self._wrong(text) from None
        return text

    def _has_kind(self, value: Any) -> bool:
        if self.kind == "flag" or isinstance(value, bool):
            return self.kind == "flag" and isinstance(value, bool)
        if self.kind == "text":
            return isinstance(value, str) and value != ""
        is_number = isinstance(value, int if self.kind == "integer" else (int, float))
        return is_number and abs(value) < math.inf

    def _wrong(self, value: Any) -> SettingsError:
        hint = did_you_mean(value, self.choices) if isinstance(value, str) else ""
        return SettingsError(
            f"{self.name} is {self._allowed()}, not {shortened(value)}.{hint}", name=self.name
        )

    def _allowed(self) -> str:
        """What values there are, as a person would say it."""
        at_least = "" if self.minimum is None else f" of at least {self.minimum}"
        allowed = {
            "text": "a text",
            "integer": f"a whole number{at_least}",
            "number": f"a number{at_least}",
            "flag": "true or false",
        }[self.kind]
        if self.choices:
            allowed = " or ".join(part for part in (", ".join(self.choices[:-1]), self.choices[-1]) if part)
        return f"{allowed}, or none" if self.is_optional else allowed


def unknown_setting(name: str, table: Iterable[str]) -> SettingsError:
    """The error for a name that is no setting."""
    hint = did_you_mean(name, table)
    return SettingsError(
        f"There is no setting {shortened(name)}.{hint} %agent settings lists them.", name=name
    )


def shortened(value: Any) -> str:
    """`value` as it is quoted in one line."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
