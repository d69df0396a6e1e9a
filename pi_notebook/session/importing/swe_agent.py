"""Trajectories of SWE-agent and mini-swe-agent: one JSON document with the messages of a run.

SWE-agent keeps them under `history`, mini-swe-agent under `messages` or as the document itself.
There is no tree and mostly no time; results belong to the calls whose ids they name.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any, TypeVar

import msgspec

from pi_notebook.agent.entries import CustomEntry, CustomMessageEntry, UsageEntry
from pi_notebook.agent.messages import (
    AssistantContent,
    AssistantMessage,
    Cost,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    Usage,
    UserMessage,
    without_surrogates,
)
from pi_notebook.errors import SessionFormatError
from pi_notebook.models.usage import read_usage
from pi_notebook.session.importing.content import ORIGINAL_TYPE, Content
from pi_notebook.session.importing.new_session import NewSession
from pi_notebook.session.importing.source import Source
from pi_notebook.session.importing.tally import Tally

OBSERVATION_TYPE = "swe_agent/observation"
"""The `custom_type` of what the program told the model after a step that was no tool call."""

Json = dict[str, Any]
T = TypeVar("T")


class _Document(msgspec.Struct):
    """What is used of a document; the rest is passed over unread."""

    history: list[Json] | None = None
    messages: list[Json] | None = None
    info: Json = {}
    replay_config: Any = None


def is_one(source: Source) -> bool:
    """True when the file is one document that names, or is, a list of messages."""
    if source.start[:1] == b"[":
        return b'"role"' in source.start
    return source.start[:1] == b"{" and source.path.name.endswith((".traj", ".json"))


def convert(source: Source, session: NewSession, tally: Tally) -> Iterator[None]:
    """Write the run's messages into `session`."""
    document = _document(source)
    history = document.history if document.history is not None else document.messages
    if history is None:
        raise SessionFormatError(
            f"{source.path} is no trajectory: it has neither `history` nor `messages`.", path=source.path
        )
    run = _Run(session, tally, model=_model(document), now=source.modified_ms)
    for item in history:
        run.take(item)
        yield
    tally.about = {key: document.info[key] for key in ("exit_status", "model_stats") if key in document.info}
    if document.info:
        session.add(CustomEntry, custom_type=ORIGINAL_TYPE, data={"info": document.info})
    _add_usage(document, session)


def _document(source: Source) -> _Document:
    data = source.document()
    try:
        if source.start[:1] == b"[":
            return _Document(messages=_decoded(data, list[Json]))
        return _decoded(data, _Document)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise SessionFormatError(f"{source.path} cannot be imported: {error}.", path=source.path) from error


def _decoded(data: bytes, kind: type[T]) -> T:
    """The document in `data`. NaN and infinity, which Python writes and JSON does not know, become null."""
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.DecodeError:
        value = _by_python(data)
        if value is None:
            raise
        return msgspec.convert(value, kind)


def _by_python(data: bytes) -> Any:
    try:
        value = json.loads(data)
        return msgspec.json.decode(msgspec.json.encode(value))
    except (ValueError, RecursionError):
        return None


def _model(document: _Document) -> str:
    """The model's name where the settings of the run tell it."""
    config = document.replay_config
    if isinstance(config, str):
        try:
            config = json.loads(config)
        except ValueError:
            config = None
    for place in ((config, "agent", "model", "name"), (document.info, "config", "model", "model_name")):
        found: Any = place[0]
        for key in place[1:]:
            found = found.get(key) if isinstance(found, dict) else None
        if isinstance(found, str):
            return found
    return ""


def _add_usage(document: _Document, session: NewSession) -> None:
    stats = document.info.get("model_stats")
    if not isinstance(stats, dict):
        return
    sent, received = (_whole(stats.get(name)) for name in ("tokens_sent", "tokens_received"))
    cost = stats.get("instance_cost")
    spent = float(cost) if isinstance(cost, (int, float)) else 0.0
    if sent or received or spent:
        usage = Usage(
            input=sent,
            output=received,
            cache_read=0,
            cache_write=0,
            total_tokens=sent + received,
            cost=Cost(total=spent),
        )
        session.add(UsageEntry, kind="import", provider="", model=_model(document), usage=usage)


