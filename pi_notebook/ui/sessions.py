"""The subcommands that list sessions and put another in the place of the current one."""

from __future__ import annotations

from pi_notebook.context.amounts import count_of
from pi_notebook.context.projection import missing_results
from pi_notebook.errors import UsageError
from pi_notebook.session.background import background
from pi_notebook.session.listing import SessionInfo
from pi_notebook.session.origin import notebook_of
from pi_notebook.session.outline import outline
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.session import AgentSession
from pi_notebook.ui.changing import tell_changed
from pi_notebook.ui.tables import Report
from pi_notebook.ui.tree import find_prompt, offer_again

HERE = "--here"
COPY = "--copy"


def new(runtime: AgentSessionRuntime, _: str) -> Report:
    """Begin a session."""
    return Report(lines=(f"new session **{background.run(runtime.new()).id}**",))


def name(runtime: AgentSessionRuntime, text: str) -> Report:
    """Name the session."""
    if not text:
        raise UsageError("Write the session's name behind %agent name.")
    runtime.session.branch.set_name(text)
    tell_changed(runtime.session)
    return Report(lines=(f"This session is called **{text}**.",))


def sessions(runtime: AgentSessionRuntime, _: str) -> Report:
    """The sessions of this folder."""
    found = runtime.sessions()
    if not found:
        return Report(lines=(f"No session of {runtime.services.folder} is stored yet.",))
    return Report(
        header=("session", "used", "size", "messages", "model", "notebook", "name or first prompt"),
        rows=tuple(_row(info, is_current=info.id == runtime.session.id) for info in found),
        footer=(
            *(("Time was up before all sessions were looked at.",) if found.is_cut else ()),
            "`%agent resume ID` goes on with one; the first characters of its id are enough.",
        ),
    )


def _row(info: SessionInfo, *, is_current: bool) -> tuple[str, ...]:
    return (
        f"**{info.id}**" if is_current else info.id,
        _age(info.age_seconds),
        f"{info.size_bytes / 1e3:,.0f} kB",
        f"{'about ' if info.is_estimate else ''}{info.messages}",
        info.model or "",
        info.notebook.rpartition("/")[2] if info.notebook else "",
        info.name or info.first_prompt,
    )


def _age(seconds: float) -> str:
    """How long ago."""
    for unit, size in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= size:
            return f"{count_of(int(seconds // size), unit)} ago"
    return "just now"


def resume(runtime: AgentSessionRuntime, rest: str) -> Report:
    """Continue an earlier session, or a copy of it."""
    words = rest.split()
    flags = [word for word in words if word.startswith("--")]
    wanted = " ".join(word for word in words if word not in flags).strip("\"'") or None
    if unknown := [flag for flag in flags if flag not in (HERE, COPY)]:
        raise UsageError(f"%agent resume has no option {unknown[0]}; it takes [ID] [{HERE}] [{COPY}].")
    folder = runtime.services.folder if HERE in flags else None
    notebook = notebook_of(runtime.services.shell)
    if COPY in flags:
        opening = runtime.fork(wanted or str(runtime.newest_session(notebook)), folder=folder)
    else:
        opening = runtime.resume(wanted, folder=folder, notebook=notebook)
    return _opened(background.run(opening), "goes on")


def fork(runtime: AgentSessionRuntime, rest: str) -> Report:
    """Go on in a copy of this session, up to one of its prompts if one is named."""
    wanted, _, flag = rest.partition(" ")
    if flag.strip() not in ("", "--before") or wanted.startswith("--"):
        raise UsageError("%agent fork takes [ENTRY [--before]]; %agent tree lists the entries.")
    source = runtime.session.store
    if not wanted:
        return _opened(background.run(runtime.fork()), "is a copy of the one before and goes on")
    prompt = find_prompt(source, wanted)
    entry_id = source.get(prompt.entry_id).parent_id if flag else prompt.end_id
    if entry_id is None:
        offer_again(runtime, source, prompt)
        return new(runtime, "")
    report = _opened(background.run(runtime.fork(entry_id=entry_id)), "is a copy and goes on")
    if flag:
        offer_again(runtime, source, prompt)
    return report


def _opened(session: AgentSession, what: str) -> Report:
    """What a person is told of a session that was opened."""
    asked = len([prompt for prompt in outline(session.store) if prompt.is_on_branch])
    open_calls = [result.tool_name for result in missing_results(session.messages)]
    interrupted = (
        f"When its kernel ended, {', '.join(open_calls)} was running: it may have run, and is not run again."
    )
    return Report(
        lines=(
            f"session **{session.id}** {what} with {count_of(asked, 'prompt')}",
            *((interrupted,) if open_calls else ()),
            *session.store.problems,
        )
    )
