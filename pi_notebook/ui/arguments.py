"""The options of `%%agent`, read from its line."""

from __future__ import annotations

import argparse
import keyword
import shlex
from dataclasses import dataclass
from typing import Any, NoReturn

from pi_notebook._nearest import did_you_mean
from pi_notebook.context.policies import POLICIES
from pi_notebook.errors import UsageError
from pi_notebook.session.permissions import MODE_MEANINGS, MODES, Mode
from pi_notebook.session.setting import shortened

_MOST_DIGITS = 9


@dataclass(frozen=True, kw_only=True)
class Option:
    """One option: its flags, what a value is called (none for a switch) and its meaning."""

    flags: tuple[str, ...]
    meaning: str
    value: str = ""
    is_repeated: bool = False


OPTIONS = (
    Option(
        flags=("-m", "--model"), value="MODEL", meaning="the model for this run: offline, openai/NAME, ..."
    ),
    Option(
        flags=("-p", "--policy"),
        value="POLICY",
        meaning=f"how the context is kept within the window, for this run: {', '.join(POLICIES)}",
    ),
    Option(
        flags=("--mode",), value="MODE", meaning=f"what runs without asking, for this run: {', '.join(MODES)}"
    ),
    Option(flags=("--auto",), meaning="the same as --mode auto: tools run without a question"),
    Option(flags=("--session",), value="ID", meaning="continue the session with this id; `new` begins one"),
    Option(
        flags=("--attach",),
        value="NAME",
        is_repeated=True,
        meaning="send a variable or file with the prompt; repeat for more",
    ),
    Option(flags=("--max-turns",), value="N", meaning="stop after N replies of the model"),
    Option(flags=("-o", "--output"), value="VARIABLE", meaning="put the answer's text into this variable"),
    Option(
        flags=("--replay",), meaning="show what was answered to these words before; ask only if nothing was"
    ),
    Option(flags=("--no-stream",), meaning="show each part when it is whole"),
)


@dataclass(frozen=True, kw_only=True)
class CellOptions:
    """What the line of an `%%agent` cell asks for; None where it says nothing."""

    model: str | None
    policy: str | None
    mode: Mode | None
    session: str | None
    max_turns: int | None
    output: str | None
    attach: tuple[str, ...]
    replay: bool
    stream: bool | None


def parse_cell_line(line: str) -> CellOptions:
    """The options on `line`; a `UsageError` names the nearest right one for a wrong one."""
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise UsageError(
            f"The options cannot be read: {error}. Close the quotation, or write them without."
        ) from None
    given, rest = _parser().parse_known_args(words)
    if rest:
        raise UsageError(_unknown(rest[0]))
    return CellOptions(
        model=given.model,
        policy=given.policy,
        mode=_mode(given.mode, is_auto=given.auto),
        session=given.session,
        max_turns=_positive(given.max_turns),
        output=_identifier(given.output),
        attach=tuple(given.attach or ()),
        replay=given.replay,
        stream=False if given.no_stream else None,
    )


def parse_continue_line(line: str) -> CellOptions:
    """The options behind `%agent continue`: those of `%%agent` that need no prompt."""
    options = parse_cell_line(line)
    if options.session is not None or options.attach or options.replay:
        raise UsageError(
            "%agent continue goes on in this session with what was said: "
            "--session, --attach and --replay belong to a prompt."
        )
    return options


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"%%agent: {message}. %agent help shows the options.")


def _parser() -> _Parser:
    parser = _Parser(prog="%%agent", add_help=False, allow_abbrev=False)
    for option in OPTIONS:
        settings: dict[str, Any] = {"metavar": option.value} if option.value else {"action": "store_true"}
        if option.is_repeated:
            settings["action"] = "append"
        parser.add_argument(*option.flags, **settings)
    return parser


def _unknown(word: str) -> str:
    if not word.startswith("-"):
        return f"{word!r} is no option of %%agent. The prompt goes on the lines below the first."
    flags = [flag for option in OPTIONS for flag in option.flags]
    return f"%%agent has no option {word}.{did_you_mean(word, flags)} Options: {', '.join(flags)}."


def _mode(text: str | None, *, is_auto: bool) -> Mode | None:
    if is_auto and text not in (None, "auto"):
        raise UsageError(
            f"--auto means --mode auto, and --mode {text} says otherwise. Leave one of them out."
        )
    if is_auto:
        return "auto"
    if text is None or text in MODES:
        return text
    meanings = "; ".join(f"{mode}: {meaning}" for mode, meaning in MODE_MEANINGS.items())
    raise UsageError(f"There is no mode {text!r}.{did_you_mean(text, MODES)} {meanings}.")


def _positive(text: str | None) -> int | None:
    if text is None:
        return None
    if not text.isdecimal() or len(text) > _MOST_DIGITS or int(text) < 1:
        raise UsageError(f"--max-turns takes a whole number from 1, not {shortened(text)}.")
    return int(text)


def _identifier(text: str | None) -> str | None:
    if text is not None and (not text.isidentifier() or keyword.iskeyword(text)):
        raise UsageError(f"-o takes a variable name, not {text!r}.")
    return text
