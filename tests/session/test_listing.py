import os
from pathlib import Path

import pytest

from pi_notebook.agent.entries import CustomEntry, MessageEntry, ModelChangeEntry, SessionInfoEntry
from pi_notebook.agent.messages import NO_USAGE, AssistantMessage, ImageContent, TextContent, user_message
from pi_notebook.errors import SessionNotFoundError
from pi_notebook.session.files import Files
from pi_notebook.session.home import Home
from pi_notebook.session.listing import find_session, list_sessions
from pi_notebook.session.origin import NOTEBOOK_TYPE
from pi_notebook.session.store import SessionStore

FOLDER = Path("/data/sales")


class Quick(Files):
    def sync(self, fd):
        pass

    def sync_folder(self, path):
        pass


@pytest.fixture
def home(tmp_path):
    return Home(root=tmp_path / "home", files=Quick())


def make(home, *prompts, folder=FOLDER, name=None, age_seconds=0):
    store = SessionStore.create(folder, home=home)
    for prompt in prompts:
        store.add(MessageEntry, message=user_message(prompt))
    if name:
        store.add(SessionInfoEntry, name=name)
    store.close()
    os.utime(store.path, (1_800_000_000 - age_seconds,) * 2)
    return store


def test_without_a_home_there_is_no_session_and_nothing_is_made(home):
    assert list_sessions(home=home) == []
    assert not home.root.exists()


def test_sessions_are_listed_the_last_written_first(home):
    stores = [make(home, f"prompt {n}", age_seconds=n) for n in (3, 1, 2)]
    listed = list_sessions(home=home)
    assert [item.first_prompt for item in listed] == ["prompt 1", "prompt 2", "prompt 3"]
    assert listed[0].path == stores[1].path
    assert len(list_sessions(limit=2, home=home)) == 2


def test_a_session_is_told_with_what_a_person_knows_it_by(home):
    store = make(home, "how much\n  was sold?", "and now?", name="sales")
    (item,) = list_sessions(home=home)
    assert (item.id, item.folder, item.started) == (store.id, FOLDER, store.header.timestamp)
    assert (item.name, item.first_prompt) == ("sales", "how much was sold?")
    assert (item.messages, item.is_estimate) == (2, False)
    assert item.size_bytes == store.path.stat().st_size


def test_a_folder_lists_its_own_sessions_though_its_place_is_shared(home):
    make(home, "a", folder=Path("/data/x-y"))
    make(home, "b", folder=Path("/data/x/y"))
    assert [item.first_prompt for item in list_sessions(Path("/data/x-y"), home=home)] == ["a"]
    assert list_sessions(Path("/nowhere"), home=home) == []
    assert len(list_sessions(home=home)) == 2


