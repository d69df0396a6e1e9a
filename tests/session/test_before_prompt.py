"""What goes before a prompt: there is room for all of it before it is sent, and it is told once."""

from types import SimpleNamespace

import pytest

from pi_notebook.agent import ToolContext, tool
from pi_notebook.agent.entries import CustomMessageEntry
from pi_notebook.agent.events import AgentStart, TurnEnd
from pi_notebook.agent.messages import CustomMessage, ToolCall, text_of
from pi_notebook.errors import ContextOverflowError
from pi_notebook.kernel.person_cells import PersonCell
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.attached_cells import AttachedCell
from pi_notebook.session.person_cells import CUSTOM_TYPE as CELLS
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services
from tests.session.context_world import request_tokens

WINDOW, TRIGGER = 16_000, 12_000


@tool(risk="read")
async def big(context: ToolContext, tokens: int, name: str) -> str:
    """Give a long text."""
    return f"{name} " + "word " * tokens


class Strict(ScriptedModel):
    """Refuses what is larger than its window, as a provider does; sums up or says that it is fine."""

    def __init__(self, *replies):
        super().__init__(replies, context_window=WINDOW)
        self.largest = 0
        """Of the requests of the conversation, in tokens."""

    def _next_message(self, request):
        if not request.tools:
            return self._message("## Goal\nsummary")
        tokens = request_tokens(request)
        self.largest = max(self.largest, tokens)
        if tokens > WINDOW:
            raise ContextOverflowError("too long", model="m")
        return super()._next_message(request) if self._replies else self._message("fine")


@pytest.fixture
def runtime(tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    runtime = AgentSessionRuntime(folder, build_services)
    runtime.session.agent.tools["big"] = big
    runtime.session.set_value("notebook.prune_at_percent", "100")
    yield runtime
    runtime.close()


@pytest.fixture
def session(runtime):
    return runtime.session


def bigs(count, tokens=3_000):
    return [
        ToolCall(id=f"c{number}", name="big", arguments={"tokens": tokens, "name": str(number)})
        for number in range(count)
    ]


def shell_of(*cells):
    """A shell that knows these cells of the person's."""
    kept = SimpleNamespace(since=lambda time_ms: tuple(one for one in cells if one.ended_ms > time_ms))
    return SimpleNamespace(_pi_notebook_cells=kept)


def cell(number, *, ended_ms):
    one = PersonCell(number=number, code=f"cell_{number} = 1", code_chars=10, began_ms=ended_ms)
    one.ended_ms = ended_ms
    return one


def cells_told(session):
    return [
        entry.content
        for entry in session.store.branch()
        if isinstance(entry, CustomMessageEntry) and entry.custom_type == CELLS
    ]


async def fill(session, model):
    """Fill the context to just below what is compacted."""
    for _ in range(5):
        await session.prompt("some words that begin it " * 390, model=model)
    session.agent.model = model
    assert session.upkeep.trigger == TRIGGER
    assert TRIGGER * 0.9 < session.upkeep.usage.tokens < TRIGGER


async def test_there_is_room_for_what_is_attached_before_it_is_sent(session):
    for number in range(4):
        (session.services.folder / f"f{number}.txt").write_text(f"line {number} of a few words\n" * 4_000)
    model = Strict()
    await fill(session, model)
    await session.prompt("look", model=model, attach=[f"f{number}.txt" for number in range(4)])
    assert model.largest <= TRIGGER
    assert session.branch.last_compaction_id is not None


async def test_there_is_room_for_what_hooks_find_before_it_is_sent(session):
    model = Strict()
    await fill(session, model)
    session.hooks.on("before_prompt")(lambda prompt: ["knowledge " * 5_000])
    await session.prompt("what is known?", model=model)
    assert model.largest <= TRIGGER


async def test_there_is_room_for_cells_that_are_given_before_they_are_sent(session):
    model = Strict()
    await fill(session, model)
    cells = [AttachedCell(number=1, source="value = 1  # words\n" * 4_000, output="")]
    await session.prompt("look", model=model, cells=cells)
    assert model.largest <= TRIGGER


async def test_there_is_room_for_what_waited_for_a_run_and_is_said_at_its_beginning(session):
    for number in range(4):
        (session.services.folder / f"f{number}.txt").write_text(f"line {number} of a few words\n" * 4_000)
    model = Strict()
    await fill(session, model)

    def stopped(event):
        if isinstance(event, AgentStart):
            session.steer("look at @f0.txt @f1.txt @f2.txt @f3.txt")
            session.abort()

    unsubscribe = session.subscribe(stopped)
    await session.prompt("go", model=model)
    unsubscribe()
    await session.continue_(model=model)
    assert model.largest <= TRIGGER
    assert session.branch.last_compaction_id is not None


async def test_a_file_that_is_attached_again_is_shown_again_when_room_was_made_for_it(session):
    content = "a line of a few words\n" * 300
    for name in ("again.txt", "other.txt", "third.txt"):
        (session.services.folder / name).write_text(f"{name}\n{content}")
    model = Strict()
    await session.prompt("look", model=model, attach=["again.txt"])
    await session.prompt("some words that go on " * 1_300, model=model)
    await session.prompt("look", model=model, attach=["other.txt", "third.txt", "again.txt"])
    assert session.branch.last_compaction_id is not None
    shown = [
        text_of(one)
        for one in model.requests[-1].messages
        if isinstance(one, CustomMessage) and "attachment" in one.custom_type
    ]
    assert sum("again.txt" in text and content.strip() in text for text in shown) == 1


async def test_cells_are_told_once_though_the_prompt_they_stood_before_is_summarised(runtime, session):
    object.__setattr__(session.services, "shell", shell_of(cell(1, ended_ms=1_000)))
    model = Strict(*[[one] for one in bigs(6)], "done")
    await session.prompt("go", model=model, policy="pi")
    assert not [one for one in session.messages if text_of(one) == "go"]
    await session.prompt("again", model=model)
    assert len(cells_told(session)) == 1


async def test_cells_that_ended_before_something_was_said_to_a_run_are_told_with_the_next_prompt(session):
    model = Strict([bigs(1)[0]], "done")
    cells = []

    def said(event):
        if isinstance(event, TurnEnd) and not cells:
            prompted = session.branch.prompted_ms
            cells.append(cell(2, ended_ms=prompted + 1))
            session.steer("and this")

    session.subscribe(said)
    await session.prompt("go", model=model)
    object.__setattr__(session.services, "shell", shell_of(*cells))
    await session.prompt("next", model=model)
    (told,) = cells_told(session)
    assert "cell_2" in told


async def test_there_is_room_for_instructions_that_have_changed_before_they_are_told(session, home):
    model = Strict()
    await fill(session, model)
    (home / "AGENTS.md").write_text("Use metres, litres and kilogrammes.\n" * 420)
    session.use(build_services(session.services.folder))
    await session.prompt("go on", model=model)
    assert sum("Use metres" in text_of(message) for message in model.requests[-1].messages) == 1
    assert "The context is filling" not in text_of(model.requests[-1].messages[-2])
    assert model.largest <= TRIGGER
