"""What a panel looks up without changing anything: completions, models, whole outputs, older segments."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import msgspec

from pi_notebook.context.policies import POLICY_MEANINGS
from pi_notebook.errors import UsageError
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.store import SessionStore
from pi_notebook.session.usable_models import usable_models
from pi_notebook.ui.panel.area import Answering, Doing
from pi_notebook.ui.panel.completions import completions
from pi_notebook.ui.panel.open_panels import Panel
from pi_notebook.ui.panel.output import output_from
from pi_notebook.ui.panel.pages import Page, call_result, page_before
from pi_notebook.ui.panel.pictures import small_pictures
from pi_notebook.ui.panel.segments import ended, index_of
from pi_notebook.ui.protocol import segments as wire
from pi_notebook.ui.protocol.messages import CompletionsReply, EarlierReply, ModelsReply, OutputReply
from pi_notebook.ui.protocol.requests import (
    CompletionsRequest,
    EarlierRequest,
    ModelsRequest,
    OutputRequest,
)

MAX_IMAGE_CHARS = 600_000
"""Of all the pictures of a page, the newest."""


class Lookups:
    """Looks things up on threads of their own: files may lie on a slow disk."""

    def __init__(self, runtime: Callable[[], AgentSessionRuntime]) -> None:
        self._runtime = runtime
        self.does: dict[type, Doing] = {}
        self.answers: dict[type, Answering] = {
            CompletionsRequest: self._completions,
            ModelsRequest: self._models,
            OutputRequest: self._output,
            EarlierRequest: self._earlier,
        }

    async def _completions(self, panel: Panel, request: CompletionsRequest) -> CompletionsReply:
        start, items = await asyncio.to_thread(completions, request.text, self._runtime().services)
        return CompletionsReply(request_id=request.request_id, start=start, items=items)

    async def _models(self, panel: Panel, request: ModelsRequest) -> ModelsReply:
        names = await asyncio.to_thread(usable_models, self._runtime().session)
        return ModelsReply(request_id=request.request_id, models=names, policies=list(POLICY_MEANINGS))

    async def _output(self, panel: Panel, request: OutputRequest) -> OutputReply:
        result = await asyncio.to_thread(call_result, self._runtime().session.store, request.segment_id)
        if result is None:
            raise UsageError("The call has no output yet, or is no longer in the session.")
        offset = max(0, request.offset)
        text, path, is_cut = await asyncio.to_thread(output_from, result, offset)
        return OutputReply(
            request_id=request.request_id,
            text=text,
            path=path,
            is_cut=is_cut,
            next_offset=offset + len(text),
        )

    async def _earlier(self, panel: Panel, request: EarlierRequest) -> EarlierReply:
        index = index_of(request.segment_id)
        if index is None:
            raise UsageError("This message is no longer in the session. Load the conversation again.")
        page = await asyncio.to_thread(_page, self._runtime().session.store, index)
        return EarlierReply(
            request_id=request.request_id, segments=page.segments, is_shortened=page.has_earlier
        )


def _page(store: SessionStore, end: int) -> Page:
    """The newest segments of the first `end` entries of the branch, with their pictures."""
    page = page_before(store, end)
    shown = {segment.id: ended(segment, is_running=False) for segment in page.segments}
    room = MAX_IMAGE_CHARS
    for segment_id, images in reversed([*page.pictures.items()]):
        small = small_pictures(images)
        room -= sum(len(image.data) for image in small)
        segment = shown[segment_id]
        if room >= 0 and isinstance(segment, (wire.CallSegment, wire.PromptSegment)):
            shown[segment_id] = msgspec.structs.replace(segment, images=small)
    return Page(segments=[*shown.values()], pictures={}, has_earlier=page.has_earlier)
