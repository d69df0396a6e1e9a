"""`%agent trust`: what the folder brings, shown before the person says whether it may be used.

Their word holds for exactly the files that were shown. Where nobody can be asked nothing is trusted,
unless the cell says so itself with `--yes`.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from IPython.display import display

from pi_notebook.context.amounts import count_of
from pi_notebook.context.cleaning import show_controls
from pi_notebook.context.truncation import format_bytes
from pi_notebook.errors import UsageError
from pi_notebook.kernel.prompt import read_line
from pi_notebook.session.background import background
from pi_notebook.session.project_files import ProjectFile, ProjectKind
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import AgentSessionServices
from pi_notebook.session.settings import load_settings
from pi_notebook.session.trust import FolderTrust, TrustStore, changes, folder_trust, shown_path
from pi_notebook.ui.tables import Report, when

NOBODY_TEXT = (
    "Nobody can be asked here, so nothing is trusted. Look at the files above; "
    "%agent trust --yes trusts them as they are."
)
_PROMPT = "Trust what this folder brings?  y yes · n no › "
_MOST_SHOWN = 40
_START_LINES = 12
_CODE_LINES = 400
_DIFFERENCE_LINES = 80
_MAX_LINE_CHARS = 300

_MEANINGS: dict[ProjectKind, str] = {
    "settings": "sets settings of sessions here, none of what may run or who is asked",
    "instructions": "goes into the system prompt",
    "system prompt": "replaces or extends the system prompt",
    "skill": "is listed in the system prompt and read when it fits a task",
    "file of a skill": "belongs to a skill",
    "template": "is what a prompt that begins with its name stands for",
    "extension": "is run as Python code in this kernel",
}


def trust(runtime: AgentSessionRuntime, rest: str) -> Report:
    """Show what the folder brings and ask whether it may be used; `--remove` takes the word back."""
    if rest not in ("", "--yes", "--remove"):
        raise UsageError(f"%agent trust takes --yes or --remove, not {rest!r}.")
    runtime.session.check_idle()
    services = runtime.services
    if rest == "--remove":
        return _removed(runtime)
    now = folder_trust(services.trust.found.folder, services.home)
    if not now.found.files:
        return Report(lines=("This folder brings nothing that would need your trust.",))
    if not now.found.is_whole:
        return Report(lines=tuple(told.text for told in now.diagnostics))
    display(TrustView(sections=tuple(_sections(now, services))))
    if now.is_trusted and now.record is not None:
        if not services.trust.is_trusted:
            background.run(runtime.renew())
        text = f"You trust this since {when(now.record.since)}. %agent trust --remove takes that back."
        return Report(lines=(text,))
    return _answered(runtime, now, is_yes=rest == "--yes")


def _answered(runtime: AgentSessionRuntime, now: FolderTrust, *, is_yes: bool) -> Report:
    answer = "yes" if is_yes else _asked(runtime)
    if answer is None:
        return Report(lines=(NOBODY_TEXT,))
    if answer.strip().lower() not in ("y", "yes"):
        return Report(lines=("Not trusted: none of it is used.",))
    TrustStore(runtime.services.home).keep(now.found)
    background.run(runtime.renew())
    if not runtime.services.trust.is_trusted:
        return Report(
            lines=("Something changed while you looked, so none of it is used: %agent trust again.",)
        )
    return Report(lines=("Trusted: it is used from the next prompt on. Whatever changes asks again.",))


def _asked(runtime: AgentSessionRuntime) -> str | None:
    """What the person types; None where nobody can be asked. An interrupt is a no."""
    shell = runtime.services.shell
    try:
        return read_line(shell, _PROMPT) if shell is not None else None
    except KeyboardInterrupt:
        return "no"


def _removed(runtime: AgentSessionRuntime) -> Report:
    services = runtime.services
    if not TrustStore(services.home).remove(services.trust.found.folder):
        return Report(lines=("This folder was not trusted.",))
    background.run(runtime.renew())
    return Report(lines=("No longer trusted: none of what the folder brings is used from now on.",))


@dataclass(frozen=True, kw_only=True)
class TrustSection:
    """One thing that is shown: a line, and the text of a file below it."""

    title: str
    text: str = ""


@dataclass(frozen=True, kw_only=True)
class TrustView:
    """What a folder brings, as the person reads it; nothing in the texts is rendered."""

    sections: tuple[TrustSection, ...]

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/markdown": self.markdown, "text/plain": self.plain}

    @property
    def markdown(self) -> str:
        return "\n\n".join(
            f"{_literal(one.title)}\n\n{_fenced(one.text)}" if one.text else _literal(one.title)
            for one in self.sections
        )

    @property
    def plain(self) -> str:
        return "\n".join(
            "\n".join([one.title, *(f"    {line}" for line in one.text.splitlines())])
            for one in self.sections
        )


def _sections(now: FolderTrust, services: AgentSessionServices) -> Iterator[TrustSection]:
    found, record = now.found, now.record
    where = show_controls(str(found.folder))
    if record is None or now.is_trusted:
        yield TrustSection(title=f"{where} brings {count_of(len(found.files), 'file')}:")
        listed: Sequence[ProjectFile] = found.files
    else:
        since = changes(record, found)
        listed = [file for file in found.files if file.key in (*since.added, *since.changed)]
        yield TrustSection(title=f"{where} has changed since {when(record.since)}, when you trusted it:")
        yield from (TrustSection(title=f"{shown_path(path, found.folder)} is gone") for path in since.removed)
    for file in listed[:_MOST_SHOWN]:
        title = f"{shown_path(file.key, found.folder)} · {format_bytes(file.size)} · {_MEANINGS[file.kind]}"
        yield TrustSection(title=title, text=_text_of(file, now, services))
    if len(listed) > _MOST_SHOWN:
        yield from (
            TrustSection(title=f"{shown_path(file.key, found.folder)} · {format_bytes(file.size)}")
            for file in listed[_MOST_SHOWN : 10 * _MOST_SHOWN]
        )
    if len(listed) > 10 * _MOST_SHOWN:
        yield TrustSection(title=f"… and {len(listed) - 10 * _MOST_SHOWN:,} more files")


def _text_of(file: ProjectFile, now: FolderTrust, services: AgentSessionServices) -> str:
    """What is shown of a file: the difference where it has changed, else its beginning."""
    record = now.record
    if record is not None and not now.is_trusted and file.key in record.files:
        before = record.files[file.key].text
        if before is None:
            return "(It was too long to keep what it was.)\n" + _start(file.text, _START_LINES)
        lines = difflib.unified_diff(
            before.splitlines(), file.text.splitlines(), "as you trusted it", "now", lineterm="", n=2
        )
        return _start("\n".join(lines), _DIFFERENCE_LINES)
    start = _start(file.text, _CODE_LINES if file.kind == "extension" else _START_LINES)
    return f"{_effects(now, services)}\n{start}" if file.kind == "settings" else start


def _effects(now: FolderTrust, services: AgentSessionServices) -> str:
    """What the folder's settings would set."""
    settings, told = load_settings(
        now.found.folder, trusted=True, environ={}, home=services.home, more=services.extensions.settings
    )
    rows = [f"{row.name} = {row.value!r}" for row in settings.rows() if row.source == "project"]
    passed_over = [one.text for one in told if str(now.found.folder / ".pi") in one.text]
    return "\n".join([f"sets: {', '.join(rows) or 'nothing'}", *passed_over, ""])


def _start(text: str, max_lines: int) -> str:
    lines = show_controls(text.replace("\r\n", "\n")).split("\n")
    kept = [line[:_MAX_LINE_CHARS] + "…" * (len(line) > _MAX_LINE_CHARS) for line in lines[:max_lines]]
    more = len(lines) - len(kept)
    return "\n".join([*kept, *([f"… {count_of(more, 'more line')}"] if more > 0 else [])]).rstrip()


def _fenced(text: str) -> str:
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def _literal(text: str) -> str:
    """`text` so that Markdown shows it as it stands."""
    return re.sub(r"([\\`*_{}\[\]<>#|~&!$])", r"\\\1", text)
