"""A session as a clean notebook: prompts and answers, and the code that worked, which runs on a fresh kernel.

What is kept is decided in `selection`, where imports stand in `imports`. Nothing is run here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any

from pi_notebook._loading import installed
from pi_notebook.agent.entries import Entry, MessageEntry
from pi_notebook.agent.messages import AssistantMessage, ImageContent, UserMessage
from pi_notebook.context.amounts import count_of
from pi_notebook.session.export.conversation import contents
from pi_notebook.session.export.file_texts import FileTexts, file_cell
from pi_notebook.session.export.imports import gather
from pi_notebook.session.export.selection import Selection, select
from pi_notebook.session.export.texts import (
    PICTURE_TYPES,
    Mask,
    bounded,
    fenced,
    is_picture,
    one_line,
    output_of,
    quiet_markdown,
    quoted,
    shown_file,
)
from pi_notebook.session.recorded_cells import RecordedCell, cells_by_entry

MAX_OUTPUT_CHARS = 10_000
"""Of the text below one cell."""
MAX_PICTURES_CHARS = 20_000_000
"""Of all pictures, in base64."""
_MAX_QUERY_CHARS = 2_000


@dataclass(frozen=True, kw_only=True)
class _Cell:
    source: str
    is_code: bool = False
    path: str = ""
    """The file that it writes."""
    outputs: tuple[dict[str, Any], ...] = ()
    attachments: dict[str, dict[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class NotebookExport:
    """The notebook as a file's text, and what a person is told of it."""

    text: str
    code_cells: int
    failed: int
    repeated: int
    unmade: tuple[str, ...]


def notebook(
    entries: Iterable[Entry], *, session_id: str, title: str, folder: Path, into: Path, mask: Mask
) -> NotebookExport:
    """The notebook of a branch that worked in `folder`, to be saved in the folder `into`."""
    pairs = cells_by_entry(entries)
    every = [cell for _, cells in pairs for cell in cells]
    chosen = select(every)
    cells = _Writer(chosen, folder=folder, mask=mask).cells(pairs)
    modules = frozenset(
        part
        for cell in every
        for path in (*cell.written, str(cell.arguments.get("path", "")))
        for part in (PurePath(path).stem, PurePath(path).parts[0] if PurePath(path).parts else "")
        if path.endswith(".py")
    )
    cells = _with_imports(cells, modules)
    if into.resolve() != folder.resolve():
        cells.insert(0, _Cell(source=f"import os\n\nos.chdir({str(folder)!r})", is_code=True))
    cells.insert(0, _Cell(source=mask(_head(chosen, title))))
    return NotebookExport(
        text=_nbformat(cells, session_id),
        code_cells=sum(cell.is_code for cell in cells),
        failed=chosen.failed,
        repeated=chosen.repeated,
        unmade=chosen.unmade,
    )


def _head(chosen: Selection, title: str) -> str:
    left_out = []
    if chosen.failed:
        left_out.append(count_of(chosen.failed, "failed attempt"))
    if chosen.repeated:
        left_out.append(count_of(chosen.repeated, "repeated step"))
    lines = [
        f"# {one_line(title)}",
        "",
        "The code that worked in a session with an agent, in its order.",
    ]
    if left_out:
        lines[-1] += f" Left out: {', '.join(left_out)}."
    if chosen.unmade:
        names = ", ".join(f"`{name}`" for name in chosen.unmade)
        lines += ["", f"Made outside what the session recorded, so make them first: {names}."]
    return "\n".join(lines)


