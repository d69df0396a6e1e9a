"""Writing a session to a file of the person's, in the format that the file's name asks for."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from pi_notebook.agent.entries import Entry, MessageEntry, SessionInfoEntry
from pi_notebook.agent.messages import UserMessage, text_of
from pi_notebook.context.amounts import count_of
from pi_notebook.errors import UsageError
from pi_notebook.session.export.conversation import conversation
from pi_notebook.session.export.html import html_pieces
from pi_notebook.session.export.jsonl import branch_lines
from pi_notebook.session.export.markdown import MarkdownExport
from pi_notebook.session.export.notebook import notebook
from pi_notebook.session.export.page_markdown import has_renderer
from pi_notebook.session.export.target import Target, there_already, write_target
from pi_notebook.session.export.texts import masking
from pi_notebook.session.store import SessionStore

_MAX_TITLE_CHARS = 90
_SESSION_MODE = 0o600
"""A session's own lines hold all that was said, secrets too."""


def export_session(store: SessionStore, target: Target, *, folder: Path) -> list[str]:
    """Write the current branch of `store`, which works in `folder`; what a person is told of it.

    Raises `UsageError` when there is nothing to write, or it cannot be written.
    """
    branch = store.branch()
    if not any(isinstance(entry, MessageEntry) for entry in branch):
        raise UsageError("%agent export: nothing was asked in this session yet.")
    write = {"ipynb": _notebook, "html": _html, "md": _markdown, "jsonl": _jsonl}[target.format]
    return write(store, branch, target, folder)


def _notebook(store: SessionStore, branch: Iterable[Entry], target: Target, folder: Path) -> list[str]:
    made = notebook(
        branch,
        session_id=store.id,
        title=_title(branch),
        folder=folder,
        into=target.path.parent,
        mask=masking(),
    )
    size = write_target(target, [made.text.encode()])
    told = [f"{count_of(made.code_cells, 'code cell')} in **{target.path}** ({size:,} bytes)"]
    if made.failed or made.repeated:
        told.append(
            f"left out: {count_of(made.failed, 'failed attempt')}, {count_of(made.repeated, 'repeated step')}"
        )
    if made.unmade:
        told.append(f"made outside the session, so not in it: {', '.join(f'`{n}`' for n in made.unmade)}")
    return told


def _html(store: SessionStore, branch: Iterable[Entry], target: Target, folder: Path) -> list[str]:
    about = f"{folder.name or folder} · {store.header.timestamp[:10]} · session {store.id}"
    pieces = html_pieces(_title(branch), about, conversation(branch), masking())
    size = write_target(target, _encoded(pieces))
    told = [f"the whole conversation in **{target.path}** ({size:,} bytes)"]
    if not has_renderer():
        told.append("answers stand as plain text: pip install 'pi-notebook[export]' renders their Markdown")
    return told


def _markdown(store: SessionStore, branch: Iterable[Entry], target: Target, folder: Path) -> list[str]:
    beside = target.path.with_name(f"{target.path.stem}_files")
    document = MarkdownExport(pictures_folder=beside.name, mask=masking())

    def pieces() -> Iterator[str]:
        yield from document.pieces(_title(branch), conversation(branch))
        if document.pictures:  # before the document has its name: it refers to them
            _write_pictures(document.pictures, replace(target, path=beside))

    size = write_target(target, _encoded(pieces()))
    told = [f"the whole conversation in **{target.path}** ({size:,} bytes)"]
    if document.pictures:
        told.append(f"{count_of(len(document.pictures), 'picture')} in {beside}")
    return told


def _write_pictures(pictures: dict[str, bytes], beside: Target) -> None:
    try:
        beside.path.mkdir(exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"%agent export: {beside.path} cannot be made for the pictures: {error.strerror}."
        ) from error
    taken = [path for name in pictures if os.path.lexists(path := beside.path / name)]
    if taken and not beside.may_replace:
        raise there_already(taken[0])
    for name, data in pictures.items():
        write_target(replace(beside, path=beside.path / name), [data])


def _jsonl(store: SessionStore, branch: Iterable[Entry], target: Target, folder: Path) -> list[str]:
    size = write_target(target, branch_lines(store), mode=_SESSION_MODE)
    return [
        f"the session's branch in **{target.path}** ({size:,} bytes)",
        "it holds every line as it is, what was masked elsewhere too; Pi opens it, and %agent import does",
    ]


def _encoded(pieces: Iterable[str]) -> Iterator[bytes]:
    return (piece.encode("utf-8", "replace") for piece in pieces)


def _title(entries: Iterable[Entry]) -> str:
    """The session's name, else the first line of its first prompt."""
    first, name = "", ""
    for entry in entries:
        if isinstance(entry, SessionInfoEntry):
            name = entry.name
        elif not first and isinstance(entry, MessageEntry) and isinstance(entry.message, UserMessage):
            first = text_of(entry.message).strip().partition("\n")[0]
    title = " ".join((name or first.replace("`", "") or "A session").split())
    return title if len(title) <= _MAX_TITLE_CHARS else f"{title[: _MAX_TITLE_CHARS - 1]}…"
