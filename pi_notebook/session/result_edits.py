"""What the model does to results in its own context, recorded as context edits."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from pi_notebook.agent.messages import ToolResultMessage
from pi_notebook.context.pruning import PINNED
from pi_notebook.context.result_notes import label, result_name
from pi_notebook.context.shortening import dropped_result, shortened_result
from pi_notebook.context.tokens import message_tokens
from pi_notebook.session.branch import Branch
from pi_notebook.session.pruning import PRUNING_TYPE
from pi_notebook.tools.manage_context import Action


class BranchResultEdits:
    """`ResultEdits` of a session's branch; nothing but tool results is ever changed.

    Parameters
    ----------
    branch
        Whose results they are.
    ends
        Gives how many characters stay of the beginning and the end of a shortened one.
    """

    def __init__(self, branch: Branch, *, ends: Callable[[], tuple[int, int]]) -> None:
        self._branch = branch
        self._ends = ends

    def edit(self, action: Action, names: Sequence[str], note: str) -> int:
        """See `ResultEdits`."""
        there = self._results()
        missing = next((name for name in names if name not in there), None)
        if missing is not None:
            raise KeyError(missing)
        freed = 0
        targets = [there[name][0] for name in names]
        record = {"by": "model", "action": action, "note": note, "targetIds": targets}
        self._branch.add_record(PRUNING_TYPE, record)
        for name in names:
            entry_id, message = there[name]
            changed = self._changed(action, entry_id, message, note)
            if changed != message:
                self._branch.replace(entry_id, changed)
                freed += message_tokens(message) - message_tokens(changed)
        return freed

    def names(self) -> Sequence[str]:
        """See `ResultEdits`."""
        return list(self._results())

    def _changed(
        self, action: Action, entry_id: str, message: ToolResultMessage, note: str
    ) -> ToolResultMessage:
        if action == "drop":
            return dropped_result(message, entry_id=entry_id, note=note)
        if action == "shorten":
            head, tail = self._ends()
            return shortened_result(message, entry_id=entry_id, head_chars=head, tail_chars=tail, note=note)
        details = message.details if isinstance(message.details, dict) else {}
        return msgspec.structs.replace(message, details={**details, PINNED: note or True})

    def _results(self) -> dict[str, tuple[str, ToolResultMessage]]:
        """By name, the results in the context that carry it."""
        found = {}
        for item in self._branch.items:
            if isinstance(item.message, ToolResultMessage):
                name = result_name(item.message.tool_call_id)
                if label(name) in item.message.text:
                    found[name] = (item.entry_id, item.message)
        return found
