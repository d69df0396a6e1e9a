"""Instructions, skills and templates in a session: what a model gets of them, and what it never gets."""

import json
import re

import pytest

from pi_notebook.agent.messages import TextContent, ToolCall, ToolResultMessage, UserMessage, text_of
from pi_notebook.errors import UsageError
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.home import find_home
from pi_notebook.session.replay import recorded_run
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services
from pi_notebook.session.session import AgentSession
from pi_notebook.session.store import SessionStore
from pi_notebook.session.trust import TrustStore, folder_trust
from pi_notebook.session.typed_prompt import meant_by
from pi_notebook.skills.places import BUILT_IN_SKILLS, user_places
from tests.skills.folders import Folders, write, write_skill


class Person(Folders):
    """A person with a project, who can be asked for services of it."""

    def __init__(self, base):
        super().__init__(base)
        self.home.mkdir(mode=0o700)
        self.environ["PI_NOTEBOOK_HOME"] = str(self.home)

    def trust(self):
        home = find_home(self.environ)
        found = folder_trust(self.folder, home, user_places(home.root, self.environ)).found
        TrustStore(home).keep(found)

    def services(self):
        return build_services(self.folder, environ=self.environ)

    def session(self):
        services = self.services()
        return AgentSession(SessionStore.create(self.folder, home=services.home), services)


@pytest.fixture
def person(tmp_path):
    return Person(tmp_path)


def bring(place):
    """A project's instructions, skill, template, prompt files and settings, each with a word of its own."""
    write(place / "AGENTS.md", "word-instructions")
    write_skill(place / ".pi/skills", "word-skill", "word-description", "word-body")
    write_skill(place / ".agents/skills", "word-agents", "word-other")
    write(place / ".pi/prompts/word-template.md", "word-expanded")
    write(place / ".pi/SYSTEM.md", "word-system")
    write(place / ".pi/APPEND_SYSTEM.md", "word-addendum")
    write(place / ".pi/settings.json", json.dumps({"max_turns": 7}))


def call(name, **arguments):
    return [ToolCall(id="c1", name=name, arguments=arguments)]


async def test_the_model_sees_the_list_and_reads_a_body_when_it_needs_it(person):
    path = write_skill(
        person.home / "skills", "release-notes", "writes release notes", "# The body\nStep one.\n"
    )
    session = person.session()
    model = ScriptedModel([call("read", path=str(path)), "done"])
    await session.prompt("go", model=model)
    first, second = model.requests
    assert "- release-notes: writes release notes" in first.system_prompt
    assert f"{person.home}/skills/NAME/SKILL.md" in first.system_prompt
    assert "Step one." not in first.system_prompt
    assert "Step one." in text_of(second.messages[-1])
    assert first.system_prompt == second.system_prompt


@pytest.mark.parametrize("mode", ["plan", "ask", "auto-edit", "auto"])
async def test_a_skill_of_the_package_is_read_without_a_question(person, mode):
    session = person.session()
    model = ScriptedModel([call("read", path=str(BUILT_IN_SKILLS / "debugging/SKILL.md")), "done"])
    await session.prompt("go", model=model, mode=mode)
    (result,) = [message for message in session.messages if isinstance(message, ToolResultMessage)]
    assert "suspect the state first" in text_of(result)
    assert not result.is_error


async def test_nothing_that_an_untrusted_folder_brings_reaches_a_model(person):
    bring(person.folder)
    write(person.project / "AGENTS.md", "word-parent")
    session = person.session()
    model = ScriptedModel(["done", "done"])
    await session.prompt("hello", model=model)
    await session.prompt("/word-template", model=model)
    sent = str(model.requests)
    assert sent.count("word-") == sent.count("/word-template")
    assert session.settings.get("max_turns") is None
    told = [diagnostic.text for diagnostic in session.services.diagnostics]
    assert len([text for text in told if "%agent trust" in text]) == 1


async def test_in_a_trusted_folder_all_of_it_counts_until_a_file_changes(person):
    bring(person.folder)
    person.trust()
    session = person.session()
    model = ScriptedModel(["done"])
    await session.prompt("/word-template", model=model)
    prompt = model.requests[0].system_prompt
    for word in ("instructions", "skill", "description", "other", "system", "addendum"):
        assert f"word-{word}" in prompt
    assert "word-body" not in prompt
    assert "Look before you conclude" not in prompt
    assert text_of(model.requests[0].messages[-1]) == "word-expanded"
    assert session.settings.get("max_turns") == 7
    write(person.folder / "AGENTS.md", "word-changed")
    assert "word-" not in person.services().system_prompt


