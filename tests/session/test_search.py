import json
import os
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pi_notebook.agent.entries import (
    CompactionEntry,
    ContextEditEntry,
    CustomEntry,
    CustomMessageEntry,
    MessageEntry,
    SessionInfoEntry,
)
from pi_notebook.agent.messages import (
    NO_USAGE,
    AssistantMessage,
    ImageContent,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    user_message,
)
from pi_notebook.agent.tools import ToolResult
from pi_notebook.context.result_notes import with_note
from pi_notebook.errors import SessionError, UsageError
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session import search
from pi_notebook.session.files import Files
from pi_notebook.session.history import SessionHistory
from pi_notebook.session.home import Home
from pi_notebook.session.query import Query
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.search import SEARCHING, search_file, search_lines
from pi_notebook.session.services import build_services
from pi_notebook.session.store import SessionStore
from pi_notebook.tools.history import PAGE_HITS

FOLDER = Path("/data/sales")


class Quick(Files):
    def sync(self, fd):
        pass

    def sync_folder(self, path):
        pass


@pytest.fixture
def home(tmp_path):
    return Home(root=tmp_path / "home", files=Quick())


@pytest.fixture
def store(home):
    store = SessionStore.create(FOLDER, home=home)
    yield store
    store.close()


@pytest.fixture
def history(store, home):
    return SessionHistory(store, folder=FOLDER, home=home)


def say(store, text):
    return store.add(MessageEntry, message=user_message(text))


def reply(store, *content):
    message = AssistantMessage(
        content=list(content),
        api="x",
        provider="p",
        model="m",
        usage=NO_USAGE,
        stop_reason="stop",
        timestamp=1,
    )
    return store.add(MessageEntry, message=message)


def another(home, *texts, folder=FOLDER):
    store = SessionStore.create(folder, home=home)
    for text in texts:
        say(store, text)
    store.close()
    return store


def found(history, query, **options):
    return [hit.entry_id for hit in history.find(query, **{"everywhere": False} | options).hits]


def test_all_words_must_occur_in_any_order_and_case(store, history):
    both = say(store, "The Median revenue\nby REGION")
    say(store, "the median alone")
    for query in ("region median", "MEDIAN Region", "reg", '"revenue by region"', '"REVENUE   by'):
        assert found(history, query) == [both.id]
    for query in ('"median by region"', "median quarter", '"region by"'):
        assert found(history, query) == []


def test_the_newest_is_first_with_who_said_it_and_what_stands_around(store, history):
    first = say(store, "x " * 500 + "the price of tea " + "y " * 500)
    result = store.add(
        MessageEntry,
        message=ToolResultMessage(
            tool_call_id="c",
            tool_name="run_code",
            content=[TextContent(text="tea\n3")],
            is_error=False,
            timestamp=1,
        ),
    )
    hits = history.find("tea", everywhere=False).hits
    assert [(hit.entry_id, hit.who) for hit in hits] == [(result.id, "run_code result"), (first.id, "user")]
    assert hits[0].excerpt == "tea 3"
    assert "the price of tea y y" in hits[1].excerpt
    assert len(hits[1].excerpt) <= 242
    assert hits[1].excerpt[0] == hits[1].excerpt[-1] == "…"
    assert (hits[0].timestamp, hits[0].session_id, hits[0].is_here) == (result.timestamp, store.id, True)


def test_every_kind_of_what_was_said_is_found(store, history):
    made = [
        say(store, [TextContent(text="needle"), ImageContent(data="AAAA", mime_type="image/png")]),
        reply(store, TextContent(text="a needle")),
        reply(store, ThinkingContent(thinking="which needle?")),
        reply(store, ToolCall(id="c", name="run_code", arguments={"code": ["x = 'needle'"]})),
        store.add(CustomMessageEntry, custom_type="t", content="needle", display=True),
        store.add(CompactionEntry, summary="the needle", first_kept_entry_id="", tokens_before=1),
        store.add(SessionInfoEntry, name="Needles"),
    ]
    store.add(CustomEntry, custom_type="needle", data="needle")
    say(store, [ImageContent(data="needle00", mime_type="image/png")])
    assert found(history, "needle") == [entry.id for entry in reversed(made)]


def test_what_was_compacted_hidden_or_left_on_another_branch_is_found(store, history):
    first = say(store, "needle one")
    second = say(store, "needle two")
    store.add(ContextEditEntry, target_id=second.id, replacement=None)
    store.move_leaf(first.id)
    kept = say(store, "elsewhere")
    store.add(CompactionEntry, summary="s", first_kept_entry_id=kept.id, tokens_before=1)
    assert found(history, "needle") == [second.id, first.id]