class _Writer:
    """Turns entries into cells."""

    def __init__(self, chosen: Selection, *, folder: Path, mask: Mask) -> None:
        self._chosen = chosen
        self._folder = folder
        self._mask = mask
        self._files = FileTexts(folder)
        self._room = MAX_PICTURES_CHARS

    def cells(self, pairs: Sequence[tuple[Entry, list[RecordedCell]]]) -> list[_Cell]:
        """The cells of all that is kept."""
        written: list[_Cell] = []
        for entry, recorded in pairs:
            made = [made for cell in recorded for made in self._of(cell)]
            message = entry.message if isinstance(entry, MessageEntry) else None
            if isinstance(message, UserMessage):
                written.append(self._prompt(message))
            elif isinstance(message, AssistantMessage) and (made or _is_answer(message)):
                text = quiet_markdown(self._mask(message.text.strip()))
                written += [_Cell(source=text)] if text else []
            for cell in made:
                if cell.path and written and written[-1].path == cell.path:
                    written.pop()  # written again before anything looked at it
                written.append(cell)
        return written

    def _prompt(self, message: UserMessage) -> _Cell:
        text, images = contents(message.content)
        text = quoted(quiet_markdown(self._mask(text)))
        attachments = {}
        for number, image in enumerate(images, start=1):
            if self._fits(image):
                name = f"picture-{number}.{PICTURE_TYPES[image.mime_type]}"
                attachments[name] = {image.mime_type: image.data}
                text += f"\n>\n> ![{name}](attachment:{name})"
        return _Cell(source=text, attachments=attachments)

    def _of(self, cell: RecordedCell) -> list[_Cell]:
        """The cells that stand for one recorded one; none when it is left out."""
        text = self._chosen.texts.get(id(cell))
        if text is None:
            return []
        if cell.kind in ("write", "edit"):
            return self._of_file(cell)
        text = self._mask(text).strip("\n")
        if cell.kind == "query":
            return [self._query(cell, text)]
        source = _shell_source(text) if cell.kind == "bash" else text
        is_whole = text and (cell.kind == "person" or self._chosen.texts[id(cell)] == cell.text)
        return [_Cell(source=source, is_code=True, outputs=self._outputs(cell) if is_whole else ())]

    def _of_file(self, cell: RecordedCell) -> list[_Cell]:
        path = shown_file(str(cell.arguments.get("path", "")), self._folder)
        content = self._files.after(cell)
        if id(cell) in self._chosen.needed_files and content is not None:
            return [_Cell(source=self._mask(file_cell(path, content)), is_code=True, path=path)]
        verb = "Changed" if cell.kind == "edit" else "Wrote"
        return [_Cell(source=f"*{verb}* `{one_line(self._mask(path))}`")]

    def _query(self, cell: RecordedCell, sql: str) -> _Cell:
        shown = output_of(cell.result)[0] if cell.result is not None else ""
        parts = ["Asked in SQL:", fenced(sql, "sql"), fenced(bounded(self._mask(shown), _MAX_QUERY_CHARS))]
        return _Cell(source="\n\n".join(parts))

    def _outputs(self, cell: RecordedCell) -> tuple[dict[str, Any], ...]:
        if cell.result is None:
            return ()
        printed, value = (bounded(self._mask(text), MAX_OUTPUT_CHARS) for text in output_of(cell.result))
        outputs: list[dict[str, Any]] = []
        if printed:
            outputs.append({"output_type": "stream", "name": "stdout", "text": printed + "\n"})
        for block in cell.result.content:
            if isinstance(block, ImageContent) and self._fits(block):
                data = {block.mime_type: block.data, "text/plain": "<picture>"}
                outputs.append({"output_type": "display_data", "data": data, "metadata": {}})
        if value:
            result: dict[str, Any] = {
                "output_type": "execute_result",
                "execution_count": None,
                "metadata": {},
            }
            outputs.append({**result, "data": {"text/plain": value}})
        return tuple(outputs)

    def _fits(self, image: ImageContent) -> bool:
        """Whether `image` is shown; what it takes is then taken."""
        if not is_picture(image) or len(image.data) > self._room:
            return False
        self._room -= len(image.data)
        return True


def _is_answer(message: AssistantMessage) -> bool:
    return not message.tool_calls and message.stop_reason not in ("error", "aborted")


def _shell_source(command: str) -> str:
    """A shell command as a cell; in `!` IPython would put its own values in the place of `$name` and `{}`."""
    command = command.strip()
    if "\n" in command or re.search(r"[${}\\!?]", command) or command.endswith("&"):
        return f"%%bash\n{command}"
    return f"!{command}"


def _with_imports(cells: Sequence[_Cell], modules: frozenset[str]) -> list[_Cell]:
    """The cells, with their imports in one at the top; those with nothing left are gone."""
    code = [cell for cell in cells if cell.is_code]
    gathered = gather([cell.source for cell in code], modules)
    rests = iter(gathered.texts)
    moved = [replace(cell, source=next(rests)) if cell.is_code else cell for cell in cells]
    top = [_Cell(source=gathered.imports, is_code=True)] if gathered.imports else []
    return [*top, *(cell for cell in moved if cell.source.strip())]


def _nbformat(cells: Sequence[_Cell], session_id: str) -> str:
    """The text of the file; the same cells give the same text."""
    with installed():
        from nbformat import from_dict, v4

    book = {
        "cells": [_node(cell, f"cell-{number}") for number, cell in enumerate(cells, start=1)],
        "metadata": {
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
            "language_info": {"name": "python"},
            "pi_notebook": {"session": session_id},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return f"{v4.writes(from_dict(book))}\n"


def _node(cell: _Cell, cell_id: str) -> dict[str, Any]:
    node: dict[str, Any] = {"id": cell_id, "metadata": {}, "source": cell.source}
    if cell.is_code:
        return {**node, "cell_type": "code", "execution_count": None, "outputs": list(cell.outputs)}
    node["cell_type"] = "markdown"
    return {**node, "attachments": cell.attachments} if cell.attachments else node
