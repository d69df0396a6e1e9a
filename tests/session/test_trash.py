"""Sessions that are thrown away: where they lie, and which are left alone."""

import pytest

from pi_notebook.agent.messages import user_message
from pi_notebook.errors import SessionBusyError, SessionError
from pi_notebook.session.branch import Branch
from pi_notebook.session.home import find_home
from pi_notebook.session.store import SessionStore
from pi_notebook.session.trash import trash_session


@pytest.fixture
def stored(tmp_path):
    """A session that is closed, with one prompt."""
    store = SessionStore.create(tmp_path, home=find_home())
    Branch(store).add_message(user_message("Keep this."))
    store.close()
    return store.path


def test_a_session_in_the_trash_is_whole_and_no_longer_listed(stored):
    kept = trash_session(stored, home=find_home())
    assert not stored.exists()
    assert kept.parent == find_home().root / "trash"
    assert "Keep this." in kept.read_text()


def test_one_of_the_same_name_is_not_written_over(stored):
    text = stored.read_text()
    first = trash_session(stored, home=find_home())
    stored.write_text(text)
    second = trash_session(stored, home=find_home())
    assert (second.stem, first.read_text(), second.read_text()) == (f"{first.stem} (2)", text, text)


def test_a_session_in_use_is_left_where_it_is(stored):
    store = SessionStore.open(stored)
    with pytest.raises(SessionBusyError):
        trash_session(stored, home=find_home())
    store.close()
    assert stored.exists()


def test_a_folder_in_the_place_of_a_session_is_left_where_it_is(tmp_path):
    (tmp_path / "x.jsonl").mkdir()
    with pytest.raises(SessionError):
        trash_session(tmp_path / "x.jsonl", home=find_home())
    assert (tmp_path / "x.jsonl").is_dir()