def test_a_result_that_is_read_again_is_without_the_name_it_had(store, history):
    given = with_note(ToolResult.of_text("42 rows"), "[result r12345]")
    message = ToolResultMessage(
        tool_call_id="c",
        tool_name="run_code",
        content=list(given.content),
        details=given.details,
        is_error=False,
        timestamp=1,
    )
    entry = store.add(MessageEntry, message=message)
    assert history.text(entry.id) == f"run_code result, {entry.timestamp}\n42 rows"


def test_pages_hold_all_hits_once(store, history):
    made = [say(store, f"needle {number}").id for number in range(2 * PAGE_HITS + 3)]
    pages = [history.find("needle", everywhere=False, page=number) for number in (1, 2, 3, 4)]
    assert [hit.entry_id for page in pages for hit in page.hits] == made[::-1]
    assert [page.has_more for page in pages] == [True, True, False, False]


def test_other_sessions_of_the_folder_come_after_this_one(store, history, home):
    other = another(home, "needle there")
    another(home, "needle", folder=Path("/data-sales"))
    another(home, "needle", folder=Path("/other"))
    own = say(store, "needle here")
    assert found(history, "needle") == [own.id]
    here, there = history.find("needle", everywhere=True).hits
    assert (here.reference, here.is_here) == (own.id, True)
    assert there.reference == f"{other.id[:8]}/{other.leaf_id}"
    assert history.text(there.reference) == f"user, {there.timestamp}\nneedle there"
    assert history.text(here.reference).endswith("needle here")
    assert history.text(f"{store.id}/{own.id}").endswith("needle here")


def test_an_entry_that_is_not_there_is_an_error_that_names_it(store, history):
    say(store, "x")
    with pytest.raises(SessionError, match="no entry 'ffffffff'"):
        history.text("ffffffff")
    with pytest.raises(SessionError, match="no session 'gone'"):
        history.text("gone/ffffffff")


def test_a_session_in_memory_and_one_not_begun_are_searched(store, history, home):
    assert found(history, "needle") == []
    memory = SessionStore.in_memory(FOLDER, reason="as asked")
    entries = [say(memory, "needle"), say(memory, "thread"), say(memory, "Needle")]
    own = SessionHistory(memory, folder=FOLDER, home=home)
    assert found(own, "needle") == [entries[2].id, entries[0].id]
    assert own.text(entries[1].id).endswith("\nthread")


@pytest.mark.parametrize("query", ["", "   ", '""', '" "'])
def test_a_query_without_a_word_is_refused(history, query):
    with pytest.raises(UsageError, match="Write what to search for"):
        history.find(query, everywhere=False)


def test_when_time_is_up_the_page_says_so(store, history, home):
    say(store, "hay")
    another(home, "needle")
    page = history.find("needle", everywhere=True, deadline_seconds=0)
    assert (page.hits, page.is_cut) == ((), True)
    assert not history.find("needle", everywhere=True).is_cut


def test_damaged_lines_and_files_that_are_no_sessions_are_passed_over(store, history, home):
    entry = say(store, "needle")
    with store.path.open("ab") as file:
        file.write(b'{"needle\n\xff needle \x00\n{"type":"message","id":"x","mess needle')
    place = store.path.parent
    (place / "2030_x.jsonl").write_text("needle\n")
    (place / "2030_y.jsonl").mkdir()
    (place / "2030_z.jsonl").symlink_to(store.path)
    assert found(history, "needle", everywhere=True) == [entry.id]


@pytest.mark.parametrize("is_ended", [True, False], ids=["ended", "not ended"])
@pytest.mark.parametrize("block_bytes", [1, 7, 100, 4096])
def test_lines_are_whole_wherever_a_block_ends(store, monkeypatch, block_bytes, is_ended):
    monkeypatch.setattr(search, "_BLOCK_BYTES", block_bytes)
    made = [say(store, f"needle {'x' * (number * 37 % 300)}").id for number in range(30)]
    os.truncate(store.path, store.path.stat().st_size - (not is_ended))
    with store.path.open("rb") as file:
        matches = [match.entry.id for match in search_file(file, Query.parse("needle")) if match]
    assert matches == made[::-1]


