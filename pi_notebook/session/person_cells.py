"""The message that tells the model what the person ran since their last prompt.

The model reads its text, which is short. Its details hold the code of the cells as they were run, for
whoever makes a notebook of the session.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pi_notebook.agent.messages import CustomMessage, now_ms
from pi_notebook.agent.secrets import secret_values, without_secrets
from pi_notebook.context.person_cells import describe_cells
from pi_notebook.kernel.person_cells import PersonCell, PersonCells

CUSTOM_TYPE = "pi_notebook/cells"

MAX_CODE_CHARS = 100_000
"""Of all cells' code in one message's details; the oldest are left out first."""


def new_cells(shell: Any, prompted_ms: int) -> tuple[PersonCell, ...]:
    """The cells of `shell` that ended after the prompt that was sent at that time."""
    cells = PersonCells.of(shell) if shell is not None else None
    return cells.since(prompted_ms) if cells is not None else ()


def cells_message(shell: Any, prompted_ms: int, *, max_tokens: int) -> CustomMessage | None:
    """What tells of `new_cells`; None when there are none."""
    since = new_cells(shell, prompted_ms)
    if not since or max_tokens <= 0:
        return None
    told = describe_cells(since, max_tokens=max_tokens)
    if told is None:
        return None
    return CustomMessage(
        custom_type=CUSTOM_TYPE,
        content=told.text,
        display=False,
        details={"shown": told.shown, "omitted": told.omitted, "cells": _codes(since)},
        timestamp=now_ms(),
    )


def _codes(cells: Sequence[PersonCell]) -> list[dict[str, Any]]:
    """The code of the newest of `cells`, the oldest of them first, without secrets."""
    secrets, room = secret_values(), MAX_CODE_CHARS
    kept: list[dict[str, Any]] = []
    for cell in reversed(cells):
        room -= len(cell.code)
        if room < 0:
            break
        code = without_secrets(cell.code, secrets)
        kept.append(
            {
                "number": cell.number,
                "code": code,
                "isWhole": code == cell.code and cell.code_chars == len(cell.code),
                "error": without_secrets(cell.error, secrets),
            }
        )
    return kept[::-1]
