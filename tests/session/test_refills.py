"""When compacting is given up as futile, and when lack of room makes it worth another try."""

import pytest

from pi_notebook.session.refills import Refills

WINDOW, TRIGGER = 8_000, 6_000


@pytest.mark.parametrize(
    ("before", "now", "is_futile"),
    [
        (6_500, 6_500, True),
        (6_500, 6_900, True),  # it has grown by a twentieth of the window
        (6_500, 6_901, False),
        (7_100, 7_300, False),  # beyond nine tenths there is no room for a reply: less is kept
        (7_300, 7_400, True),  # and when that did not help either, it is not tried with each request
    ],
)
def test_a_compaction_that_freed_nothing_is_tried_again_once_the_context_has_grown_or_there_is_no_room(
    before, now, is_futile
):
    refills = Refills()
    refills.tried(before, trigger=TRIGGER, has_freed=False)
    assert refills.is_futile(now, trigger=TRIGGER, context_window=WINDOW) is is_futile


def test_another_window_or_setting_makes_it_worth_a_try():
    refills = Refills()
    refills.tried(6_500, trigger=TRIGGER, has_freed=False)
    assert not refills.is_futile(6_500, trigger=TRIGGER - 1, context_window=WINDOW)
    refills.tried(6_500, trigger=TRIGGER, has_freed=True)
    assert not refills.is_futile(6_500, trigger=TRIGGER, context_window=WINDOW)


def test_a_context_that_is_full_soon_after_a_compaction_counts_once_a_turn():
    refills = Refills()
    for _ in range(2):
        refills.compacted()
        assert not refills.is_full_again()  # before the same prompt: no turn came between
        refills.turn_ended()
        assert not refills.is_full_again()
    refills.compacted()
    assert not refills.is_full_again()
    refills.turn_ended()
    assert refills.is_full_again()