@pytest.mark.parametrize("size", [100, 65_000, 130_000, 450_000])
def test_a_first_prompt_of_any_length_is_listed(home, size):
    make(home, 'a "novel" ü ' + "x\\\n" * (size // 3))
    (item,) = list_sessions(home=home)
    assert item.first_prompt.startswith('a "novel" ü x\\ x\\ ')
    assert len(item.first_prompt) <= 200


def test_a_prompt_that_is_cut_within_an_escape_is_shown_up_to_it(home):
    for shift in range(8):
        make(home, "y" * shift + "\x01" * 100_000)
    for item in list_sessions(home=home):
        assert item.first_prompt.lstrip("y")[:3] in ("", "\x01" * 3)


def test_a_prompt_behind_a_large_image_is_left_out(home):
    image = ImageContent(data="A" * 200_000, mime_type="image/png")
    make(home, [image, TextContent(text="what is this?")])
    make(home, [TextContent(text="and this?"), image])
    assert sorted(item.first_prompt for item in list_sessions(home=home)) == ["", "and this?"]


def test_only_the_ends_of_a_large_file_are_read(home):
    store = make(home, *["word " * 200] * 3000, name="at the end")
    (item,) = list_sessions(home=home)
    assert item.is_estimate
    assert abs(item.messages - 3000) < 60
    assert item.name == "at the end"
    # What lies between the ends may be anything.
    data = bytearray(store.path.read_bytes())
    data[70_000:-70_000] = b"\0" * (len(data) - 140_000)
    store.path.write_bytes(data)
    assert list_sessions(home=home)[0].first_prompt == item.first_prompt


def test_what_is_no_session_is_left_out(home):
    store = make(home, "one")
    place = store.path.parent
    (place / "empty.jsonl").touch()
    (place / "notes.jsonl").write_text("notes\n")
    (place / "folder.jsonl").mkdir()
    os.mkfifo(place / "pipe.jsonl")
    (place / "link.jsonl").symlink_to(store.path)
    assert [item.path for item in list_sessions(home=home)] == [store.path]


def test_a_session_is_found_by_path_by_id_and_by_its_beginning(home, tmp_path, monkeypatch):
    store = make(home, "one")
    assert find_session(store.id, home=home) == store.path
    assert find_session(store.id[:8], home=home) == store.path
    assert find_session(str(store.path), home=home) == store.path
    monkeypatch.chdir(store.path.parent)
    assert find_session(store.path.name, home=home) == Path(store.path.name)


def test_sessions_of_the_folder_come_before_others(home):
    here, there = make(home, "here"), make(home, "there", folder=Path("/other"))
    twins = []
    for store, digit in ((here, "1"), (there, "2")):
        twin = store.path.with_name(f"2026-01-01T00-00-00-000Z_twin{digit}.jsonl")
        store.path.rename(twin)
        twins.append(twin)
    assert find_session("twin", folder=FOLDER, home=home) == twins[0]
    with pytest.raises(
        SessionNotFoundError, match=r"begins the ids of 2 sessions: twin., twin.\. Write more"
    ):
        find_session("twin", home=home)


def test_what_is_not_found_names_the_nearest(home):
    with pytest.raises(SessionNotFoundError, match=r"no session 'abc': none is kept yet\."):
        find_session("abc", home=home)
    store = make(home, "one")
    wrong = store.id[:-1] + "z"
    with pytest.raises(SessionNotFoundError) as caught:
        find_session(wrong, home=home)
    assert str(caught.value) == (
        f"There is no session {wrong!r}. Did you mean {store.id}? %agent sessions lists them."
    )
    with pytest.raises(SessionNotFoundError):
        find_session("", home=home)
    with pytest.raises(SessionNotFoundError):
        find_session("/nowhere/x.jsonl", home=home)


def answer(store, model="claude-sonnet-4-5", text="42"):
    store.add(
        MessageEntry,
        message=AssistantMessage(
            content=[TextContent(text=text)],
            api="x",
            provider="anthropic",
            model=model,
            usage=NO_USAGE,
            stop_reason="stop",
            timestamp=1,
        ),
    )


def bind(store, path):
    store.add(CustomEntry, custom_type=NOTEBOOK_TYPE, data={"path": path})


def listed(home, store, **options):
    store.close()
    return list_sessions(home=home, **options)


def begun(home):
    store = SessionStore.create(FOLDER, home=home)
    store.add(MessageEntry, message=user_message("hello"))
    return store


def test_the_model_that_answered_last_and_the_notebook_used_last_are_told(home):
    store = begun(home)
    bind(store, "/nb/a.ipynb")
    store.add(ModelChangeEntry, provider="openai", model_id="gpt-4o")
    answer(store)
    bind(store, "/nb/b.ipynb")
    store.add(MessageEntry, message=user_message('an "assistant" in "pi_notebook/notebook"'))
    store.add(CustomEntry, custom_type="t", data=["assistant", "session_info", NOTEBOOK_TYPE])
    (item,) = listed(home, store)
    assert (item.model, item.notebook) == ("anthropic/claude-sonnet-4-5", "/nb/b.ipynb")


def test_a_model_that_was_chosen_after_the_last_answer_is_told(home):
    store = begun(home)
    answer(store)
    store.add(ModelChangeEntry, provider="offline", model_id="offline")
    assert listed(home, store)[0].model == "offline"


def test_what_is_in_neither_end_of_a_file_is_not_told(home):
    store = begun(home)
    (item,) = listed(home, store)
    assert (item.model, item.notebook) == (None, None)


@pytest.mark.parametrize("behind", [1, 100_000, 1_000_000])
def test_model_and_notebook_are_found_at_either_end_of_a_large_file(home, behind):
    store = begun(home)
    bind(store, "/nb/a.ipynb")
    answer(store)
    store.add(MessageEntry, message=user_message("x" * behind))
    (item,) = listed(home, store)
    assert (item.model, item.notebook) == ("anthropic/claude-sonnet-4-5", "/nb/a.ipynb")


def test_the_end_of_a_large_file_tells_before_its_start(home):
    store = begun(home)
    bind(store, "/nb/a.ipynb")
    answer(store, "first")
    store.add(MessageEntry, message=user_message("x" * 300_000))
    bind(store, "/nb/b.ipynb")
    answer(store, "last")
    (item,) = listed(home, store)
    assert (item.model, item.notebook) == ("anthropic/last", "/nb/b.ipynb")


def test_sessions_of_one_notebook_can_be_listed(home):
    for path in ("/nb/a.ipynb", "/nb/b.ipynb"):
        store = begun(home)
        bind(store, path)
        store.close()
    make(home, "elsewhere")
    (item,) = list_sessions(FOLDER, notebook="/nb/a.ipynb", home=home)
    assert item.notebook == "/nb/a.ipynb"
    assert list_sessions(Path("/other"), notebook="/nb/a.ipynb", home=home) == []
    assert len(list_sessions(home=home)) == 3


def test_a_session_written_in_the_future_is_of_no_age(home):
    make(home, "hello", age_seconds=-10 * 365 * 86_400)
    make(home, "hello", age_seconds=1_800_000_000 - 1000)
    newer, older = list_sessions(home=home)
    assert newer.age_seconds == 0
    assert older.age_seconds > 1_000_000_000


def test_when_time_is_up_the_list_says_that_it_is_cut(home):
    for number in range(3):
        make(home, f"prompt {number}", age_seconds=number)
    cut = list_sessions(home=home, deadline_seconds=0)
    assert len(cut) == 1
    assert cut.is_cut
    whole = list_sessions(home=home)
    assert (len(whole), whole.is_cut) == (3, False)
