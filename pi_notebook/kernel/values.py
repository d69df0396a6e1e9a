"""The mimebundle of a value whose representations may be broken, endless or huge.

Calls foreign code only where it can be stopped. What a value looks like to the model is left to
`context`; this is what a front end would have shown.
"""

from __future__ import annotations

import reprlib
from typing import Any

from pi_notebook.kernel.displays import text_bundle
from pi_notebook.kernel.interrupts import Interrupts
from pi_notebook.kernel.showtraceback import Failures

MAX_PLAIN_CHARS = 65_536
MAX_TEXT_CHARS = 1_000_000
MAX_IMAGE_CHARS = 8_000_000
DEADLINE_SECONDS = 2.0
_FAILED = "The value's representation failed: "
_SLOW = f"it took longer than {DEADLINE_SECONDS:g} s."
TOO_SLOW = _FAILED + _SLOW
"""The note on a value whose representation was given up."""


def represent(shell: Any, value: object, interrupts: Interrupts) -> tuple[dict[str, Any], list[str]]:
    """`value` as the shell's formatters show it, each text bounded, and notes on what failed.

    There is a text/plain in any case, unless the value displayed itself.
    """
    if value is None:
        return {}, []
    shown = value[:MAX_PLAIN_CHARS] if type(value) in (str, bytes, bytearray) else value  # type: ignore[index]
    data, problem = _format(shell, shown, interrupts)
    if not data and problem is None and not _displays_itself(value):
        problem = "NotImplementedError was raised."  # which the shell passes over in silence
    notes = [] if problem is None else [f"{_FAILED}{problem}"]
    if "text/plain" not in data and (problem is not None or data):
        data["text/plain"] = _glimpse(value, interrupts) or (
            f"<{type_name(value)}: {problem or 'no text representation'}>"
        )
    bounded, cuts = _bound(data)
    if shown is not value:
        cuts.append(f"The value's text/plain shows the first {MAX_PLAIN_CHARS} of {len(value)}.")  # type: ignore[arg-type]
    return bounded, notes + cuts


def type_name(value: object) -> str:
    """The type of `value` with its module; asks neither the value nor its metaclass."""
    kind = type(value)
    module = type.__dict__["__module__"].__get__(kind)
    name = type.__dict__["__qualname__"].__get__(kind)
    return str(name) if module in ("builtins", "__main__") else f"{module}.{name}"


def _format(shell: Any, value: object, interrupts: Interrupts) -> tuple[dict[str, Any], str | None]:
    with Failures(shell) as failures, interrupts.attempt(DEADLINE_SECONDS) as attempt:
        data: Any = {}
        problem: str | None = None
        try:
            with attempt.running():
                data, _ = shell.display_formatter.format(value)
                data = text_bundle(data)
                problem = _first_line(failures.last)
        except BaseException as error:  # a representation may raise anything, an interrupt among it
            problem = f"{type(error).__name__} was raised."
    if attempt.stopped == "timeout":
        problem = _SLOW
    elif attempt.stopped is not None:
        problem = "it was interrupted."
    return (data if isinstance(data, dict) else {}), problem


def _displays_itself(value: object) -> bool:
    mro = type.__dict__["__mro__"].__get__(type(value))
    return any("_ipython_display_" in vars(kind) for kind in mro)


def _glimpse(value: object, interrupts: Interrupts) -> str | None:
    """A few elements of a builtin container: a long nested list takes seconds to format whole."""
    if type(value) not in (list, tuple, dict, set, frozenset):
        return None
    with interrupts.attempt(DEADLINE_SECONDS / 4) as attempt:
        try:
            with attempt.running():
                return reprlib.repr(value)
        except BaseException:  # an element's representation may raise anything
            return None


def _first_line(error: BaseException | None) -> str | None:
    if error is None:
        return None
    return f"{type(error).__name__}: {error}".splitlines()[0][:200]


def _bound(data: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    bounded: dict[str, Any] = {}
    notes = []
    for mime, part in data.items():
        if mime == "text/plain":
            bounded[mime] = _bound_plain(part if isinstance(part, str) else "")
        elif isinstance(part, str) and len(part) > _max_chars(mime):
            notes.append(f"The value's {mime} was left out: {len(part)} characters.")
        else:
            bounded[mime] = part
    return bounded, notes


def _bound_plain(text: str) -> str:
    if len(text) <= MAX_PLAIN_CHARS:
        return text
    half = MAX_PLAIN_CHARS // 2
    return f"{text[:half]}\n[{len(text) - 2 * half} characters left out]\n{text[-half:]}"


def _max_chars(mime: str) -> int:
    return MAX_IMAGE_CHARS if mime.startswith("image/") else MAX_TEXT_CHARS
