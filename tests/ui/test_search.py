"""`%agent search` over real sessions."""

import pytest

from pi_notebook.agent.entries import MessageEntry
from pi_notebook.agent.messages import user_message
from pi_notebook.errors import UsageError
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services
from pi_notebook.session.store import SessionStore
from pi_notebook.tools.history import PAGE_HITS
from pi_notebook.ui.search import search
from pi_notebook.ui.tables import when


@pytest.fixture
def runtime(tmp_path, monkeypatch):
    monkeypatch.setenv("PI_NOTEBOOK_HOME", str(tmp_path / "home"))
    runtime = AgentSessionRuntime(tmp_path, build_services)
    yield runtime
    runtime.close()


def say(store, text):
    return store.add(MessageEntry, message=user_message(text))


def test_hits_of_this_session_come_first_with_where_they_are(runtime, tmp_path):
    other = SessionStore.create(tmp_path, home=runtime.services.home)
    there = say(other, "tea | coffee")
    other.close()
    here = say(runtime.session.store, "what does\ntea cost?")
    report = search(runtime, "TEA")
    assert report.rows == (
        ("this one", here.id, when(here.timestamp), "user", "what does tea cost?"),
        (other.id[:8], there.id, when(there.timestamp), "user", "tea | coffee"),
    )
    assert report.footer == ()
    assert "tea \\| coffee" in report.markdown


def test_more_hits_than_a_page_are_paged(runtime):
    made = [say(runtime.session.store, f"tea {number}").id for number in range(PAGE_HITS + 1)]
    first = search(runtime, '"tea"')
    assert [row[1] for row in first.rows] == made[:0:-1]
    assert first.footer == ('`%agent search "tea" --page 2` shows more',)
    second = search(runtime, '"tea" --page 2')
    assert ([row[1] for row in second.rows], second.footer) == (made[:1], ())
    assert search(runtime, '"tea" --page 3').lines == ('No more is found for **"tea"**.',)


def test_nothing_found_and_nothing_asked_are_said(runtime):
    assert search(runtime, "tea").lines == ("Nothing is found for **tea**.",)
    assert search(runtime, f"tea --page {'9' * 9}").lines == ("No more is found for **tea**.",)
    assert search(runtime, f"tea --page {'9' * 5_000}").rows == ()
    with pytest.raises(UsageError, match="Write what to search for"):
        search(runtime, "  ")
