"""`search_history`: over real session files, bounded whatever they hold."""

from pathlib import Path

import msgspec
import pytest

from pi_notebook.agent.entries import CompactionEntry, MessageEntry
from pi_notebook.agent.messages import user_message
from pi_notebook.agent.tools import ToolError
from pi_notebook.context.system_prompt import PromptTexts, build_prompt
from pi_notebook.session.history import SessionHistory
from pi_notebook.session.home import Home
from pi_notebook.session.store import SessionStore
from pi_notebook.tools import default_tools
from pi_notebook.tools.history import PAGE_HITS, HistorySearch
from pi_notebook.tools.search_history import PAGE_CHARS, search_history
from tests.tools.calling import context_for

FOLDER = Path("/data/sales")


@pytest.fixture
def home(tmp_path):
    return Home(root=tmp_path / "home")


@pytest.fixture
def store(home):
    store = SessionStore.create(FOLDER, home=home)
    yield store
    store.close()


@pytest.fixture
def ask(store, home, tmp_path):
    async def ask(**arguments):
        context = context_for(tmp_path, name="search_history")
        context.resources[HistorySearch] = SessionHistory(store, folder=FOLDER, home=home)
        result = await search_history.execute(context, search_history.parse(arguments))
        return "".join(block.text for block in result.content)

    return ask


def say(store, text):
    return store.add(MessageEntry, message=user_message(text))


async def test_hits_say_who_when_and_what_and_name_their_entry(store, ask):
    entry = say(store, "the price of tea\nis 3")
    store.add(CompactionEntry, summary="drinks", first_kept_entry_id="", tokens_before=1)
    text = await ask(query="TEA price")
    assert text == f"[{entry.id}] user, {entry.timestamp[:16]}: the price of tea is 3"
    assert await ask(query=f"[{entry.id}]") == f"user, {entry.timestamp}\nthe price of tea\nis 3"


async def test_other_sessions_are_named_when_nothing_is_found_here(store, ask, home):
    say(store, "hay")
    other = SessionStore.create(FOLDER, home=home)
    entry = say(other, "a needle")
    other.close()
    assert await ask(query="needle") == (
        "Nothing is found.\neverywhere=true looks in the folder's other sessions too."
    )
    text = await ask(query="needle", everywhere=True)
    assert text.startswith(f"[{other.id[:8]}/{entry.id}] user, ")
    assert (await ask(query=f" [{other.id[:8]}/{entry.id}] ")).endswith("\na needle")
    assert await ask(query="straw", everywhere=True) == "Nothing is found."


async def test_a_page_is_bounded_and_says_how_to_read_on(store, ask):
    for number in range(PAGE_HITS + 2):
        say(store, f"{'x' * 5000} needle {number} " + "é" * 5000)
    first, second, third = [await ask(query="needle", offset=offset) for offset in (1, 11, 21)]
    assert first.endswith("(offset=11 gives more)")
    assert first.count("needle") == PAGE_HITS
    assert len(first) < 4000
    assert second.count("needle") == 2
    assert "more" not in second
    assert third.startswith("Nothing more.")
    assert await ask(query="needle", offset=-3) == first
    few = await ask(query="needle", offset=3, limit=2)
    assert few.split("\n") == [*first.split("\n")[2:4], "(offset=5 gives more)"]


async def test_a_long_entry_is_read_on_by_its_lines(store, ask):
    words = "\n".join(f"{number:09d}" for number in range(2000))
    entry = say(store, words)
    first = await ask(query=f"[{entry.id}]")
    head, *lines, _, notice = first.split("\n")
    assert len(first) < PAGE_CHARS + 120
    assert head == f"user, {entry.timestamp}"
    assert notice == "[Showing lines 1-600 of 2,000. Use offset=601 to continue.]"
    for offset in (601, 1201, 1801):
        part = await ask(query=f"[{entry.id}]", offset=offset)
        lines += part.split("\n")[1:-2]
    assert "\n".join(lines) == words
    assert part.endswith("[Showing lines 1,801-2,000 of 2,000.]")
    few = await ask(query=f"[{entry.id}]", offset=7, limit=2)
    assert few == f"{head}\n000000006\n000000007\n\n[Showing lines 7-8 of 2,000. Use offset=9 to continue.]"
    with pytest.raises(ToolError, match="offset=2001 is behind the end of the entry, which has 2,000 lines"):
        await ask(query=f"[{entry.id}]", offset=2001)


async def test_all_of_a_line_without_end_can_be_read(store, ask):
    words = "".join(f"{number:09d} " for number in range(1_300))
    entry = say(store, words)
    found, offset = "", 1
    while True:
        part = await ask(query=f"[{entry.id}]", offset=offset)
        assert len(part) < PAGE_CHARS + 120
        body, _, notice = part.rpartition("\n\n")
        lines = body.split("\n")[1:]
        found += "".join(lines)
        offset += len(lines)
        if "to continue" not in notice:
            break
    assert found == words


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("", "Write what to search for"),
        ("[ffffffff]", "no entry 'ffffffff'"),
        ("[gone/x]", "no session 'gone'"),
    ],
)
async def test_what_cannot_be_found_is_told_to_the_model(store, ask, query, said):
    say(store, "hay")
    with pytest.raises(ToolError, match=said):
        await ask(query=query)


def test_with_it_prompt_and_definitions_stay_within_8_kb():
    definitions = [tool.definition for tool in default_tools()]
    sent = [{"type": "function", "function": definition} for definition in definitions]
    assert search_history.definition in definitions
    assert (
        len(msgspec.json.encode(sent)) + len(build_prompt(definitions, PromptTexts()).text.encode()) <= 8000
    )