async def test_a_template_s_text_is_the_prompt_and_what_was_typed_is_recorded(person):
    write(person.home / "prompts/review.md", "---\ndescription: d\n---\nReview $1 for ${2:-faults}.\n")
    session = person.session()
    model = ScriptedModel(["done"])
    await session.prompt('/review "my file.py"', model=model)
    assert text_of(model.requests[0].messages[-1]) == "Review my file.py for faults."
    lines = [json.loads(line) for line in session.path.read_text().splitlines()]
    (record,) = [line["data"] for line in lines if line.get("customType") == "pi_notebook/typed_prompt"]
    assert record["typed"] == '/review "my file.py"'
    assert record["template"] == "review"
    (said,) = [line["message"]["content"] for line in lines if line.get("message", {}).get("role") == "user"]
    assert said == "Review my file.py for faults."


async def test_a_template_s_answer_is_found_again_by_what_was_typed(person):
    write(person.home / "prompts/review.md", "Review $1.")
    session = person.session()
    await session.prompt("/review a.py", model=ScriptedModel(["it is fine"]))
    guidance = session.services.guidance
    assert recorded_run(session.store, meant_by("/review a.py", guidance)) is not None
    assert recorded_run(session.store, meant_by("/review b.py", guidance)) is None


@pytest.mark.parametrize("text", ["/unknown a b", "/home/me/a.csv is broken", "/", "// x", "/skill:nothing"])
async def test_a_slash_that_names_no_template_stays_as_it_was_typed(person, text):
    session = person.session()
    model = ScriptedModel(["done"])
    await session.prompt(text, model=model)
    assert text_of(model.requests[0].messages[-1]) == text
    assert "typed_prompt" not in session.path.read_text()


async def test_a_template_with_pictures_keeps_them(person):
    write(person.home / "prompts/look.md", "Look at $@")
    session = person.session()
    model = ScriptedModel(["done"])
    await session.prompt([TextContent(text="/look this"), TextContent(text="second")], model=model)
    (said,) = [message for message in session.messages if isinstance(message, UserMessage)]
    assert [block.text for block in said.content] == ["Look at this", "second"]


async def test_a_skill_that_is_asked_for_is_named_with_its_file(person):
    path = person.home / "skills/quiet/SKILL.md"
    write(path, "---\ndescription: d\ndisable-model-invocation: true\n---\nbody\n")
    session = person.session()
    model = ScriptedModel(["done"])
    await session.prompt("/skill:quiet with care", model=model)
    assert "quiet" not in model.requests[0].system_prompt
    asked = text_of(model.requests[0].messages[-1])
    assert asked == f"Use the skill quiet: `read` {path} first and follow it.\n\nwith care"


async def test_a_template_that_becomes_too_long_is_refused_and_nothing_is_sent(person):
    write(person.home / "prompts/twice.md", "$@ $@")
    session = person.session()
    with pytest.raises(UsageError, match="/twice with these arguments"):
        await session.prompt(f"/twice {'x' * 150_000}", model=ScriptedModel([]))
    assert not session.is_running


async def test_small_windows_get_less_of_long_instructions(person):
    write(person.home / "AGENTS.md", "word " * 10_000)
    services = person.services()
    sizes = [len(services.prompt_for(window).text) for window in (8_000, 32_000, 200_000)]
    assert sizes[0] < 6_000 + 2_000
    assert sizes == sorted(sizes)
    assert services.prompt_for(200_000) == services.prompt
    write(person.home / "settings.json", '{"model": "openai/gpt-4o", "context_window": 8000}')
    assert len(person.session().system_prompt) == sizes[0]


