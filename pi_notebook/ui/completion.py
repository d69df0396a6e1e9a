"""Tab completion behind `%agent` and on the first line of `%%agent`."""

from __future__ import annotations

from pi_notebook.session.permissions import MODES
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.ui.arguments import OPTIONS
from pi_notebook.ui.commands import COMMANDS


def complete_line(runtime: AgentSessionRuntime, line: str) -> list[str]:
    """What may stand where `line`, the text up to the cursor, ends."""
    words = line.split(" ")
    if words[0].lstrip("%") != "agent" or "\n" in line:
        return []
    found = _options(runtime, words) if words[0].startswith("%%") else _commands(runtime, words)
    return [word for word in found if word.startswith(words[-1])]


def _commands(runtime: AgentSessionRuntime, words: list[str]) -> list[str]:
    if len(words) == 2:
        return [*COMMANDS, *runtime.services.extensions.commands]
    command = COMMANDS.get(words[1])
    return command.completions(runtime) if command and len(words) == 3 else []


def _options(runtime: AgentSessionRuntime, words: list[str]) -> list[str]:
    if words[-2:-1] and words[-2] in ("-m", "--model"):
        return runtime.services.model_names
    if words[-2] == "--mode":
        return list(MODES)
    return [flag for option in OPTIONS for flag in option.flags]
