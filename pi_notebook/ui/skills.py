"""`%agent skills`: skills, instructions and prompt templates, where they come from and what is wrong."""

from __future__ import annotations

from collections.abc import Sequence

from pi_notebook._nearest import did_you_mean
from pi_notebook.context.truncation import format_bytes
from pi_notebook.errors import UsageError
from pi_notebook.session.guidance import Guidance
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.ui.tables import Report, verbatim

MAX_ROWS = 200
_DESCRIPTION_CHARS = 160


def skills(runtime: AgentSessionRuntime, name: str) -> Report:
    """List what there is, or show one skill whole."""
    services = runtime.services
    if name:
        return _one(services.guidance, name)
    found = services.guidance
    parts = [part for part in (_skills(found), _instructions(found), _templates(found)) if part.rows]
    return Report(lines=tuple(told.text for told in services.trust.diagnostics), parts=tuple(parts))


def skill_names(runtime: AgentSessionRuntime) -> list[str]:
    """What may stand behind `%agent skills`."""
    return [skill.name for skill in runtime.services.guidance.skills.skills]


def _one(found: Guidance, name: str) -> Report:
    named = [skill for skill in found.skills.skills if skill.name == name]
    if not named:
        hint = did_you_mean(name, [skill.name for skill in found.skills.skills])
        raise UsageError(f"There is no skill {name!r}.{hint} %agent skills lists them.")
    rows = tuple((verbatim(str(skill.path)), skill.source, verbatim(skill.state)) for skill in named)
    return Report(lines=(verbatim(named[0].description),), header=("file", "from", "used"), rows=rows)


def _skills(found: Guidance) -> Report:
    # What is wrong comes first, so that a long list does not hide it.
    listed = sorted(found.skills.skills, key=lambda skill: not (skill.problem or skill.faults))
    rows = [
        (verbatim(skill.name), skill.source, verbatim(skill.state), _shortened(skill.description))
        for skill in listed
    ]
    return _table(("skill", "from", "used", "what it is for"), rows)


def _instructions(found: Guidance) -> Report:
    texts = found.texts
    named = [
        *((file, "instructions") for file in texts.instructions),
        *((file, "replaces the system prompt") for file in [texts.replacement] if file is not None),
        *((file, "extends the system prompt") for file in [texts.addendum] if file is not None),
    ]
    rows = [
        (verbatim(str(file.path)), file.source, format_bytes(file.content.size), what) for file, what in named
    ]
    return _table(("file", "from", "size", "what it does"), rows)


def _templates(found: Guidance) -> Report:
    rows = [
        (verbatim(f"/{one.name} {one.hint}".strip()), one.source, _shortened(one.description))
        for one in found.templates
    ]
    return _table(("prompt", "from", "what it is for"), rows)


def _table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Report:
    more = len(rows) - MAX_ROWS
    footer = (f"… and {more:,} more",) if more > 0 else ()
    return Report(header=header, rows=tuple(rows[:MAX_ROWS]), footer=footer)


def _shortened(text: str) -> str:
    return verbatim(text if len(text) <= _DESCRIPTION_CHARS else f"{text[: _DESCRIPTION_CHARS - 1]}…")
