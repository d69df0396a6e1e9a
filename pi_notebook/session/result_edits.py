"""What the model does to results in its own context, recorded as context edits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

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
        there = self._named()
        missing = next((name for name in names if name not in there), None)
        if missing is not None:
            raise KeyError(missing)
        freed = 0
        targets = list(dict.fromkeys(there[name][0] for name in names))
        record = {"by": "model", "action": action, "note": note, "targetIds": targets}
        self._branch.add_record(PRUNING_TYPE, record)
        for entry_id in targets:
            message = there[entry_id][1]
            changed = self._changed(action, entry_id, message, note)
            if changed != message:
                self._branch.replace(entry_id, changed)
                freed += message_tokens(message) - message_tokens(changed)
        return freed

    def names(self) -> Sequence[str]:
        """See `ResultEdits`."""
        return [
            result_name(message.tool_call_id)
            for _, message in self._results()
            if label(result_name(message.tool_call_id)) in message.text
        ]

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

    def _named(self) -> dict[str, tuple[str, ToolResultMessage]]:
        """The results in the context by each of their names: the one of the call, and the entry's id.

        The latter stands where something was left out of a result.
        """
        found = {}
        for entry_id, message in self._results():
            found[entry_id] = found[result_name(message.tool_call_id)] = (entry_id, message)
        return found

    def _results(self) -> Iterator[tuple[str, ToolResultMessage]]:
        for item in self._branch.items:
            if isinstance(item.message, ToolResultMessage):
                yield item.entry_id, item.message
