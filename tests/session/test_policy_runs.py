"""Random runs under each policy: valid requests, whose beginnings change only where it is recorded."""

import asyncio
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_notebook.agent import ToolContext, tool
from pi_notebook.agent.messages import ToolCall, ToolResultMessage
from pi_notebook.context.policies import POLICIES
from pi_notebook.context.result_notes import result_name
from pi_notebook.context.tokens import message_tokens
from pi_notebook.models.conversion import chat_messages
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services
from tests.request_rules import find_problems

RECORDED = ("context_edit", "compaction")


@tool(risk="read")
async def big(context: ToolContext, words: int) -> str:
    """Give a long text."""
    return " ".join(["word"] * words)


@tool(risk="read")
async def failing(context: ToolContext, words: int) -> str:
    """Fail with a long text."""
    raise ValueError(" ".join(["word"] * words))


call = st.one_of(
    st.tuples(st.just("big"), st.fixed_dictionaries({"words": st.integers(1, 6_000)})),
    st.tuples(st.just("failing"), st.fixed_dictionaries({"words": st.integers(1, 3_000)})),
    st.tuples(
        st.just("read"), st.fixed_dictionaries({"path": st.sampled_from(["a.txt", "b.txt", "SKILL.md"])})
    ),
    st.tuples(
        st.just("manage_context"),
        st.fixed_dictionaries(
            {
                "action": st.sampled_from(["drop", "shorten", "pin"]),
                "results": st.lists(
                    st.integers(0, 20).map(lambda n: result_name(f"c{n}")), min_size=1, max_size=2
                ),
            }
        ),
    ),
)
turns = st.lists(st.lists(call, min_size=1, max_size=3), min_size=1, max_size=9)


class Script(ScriptedModel):
    """Makes the calls one turn after the other, answers prompts, and summarises when it is asked to."""

    def __init__(self, said, *, window, entries):
        super().__init__(context_window=window)
        self.kept = []
        """Of each request what it was, and how many entries had changed what came before."""
        numbers = iter(range(999))
        self._turns = [
            [ToolCall(id=f"c{next(numbers)}", name=name, arguments=given) for name, given in calls]
            for calls in said
        ]
        self._entries = entries

    def _next_message(self, request):
        if not request.tools:
            self.add("## Goal\ngo on")
        else:
            self.kept.append((request, self._entries()))
            self.add(self._turns.pop(0) if self._turns else "done")
        return super()._next_message(request)


async def run(folder, policy, said, window):
    runtime = AgentSessionRuntime(folder, build_services)
    session = runtime.session
    for one in (big, failing):
        session.agent.tools[one.name] = one
    for name, text in (
        ("a.txt", "a line\n" * 900),
        ("b.txt", "short\n"),
        ("SKILL.md", "Plot in blue.\n" * 300),
    ):
        (folder / name).write_text(text)
    for name, value in (
        ("policy", policy),
        ("budget.same_calls", "99"),
        ("compaction.keep_recent_tokens", "4000"),
    ):
        session.set_value(name, value)
    model = Script(said, window=window, entries=lambda: len(session.store.branch().of_kind(*RECORDED)))
    try:
        for word in ("go", "on", "and on"):
            await session.prompt(word, model=model)
    finally:
        runtime.close()
    return model


@pytest.mark.parametrize("policy", POLICIES)
@settings(derandomize=True, deadline=None, max_examples=12)
@given(said=turns, window=st.sampled_from([24_000, 40_000, 90_000]))
def test_requests_are_valid_fit_and_begin_alike_but_for_what_is_recorded(policy, said, window):
    with tempfile.TemporaryDirectory() as folder:
        model = asyncio.run(run(Path(folder), policy, said, window))
    before = None
    for request, recorded in model.kept:
        body = {"model": "m", "messages": chat_messages(request, model.info)}
        assert find_problems(body) == []
        assert sum(map(message_tokens, request.messages)) < window
        if before is not None and before[1] == recorded:
            assert request.messages[: len(before[0].messages)] == before[0].messages
        before = (request, recorded)
    results = [m for m in model.kept[-1][0].messages if isinstance(m, ToolResultMessage)]
    assert all(message.content for message in results)
