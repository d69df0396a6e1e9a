"""Tab completion behind an `@` in the body of an agent cell: variables, the last error, files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import Any

MAX_FILES = 200
"""Of one folder."""

_ATTRIBUTE = "_pi_notebook_mentions"


def install(shell: Any, magic_name: str) -> None:
    """Complete mentions in cells of the magic."""
    try:
        from IPython.core.completer import context_matcher
    except ImportError:  # IPython before 8.6
        matcher = _by_line(shell)
    else:
        matcher = context_matcher()(_by_context(shell, f"%%{magic_name}"))
    shell.Completer.custom_matchers.append(matcher)
    setattr(shell, _ATTRIBUTE, matcher)


def uninstall(shell: Any) -> None:
    """Complete them no more."""
    with suppress(ValueError):
        shell.Completer.custom_matchers.remove(getattr(shell, _ATTRIBUTE, None))


def names_for(shell: Any, start: str) -> list[str]:
    """What a mention that begins with `start` may be: variables before files."""
    hidden = shell.user_ns_hidden
    names = list(shell.user_ns)  # at once: code may run meanwhile
    variables = sorted(name for name in names if name not in hidden and not name.startswith("_"))
    return [name for name in (*variables, "error", *_files(start)) if name.startswith(start)]


def _files(start: str) -> Iterator[str]:
    folder, slash, name = start.rpartition("/")
    shown = folder + slash
    try:
        with os.scandir(os.path.expanduser(shown) or ".") as entries:
            fitting = (entry for entry in entries if entry.name.startswith(name))
            shown_ones = (entry for entry in fitting if name or not entry.name.startswith("."))
            found = [(entry.name, entry.is_dir()) for entry in islice(shown_ones, MAX_FILES)]
    except OSError:
        return
    for found_name, is_folder in sorted(found):
        yield f"{shown}{found_name}{'/' if is_folder else ''}"


def _by_context(shell: Any, first_words: str) -> Any:
    from IPython.core.completer import SimpleCompletion

    def pi_notebook_mentions(context: Any) -> dict[str, Any]:
        lines = context.full_text.split("\n")[: context.cursor_line]
        is_body = any(line.startswith(first_words) for line in lines)
        if not is_body or not _is_mention(context.text_until_cursor, context.token):
            return {"completions": []}
        found = [SimpleCompletion(text=name) for name in names_for(shell, context.token)]
        return {"completions": found, "suppress": bool(found)}

    return pi_notebook_mentions


def _by_line(shell: Any) -> Any:
    """Where a matcher is not told the cell: behind every `@`; a decorator's name is a variable too."""

    def pi_notebook_mentions(text: str) -> list[str]:
        return names_for(shell, text) if _is_mention(shell.Completer.text_until_cursor, text) else []

    return pi_notebook_mentions


def _is_mention(line: str, start: str) -> bool:
    before = line[: len(line) - len(start)]
    return before.endswith("@") and not before[-2:-1].isalnum()
