"""The system prompt of a session: made once, stored with it, and sent the same ever after.

A resume sends what is stored, though the package or the folder's files have changed since: what is
cached holds, and the conversation stays the one that was had. What has changed goes with the next
prompt as a message. What the sections say is told in `context/system_prompt`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pi_notebook.agent.entries import CustomEntry, Entry
from pi_notebook.agent.messages import CustomMessage, Message, now_ms
from pi_notebook.agent.protocols import ToolDefinition
from pi_notebook.context.composition import Share, head_shares
from pi_notebook.session.branch import Branch

PROMPT_TYPE = "pi_notebook/system_prompt"
CHANGE_TYPE = "pi_notebook/changed_prompt"

_TOLD_SECTIONS = ("instructions", "skills")
"""Sections whose changes the model is told; the rest is the program's own and holds as it was."""
_MAX_CHARS = 40_000
"""Of one section that is told again."""


class StoredPrompt:
    """What comes before the messages of one session's requests.

    Parameters
    ----------
    branch
        Where it is stored, with the first prompt.
    sections
        The system prompt as it would be made today, by section, in order.
    tools
        The definitions that are sent; they are always today's, as the code behind them is.
    """

    def __init__(
        self, branch: Branch, *, sections: Mapping[str, str], tools: Sequence[ToolDefinition]
    ) -> None:
        self._branch = branch
        self._today = {name: text for name, text in sections.items() if text.strip()}
        self._tools = tuple(tools)
        self._tool_shares = head_shares({}, self._tools)
        self._recorded = self._stored()
        found = self._recorded
        self.sections: Mapping[str, str] = found["sections"] if found else self._today
        self._stored_tools = list(found["tools"] if found else (share.name for share in self._tool_shares))

    @property
    def text(self) -> str:
        """The system prompt as it is sent."""
        return "\n\n".join(self.sections.values())

    @property
    def shares(self) -> list[Share]:
        """What it and the tools cost."""
        return [*head_shares(self.sections, ()), *self._tool_shares]

    @property
    def tokens(self) -> int:
        """All of them."""
        return sum(share.tokens for share in self.shares)

    def record(self) -> None:
        """Store it, unless what is stored is what is sent. To be called when a run begins."""
        tools = {share.name: share.tokens for share in self._tool_shares}
        if self._recorded is None or self._recorded.get("tools") != tools:
            self._recorded = {"sections": self.sections, "tools": tools}
            self._branch.add_record(PROMPT_TYPE, self._recorded)

    def change(self, messages: Iterable[Message]) -> CustomMessage | None:
        """What has changed since it was stored and `messages`, those of the context, do not say yet."""
        told = {name: _digest(self.sections.get(name, "")) for name in _TOLD_SECTIONS}
        tools = sorted(self._stored_tools)
        for message in messages:
            if isinstance(message, CustomMessage) and message.custom_type == CHANGE_TYPE:
                details = message.details if isinstance(message.details, dict) else {}
                told |= details.get("sections", {})
                tools = details.get("tools", tools)
        now = {name: _digest(self._today.get(name, "")) for name in _TOLD_SECTIONS}
        names = sorted(share.name for share in self._tool_shares)
        parts = [self._part(name) for name in _TOLD_SECTIONS if told.get(name) != now[name]]
        parts += _tool_lines(tools, names)
        if not parts:
            return None
        return CustomMessage(
            custom_type=CHANGE_TYPE,
            content="<changed>\n" + "\n\n".join(parts) + "\n</changed>",
            display=False,
            details={"sections": now, "tools": names},
            timestamp=now_ms(),
        )

    def _stored(self) -> dict[str, Any] | None:
        """What is stored; of several records the newest on the branch, else of the session."""
        kind, store = f"custom:{PROMPT_TYPE}", self._branch.store
        return recorded_prompt(store.branch().of_kind(kind)) or recorded_prompt(store.entries.of_kind(kind))

    def _part(self, name: str) -> str:
        text = self._today.get(name, "")
        if not text:
            return f"The section {name!r} of your system prompt holds no more."
        if len(text) > _MAX_CHARS:
            text = f"{text[:_MAX_CHARS]}\n[... {len(text) - _MAX_CHARS:,} characters left out ...]"
        return f"In place of the section {name!r} of your system prompt, this holds now:\n{text}"


def recorded_prompt(entries: Sequence[Entry]) -> dict[str, Any] | None:
    """The newest record of a system prompt among `entries` that can be read."""
    for entry in reversed(entries):
        data = entry.data if isinstance(entry, CustomEntry) and entry.custom_type == PROMPT_TYPE else None
        if isinstance(data, dict) and _is_texts(data.get("sections")) and isinstance(data.get("tools"), dict):
            return data
    return None


def _is_texts(found: object) -> bool:
    return isinstance(found, dict) and all(isinstance(text, str) for text in found.values())


def _tool_lines(before: Sequence[str], now: Sequence[str]) -> list[str]:
    new, gone = sorted(set(now) - set(before)), sorted(set(before) - set(now))
    return [
        *([f"Tools that are new: {', '.join(new)}"] if new else []),
        *([f"Tools that are gone: {', '.join(gone)}"] if gone else []),
    ]


def _digest(text: str) -> str:
    return hashlib.sha256(text.strip().encode("utf-8", "surrogatepass")).hexdigest()[:16]
