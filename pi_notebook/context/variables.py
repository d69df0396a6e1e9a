"""The person's variables as text, for the model and for people: a line each, or a word beside others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from pi_notebook.agent.secrets import secret_values, without_secrets
from pi_notebook.context.previews.budget import largest
from pi_notebook.context.previews.names import name_runs
from pi_notebook.context.previews.wording import one_line
from pi_notebook.context.scratch import is_scratch, loop_names
from pi_notebook.context.worth import is_plot, is_used_up
from pi_notebook.kernel.namespace import VariableInfo

_MAX_LINE_CHARS = 300
_MAX_NAME_CHARS = 60
_SCALARS = ("int", "float", "bool", "complex", "NoneType")
_BYSTANDERS = ("numpy", "matplotlib", "seaborn", "plotly", "altair", "bokeh")
"""Libraries whose objects are told by a word, unless they have a shape: scalars, generators, plots."""


@dataclass(frozen=True, kw_only=True)
class VariableNote:
    """One variable in words."""

    name: str
    line: str
    """`name: type, what is known of it`, bounded."""
    head: str = ""
    """The line without the columns."""
    columns: tuple[tuple[str, str], ...] = ()
    """Their names and types, as far as they were looked at."""
    aside: str = ""
    """The type in a word, for a variable that needs no line of its own."""
    has_shape: bool = False
    is_passing: bool = False
    """Whether code needed it for a moment only: no model is told of it."""

    @property
    def told(self) -> str:
        """What a model is told; it is told again when this changes."""
        return f"{self.name} ({self.aside})" if self.aside else self.line


def variable_notes(variables: Iterable[VariableInfo]) -> dict[str, VariableNote]:
    """The notes by name, in the order given."""
    secrets = secret_values()
    return {
        info.name: VariableNote(
            name=info.name,
            line=without_secrets(variable_line(info), secrets),
            head=without_secrets(_head(info), secrets),
            columns=tuple(info.columns or ()),
            aside=_aside(info),
            has_shape=info.shape is not None,
            is_passing=is_used_up(info.type) or is_plot(info.type),
        )
        for info in variables
    }


def with_passing(
    notes: Mapping[str, VariableNote],
    codes: Iterable[str],
    *,
    before: Collection[str] = (),
    asked: Collection[str] = (),
) -> dict[str, VariableNote]:
    """`notes`, where what `codes` needed for a moment only, and what was passing `before`, is so marked.

    Not what `codes` set plainly, nor a plot that is `asked` for.
    """
    loops = loop_names(codes, also=before)

    def is_passing(note: VariableNote) -> bool:
        if is_scratch(note.name, loops=loops, has_shape=note.has_shape):
            return True
        return note.is_passing and note.name not in asked

    return {name: replace(note, is_passing=is_passing(note)) for name, note in notes.items()}


def variable_line(info: VariableInfo) -> str:
    """`df: DataFrame, 344 x 3, index date (int32); float64: rain, wind; str: city`, on one bounded line."""
    head = _head(info)
    columns = info.columns or ()
    if not columns:
        return head
    total = info.shape[1] if info.shape is not None and len(info.shape) > 1 else len(columns)

    def line(count: int) -> str:
        return "; ".join([head, *_by_type(columns[:count], total - count)])

    return line(largest(lambda count: len(line(count)) <= _MAX_LINE_CHARS, len(columns)))


def _head(info: VariableInfo) -> str:
    return one_line(f"{info.name}: {info.describe()}", _MAX_LINE_CHARS)


def grouped(notes: Iterable[VariableNote]) -> list[str]:
    """`ax, ax2 (Axes)`: the names with the same aside together."""
    names: dict[str, list[str]] = {}
    for note in notes:
        names.setdefault(note.aside, []).append(note.name)
    return [f"{', '.join(same)} ({aside})" for aside, same in names.items()]


def _by_type(columns: Iterable[tuple[str, str]], omitted: int) -> list[str]:
    """`float64: rain, wind`; how many more there are."""
    by_type: dict[str, list[str]] = {}
    for name, dtype in columns:
        by_type.setdefault(one_line(dtype, _MAX_NAME_CHARS), []).append(one_line(name, _MAX_NAME_CHARS))
    parts = [
        f"{dtype}: {', '.join(run.text for run in name_runs(names))}" for dtype, names in by_type.items()
    ]
    if omitted:
        more = f"{omitted:,} more" if parts else f"{omitted:,} columns"
        parts.append(f"… and {more}" if parts else more)
    return parts


def _aside(info: VariableInfo) -> str:
    has_shape = info.shape is not None or info.length is not None or info.dtype is not None
    if has_shape or info.kind != "value":
        return ""
    module, _, name = info.type.rpartition(".")
    return name if info.type in _SCALARS or module.partition(".")[0] in _BYSTANDERS else ""
