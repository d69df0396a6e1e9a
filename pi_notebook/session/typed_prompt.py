"""What a prompt that begins with a slash stands for: a template's text, or a skill that is asked for.

The model gets the text it stands for as the person's words; what was typed is recorded before it.
Whatever is no template's name stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pi_notebook.agent.messages import TextContent, UserContent
from pi_notebook.errors import UsageError
from pi_notebook.session.attached_cells import AttachedCell
from pi_notebook.session.branch import Branch
from pi_notebook.session.guidance import Guidance
from pi_notebook.skills.template_arguments import MAX_CHARS, TooLong
from pi_notebook.skills.templates import find_call

TYPED_TYPE = "pi_notebook/typed_prompt"
"""The `custom_type` of the record of what was typed; the prompt follows it."""

_SKILL = re.compile(r"/skill:(\S+)(?:\s+(.*))?", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class TypedPrompt:
    """A prompt as the model gets it, and as it was typed."""

    content: str | list[UserContent]
    details: dict[str, Any] | None = None
    """What was typed and what it stands for; None where that is the same."""
    cells: tuple[AttachedCell, ...] = ()
    """Those of the notebook that go with it."""

    def record(self, branch: Branch) -> None:
        """Write down what was typed, where the model gets something else."""
        if self.details is not None:
            branch.add_record(TYPED_TYPE, self.details)


def typed_prompt(
    content: str | list[UserContent], guidance: Guidance, cells: Sequence[AttachedCell] = ()
) -> TypedPrompt:
    """What `content` stands for; `UsageError` when a template becomes too long by its arguments."""
    text = content if isinstance(content, str) else _first_text(content)
    found = _template(text, guidance) or _skill(text, guidance)
    if found is None:
        return TypedPrompt(content=content, cells=tuple(cells))
    meant, details = found
    whole = meant if isinstance(content, str) else [TextContent(text=meant), *content[1:]]
    return TypedPrompt(content=whole, details=details, cells=tuple(cells))


def meant_by(text: str, guidance: Guidance) -> str:
    """The words that a model gets when the person types `text`."""
    content = typed_prompt(text, guidance).content
    return content if isinstance(content, str) else text


def _first_text(content: list[UserContent]) -> str:
    first = content[0] if content else None
    return first.text if isinstance(first, TextContent) else ""


def _template(text: str, guidance: Guidance) -> tuple[str, dict[str, Any]] | None:
    call = find_call(text)
    named = (one for one in guidance.templates if call is not None and one.name == call[0])
    template = next(named, None)
    if call is None or template is None:
        return None
    try:
        meant = template.filled(call[1])
    except TooLong:
        raise UsageError(
            f"/{template.name} with these arguments is longer than {MAX_CHARS:,} characters. "
            "Put the text into a file or a variable and name it with @."
        ) from None
    return meant, {"typed": text, "template": template.name, "path": str(template.path)}


def _skill(text: str, guidance: Guidance) -> tuple[str, dict[str, Any]] | None:
    call = _SKILL.fullmatch(text.strip())
    skill = guidance.skills.get(call[1]) if call is not None else None
    if call is None or skill is None:
        return None
    asked = f"Use the skill {skill.name}: `read` {skill.path} first and follow it."
    meant = "\n\n".join(part for part in (asked, call[2]) if part)
    return meant, {"typed": text, "skill": skill.name, "path": str(skill.path)}
