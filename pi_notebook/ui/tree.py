"""`%agent tree`: the prompts of every branch, and going on from another one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pi_notebook.agent.abort import Aborted
from pi_notebook.agent.entries import MessageEntry
from pi_notebook.agent.messages import text_of
from pi_notebook.errors import UsageError
from pi_notebook.session.background import background
from pi_notebook.session.outline import OutlinePrompt, outline
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.store import SessionStore
from pi_notebook.ui.changing import tell_changed
from pi_notebook.ui.tables import Report, when

MAX_ROWS = 200
"""The newest."""


def tree(runtime: AgentSessionRuntime, rest: str) -> Report:
    """Show the session's prompts, go on after one of them, or mark one with a label."""
    words = rest.split(maxsplit=1)
    if not words:
        return _shown(runtime.session.store)
    prompt = find_prompt(runtime.session.store, words[0])
    following = words[1].strip() if len(words) > 1 else ""
    if following == "--before":
        return _moved_before(runtime, prompt)
    if following.startswith("--label"):
        label = following.removeprefix("--label").strip()
        runtime.session.branch.set_label(prompt.entry_id, label or None)
        return Report(lines=(f"“{prompt.text}” is marked **{label}**." if label else "The mark is gone.",))
    if following.startswith("--summary"):
        return _left(runtime, prompt, following.removeprefix("--summary").strip())
    if following:
        raise UsageError(
            f"After the entry stands --before, --summary [INSTRUCTIONS] or --label TEXT, not {following!r}."
        )
    runtime.session.move(prompt.end_id)
    tell_changed(runtime.session, has_moved=True)
    return Report(lines=(f"The session goes on after “{prompt.text}”. What came after it is kept.",))


def find_prompt(store: SessionStore, wanted: str) -> OutlinePrompt:
    """The prompt whose entry's id begins with `wanted`, or that has it as its label."""
    prompts = outline(store)
    found = [one for one in prompts if one.entry_id.startswith(wanted) or wanted == one.label]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"{wanted!r} names {len(found)} prompts. Write more of the id.")
    raise UsageError(f"This session has no prompt {wanted!r}. %agent tree lists those there are.")


def offer_again(runtime: AgentSessionRuntime, store: SessionStore, prompt: OutlinePrompt) -> None:
    """Put the words of `prompt` into the next cell, as far as there is one."""
    shell = runtime.services.shell
    if shell is not None:
        shell.set_next_input(f"%%agent\n{prompt_text(store, prompt)}")


def prompt_text(store: SessionStore, prompt: OutlinePrompt) -> str:
    """The words of `prompt`, whole."""
    entry = store.get(prompt.entry_id)
    return text_of(entry.message) if isinstance(entry, MessageEntry) else ""


def _moved_before(runtime: AgentSessionRuntime, prompt: OutlinePrompt) -> Report:
    store = runtime.session.store
    runtime.session.move(store.get(prompt.entry_id).parent_id)
    tell_changed(runtime.session, has_moved=True)
    offer_again(runtime, store, prompt)
    return Report(lines=(f"The session goes on before “{prompt.text}”. What came after it is kept.",))


def _left(runtime: AgentSessionRuntime, prompt: OutlinePrompt, focus: str) -> Report:
    session = runtime.session
    try:
        entry = background.run(session.leave(prompt.end_id, focus))
    except (Aborted, KeyboardInterrupt):
        session.abort()
        return Report(lines=("Stopped. The session goes on where it was.",))
    tell_changed(session, has_moved=True)
    moved = f"The session goes on after “{prompt.text}”."
    if entry is None:
        return Report(lines=(f"{moved} Nothing was left that could be summarised.",))
    return Report(
        lines=(f"{moved} The model is told what was done on the branch that is left:", "", entry.summary)
    )


def _shown(store: SessionStore) -> Report:
    prompts = outline(store)
    if not prompts:
        return Report(lines=("Nothing was asked in this session yet.",))
    rows = [
        (f"`{one.entry_id}`", f"{stem}{one.text}", when(one.timestamp), _notes(one))
        for one, stem in _drawn(prompts)
    ]
    left = len(rows) - MAX_ROWS
    return Report(
        header=("entry", "prompt", "asked", ""),
        rows=tuple(rows[-MAX_ROWS:]),
        footer=(
            *((f"and {left:,} before these",) if left > 0 else ()),
            "`%agent tree ENTRY` goes on after that answer, `--before` before the prompt, `--summary` with "
            "a summary of what is left; "
            "`%agent fork ENTRY` does so in a session of its own.",
        ),
    )


def _notes(prompt: OutlinePrompt) -> str:
    label = f"**{prompt.label}**" if prompt.label else ""
    return " ".join(filter(None, [label, "← here" if prompt.is_last else ""]))


def _drawn(prompts: Sequence[OutlinePrompt]) -> Iterator[tuple[OutlinePrompt, str]]:
    """Each prompt with what stands before it: a branch that was left is set in under where it left."""
    following: dict[str | None, list[OutlinePrompt]] = {}
    for prompt in prompts:
        following.setdefault(prompt.parent_id, []).append(prompt)
    waiting = _followers(following.get(None, []), "")
    while waiting:
        prompt, stem, indent = waiting.pop()
        yield prompt, stem
        waiting += _followers(following.get(prompt.entry_id, []), indent)


def _followers(prompts: list[OutlinePrompt], indent: str) -> list[tuple[OutlinePrompt, str, str]]:
    """What follows one prompt, the next to draw last: branches that were left, then the one that goes on."""
    if not prompts:
        return []
    *left, last = sorted(prompts, key=lambda one: one.is_on_branch)
    return [(last, indent, indent), *((one, f"{indent}└ ", f"{indent}│ ") for one in reversed(left))]
