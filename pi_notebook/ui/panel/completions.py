"""What the word before the caret of a prompt may become.

Behind an `@` variables, files and the last error, behind a `/` that begins the prompt templates, skills
and `/compact`. Cells of the notebook are the panel's to add. No value is looked at beyond its metadata.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pi_notebook.kernel.namespace import VariableInfo, list_variables
from pi_notebook.session.guidance import Guidance
from pi_notebook.session.services import AgentSessionServices
from pi_notebook.ui.mention_matcher import names_for
from pi_notebook.ui.protocol.messages import Completion

MAX_ITEMS = 50
_DETAIL_CHARS = 120
_MENTION = re.compile(r"(?<!\w)@([^\s@]*)\Z")
_COMMAND = re.compile(r"\s*(/[^\s/]*)\Z")


def completions(text: str, services: AgentSessionServices) -> tuple[int, list[Completion]]:
    """Where the word at the end of `text` begins, in UTF-16 units, and what it may become."""
    if (command := _COMMAND.match(text)) is not None:
        start, found = command.start(1), _commands(command[1], services.guidance)
    elif (mention := _MENTION.search(text)) is not None:
        start, found = mention.start(), _mentions(mention[1], services)
    else:
        return _units(text), []
    return _units(text[:start]), [item for item, _ in zip(found, range(MAX_ITEMS), strict=False)]


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _commands(start: str, guidance: Guidance) -> Iterator[Completion]:
    """Whatever may stand at the beginning of a prompt and is more than its words."""
    known = [
        *(_command(f"/{one.name}", "template", one.description or one.hint) for one in guidance.templates),
        *(_command(f"/skill:{one.name}", "skill", one.description) for one in guidance.skills.used),
        _command("/compact", "other", ""),
    ]
    return (item for item in known if item.text.startswith(start))


def _command(text: str, kind: str, detail: str) -> Completion:
    return Completion(text=text, kind=kind, detail=_one_line(detail))  # type: ignore[arg-type]


def _mentions(start: str, services: AgentSessionServices) -> Iterator[Completion]:
    variables = {} if services.shell is None else _variables(services.shell)
    for name in names_for(services.shell, start) if services.shell is not None else ():
        variable = variables.get(name)
        if variable is not None:
            yield Completion(text=f"@{name}", kind="variable", detail=_one_line(_kind(variable)))
        else:
            yield Completion(text=f"@{name}", kind="other" if name == "error" else "file", detail="")


def _variables(shell: object) -> dict[str, VariableInfo]:
    return {info.name: info for info in list_variables(shell, with_callables=True)}


def _kind(variable: VariableInfo) -> str:
    """`DataFrame 344 × 7`, `list (12)`, `int 3`."""
    name = variable.type.rpartition(".")[2]
    if variable.shape is not None:
        return f"{name} {' × '.join(f'{size:,}' for size in variable.shape)}".rstrip()
    if variable.text is not None:
        return f"{name} {variable.text}"
    return f"{name} ({variable.length:,})" if variable.length is not None else name


def _one_line(text: str) -> str:
    line = " ".join(text[: 4 * _DETAIL_CHARS].split())
    return line if len(line) <= _DETAIL_CHARS else f"{line[: _DETAIL_CHARS - 1]}…"
