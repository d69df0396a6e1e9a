"""Writes `src/kernel/sentences.ts`: the forms of the sentences that the kernel says to the person.

    python labextension/generate_sentences.py

The kernel says and records them in English; by their forms the panel reads one back into what was said and
what was filled in, and says it in the person's language. They are found in the source of the package: what
is given to an error that is raised on purpose, to a notice or to the reply of a request, and what is told of
a call that waits for consent.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from source_nodes import Module, Place, name_of, parameters  # noqa: E402
from source_texts import HOLE, UNKNOWN, SourceTexts, has_words  # noqa: E402

PACKAGE = Path(__file__).parent.parent / "pi_notebook"
TARGET = Path(__file__).parent / "src" / "kernel" / "sentences.ts"

HEADER = """\
/**
 * The forms of the sentences that the kernel says, with `%1`, `%2` … where something is filled in.
 *
 * Generated from the source of pi_notebook by labextension/generate_sentences.py. Do not edit.
 */
"""

UNHEARD = r"ui/(?!transcript)\w+\.py|session/importing/.*|session/(trust|extensions|hook_registry)\.py"
"""What speaks in cells and to programs alone: magics, imports, the trust in a folder, code of others."""

TOLD = {
    "Notice": (0, "text"),
    "ErrorMessage": (0, "text"),
    "FailedReply": (0, "text"),
    "DoneReply": (0, "text"),
    "notice_segment": (1, "text"),
    "CompactionEnd": (3, "error"),
    "kind": (0, ""),  # the class of an error that a provider's failure amounts to
}
"""What a person reads, by what takes it: which argument, and its name."""
UNSHOWN = {"ToolDefinitionError"}

ANSWERS = (("str", "panel"), ("tuple[str, str]", "request"), ("str", "error"), ("str", "characters"))
"""What functions of the panel give, and take first, whose values are told."""

MAX_HOLES = 9


class Sentences:
    """The sentences that the package says to a person."""

    def __init__(self) -> None:
        self._texts = SourceTexts(PACKAGE)
        keywords = (
            node for one in self._texts.modules for node, _ in one.nodes if isinstance(node, ast.keyword)
        )
        self._previews = {name_of(one.value) for one in keywords if one.arg == "preview"}
        self._told = TOLD | dict.fromkeys(_errors() - UNSHOWN, (0, "message"))

    def forms(self) -> list[str]:
        """Their forms, and those of what is filled in, as `sentences.ts` has them."""
        found = frozenset[str]().union(*(self._texts.forms(said, place) for place, said in self.said()))
        lines = (line for form in found | self._texts.parts for line in form.split("\n"))
        return sorted({_numbered(line) for line in lines if _is_told(line)})

    def unknown(self) -> list[str]:
        """What is said and not written down where it could be found: errors, and what the person wrote."""
        said = ((place, node) for place, node in self.said() if self._texts.forms(node, place) <= UNKNOWN)
        return sorted({f"{place.module.name}: {ast.unparse(node)}" for place, node in said})

    def said(self) -> Iterator[tuple[Place, ast.expr]]:
        """Every expression whose value a person reads."""
        for module in self._texts.modules:
            if not re.fullmatch(UNHEARD, module.name):
                yield from self._said_in(module)

    def _said_in(self, module: Module) -> Iterator[tuple[Place, ast.expr]]:
        for node, place in module.nodes:
            if isinstance(node, ast.Call) and name_of(node.func) in self._told:
                at, name = self._told[name_of(node.func)]
                by_name = [one.value for one in node.keywords if one.arg == name]
                if not any(one.arg == "of_queue" for one in node.keywords):  # the status has what waits
                    yield from ((place, one) for one in (*node.args[at : at + 1], *by_name))
            elif isinstance(node, ast.Return) and node.value is not None and self._answers(place):
                yield place, node.value

    def _answers(self, place: Place) -> bool:
        """Whether what a function gives is told: as the outcome of a request, or before consent."""
        function = place.function
        if function is None or function.returns is None:
            return False
        is_near = re.match(r"ui/(panel|inspection)/", place.module.name) is not None
        takes = (ast.unparse(function.returns), next(iter(parameters(function)), ""))
        return (is_near and takes in ANSWERS) or function.name in self._previews


def _errors() -> set[str]:
    tree = ast.parse((PACKAGE / "errors.py").read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.ClassDef)}


def _numbered(form: str) -> str:
    """`form` with numbers for its holes, where two that touch are one, without the blanks around it."""
    first, *others = re.split(f"{HOLE}+", form.strip())
    return first + "".join(f"%{number}{piece}" for number, piece in enumerate(others, 1))


def _is_told(form: str) -> bool:
    return has_words(form) and form.count(HOLE) <= MAX_HOLES


def generate() -> str:
    """The text of `sentences.ts`."""
    lines = (f"  {_quoted(one)}" for one in Sentences().forms())
    return f"{HEADER}export const SENTENCES: readonly string[] = [\n" + ",\n".join(lines) + "\n];\n"


def _quoted(text: str) -> str:
    inner = json.dumps(text, ensure_ascii=False)[1:-1].replace('\\"', '"').replace("'", "\\'")
    return f"'{inner}'"


if __name__ == "__main__":
    TARGET.write_text(generate(), encoding="utf-8")
