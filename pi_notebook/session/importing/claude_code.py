"""Claude Code's transcripts: one JSON object a line, a tree by `uuid` and `parentUuid`.

A reply comes in several lines with one message id, a block each, and its tools may answer in
between: they are put together again. What sub-agents said has its place in their own transcripts and
is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from pi_notebook.agent.entries import CompactionEntry, CustomMessageEntry, SessionInfoEntry
from pi_notebook.agent.messages import (
    NO_USAGE,
    AssistantContent,
    AssistantMessage,
    Cost,
    StopReason,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    Usage,
    UserMessage,
    without_surrogates,
)
from pi_notebook.session.foreign import milliseconds
from pi_notebook.session.importing.content import Content
from pi_notebook.session.importing.new_session import LAST, NewSession
from pi_notebook.session.importing.source import Source
from pi_notebook.session.importing.tally import Tally

META_TYPE = "claude_code/meta"
"""The `custom_type` of what the program, not the person, put into the conversation."""

Json = dict[str, Any]

_MARKS = {"uuid", "sessionId", "leafUuid", "parentUuid"}
_STOP_REASONS: dict[str, StopReason] = {"max_tokens": "length", "tool_use": "toolUse"}


def is_one(source: Source) -> bool:
    """True when a line near the start has a type and one of the keys that Claude Code gives its lines."""
    return any(
        isinstance(record.get("type"), str) and _MARKS & set(record) for record in source.first_records
    )


def convert(source: Source, session: NewSession, tally: Tally) -> Iterator[None]:
    """Write the conversation of the transcript, with its branches, into `session`."""
    transcript = _Transcript(session, tally)
    for number, record in source.records():
        if record is None:
            tally.leave_out("damaged line")
            tally.note(f"{source.path.name}, line {number}: is damaged and was skipped.")
        else:
            transcript.take(record)
        yield
    transcript.end()


@dataclass
class _Reply:
    """A reply that may not have come to its end, with the results that came meanwhile."""

    id: Any
    parent_id: Any
    record: Json
    content: list[AssistantContent] = field(default_factory=list)
    results: list[tuple[ToolResultMessage, Content]] = field(default_factory=list)
    uuids: list[str] = field(default_factory=list)

    def has_call(self, call_id: str) -> bool:
        return any(isinstance(block, ToolCall) and block.id == call_id for block in self.content)


class _Transcript:
    def __init__(self, session: NewSession, tally: Tally) -> None:
        self._session = session
        self._tally = tally
        self._ends: dict[str, str | None] = {}
        """By uuid: the entry that what follows the line follows."""
        self._reply: _Reply | None = None
        self._content = Content(tally)
        self._tokens_before = 0
        self._title = ""
        self._is_tree = False
        """True when a line has named the one it follows: then one that follows none is a beginning."""
        self._told_id: Any = None

    def take(self, record: Json) -> None:
        kind, uuid = record.get("type"), record.get("uuid")
        if record.get("isSidechain"):
            self._tally.leave_out("line of a sub-agent")
        elif isinstance(uuid, str) and self._is_known(uuid):
            self._tally.leave_out("repeated line")
        elif kind == "assistant" and isinstance(record.get("message"), dict):
            self._take_reply(record, record["message"])
        elif kind == "user" and isinstance(record.get("message"), dict):
            self._take_user(record, record["message"])
        else:
            self._take_other(record, str(kind))
        self._tally.about |= {key: record[key] for key in ("sessionId", "cwd", "version") if record.get(key)}

    def end(self) -> None:
        self._flush()
        if self._title:
            self._session.add(SessionInfoEntry, name=self._title)

    def _is_known(self, uuid: str) -> bool:
        return uuid in self._ends or (self._reply is not None and uuid in self._reply.uuids)

    def _take_reply(self, record: Json, message: Json) -> None:
        reply = self._reply
        if reply is None or message.get("id") is None or message.get("id") != reply.id:
            self._flush()
            reply = _Reply(id=message.get("id"), parent_id=self._parent(record), record=record)
            self._reply = reply
        reply.record = record
        reply.uuids += _uuid(record)
        content = message.get("content")
        for block in content if isinstance(content, list) else [{"type": "text", "text": content}]:
            reply.content.append(self._said(block))

    def _said(self, block: Any) -> AssistantContent:
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "text" and isinstance(block.get("text"), str):
            return TextContent(text=without_surrogates(block["text"]))
        if kind == "thinking" and isinstance(block.get("thinking"), str):
            signature = block.get("signature")
            return ThinkingContent(
                thinking=without_surrogates(block["thinking"]),
                thinking_signature=signature if isinstance(signature, str) else None,
            )
        if kind == "redacted_thinking" and isinstance(block.get("data"), str):
            return ThinkingContent(thinking="", thinking_signature=block["data"], redacted=True)
        if kind == "tool_use" and isinstance(block.get("input"), dict):
            return ToolCall(id=str(block.get("id")), name=str(block.get("name")), arguments=block["input"])
        return self._content.odd(block, f"block of type {kind}")

    def _take_user(self, record: Json, message: Json) -> None:
        content = message.get("content")
        blocks = content if isinstance(content, list) else []
        results = [block for block in blocks if _is_result(block)]
        for block in results:
            self._take_result(block, record)
        rest = [block for block in blocks if not _is_result(block)] if isinstance(content, list) else content
        if rest or not results:
            self._flush()
            self._say(record, rest)

    def _take_result(self, block: Json, record: Json) -> None:
        call_id = str(block.get("tool_use_id"))
        content = Content(self._tally)
        reply = self._reply
        name = self._session.calls.get(call_id, "")
        if reply is not None and reply.has_call(call_id):
            name = next(c.name for c in reply.content if isinstance(c, ToolCall) and c.id == call_id)
        result = ToolResultMessage(
            tool_call_id=call_id,
            tool_name=name,
            content=content.result(block.get("content")),
            is_error=bool(block.get("is_error")),
            timestamp=milliseconds(record.get("timestamp")),
        )
        if reply is not None and reply.has_call(call_id):
            reply.results.append((result, content))
            reply.uuids += _uuid(record)
            return
        self._flush()
        self._session.add_message(result, parent_id=self._parent(record))
        content.keep(self._session)
        self._ended(_uuid(record))

    def _say(self, record: Json, content: Any) -> None:
        parent_id, moment = self._parent(record), milliseconds(record.get("timestamp"))
        said = self._content.user(content)
        if record.get("isCompactSummary"):
            summary = said if isinstance(said, str) else "\n".join(getattr(b, "text", "") for b in said)
            self._session.add(
                CompactionEntry,
                parent_id=parent_id,
                moment=moment,
                summary=summary,
                tokens_before=self._tokens_before,
            )
        elif record.get("isMeta"):
            self._session.add(
                CustomMessageEntry,
                parent_id=parent_id,
                moment=moment,
                custom_type=META_TYPE,
                content=said,
                display=False,
            )
        else:
            self._session.add_message(UserMessage(content=said, timestamp=moment), parent_id=parent_id)
        self._content.keep(self._session)
        self._ended(_uuid(record))

    def _take_other(self, record: Json, kind: str) -> None:
        """Titles and the notes of a compaction are used; the rest is the program's own."""
        title = record.get("customTitle") or record.get("summary")
        if isinstance(title, str):
            self._title = without_surrogates(" ".join(title.split()))[:200]
            return
        if record.get("subtype") == "compact_boundary":
            told = record.get("compactMetadata")
            tokens = told.get("preTokens") if isinstance(told, dict) else None
            self._tokens_before = tokens if isinstance(tokens, int) else 0
            self._tally.note("Compactions are taken over: what was before them is kept and not sent.")
        else:
            subtype = record.get("subtype")
            self._tally.leave_out(f"line of type {kind}" + (f" ({subtype})" if subtype else ""))
        if uuid := _uuid(record):
            self._flush()
            parent = self._parent(record)
            self._ends[uuid[0]] = parent if isinstance(parent, (str, type(None))) else self._session.last_id

    def _parent(self, record: Json) -> Any:
        """The entry that `record` follows; the last one when it names none that is known."""
        if "parentUuid" not in record:
            return LAST
        named = record["parentUuid"] or record.get("logicalParentUuid")
        if not isinstance(named, str):
            is_beginning = self._is_tree and record.get("type") == "user"
            return None if is_beginning else LAST
        self._is_tree = True
        if named in self._ends:
            return self._ends[named]
        self._tally.note(
            "Some lines follow others that are missing; they are taken to follow those before them."
        )
        return LAST

    def _ended(self, uuids: list[str]) -> None:
        for uuid in uuids:
            self._ends[uuid] = self._session.last_id

    def _flush(self) -> None:
        reply, self._reply = self._reply, None
        if reply is None:
            return
        message = _message(reply, is_told=reply.id is not None and reply.id == self._told_id)
        self._told_id = reply.id
        self._session.add_message(message, parent_id=reply.parent_id)
        self._content.keep(self._session)
        for result, content in reply.results:
            self._session.add_message(result)
            content.keep(self._session)
        self._ended(reply.uuids)


