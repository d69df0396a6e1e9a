"""The system prompt of a session: made once, stored with it, and sent the same ever after.

A resume sends what is stored, though the package or the folder's files have changed since: what is
cached holds, and the conversation stays the one that was had. What has changed goes with the next
prompt as a message. What the sections say is told in `context/system_prompt`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pi_notebook.agent.entries import CustomEntry, Entry
from pi_notebook.agent.messages import CustomMessage, Message, now_ms
from pi_notebook.agent.protocols import ToolDefinition
from pi_notebook.context.composition import Share, head_shares
from pi_notebook.session.branch import Branch
from pi_notebook.session.store import SessionStore

PROMPT_TYPE = "pi_notebook/system_prompt"
CHANGE_TYPE = "pi_notebook/changed_prompt"

_TOLD_SECTIONS = ("instructions", "skills", "addendum")
"""Sections whose changes the model is told; the rest is the program's own and holds as it was."""
_MAX_CHARS = 40_000
"""Of one section that is told again."""


class StoredPrompt:
    """What comes before the messages of one session's requests.

    Parameters
    ----------
    branch
        Where it is stored, with the first prompt.
    folder
        The working folder. What was stored in another one, before a fork or move to this, counts no more.
    sections, tools
        See `look`.
    """

    def __init__(
        self,
        branch: Branch,
        *,
        sections: Mapping[str, str],
        tools: Sequence[ToolDefinition],
        folder: Path | None = None,
    ) -> None:
        self._branch = branch
        self._folder = {"folder": str(folder)} if folder is not None else {}
        self._recorded = self._stored()
        self._news: list[str] = []
        """What is to be told of the tools."""
        self.look(sections=sections, whole=sections, tools=tools)

    def look(
        self, *, sections: Mapping[str, str], whole: Mapping[str, str], tools: Sequence[ToolDefinition]
    ) -> None:
        """Take the prompt as it would be made now: it is what is sent until one is stored.

        `sections` are what the model's window has room for, in order, `whole` are they in full: by those is
        told whether they changed. `tools` are always sent as they are, as the code behind them is.
        """
        self._today = {name: text for name, text in sections.items() if text.strip()}
        self._digests = {name: _digest(whole.get(name, "")) for name in _TOLD_SECTIONS}
        self._tool_shares = head_shares({}, tools)
        self.sections: Mapping[str, str] = self._recorded["sections"] if self._recorded else self._today
        self._shares = [*head_shares(self.sections, ()), *self._tool_shares]

    @property
    def text(self) -> str:
        """The system prompt as it is sent."""
        return "\n\n".join(self.sections.values())

    @property
    def shares(self) -> list[Share]:
        """What it and the tools cost."""
        return list(self._shares)

    @property
    def tokens(self) -> int:
        """All of them."""
        return sum(share.tokens for share in self._shares)

    @property
    def file_tokens(self) -> int:
        """What of it comes from files of the person's, and is cut to its share of a window."""
        return sum(share.tokens for share in self._shares if share.category in ("instructions", "skills"))

    def record(self) -> None:
        """Store it, unless what is stored is what is sent; before the first request of a run."""
        before, tools = self._recorded, {share.name: share.tokens for share in self._tool_shares}
        if before is not None and before["tools"] == tools:
            return
        self._news = _tool_lines(before["tools"], tools) if before is not None else []
        digests = before.get("digests") if before is not None else self._digests
        self._recorded = {"sections": dict(self.sections), "digests": digests, "tools": tools, **self._folder}
        self._branch.add_record(PROMPT_TYPE, self._recorded)

    def take_change(self, messages: Iterable[Message]) -> CustomMessage | None:
        """What is to be told, as `change` has it; of the tools it is told once."""
        found = self.change(messages)
        self._news = []
        return found

    def change(self, messages: Iterable[Message]) -> CustomMessage | None:
        """What has changed since it was stored and `messages`, those of the context, do not say yet."""
        return self._told([*self._parts(messages), *self._news])

    def lasting_change(self, messages: Iterable[Message]) -> CustomMessage | None:
        """The same without what is told once: what still holds when `messages` are all that is kept."""
        return self._told(self._parts(messages))

    def _parts(self, messages: Iterable[Message]) -> list[str]:
        told = dict(_texts((self._recorded or {}).get("digests")) or self._digests)
        for message in messages:
            if isinstance(message, CustomMessage) and message.custom_type == CHANGE_TYPE:
                told |= _texts(message.details) or {}
        return [self._part(name) for name in _TOLD_SECTIONS if told.get(name) != self._digests[name]]

    def _told(self, parts: Sequence[str]) -> CustomMessage | None:
        if not parts:
            return None
        return CustomMessage(
            custom_type=CHANGE_TYPE,
            content="<changed>\n" + "\n\n".join(parts) + "\n</changed>",
            display=False,
            details=self._digests,
            timestamp=now_ms(),
        )

    def _stored(self) -> dict[str, Any] | None:
        """What is stored; of several records the newest on the branch, else of the session."""
        found = _newest(self._branch.store)
        is_here = found is not None and found.get("folder") == self._folder.get("folder")
        return found if is_here else None

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
        if (
            isinstance(data, dict)
            and _texts(data.get("sections")) is not None
            and isinstance(data.get("tools"), dict)
        ):
            return data
    return None


def recorded_shares(found: Mapping[str, Any]) -> list[Share]:
    """What the prompt and the tools of such a record cost."""
    tools = [
        Share(category="tool_definitions", name=str(name), tokens=tokens, count=1)
        for name, tokens in found["tools"].items()
        if isinstance(tokens, int)
    ]
    return [*head_shares(found["sections"], ()), *tools]


def has_tool(store: SessionStore, name: str) -> bool:
    """Whether the newest requests of a session had the tool of that name."""
    found = _newest(store)
    return found is not None and name in found["tools"]


def _newest(store: SessionStore) -> dict[str, Any] | None:
    """The newest record on the branch, else of the session."""
    kind = f"custom:{PROMPT_TYPE}"
    return recorded_prompt(store.branch().of_kind(kind)) or recorded_prompt(store.entries.of_kind(kind))


def _texts(found: object) -> dict[str, str] | None:
    """`found` if it is texts by name."""
    is_texts = isinstance(found, dict) and all(isinstance(text, str) for text in found.values())
    return found if is_texts else None  # type: ignore[return-value]


def _tool_lines(before: Iterable[str], now: Iterable[str]) -> list[str]:
    new, gone = sorted(set(now) - set(before)), sorted(set(before) - set(now))
    return [
        *([f"Tools that are new: {', '.join(new)}"] if new else []),
        *([f"Tools that are gone: {', '.join(gone)}"] if gone else []),
    ]


def _digest(text: str) -> str:
    return hashlib.sha256(text.strip().encode("utf-8", "surrogatepass")).hexdigest()[:16]
