from __future__ import annotations

import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pi_notebook.agent.messages import TextContent
from pi_notebook.agent.protocols import ModelRequest
from pi_notebook.models.conversion import chat_messages
from pi_notebook.models.growing import GrowingConversation
from tests.models.conversations import disordered, others, result
from tests.models.test_conversion import call, info, reply, request, user

always = settings(max_examples=200, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))


@always
@given(
    disordered,
    st.lists(st.integers(0, 13), min_size=1, max_size=8),
    others,
    st.sampled_from(["openai", "anthropic"]),
)
def test_whatever_was_asked_before_it_a_request_says_what_it_says_alone(messages, lengths, other, provider):
    model = info(provider)
    conversation = GrowingConversation(model)
    for length in [*lengths, *sorted(lengths)]:
        for asked in (
            messages[:length],
            [other, *messages[1:length]] if length % 3 == 0 else messages[:length],
        ):
            sent = conversation.messages(request(*asked))
            assert json.dumps(sent) == json.dumps(chat_messages(request(*asked), model))
            spoil(sent)


def test_of_a_request_that_goes_on_only_what_is_new_is_looked_at():
    looked_at = []

    class Watched(list):
        def __iter__(self):
            looked_at.append(self[0].text)
            return super().__iter__()

    messages = [user("first")]
    for number in range(50):
        results = Watched([TextContent(text=f"answer {number}")])
        messages += [reply(call(f"c{number}")), result(f"c{number}", results)]
    conversation = GrowingConversation(info())
    conversation.messages(request(*messages))
    assert len(set(looked_at)) == 50
    looked_at.clear()
    conversation.messages(request(*messages, reply("and so"), user("last")))
    assert set(looked_at) == {"answer 49"}


def test_the_system_prompt_is_that_of_the_request():
    conversation = GrowingConversation(info())
    first = conversation.messages(request(user()))
    second = conversation.messages(ModelRequest(system_prompt="Other.", tools=(), messages=(user(),)))
    assert [first[0]["content"], second[0]["content"]] == ["Be exact.", "Other."]


def spoil(value):
    """Change everything in `value`, as providers' clients may."""
    for item in list(value.values() if isinstance(value, dict) else value):
        if isinstance(item, (dict, list)):
            spoil(item)
    value.clear()
