"""Sessions that are found by what was said in them."""

import pytest

from pi_notebook.agent.messages import user_message
from pi_notebook.errors import UsageError
from pi_notebook.session.branch import Branch
from pi_notebook.session.found_sessions import find_in_sessions
from pi_notebook.session.home import find_home
from pi_notebook.session.store import SessionStore


@pytest.fixture
def say(tmp_path):
    """Stores a session in which these prompts were said, in that folder."""

    def say(*texts, folder=tmp_path, name=""):
        store = SessionStore.create(folder, home=find_home())
        branch = Branch(store)
        for text in texts:
            branch.add_message(user_message(text))
        if name:
            branch.set_name(name)
        store.close()
        return store.id

    return say


def found(words, folder, **options):
    sessions = find_in_sessions(
        words, folder=folder, home=find_home(), limit=options.pop("limit", 9), **options
    )
    return {one.info.id: one.excerpt for one in sessions}


def test_each_session_is_found_once_by_the_newest_that_was_said(say, tmp_path):
    whales = say("blue whales", "grey whales")
    say("penguins")
    assert found("WHALES", tmp_path) == {whales: "grey whales"}


def test_all_words_must_stand_together_and_a_name_counts(say, tmp_path):
    say("blue", "whales")
    named = say("anything", name="Blue whales")
    assert found("blue whales", tmp_path) == {named: "Blue whales"}


def test_sessions_of_another_folder_are_not_found(say, tmp_path):
    say("whales", folder=tmp_path / "other")
    assert found("whales", tmp_path) == {}


def test_no_more_are_looked_for_than_are_wanted_or_there_is_time_for(say, tmp_path):
    for _ in range(4):
        say("whales")
    assert len(found("whales", tmp_path, limit=3)) == 3
    assert found("whales", tmp_path, deadline_seconds=-1.0) == {}


def test_a_query_without_a_word_is_refused(tmp_path):
    with pytest.raises(UsageError):
        find_in_sessions(" ", folder=tmp_path, home=find_home(), limit=1)
