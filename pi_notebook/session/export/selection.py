"""Which recorded cells a clean notebook keeps: those that worked, the last version of each.

Whatever another kept cell needs stays: a cell is left out only when its text and its record say that
nothing is lost by it. Pure; how a kept cell is written is the business of `notebook`.
"""

from __future__ import annotations

import ast
import builtins
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import PurePath

from pi_notebook.agent.messages import ImageContent
from pi_notebook.session.cell_code import CellCode
from pi_notebook.session.export.shell_commands import only_looks
from pi_notebook.session.name_flow import is_import
from pi_notebook.session.recorded_cells import RecordedCell

_LEAST_LIKENESS = 0.5
"""Of two versions of one step."""
_MAX_LOOK_BACK = 100
"""So many cells before a cell are compared with it."""
_KNOWN = frozenset(dir(builtins)) | {"get_ipython", "display", "In", "Out", "exit", "quit"}


@dataclass(kw_only=True)
class Selection:
    """What is kept."""

    texts: dict[int, str] = field(default_factory=dict)
    """By the `id` of each kept cell the text of it that is kept."""
    needed_files: set[int] = field(default_factory=set)
    """The `id` of each write of a file that later code names."""
    failed: int = 0
    repeated: int = 0
    unmade: tuple[str, ...] = ()
    """Names that kept code reads and no kept cell makes."""


def select(cells: Sequence[RecordedCell]) -> Selection:
    """The cells of a branch that matter."""
    chosen = Selection()
    chosen.failed = sum(cell.kind in ("code", "bash") and not cell.has_worked for cell in cells)
    rests = _replaced(cells)
    chosen.repeated = len(rests)
    needed: set[str] = set()
    later: list[str] = []
    made: set[str] = set()
    has_star = False
    for cell in reversed(cells):
        text = rests.get(id(cell))
        if text is None:
            text = _kept_text(cell, needed)
        if not text.strip() and cell.kind != "write":
            continue
        chosen.texts[id(cell)] = text
        if cell.kind in ("write", "edit") and _is_named(str(cell.arguments.get("path", "")), later):
            chosen.needed_files.add(id(cell))
        code = cell.code if text == cell.text else CellCode(text)
        needed = (needed - code.sets) | code.reads
        if id(cell) not in rests:
            needed |= cell.seen_changed - code.sets
        made |= code.changes | cell.seen
        later += [text] if cell.kind in ("code", "person", "bash") else []
        has_star = has_star or "import *" in text
    unmade = needed - _KNOWN - made
    chosen.unmade = () if has_star else tuple(sorted(name for name in unmade if not name.startswith("_")))
    return chosen


def _kept_text(cell: RecordedCell, needed: set[str]) -> str:
    """What is kept of `cell` when the code after it reads the names `needed`; empty for nothing."""
    if cell.kind == "person" or (cell.kind == "code" and not cell.has_worked):
        return _needed_part(cell, needed)
    if not cell.has_worked or (cell.kind == "bash" and not cell.written and only_looks(cell.text)):
        return ""
    return cell.text or cell.kind


def _needed_part(cell: RecordedCell, needed: set[str]) -> str:
    """What ran of `cell` where it makes a name that is `needed`; its imports alone where they are all."""
    if not cell.is_whole:
        return ""
    part = CellCode(cell.worked_part)
    made = (part.changes | cell.seen) & needed
    by_imports = {name for one in part.statements if is_import(one.node) for name in one.sets}
    if cell.kind == "code" and not made - by_imports:
        return part.imports if made else ""
    half = _half_run(cell, part, needed)
    if not made and not half:
        return ""
    return f"{part.source}\n\n{half}".strip("\n")


def _half_run(cell: RecordedCell, part: CellCode, needed: set[str]) -> str:
    """The statement that failed, let fail again, where it left a name otherwise than `part` does."""
    failed = cell.failed_statement
    if failed is None:
        return ""
    is_block = isinstance(failed.node, (ast.For, ast.While, ast.With, ast.If, ast.Try))
    changed = (failed.changes if is_block else frozenset()) | (cell.seen - part.changes)
    known = cell.seen | part.changes if cell.kind == "code" else failed.changes
    if not changed & known & (needed | part.changes):
        return ""
    body = textwrap.indent(ast.unparse(failed.node), "    ")
    return f"try:\n{body}\nexcept Exception:\n    pass  # it failed here in the session, too"


