"""What follows `%agent`: one function a subcommand, each returning what is shown.

The table at the end is the only list: help, Tab completion and error texts are made from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pi_notebook._nearest import did_you_mean
from pi_notebook.context.policies import POLICY_MEANINGS
from pi_notebook.context.working_code import working_code
from pi_notebook.errors import UsageError
from pi_notebook.session.outline import outline
from pi_notebook.session.permissions import MODE_MEANINGS, MODES
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.ui.arguments import OPTIONS
from pi_notebook.ui.changing import choose
from pi_notebook.ui.compactions import compact, compactions
from pi_notebook.ui.context import context
from pi_notebook.ui.export import export
from pi_notebook.ui.extension_commands import run_extension_command
from pi_notebook.ui.hooks import hooks
from pi_notebook.ui.importing import import_
from pi_notebook.ui.ledger import ledger
from pi_notebook.ui.queueing import continue_, follow, steer
from pi_notebook.ui.restore import restore
from pi_notebook.ui.search import search
from pi_notebook.ui.sessions import fork, name, new, resume, sessions
from pi_notebook.ui.skills import skill_names, skills
from pi_notebook.ui.status import guess_note, status, usage
from pi_notebook.ui.tables import Report
from pi_notebook.ui.tree import tree
from pi_notebook.ui.trust import trust

Run = Callable[[AgentSessionRuntime, str], Report]


@dataclass(frozen=True, kw_only=True)
class Command:
    """One subcommand."""

    name: str
    run: Run
    meaning: str
    takes: str = ""
    """What may stand behind it, as help shows it."""
    completions: Callable[[AgentSessionRuntime], list[str]] = lambda runtime: []
    is_text: bool = False
    """Whether a reader is meant by what stands behind it: no values are put in for braces and dollars."""


def run_command(runtime: AgentSessionRuntime, line: str) -> Report:
    """Run `line`; a `UsageError` names the nearest command when it is none."""
    name, _, rest = line.strip().partition(" ")
    if not name:
        return status(runtime, "")
    if name in COMMANDS:
        return COMMANDS[name].run(runtime, _accepted(COMMANDS[name], rest.strip()))
    added = runtime.services.extensions.commands
    if name in added:
        return run_extension_command(runtime, added[name], rest.strip())
    known = (*COMMANDS, *added)
    raise UsageError(
        f"%agent has no command {name!r}.{did_you_mean(name, known)} Commands: {', '.join(known)}."
    )


def _accepted(command: Command, rest: str) -> str:
    """`rest`, where `command` takes any; a `UsageError` where it would go unheard, a comment excepted."""
    if rest and not command.takes and not rest.startswith("#"):
        raise UsageError(
            f"%agent {command.name} takes nothing more, but {rest!r} stands behind it. Nothing was done."
        )
    return rest


def takes_text(line: str) -> bool:
    """Whether what stands behind the command of `line` is a text, to be taken as it was typed."""
    command = COMMANDS.get(line.strip().partition(" ")[0])
    return command is not None and command.is_text


def help_(runtime: AgentSessionRuntime, _: str) -> Report:
    """Everything that can be typed."""
    options = ((f"`{', '.join(o.flags)}{' ' + o.value if o.value else ''}`", o.meaning) for o in OPTIONS)
    known = [(c.name, c.takes, c.meaning) for c in COMMANDS.values()]
    added = runtime.services.extensions.commands
    known += [(c.name, c.takes, c.meaning) for name, c in added.items() if name not in COMMANDS]
    commands = ((f"`%agent {f'{name} {takes}'.strip()}`", meaning) for name, takes, meaning in known)
    return Report(
        lines=(
            "`%%agent [options]` with a prompt below asks the agent; `%agent` shows the state.",
            "In a prompt, `@name`, `@path`, `@In[5]`, `@Out[5]` and `@error` send what they name.",
        ),
        header=("option or command", "meaning"),
        rows=(*options, *commands),
    )


def model(runtime: AgentSessionRuntime, name: str) -> Report:
    """Show or choose the session's model."""
    session = runtime.session
    if name:
        choose(session, "model", name)
    window = f"{session.upkeep.info.context_window:,} tokens{guess_note(session)}"
    return Report(lines=(f"model: **{session.model.name}** · context window {window}",))


def mode(runtime: AgentSessionRuntime, name: str) -> Report:
    """Show or choose what runs without asking."""
    if name:
        choose(runtime.session, "mode", name)
    rows = tuple((f"**{m}**" if m == runtime.session.mode else m, MODE_MEANINGS[m]) for m in MODES)
    return Report(header=("mode", "meaning"), rows=rows)


def policy(runtime: AgentSessionRuntime, name: str) -> Report:
    """Show or choose how the context is kept within its window."""
    if name:
        choose(runtime.session, "policy", name)
    chosen = runtime.session.policy.name
    rows = tuple((f"**{n}**" if n == chosen else n, meaning) for n, meaning in POLICY_MEANINGS.items())
    return Report(header=("policy", "meaning"), rows=rows)


def cell(runtime: AgentSessionRuntime, _: str) -> Report:
    """Put the last run's working code into a new cell."""
    code = working_code(runtime.session.messages)
    shell = runtime.services.shell
    if not code or shell is None:
        return Report(lines=("The last run has no code that worked.",))
    shell.set_next_input(code)
    return Report(lines=(f"{code.count(chr(10)) + 1} lines of the last run's code are in the next cell.",))


