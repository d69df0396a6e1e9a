"""What one setting is and which values it may have; `SETTINGS` is the table of all.

Which value holds is the business of `settings`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from pi_notebook._nearest import did_you_mean
from pi_notebook.context.policies import POLICIES
from pi_notebook.errors import SettingsError
from pi_notebook.session.permissions import MODES, VERDICTS
from pi_notebook.tools import default_tools

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


SETTINGS = (
    Setting(
        name="model",
        kind="text",
        default="offline",
        variable="PI_NOTEBOOK_MODEL",
        from_project=False,
        meaning="the model that is asked: offline, or provider/name as litellm knows it",
    ),
    Setting(
        name="policy",
        kind="text",
        default="notebook",
        choices=tuple(POLICIES),
        variable="PI_NOTEBOOK_POLICY",
        meaning="how the context is kept within the model's window",
    ),
    Setting(
        name="mode",
        kind="text",
        default="ask",
        choices=MODES,
        variable="PI_NOTEBOOK_MODE",
        from_project=False,
        meaning="which tool calls run without a question",
    ),
    Setting(
        name="context_window",
        kind="integer",
        default=None,
        minimum=1000,
        is_optional=True,
        meaning="tokens of request and reply together, instead of what is known of the model",
    ),
    Setting(
        name="thinking",
        kind="text",
        default="off",
        choices=("off", "minimal", "low", "medium", "high", "xhigh"),
        meaning="how much the model thinks before it answers, where it can",
    ),
    Setting(
        name="max_turns",
        kind="integer",
        default=None,
        minimum=1,
        is_optional=True,
        meaning="replies of the model in one run before it is stopped",
    ),
    Setting(name="stream", kind="flag", default=True, meaning="show an answer while it is written"),
    Setting(
        name="tools.execution",
        kind="text",
        default="parallel",
        choices=("parallel", "sequential"),
        meaning="whether the tool calls of one reply may run at the same time",
    ),
    Setting(
        name="output.max_lines",
        kind="integer",
        default=2000,
        minimum=1,
        meaning="lines of a tool's output that the model sees at most",
    ),
    Setting(
        name="output.max_bytes",
        kind="integer",
        default=51_200,
        minimum=1024,
        meaning="bytes of a tool's output that the model sees at most",
    ),
    Setting(
        name="cells.max_tokens",
        kind="integer",
        default=2000,
        minimum=0,
        meaning="how much of the cells you ran goes with the next prompt; 0 sends none",
    ),
    Setting(
        name="cells.rerun",
        kind="text",
        default="fork",
        choices=("fork", "append"),
        meaning="whether an %%agent cell that is run again goes on before its earlier prompt or at the end",
    ),
    Setting(
        name="code.timeout_seconds",
        kind="number",
        default=None,
        minimum=1,
        is_optional=True,
        meaning="how long one piece of code may run",
    ),
    Setting(
        name="spill.max_call_bytes",
        kind="integer",
        default=256 * 2**20,
        minimum=0,
        meaning="bytes of one call's full output that are kept on disk at most",
    ),
    Setting(
        name="spill.max_session_bytes",
        kind="integer",
        default=2**30,
        minimum=0,
        meaning="bytes of full outputs that a session keeps on disk at most",
    ),
    Setting(
        name="spill.max_frame_bytes",
        kind="integer",
        default=2 * 2**30,
        minimum=0,
        meaning="bytes of whole dataframes that a session keeps on disk at most; the least used go first",
    ),
    *(
        Setting(
            name=f"permissions.{tool.name}",
            kind="text",
            default=None,
            choices=VERDICTS,
            is_optional=True,
            from_project=False,
            meaning=f"whether {tool.name} may run, whatever the mode says; none leaves it to the mode",
        )
        for tool in default_tools()
    ),
)


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