def _is_named(path: str, texts: Iterable[str]) -> bool:
    """Whether one of `texts` names the file, or imports it."""
    name = PurePath(path).name
    stem = name.removesuffix(".py")
    words = (name,) if stem == name else (name, f"import {stem}", f"from {stem} ")
    return bool(name) and any(word in text for text in texts for word in words)


def _replaced(cells: Sequence[RecordedCell]) -> dict[int, str]:
    """The cells that another one stands for, by `id`, and what is kept of them: their imports."""
    rests: dict[int, str] = {}
    for place, cell in enumerate(cells):
        if cell.kind != "code" or not cell.has_worked or not cell.code.is_parsed:
            continue
        between: list[RecordedCell] = []
        for earlier in reversed(cells[max(0, place - _MAX_LOOK_BACK) : place]):
            if id(earlier) in rests:
                continue
            if earlier.kind == "code" and earlier.has_worked and earlier.code.is_parsed:
                if _is_same(earlier, cell, between):
                    rests[id(cell)] = ""
                    break
                if _is_older(earlier, cell, between):
                    rests[id(earlier)] = earlier.code.imports
                    continue
            between.append(earlier)
    return rests


def _is_same(first: RecordedCell, second: RecordedCell, between: Sequence[RecordedCell]) -> bool:
    """Whether `second` does again what `first` did, to the same values."""
    if first.code.dump != second.code.dump or not second.code.is_contained or second.written:
        return False
    kept = (first.makes | first.code.reads) - first.code.imported
    return _shown(first) == _shown(second) and not any(_may_change(cell, kept) for cell in between)


def _may_change(cell: RecordedCell, names: frozenset[str]) -> bool:
    """Whether one of `names`, or a file that makes one, may be another after `cell`."""
    if cell.kind in ("write", "edit"):
        return cell.has_worked
    if cell.kind == "bash":
        return bool(cell.written) or not only_looks(cell.text)
    if cell.kind == "query":
        return False
    return not cell.is_whole or not cell.code.is_parsed or bool(cell.written or cell.makes & names)


def _is_older(first: RecordedCell, second: RecordedCell, between: Sequence[RecordedCell]) -> bool:
    """Whether `second` is a later version of `first` in the same run, and nothing else is of `first`."""
    code, later = first.code, second.code
    if first.run != second.run or first.written or not code.is_contained:
        return False
    makes = first.makes - code.imported
    if not makes <= later.sets or makes & later.reads or any(_uses(cell, makes) for cell in between):
        return False
    if _is_part(code.shape, later.shape):
        return not any(_may_change(cell, code.reads) for cell in between)
    is_silent = _shown(first) == "(no output)"
    return is_silent and bool(makes) and _likeness(first.text, second.text) >= _LEAST_LIKENESS


def _uses(cell: RecordedCell, names: frozenset[str]) -> bool:
    """Whether what is kept of `cell` may read one of `names`."""
    if cell.kind not in ("code", "person"):
        return False
    code = cell.code if cell.has_worked else CellCode(cell.worked_part)
    if not code.is_parsed:
        return any(name in code.source for name in names)
    if not cell.has_worked and not cell.makes - names:
        return False
    return bool(code.reads & names)


def _is_part(few: Sequence[str], many: Sequence[str]) -> bool:
    """Whether `few` stand in `many`, in their order."""
    rest = iter(many)
    return bool(few) and all(one in rest for one in few)


def _shown(cell: RecordedCell) -> str:
    if cell.result is None:
        return ""
    has_picture = any(isinstance(block, ImageContent) for block in cell.result.content)
    return cell.result.text + ("[picture]" if has_picture else "")


def _likeness(first: str, second: str) -> float:
    return SequenceMatcher(None, first[:4_000].split(), second[:4_000].split(), autojunk=False).ratio()
