"""What holds of every policy, and what sets each apart."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_notebook import get_policy
from pi_notebook.agent.messages import ToolCall
from pi_notebook.agent.protocols import ModelInfo
from pi_notebook.agent.tools import ToolResult
from pi_notebook.context.compaction.numbers import compaction_numbers
from pi_notebook.context.policies import POLICIES, POLICY_MEANINGS
from pi_notebook.context.policies.bounds import Bounds
from pi_notebook.context.policies.own_numbers import own_numbers
from pi_notebook.context.projection import repair_pairs
from pi_notebook.context.truncation import OutputLimits
from pi_notebook.errors import UsageError
from pi_notebook.session.settings import Settings
from tests.context.conversations import asks, ids, items_of, replies, turn

EVERY = pytest.mark.parametrize("name", POLICIES)
WINDOWS = (8_000, 16_000, 32_000, 64_000, 128_000, 200_000, 1_000_000, 2_000_000)
LONG = "word " * 2_000


def numbers(window):
    return compaction_numbers(
        ModelInfo(provider="p", id="m", api="a", context_window=window, max_output_tokens=8_000)
    )


def test_a_wrong_name_gives_the_nearest_right_one():
    with pytest.raises(UsageError, match="Did you mean notebook"):
        get_policy("notbook")
    assert set(POLICY_MEANINGS) == set(POLICIES)


@EVERY
def test_every_number_is_a_setting_under_the_policys_name(name):
    values = Settings()
    for own in own_numbers(POLICIES[name]):
        setting = values.setting(f"{name}.{own.name}")
        assert setting.default == own.default
        assert setting.meaning
    assert get_policy(name, values.get) == get_policy(name)


def test_a_number_that_is_set_is_the_policys():
    values = Settings().with_session_values({"notebook.prune_at_percent": 80, "pi.warn_at_percent": 50})
    assert get_policy("notebook", values.get).prune_at_percent == 80
    assert get_policy("pi", values.get).warnings(1_000).at_tokens == 500


@EVERY
@pytest.mark.parametrize("window", WINDOWS)
def test_no_text_takes_more_than_a_quarter_of_the_window(name, window):
    policy = get_policy(name)
    bounds = policy.bounds(Bounds(), window)
    assert max(bounds.asked_tokens, bounds.value_tokens) <= window / 4
    assert max(bounds.output.max_bytes, bounds.read.max_bytes) <= window
    if window >= 64_000:
        assert bounds.output == bounds.read == OutputLimits(max_lines=2000, max_bytes=51_200)
        assert (bounds.asked_tokens, bounds.value_tokens) == (10_000, 1_500)


@EVERY
def test_what_a_person_sets_for_output_holds_where_the_window_has_room(name):
    wanted = OutputLimits(max_lines=10, max_bytes=2_000)
    bounds = get_policy(name).bounds(Bounds(output=wanted, read=wanted), 200_000)
    assert bounds.output == bounds.read == wanted


@EVERY
@pytest.mark.parametrize("window", WINDOWS)
def test_pruning_warning_and_trigger_come_in_this_order(name, window):
    policy = get_policy(name)
    trigger = policy.trigger(numbers(window))
    assert 0 < policy.warnings(trigger).at_tokens < trigger < window
    again = policy.reattachment(window)
    assert again.total_tokens <= window * 0.1
    assert again.tokens <= min(5_000, window / 4)


@EVERY
def test_the_view_is_the_conversation(name):
    said = [asks("go"), *turn("a", "one")[:1], asks("on"), replies("ok"), *turn("b", "lost")[1:]]
    messages = repair_pairs(said)
    assert get_policy(name).view(messages) == messages


@EVERY
@settings(derandomize=True, deadline=None, max_examples=60)
@given(sizes=st.lists(st.integers(0, 8_000), max_size=10), tokens=st.integers(0, 60_000))
def test_a_decision_is_the_same_for_the_same_input_and_about_old_results_alone(name, sizes, tokens):
    policy = get_policy(name)
    items = items_of(asks("go"), *(turn(f"c{n}", "word " * (size // 5)) for n, size in enumerate(sizes)))
    first = policy.prunings(items, tokens=tokens, trigger=20_000, context_window=64_000)
    assert first == policy.prunings(list(items), tokens=tokens, trigger=20_000, context_window=64_000)
    by_id = {item.entry_id: item.message for item in items}
    assert all(by_id[one.entry_id].tool_call_id == one.message.tool_call_id for one in first)


def test_pi_shortens_nothing_gives_everything_again_and_tells_the_person_alone():
    policy = get_policy("pi")
    items = items_of(asks("go"), *(turn(f"c{n}", LONG) for n in range(9)))
    again = ToolResult.of_text(LONG)
    assert policy.prunings(items, tokens=99_999, trigger=20_000, context_window=64_000) == ()
    assert policy.repeated(ToolCall(id="z", name="run_code", arguments={}), again, items) is None
    assert policy.bounds(Bounds(), 200_000).error_keep == "tail"
    assert not policy.warnings(1_000).tells_model
    assert policy.reattachment(200_000).count == 0
    assert policy.label_chars(200_000) is None


def test_notebook_prunes_from_sixty_to_forty_percent_of_the_trigger():
    policy = get_policy("notebook")
    items = items_of(asks("go"), *(turn(f"c{n}", LONG) for n in range(12)))
    assert policy.prunings(items, tokens=12_000, trigger=20_000, context_window=64_000) == []
    batch = policy.prunings(items, tokens=12_001, trigger=20_000, context_window=64_000)
    assert 4_001 <= sum(one.freed_tokens for one in batch) < 4_001 + batch[-1].freed_tokens
    assert ids(batch) == ["e2", "e4", "e6"]
    assert policy.bounds(Bounds(), 200_000).error_keep == "ends"


@EVERY
@pytest.mark.parametrize("window", WINDOWS)
def test_a_compaction_by_any_policy_leaves_room_for_what_it_keeps_and_writes(name, window):
    policy, wanted = get_policy(name), numbers(window)
    given = policy.numbers(wanted)
    assert given.context_window == window
    assert 0 < given.summary + given.keep_recent < policy.trigger(given) <= window
    prompts = policy.summary_prompts()
    assert prompts == policy.summary_prompts()
    assert all((prompts.system, prompts.first, prompts.update, prompts.turn_prefix))