class _Run:
    def __init__(self, session: NewSession, tally: Tally, *, model: str, now: int) -> None:
        self._session = session
        self._tally = tally
        self._model = model
        self._now = now
        self._open: list[str] = []
        """Calls of the last reply that no result has named yet."""
        self._renamed: dict[str, str] = {}
        """Ids that were used again, and the newest call's own."""
        self._has_task = False
        self._number = 0

    def take(self, item: Json) -> None:
        role = item.get("role")
        content = Content(self._tally)
        moment = self._moment(item)
        if role == "assistant":
            self._session.add_message(self._reply(item, content, moment))
        elif role == "tool":
            for result in self._results(item, content, moment):
                self._session.add_message(result)
        elif role == "user":
            self._say(item, content, moment)
        else:
            self._keep(item, str(role))
        content.keep(self._session)

    def _keep(self, item: Json, role: str) -> None:
        """What is no part of the conversation stays in the file beside it."""
        self._tally.leave_out("system prompt" if role == "system" else f"message of role {role}")
        self._session.add(CustomEntry, custom_type=ORIGINAL_TYPE, data=item)

    def _say(self, item: Json, content: Content, moment: int) -> None:
        said = content.user(item.get("content"))
        is_told = self._has_task or item.get("is_demo")
        if is_told:
            bounded = content.result(item.get("content"))
            self._session.add(
                CustomMessageEntry,
                moment=moment,
                custom_type=OBSERVATION_TYPE,
                content=bounded,
                display=True,
            )
            return
        self._has_task = True
        self._session.add_message(UserMessage(content=said, timestamp=moment))

    def _reply(self, item: Json, content: Content, moment: int) -> AssistantMessage:
        self._open = []
        calls = [self._call(call, content) for call in _items(item.get("tool_calls"))]
        thinking = [
            ThinkingContent(thinking=without_surrogates(block["thinking"]))
            for block in _items(item.get("thinking_blocks"))
            if isinstance(block, dict) and isinstance(block.get("thinking"), str)
        ]
        said = _texts(content.blocks(item.get("content")))
        extra = item.get("extra") if isinstance(item.get("extra"), dict) else {}
        response = (extra or {}).get("response")
        response = response if isinstance(response, dict) else {}
        return AssistantMessage(
            content=[*thinking, *said, *calls],
            api="",
            provider="",
            model=str(response.get("model") or self._model),
            usage=read_usage(response.get("usage") or {}, None),
            stop_reason="toolUse" if self._open else "stop",
            timestamp=moment,
        )

    def _call(self, call: Any, content: Content) -> ToolCall | TextContent:
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            return content.odd(call, "tool call of an unknown shape")
        call_id = self._own_id(call.get("id"))
        given = function.get("arguments")
        arguments = _arguments(given)
        malformed = None if arguments is not None else str(given)
        self._open.append(call_id)
        return ToolCall(
            id=call_id, name=function["name"], arguments=arguments or {}, malformed_arguments=malformed
        )

    def _own_id(self, told: Any) -> str:
        """The id of a call, which no earlier one has: a run may use its ids again."""
        self._number += 1
        call_id = told if isinstance(told, str) else f"call_{self._number}"
        if call_id in self._session.calls or call_id in self._open:
            self._renamed[call_id] = call_id = f"{call_id}_{self._number}"
        return call_id

    def _results(self, item: Json, content: Content, moment: int) -> Iterator[ToolResultMessage]:
        """One result for each call that the message answers; the first one has the text."""
        named = _items(item.get("tool_call_ids")) or _items(item.get("tool_call_id") or None)
        ids = [self._renamed.get(str(call_id), str(call_id)) for call_id in named] or self._open[:1]
        self._open = [call_id for call_id in self._open if call_id not in ids]
        blocks = content.result(item.get("content"))
        for number, call_id in enumerate(ids or [""]):
            yield ToolResultMessage(
                tool_call_id=call_id,
                tool_name=self._session.calls.get(call_id, ""),
                content=blocks if number == 0 else [TextContent(text=f"See the result of call {ids[0]}.")],
                is_error=False,
                timestamp=moment,
            )

    def _moment(self, item: Json) -> int:
        extra = item.get("extra")
        seconds = extra.get("timestamp") if isinstance(extra, dict) else None
        is_time = isinstance(seconds, (int, float)) and 0 < seconds < 1e11
        return int(seconds * 1000) if is_time and seconds is not None else self._now


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _texts(blocks: list[Any]) -> list[AssistantContent]:
    return [block for block in blocks if isinstance(block, TextContent) and block.text]


def _arguments(given: Any) -> Json | None:
    """The arguments of a call; None when they are no object."""
    if isinstance(given, str):
        try:
            given = json.loads(without_surrogates(given))
        except (ValueError, RecursionError):
            return None
    return given if isinstance(given, dict) else None


def _whole(number: Any) -> int:
    return int(number) if isinstance(number, (int, float)) and math.isfinite(number) else 0