def test_what_is_wrong_with_files_is_told_once_and_never_raised(person):
    for number in range(30):
        write(person.home / f"skills/bad{number:02}/SKILL.md", "---\nname: [\n")
    write(person.home / "prompts/compact.md")
    (person.home / "AGENTS.md").write_bytes(b"\0")
    runtime = AgentSessionRuntime(
        person.folder, lambda folder: build_services(folder, environ=person.environ)
    )
    told = [diagnostic.text for diagnostic in runtime.take_diagnostics()]
    assert len(told) == 11
    assert told[-1].endswith("more files have faults: %agent skills")
    assert runtime.take_diagnostics() == []
    runtime.close()


def test_a_skill_of_the_person_in_place_of_one_of_ours_is_no_fault(person):
    write_skill(person.home / "skills", "plotting", "my way")
    services = person.services()
    assert services.diagnostics == ()
    assert "- plotting: my way" in services.system_prompt
    assert services.system_prompt.count("- plotting:") == 1


def test_a_five_megabyte_file_and_ten_thousand_skills_make_a_prompt_within_bounds(person):
    write(person.home / "AGENTS.md", "Rule of mine.\n" * 400_000)
    for number in range(10_000):
        skill = person.home / f"skills/skill-{number:05}"
        skill.mkdir(parents=True)
        (skill / "SKILL.md").write_text("---\ndescription: does much\n---\n")
    prompt = person.services().system_prompt
    assert len(prompt) < 12_000 + 16_000 + 3_000
    assert "bytes are left out here" in prompt
    assert "more are not listed" in prompt


def test_the_person_is_told_what_of_their_files_a_model_does_not_get(person):
    write(person.home / "AGENTS.md", "word " * 3_000)
    for number in range(400):
        write_skill(person.home / "skills", f"skill-{number:04}", "does much " * 30)
    cut, unlisted = [diagnostic.text for diagnostic in person.services().diagnostics]
    assert "is longer than 12,000 characters: its middle is not sent." in cut
    assert re.search(r"\d+ without description, \d+ not at all \(skill-\d+, ", unlisted)


def test_settings_bound_what_is_sent_and_nought_sends_none(person):
    write(person.home / "AGENTS.md", "word " * 3_000)
    write_skill(person.home / "skills", "mine")

    def sections(**values):
        write(person.home / "settings.json", json.dumps(values))
        services = person.services()
        return services.prompt.by_name, services.prompt_for(200_000).by_name, services.diagnostics

    few, same, told = sections(instructions={"max_file_chars": 1_000})
    assert len(few["instructions"]) < 1_500
    assert few == same
    assert "1,000 characters" in told[0].text
    none, same, told = sections(instructions={"max_chars": 0}, skills={"max_chars": 0})
    assert {"instructions", "skills"}.isdisjoint(none)
    assert none == same
    assert told == ()


async def test_a_copy_that_goes_on_in_another_folder_takes_nothing_of_the_first_along(person):
    bring(person.folder)
    person.trust()
    other = person.base / "other"
    other.mkdir()
    write(person.home / "AGENTS.md", "mine")
    runtime = AgentSessionRuntime(
        person.folder, lambda folder: build_services(folder, environ=person.environ)
    )
    model = ScriptedModel(["one", "two", "three"])
    await runtime.session.prompt("hello", model=model)
    await (await runtime.fork(folder=other)).prompt("again", model=model)
    await runtime.session.prompt("and again", model=model)
    runtime.close()
    first, second, third = (request.system_prompt for request in model.requests)
    assert "word-instructions" in first
    assert "word-" not in str(model.requests[1:])
    assert "mine" in second
    assert second == third


@pytest.mark.parametrize(
    ("name", "word"),
    [("skills.max_chars", "word-description"), ("instructions.max_chars", "word-instructions")],
)
async def test_how_much_of_it_is_sent_can_be_set_until_the_first_prompt(person, name, word):
    bring(person.folder)
    person.trust()
    session = person.session()
    assert word in session.system_prompt
    session.set_value(name, "0")
    assert word not in session.system_prompt
    session.set_value(name, "5000")
    assert word in session.system_prompt
    session.set_value(name, "0")
    model = ScriptedModel(["done", "done"])
    await session.prompt("go", model=model)
    session.set_value(name, "5000")
    await session.prompt("on", model=model)
    assert [word in request.system_prompt for request in model.requests] == [False, False]
    assert not any(word in text_of(message) for message in session.messages)
    session.close()
    resumed = AgentSession(SessionStore.open(session.path), person.services())
    assert word not in resumed.system_prompt