def _is_result(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") == "tool_result"


def _uuid(record: Json) -> list[str]:
    uuid = record.get("uuid")
    return [uuid] if isinstance(uuid, str) else []


def _message(reply: _Reply, *, is_told: bool) -> AssistantMessage:
    """The reply as a message; what it used is counted once, though its parts tell it again."""
    told = reply.record["message"]
    has_calls = any(isinstance(block, ToolCall) for block in reply.content)
    stop_reason = _STOP_REASONS.get(str(told.get("stop_reason")), "toolUse" if has_calls else "stop")
    error = None
    if reply.record.get("isApiErrorMessage"):
        stop_reason = "error"
        error = "".join(block.text for block in reply.content if isinstance(block, TextContent))
    return AssistantMessage(
        content=reply.content,
        api="anthropic-messages",
        provider="anthropic",
        model=str(told.get("model") or ""),
        usage=NO_USAGE if is_told else _usage(told.get("usage")),
        stop_reason=stop_reason,
        timestamp=milliseconds(reply.record.get("timestamp")),
        error_message=error,
        response_id=reply.id if isinstance(reply.id, str) else None,
    )


def _usage(told: Any) -> Usage:
    names = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    figures = [told.get(name) if isinstance(told, dict) else 0 for name in names]
    fresh, output, read, written = (figure if isinstance(figure, int) else 0 for figure in figures)
    total = fresh + output + read + written
    return Usage(
        input=fresh, output=output, cache_read=read, cache_write=written, total_tokens=total, cost=Cost()
    )