def tools(runtime: AgentSessionRuntime, _: str) -> Report:
    """What the agent can do here."""
    rows = tuple((f"`{t.name}`", t.risk, t.summary) for t in runtime.services.tools)
    return Report(header=("tool", "may", "what it does"), rows=rows)


def settings(runtime: AgentSessionRuntime, rest: str) -> Report:
    """List the settings, or set one for this session."""
    session = runtime.session
    name, _, value = rest.partition(" ")
    if not name:
        rows = tuple((f"`{r.name}`", str(r.value), r.source, r.meaning) for r in session.settings.rows())
        return Report(header=("setting", "value", "from", "meaning"), rows=rows)
    if value:
        choose(session, name, value.strip())
    session.settings.setting(name)
    row = next(r for r in session.settings.rows() if r.name == name)
    return Report(lines=(f"`{row.name}` is **{row.value}** ({row.source}): {row.meaning}",))


COMMANDS: Mapping[str, Command] = {
    command.name: command
    for command in (
        Command(name="help", run=help_, meaning="this list"),
        Command(
            name="model",
            run=model,
            takes="[NAME]",
            meaning="show or choose the model",
            completions=lambda runtime: runtime.services.model_names,
        ),
        Command(
            name="mode",
            run=mode,
            takes="[MODE]",
            meaning="show or choose what runs without asking",
            completions=lambda runtime: list(MODES),
        ),
        Command(
            name="policy",
            run=policy,
            takes="[NAME]",
            meaning="show or choose how the context is kept within its window",
            completions=lambda runtime: list(POLICY_MEANINGS),
        ),
        Command(
            name="continue",
            run=continue_,
            takes="[options]",
            meaning="go on after a stop or a failure, without a new prompt",
        ),
        Command(
            name="steer",
            run=steer,
            takes="[TEXT]",
            meaning="say something to a run of the panel before its next request; without text what waits",
            is_text=True,
        ),
        Command(
            name="follow",
            run=follow,
            takes="[TEXT]",
            meaning="say something to a run of the panel when it would end",
            is_text=True,
        ),
        Command(name="usage", run=usage, meaning="what was spent, and how full the context is"),
        Command(
            name="context",
            run=context,
            takes="[REQUEST [REQUEST]]",
            meaning="what the next request is made of, or a past one by its number; the difference of two",
        ),
        Command(name="cell", run=cell, meaning="put the last run's working code into a new cell"),
        Command(name="new", run=new, meaning="begin a new session"),
        Command(name="sessions", run=sessions, meaning="list this folder's sessions"),
        Command(
            name="resume",
            run=resume,
            takes="[ID] [--here] [--copy]",
            meaning="continue a session, or a copy; without ID the newest of this notebook or folder",
            completions=lambda runtime: [info.id for info in runtime.sessions()],
        ),
        Command(
            name="tree",
            run=tree,
            takes="[ENTRY [--before | --summary [INSTRUCTIONS] | --label TEXT]]",
            meaning="list the prompts of every branch; go on after one, or mark it",
            completions=lambda runtime: [one.entry_id for one in outline(runtime.session.store)],
        ),
        Command(
            name="fork",
            run=fork,
            takes="[ENTRY [--before]]",
            meaning="go on in a copy of this session, up to a prompt's answer if one is named",
            completions=lambda runtime: [one.entry_id for one in outline(runtime.session.store)],
        ),
        Command(
            name="import",
            run=import_,
            takes="FILE",
            meaning="go on with a session of Pi, Claude Code, SWE-agent or mini-swe-agent",
        ),
        Command(
            name="export",
            run=export,
            takes="FILE.(ipynb|html|md|jsonl) [--force]",
            meaning="write this session as a notebook, a page, Markdown or a session file",
        ),
        Command(
            name="search",
            run=search,
            takes="TEXT",
            meaning="find words in this session and in the folder's others, what was summarised too",
            is_text=True,
        ),
        Command(name="name", run=name, takes="TEXT", meaning="name this session", is_text=True),
        Command(name="ledger", run=ledger, meaning="list the files, variables and packages of this session"),
        Command(
            name="restore",
            run=restore,
            meaning="bring back the session's variables in a restarted kernel, after %agent resume",
        ),
        Command(
            name="compact",
            run=compact,
            takes="[INSTRUCTIONS]",
            meaning="summarise the older part of the conversation now",
            is_text=True,
        ),
        Command(name="compactions", run=compactions, meaning="list what was summarised in this session"),
        Command(
            name="trust",
            run=trust,
            takes="[--yes | --remove]",
            meaning="show what this folder brings (instructions, skills, settings, extensions) and trust it",
            completions=lambda runtime: ["--yes", "--remove"],
        ),
        Command(name="tools", run=tools, meaning="list what the agent can do here"),
        Command(name="hooks", run=hooks, meaning="list the hooks that take part in this session"),
        Command(
            name="skills",
            run=skills,
            takes="[NAME]",
            meaning="list skills, instructions and prompt templates, and what is wrong with them",
            completions=skill_names,
        ),
        Command(
            name="settings",
            run=settings,
            takes="[KEY [VALUE]]",
            meaning="list the settings, or set one for this session",
            completions=lambda runtime: [row.name for row in runtime.session.settings.rows()],
        ),
    )
}
