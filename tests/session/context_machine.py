"""Whatever happens to a session, in any order: what `context_world` offers, drawn by Hypothesis."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from tests.session.context_world import Plan, Turn, World

WINDOWS = st.sampled_from([8_000, 16_000, 32_000, 128_000, 200_000])
PLACES = st.integers(0, 10_000)
PROMPTS = st.sampled_from([0, 100, 2_000, 14_000])
"""Characters: the largest takes a third of the smallest window."""
RESULTS = st.sampled_from([0, 5, 200, 3_000, 8_000, 20_000, 60_000, 200_000, -50, -9_000])
ENDS = st.sampled_from(["well"] * 8 + ["error", "down", "abort", "length", "thinking", "empty", "overflow"])
TURNS = st.builds(
    Turn,
    text_chars=st.sampled_from([0, 10, 300, 2_000]),
    results=st.lists(RESULTS, max_size=5).map(tuple),
    end=ENDS,
)
SUMMARIES = st.lists(
    st.sampled_from(["well"] * 4 + ["length", "calls", "empty", "overflow", "down", "long", "abort"]),
    max_size=5,
)
RUNS = st.builds(Plan, turns=st.lists(TURNS, max_size=6), summaries=SUMMARIES)


class ContextMachine(RuleBasedStateMachine):
    """Each walk begins with a session of its own."""

    requests: ClassVar[list[int]] = []
    """How many each walk has made."""

    @initialize(window=WINDOWS, tells_usage=st.booleans())
    def begin(self, window, tells_usage):
        self.folder = Path(tempfile.mkdtemp())
        self.world = World(self.folder, window=window)
        self.world.tells_usage = tells_usage

    @rule(chars=PROMPTS, plan=RUNS)
    def prompt(self, chars, plan):
        self.world.prompt(chars, plan)

    @rule(chars=PROMPTS, plan=RUNS)
    def prompt_again(self, chars, plan):
        self.world.prompt(chars, plan)

    @rule(chars=PROMPTS, plan=RUNS)
    def prompt_with_the_policy_of_pi(self, chars, plan):
        self.world.prompt(chars, plan, policy="pi")

    @rule(summaries=SUMMARIES, focus=st.sampled_from(["", "prices"]))
    def compact(self, summaries, focus):
        self.world.compact(Plan(summaries=summaries), focus)

    @rule(window=WINDOWS)
    def use_another_model(self, window):
        self.world.use_window(window)

    @rule(place=PLACES)
    def move(self, place):
        self.world.move(place)

    @rule(place=PLACES, summaries=SUMMARIES)
    def leave(self, place, summaries):
        self.world.leave(place, Plan(summaries=summaries))

    @rule(place=PLACES)
    def fork(self, place):
        self.world.fork(place)

    @rule(place=PLACES, hides=st.booleans())
    def edit(self, place, hides):
        self.world.edit(place, hides=hides)

    @rule()
    def resume(self):
        self.world.resume()

    def teardown(self):
        if hasattr(self, "world"):
            self.world.close()
            shutil.rmtree(self.folder, ignore_errors=True)
            self.requests.append(self.world.requests)
