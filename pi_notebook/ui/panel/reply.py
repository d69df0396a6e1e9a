"""The reply that a model is giving: its text and thinking as they grow, and as they stand at the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from pi_notebook.agent.messages import AssistantMessage, without_surrogates
from pi_notebook.ui.panel.segments import INTERRUPTED, MAX_TEXT_CHARS, Kind, Saying, saying, sayings
from pi_notebook.ui.protocol.events import PanelEvent, SegmentEvent, TextDeltaEvent


@dataclass
class _Growing:
    kind: Kind
    id: str = ""
    """Empty until there is more than blanks."""
    pieces: list[str] = field(default_factory=list)
    chars: int = 0
    is_whole: bool = False
    interrupted: str = ""

    @property
    def text(self) -> str:
        if len(self.pieces) > 1:
            self.pieces = ["".join(self.pieces)]
        return self.pieces[0] if self.pieces else ""

    @property
    def segment(self) -> Saying:
        return saying(self.id, self.kind, self.text, is_whole=self.is_whole, interrupted=self.interrupted)


class GrowingReply:
    """The segments of one reply after the other.

    Parameters
    ----------
    new_id
        Gives the id of a segment that begins.
    """

    def __init__(self, new_id: Callable[[], str]) -> None:
        self._new_id = new_id
        self._said: list[_Growing] = []

    @property
    def growing(self) -> Saying | None:
        """The segment that is not whole yet, as it stands now."""
        last = self._said[-1] if self._said else None
        return last.segment if last is not None and last.id and not last.is_whole else None

    def begin(self) -> None:
        """Another reply comes."""
        self._said = []

    def grow(self, kind: Kind, text: str) -> list[PanelEvent]:
        """The reply goes on with `text`."""
        events: list[PanelEvent] = []
        last = self._said[-1] if self._said else None
        if last is None or last.kind != kind:
            events = [] if last is None else self._made_whole(last)
            last = _Growing(kind)
            self._said.append(last)
        last.pieces.append(text)
        last.chars += len(text)
        if last.id:
            return events + _delta(last, text)
        if not text.strip():
            return events
        last.id = self._new_id()
        return [*events, SegmentEvent(segment=last.segment)]

    def end(self, message: AssistantMessage) -> list[PanelEvent]:
        """The reply is whole, or as far as it came."""
        told = [one for one in self._said if one.id]
        said = sayings(message)
        if not told:
            told = [_Growing(kind, self._new_id(), [text]) for kind, text in said]
        elif len(told) == 1 or [one.kind for one in told] == [kind for kind, _ in said]:
            for one, (kind, text) in zip(reversed(told), reversed(said), strict=False):
                _correct(one, kind, text)
        interrupted = INTERRUPTED.get(message.stop_reason, "")
        if told and told[-1].kind == "text" and interrupted:
            told[-1].interrupted, told[-1].is_whole = interrupted, False
        self._said = []
        return [event for one in told for event in self._made_whole(one)]

    def _made_whole(self, one: _Growing) -> list[PanelEvent]:
        if one.is_whole or not one.id:
            return []
        one.is_whole = True
        return [SegmentEvent(segment=one.segment)]


def _correct(one: _Growing, kind: Kind, text: str) -> None:
    """Let a segment have the text it has in the whole reply: it may have been joined in the middle."""
    if one.kind == kind and one.text != text:
        one.pieces, one.is_whole = [text], False


def _delta(one: _Growing, text: str) -> list[PanelEvent]:
    room = MAX_TEXT_CHARS - (one.chars - len(text))
    shown = without_surrogates(text[:room]) if room > 0 else ""
    return [TextDeltaEvent(segment_id=one.id, text=shown)] if shown else []
