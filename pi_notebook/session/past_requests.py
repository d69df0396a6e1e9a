"""The requests of a session, one by one: the next one, and those that were sent, from its entries.

A request is known by its number on the branch: the how manieth reply it led to, failed ones and those
since compacted included; None stands for the next one. How one is measured is told in `context/requests`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from pi_notebook.agent.entries import CompactionEntry, ContextEditEntry, Entry, MessageEntry
from pi_notebook.agent.messages import AssistantMessage, Message
from pi_notebook.agent.protocols import ModelInfo, ToolDefinition
from pi_notebook.context.compaction.numbers import CompactionNumbers, compaction_numbers
from pi_notebook.context.composition import Share, parts_of
from pi_notebook.context.items import ContextItem, as_seen
from pi_notebook.context.projection import Projection, message_of
from pi_notebook.context.reattaching import reattached_messages
from pi_notebook.context.requests import MeasuredRequest, difference, measured_request
from pi_notebook.context.usage import asked_tokens, reply_model, seen_tokens
from pi_notebook.errors import PiNotebookError, UsageError
from pi_notebook.session.context_entries import context_entries
from pi_notebook.session.recorded import SETTING_TYPE, recorded_settings
from pi_notebook.session.session import AgentSession
from pi_notebook.session.stored_prompt import PROMPT_TYPE, recorded_prompt, recorded_shares
from pi_notebook.session.tree import StoredEntries
from pi_notebook.session.windows import with_learnt_window


@dataclass(frozen=True, kw_only=True)
class RequestContent:
    """What a request says."""

    sections: Mapping[str, str]
    """Of the system prompt, in order."""
    tools: Sequence[ToolDefinition]
    """Those that were offered, as they are defined now: of a past one only their names are recorded."""
    projection: Projection


@dataclass(frozen=True, kw_only=True)
class FoldedMessages:
    """What went into the summary of a compaction, the summary before included."""

    record: CompactionEntry
    items: Sequence[ContextItem]
    """As they were sent until then, each with its part of the tokens that the compaction was decided by."""
    edited: Mapping[str, Message | None]
    """What edits had made of entries by then; see `Projection.edited`."""


class SessionRequests:
    """The requests of the branch that `session` is on."""

    def __init__(self, session: AgentSession) -> None:
        self._session = session
        self._entries = session.store.branch()
        self._replies = self._entries.of_kind("message:assistant")
        self._contents: dict[int, RequestContent] = {}
        self._factors: dict[str, float] = {}

    @property
    def count(self) -> int:
        """How many were sent."""
        return len(self._replies)

    def reply(self, number: int) -> AssistantMessage:
        """What the request of that number led to."""
        entry = self._replies[number - 1]
        assert isinstance(entry, MessageEntry)
        assert isinstance(entry.message, AssistantMessage)
        return entry.message

    def count_before(self, entry_id: str) -> int:
        """How many were sent before that entry was there; all of them when it is not on the branch."""
        place = self._entries.tree.find(entry_id)
        return self.count if place is None else bisect_left(self._replies.places, place, 0, self.count)

    def said(self, entry_id: str) -> Message | None:
        """What an entry of the session said when it was made, whatever edits made of it."""
        store = self._session.store
        if entry_id in store:
            return message_of(store.get(entry_id))
        compaction, _, number = entry_id.rpartition("/")
        entry = store.get(compaction) if compaction in store else None
        if not isinstance(entry, CompactionEntry) or not number.isdecimal():
            return None
        return next(islice(reattached_messages(entry), int(number), None), None)

    def settings_before(self, number: int) -> int:
        """How many settings had been recorded when that request was sent: with as many it had the same."""
        settings = self._entries.of_kind(f"custom:{SETTING_TYPE}")
        return bisect_left(settings.places, self._place(number), 0, len(settings))

    def sees_images(self, model: str) -> bool:
        """Whether the model of that name sees pictures; today's where its name tells nothing."""
        return self._info({}, model).sees_images

    def model_of(self, number: int | None) -> str:
        """The name of the model that the request of that number went to, known today or not."""
        return self._session.upkeep.info.name if number is None else reply_model(self.reply(number))

    def info(self, number: int | None) -> ModelInfo:
        """The model that the request of that number went to, as it was known then, or the next one goes to.

        Today's where the name of that model tells nothing.
        """
        if number is None:
            return self._session.upkeep.info
        return self._info(self._values(self._before(self._place(number))), self.model_of(number))

    def measured(self, number: int | None) -> MeasuredRequest:
        """The request of that number, or the next one."""
        return self.next() if number is None else self.past(number)

    def content(self, number: int | None) -> RequestContent:
        """What that request says; see `past` for a wrong number."""
        session = self._session
        definitions = session.services.definitions
        if number is None:
            return RequestContent(
                sections=session.upkeep.prompt.sections,
                tools=definitions,
                projection=session.branch.projection,
            )
        if number not in self._contents:
            self._contents[number] = self._past_content(number, definitions)
        return self._contents[number]

    def _past_content(self, number: int, definitions: Sequence[ToolDefinition]) -> RequestContent:
        session, before = self._session, self._before(self._place(number))
        found = recorded_prompt(before.of_kind(f"custom:{PROMPT_TYPE}"))
        if found is None:
            found = {"sections": session.upkeep.prompt.sections, "tools": [one.name for one in definitions]}
        return RequestContent(
            sections=found["sections"],
            tools=[one for one in definitions if one.name in found["tools"]],
            projection=Projection(context_entries(before)),
        )

    def next(self) -> MeasuredRequest:
        """The request that would be sent now, but for a new prompt."""
        session = self._session
        usage = session.upkeep.usage
        return measured_request(
            session.branch.projection,
            model=session.upkeep.info.name,
            head=session.upkeep.prompt.shares,
            tokens=usage.tokens,
            is_estimate=usage.is_estimate,
            context_window=session.upkeep.info.context_window,
            trigger=session.upkeep.trigger,
            sees_images=session.upkeep.info.sees_images,
        )

    def past(self, number: int) -> MeasuredRequest:
        """The request of that number, the first is 1; a `UsageError` says which there are."""
        before = self._before(self._place(number))
        reply = self.reply(number)
        head, projection = self._head(before), self.content(number).projection
        counted, model = asked_tokens(reply), self.model_of(number)
        info = self.info(number)
        numbers = self._numbers(before, info)
        estimate = sum(share.tokens for share in head) + seen_tokens(projection, sees_images=info.sees_images)
        return measured_request(
            projection,
            model=model,
            head=head,
            tokens=counted or self.counted_as(model, estimate),
            is_estimate=not counted,
            context_window=numbers.context_window,
            trigger=self._session.policy.trigger(numbers),
            sees_images=info.sees_images,
        )

    def folded(self, entry_id: str) -> FoldedMessages:
        """What the compaction with that entry folded; a `UsageError` where the branch has none such."""
        compactions = self._entries.of_kind("compaction")
        place = self._entries.tree.find(entry_id)
        if place is None or place not in compactions.places:
            raise UsageError("The session has no such compaction on this branch.")
        record = compactions.at([place])[0]
        assert isinstance(record, CompactionEntry)
        before = self._before(place)
        projection = Projection(context_entries(before))
        items = as_seen(projection.items, sees_images=self._session.upkeep.info.sees_images)
        head = sum(share.tokens for share in self._head(before))
        _, *sizes = parts_of(record.tokens_before, [head, *(item.tokens for item in items)])
        sized = [item.sized(tokens) for item, tokens in zip(items, sizes, strict=True)]
        is_kept = (item.entry_id == record.first_kept_entry_id for item in sized)
        end = next((number for number, is_first in enumerate(is_kept) if is_first), len(sized))
        return FoldedMessages(record=record, items=sized[:end], edited=projection.edited)

    def counted_as(self, model: str, estimate: int) -> int:
        """An estimate as that model is known to count."""
        if model not in self._factors:
            upkeep = self._session.upkeep
            _ = upkeep.usage  # the meter learns by it
            self._factors[model] = upkeep.meter.factor(model)
        return round(estimate * self._factors[model])

    def kept_messages(self, earlier: int, measured: MeasuredRequest, later: int | None) -> int | None:
        """How many messages of a later request, which is `measured`, the earlier one begins with too.

        None when not even what comes before the messages is the same.
        """
        start = self._replies.places[earlier - 1]
        end = self._replies.places[later - 1] if later else None
        if any(self._marks_between(start, end)):
            found = difference(self.past(earlier), measured)
            return found.kept_messages if found.kept_share > 0 else None
        places = (self._entries.tree.find(item.entry_id) for item in measured.items)
        return sum(1 for place in places if place is None or place < start)

    def _marks_between(self, start: int, end: int | None) -> Iterator[int]:
        """Where the beginning of requests may have changed between two places."""
        marks = self._entries.of_kind("compaction", "context_edit", f"custom:{PROMPT_TYPE}").places
        return (place for place in marks if start < place and (end is None or place < end))

    def recorded_between(self, earlier: int, later: int | None) -> tuple[int, int]:
        """How many compactions and how many edits of the context came between two requests.

        Failed attempts, which no request shows, are no edits; None stands for the next request.
        """
        start = self._replies.places[earlier - 1]
        end = self._replies.places[later - 1] if later else None
        between = self._entries.at(
            [place for place in self._entries.places if start < place and (end is None or place < end)]
        )
        edits = [entry for entry in between.of_kind("context_edit") if not self._is_of_failure(entry)]
        return len(between.of_kind("compaction")), len(edits)

    def _is_of_failure(self, edit: Entry) -> bool:
        tree = self._entries.tree
        place = tree.find(edit.target_id) if isinstance(edit, ContextEditEntry) else None
        target = self._entries.at([place])[0] if place is not None else None
        message = target.message if isinstance(target, MessageEntry) else None
        return isinstance(message, AssistantMessage) and message.stop_reason == "error"

    def _place(self, number: int) -> int:
        """Where the reply to that request stands."""
        if not 1 <= number <= self.count:
            there = f"There are {self.count}: 1 to {self.count}." if self.count else "None was sent yet."
            raise UsageError(f"The session has no request {number}. {there}")
        return self._replies.places[number - 1]

    def _before(self, place: int) -> StoredEntries:
        """The entries of the branch that stand before `place`."""
        places = self._entries.places
        return self._entries.at(places[: bisect_left(places, place, 0, len(self._entries))])

    def _head(self, before: StoredEntries) -> Sequence[Share]:
        """What came before the messages then; as now where the session does not tell."""
        found = recorded_prompt(before.of_kind(f"custom:{PROMPT_TYPE}"))
        return self._session.upkeep.prompt.shares if found is None else recorded_shares(found)

    def _values(self, before: StoredEntries) -> dict[str, Any]:
        """The settings that the session had then."""
        return recorded_settings(before.of_kind(f"custom:{SETTING_TYPE}"))

    def _numbers(self, before: StoredEntries, info: ModelInfo) -> CompactionNumbers:
        """The numbers that held then."""
        settings = self._session.services.settings.with_session_values(self._values(before))
        wanted = compaction_numbers(
            info,
            reserve_tokens=settings.get("compaction.reserve_tokens"),
            keep_recent_tokens=settings.get("compaction.keep_recent_tokens"),
        )
        return self._session.policy.numbers(wanted)

    def _info(self, values: Mapping[str, Any], model: str) -> ModelInfo:
        """What was known of the model that answered when the session had these settings."""
        services = self._session.services
        settings = services.settings.with_session_values(values)
        chosen: dict[str, Any] = {"model": model}
        others = [name.strip() for name in (settings.get("fallback_models") or "").split(",")]
        if model != settings.get("model") and model in others:
            chosen |= {"context_window": None}  # it stood in, and what is set is the window of the other
        try:
            info = services.model(settings.with_session_values(chosen)).info
            return with_learnt_window(info, values)
        except PiNotebookError:
            return self._session.upkeep.info
