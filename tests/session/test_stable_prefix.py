"""Between two requests of a session everything before the first new message is the same, byte for byte."""

import json

from hypothesis import HealthCheck, given, settings

from pi_notebook.models.conversion import chat_messages, chat_tools
from tests.request_rules import find_problems
from tests.session.random_runs import RandomRun, Sent, programs, run_program


def wire(sent: Sent, info) -> list[str]:
    """The request as its bytes, message by message; tools first, as providers have it."""
    parts = [chat_tools(sent.request.tools), *chat_messages(sent.request, info)]
    return [json.dumps(part, sort_keys=True) for part in parts]


def check_prefixes(run: RandomRun) -> int:
    """How many pairs of requests were compared. A model sees pictures or not: both are put as the later."""
    compared = 0
    for earlier, later in zip(run.sent, run.sent[1:], strict=False):
        messages = chat_messages(later.request, later.info)
        assert find_problems({"model": "m", "messages": messages}) == []
        if later.changes == earlier.changes:
            before, now = wire(earlier, later.info), wire(later, later.info)
            assert now[: len(before)] == before
            compared += 1
    return compared


@settings(
    max_examples=40, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck)
)
@given(programs)
def test_what_was_sent_before_is_sent_again_as_it_was(home, program):
    check_prefixes(run_program(program))


def test_the_comparison_is_made_and_notices_a_change(home):
    program = [("prompt", [["small", "fails"], "text"]), ("resume", None), ("prompt", ["down", "text"])]
    run = run_program(program)
    assert check_prefixes(run) >= 3
    first = run.sent[0].request
    changed = type(first)(system_prompt=first.system_prompt + " ", tools=first.tools, messages=first.messages)
    assert wire(Sent(changed, run.sent[0].info, 0), run.sent[0].info) != wire(run.sent[0], run.sent[0].info)