def line(text, *, ascii_only):
    entry = {
        "type": "message",
        "id": "a",
        "parentId": None,
        "timestamp": "t",
        "message": {"role": "user", "content": text, "timestamp": 1},
    }
    return json.dumps(entry, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")


letters = st.characters(blacklist_characters="\u212a\u0130", blacklist_categories=("Cs",))
"""All but the two letters beyond ASCII whose lower case is within it."""


@settings(max_examples=400, deadline=None, derandomize=True)
@given(
    before=st.text(letters, max_size=8),
    word=st.text(letters, min_size=1, max_size=6),
    after=st.text(letters, max_size=8),
    ascii_only=st.booleans(),
    case=st.sampled_from([str, str.lower, str.upper]),
)
def test_whatever_stands_in_a_text_is_found_however_json_writes_it(before, word, after, ascii_only, case):
    word = " ".join(word.replace('"', "'").split())
    assume(word)
    text = before + case(word) + after
    assume(word.lower() in " ".join(text.split()).lower())
    query = Query.parse(f'"{word}"')
    assume(query.terms[0][0] in (word[0].lower(), word[0]))
    (match,) = search_lines(line(text, ascii_only=ascii_only), query)
    assert match.entry.message.content == text


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    texts=st.lists(st.text('ab \n"\\é', max_size=12), max_size=12),
    query=st.text("abé ", min_size=1, max_size=4),
)
def test_what_is_found_is_what_a_look_at_every_text_finds(texts, query):
    words = query.split()
    assume(words)
    lines = [line(text, ascii_only=number % 2 == 0) for number, text in enumerate(texts)]
    matches = [match.entry.message.content for match in search_lines(b"\n".join(lines), Query.parse(query))]
    assert matches == [text for text in reversed(texts) if all(word in text.lower() for word in words)]


def test_a_search_holds_a_few_blocks_at_a_time(monkeypatch):
    monkeypatch.setattr(search, "_BLOCK_BYTES", 1000)
    data = b"\n".join(line("hay " * 20, ascii_only=True) for _ in range(200))
    reads = []

    class File(BytesIO):
        def read(self, count=-1):
            reads.append(count)
            return super().read(count)

    monkeypatch.setattr(search, "_size", lambda file: len(data))
    assert [match for match in search_file(File(data), Query.parse("needle")) if match] == []
    assert max(reads) <= 1000


async def test_the_model_finds_what_its_context_no_longer_holds(tmp_path):
    runtime = AgentSessionRuntime(tmp_path, build_services)
    session = runtime.session
    await session.prompt("The password of the vault is tulip.", model=ScriptedModel(["noted"]))
    kept = session.branch.add(MessageEntry, message=user_message("later"))
    session.branch.add(CompactionEntry, summary="talk", first_kept_entry_id=kept.id, tokens_before=9)
    assert not any("tulip" in str(message) for message in session.messages)
    search = ToolCall(id="c1", name="search_history", arguments={"query": "password vault"})
    await session.prompt("What was it?", model=ScriptedModel([search, "tulip"]))
    (result,) = [m for m in session.messages if isinstance(m, ToolResultMessage)]
    assert result.text.endswith(": The password of the vault is tulip.")
    assert result.text.count("\n") == 0
    again = SessionHistory(session.store, folder=tmp_path, home=session.services.home)
    assert len(again.find("password vault", everywhere=True).hits) == 1
    assert search.name == SEARCHING
    runtime.close()


async def test_the_prompt_that_is_answered_and_the_reply_that_asks_are_no_hits(tmp_path):
    runtime = AgentSessionRuntime(tmp_path, build_services)
    session = runtime.session
    session.set_value("mode", "auto")
    await session.prompt("The tulip is the password.", model=ScriptedModel(["A tulip, noted."]))

    def asks(call_id, **arguments):
        call = ToolCall(id=call_id, name="search_history", arguments={"query": "tulip password", **arguments})
        return AssistantMessage(
            content=[TextContent(text="I look for the tulip password."), call], stop_reason="toolUse",
            api="", provider="", model="", usage=NO_USAGE, timestamp=0,
        )  # fmt: skip

    write = ToolCall(id="w", name="write", arguments={"path": "a.txt", "content": "tulip password"})
    model = ScriptedModel([[write], asks("c"), asks("d", everywhere=True), "It is tulip."])
    await session.prompt("What was the tulip password?", model=model)
    first, second = [m.text for m in session.messages if getattr(m, "tool_name", "") == "search_history"]
    assert [line.partition("] ")[2].split(",")[0] for line in first.splitlines()] == ["assistant", "user"]
    assert first.splitlines()[1].endswith(": The tulip is the password.")
    assert second == first
    again = SessionHistory(session.store, folder=tmp_path, home=session.services.home)
    said = [hit.excerpt for hit in again.find("tulip password", everywhere=True).hits]
    assert "What was the tulip password?" in said
    runtime.close()
