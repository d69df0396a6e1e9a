"""Extensions add tools, hooks and commands; one that fails adds nothing and breaks nothing."""

import os

import pytest

from pi_notebook.agent.messages import ToolCall, ToolResultMessage, text_of
from pi_notebook.errors import SettingsError, UsageError
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services
from pi_notebook.session.trust import TrustStore, folder_trust
from pi_notebook.ui.commands import run_command

RATES = '''
from __future__ import annotations

from dataclasses import dataclass

from pi_notebook import tool


@dataclass
class Rate:
    value: float = 1.1


@tool(risk="read")
async def exchange_rate(context, currency: str) -> str:
    """The rate of a currency."""
    return f"{currency} {Rate().value}"


def setup(api):
    api.add_tool(exchange_rate)

    @api.on("before_prompt")
    def facts(prompt):
        return f"Prices in {api.folder.name} are without tax."

    @api.command("rates", meaning="list the rates", takes="[CURRENCY]")
    def rates(session, text):
        return f"{session.id} {text} 1.1"
'''


@pytest.fixture
def place(tmp_path, home):
    return Place(tmp_path, home)


class Place:
    def __init__(self, folder, home):
        self.folder = folder
        self.home = home

    def own(self, name, code):
        return self._write(self.home / "extensions" / name, code)

    def project(self, name, code, *, trusted=True):
        path = self._write(self.folder / ".pi" / "extensions" / name, code)
        if trusted:
            services = build_services(self.folder)
            TrustStore(services.home).keep(folder_trust(self.folder, services.home).found)
        return path

    def services(self, **options):
        return build_services(self.folder, **options)

    def told(self):
        return [one.text for one in self.services().diagnostics]

    def _write(self, path, code):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(code)
        return path


@pytest.fixture
def runtime(place):
    runtimes = []

    def start():
        runtimes.append(AgentSessionRuntime(place.folder, build_services))
        return runtimes[-1]

    yield start
    for one in runtimes:
        one.close()


def adding(*names, kind="tool"):
    """An extension with tools or commands of these names, which say where they come from."""
    lines = ["from pi_notebook import tool"]
    for name in names:
        if kind == "tool":
            lines += [
                f"@tool(risk='read', name={name!r})",
                "async def one(context) -> str:",
                "    '''One.'''",
                "    return __file__",
                f"tool_{name} = one",
            ]
    lines.append("def setup(api):")
    for name in names:
        if kind == "tool":
            lines.append(f"    api.add_tool(tool_{name})")
        else:
            lines.append(f"    api.command({name!r}, meaning='m')(lambda session, text: __file__)")
    return "\n".join(lines)


async def test_a_tool_a_hook_and_a_command_of_an_extension_are_used(place, runtime):
    place.own("rates.py", RATES)
    session = (started := runtime()).session
    call = ToolCall(id="c1", name="exchange_rate", arguments={"currency": "USD"})
    model = ScriptedModel([[call], "done"])
    await session.prompt("what is a dollar?", model=model)
    assert f"Prices in {place.folder.name} are without tax." in str(model.requests[0].messages[-2].content)
    assert text_of(model.requests[1].messages[-1]) == "USD 1.1"
    assert "exchange_rate" in {definition.name for definition in model.requests[0].tools}
    assert run_command(started, "rates USD").plain == f"{session.id} USD 1.1"
    assert "%agent rates [CURRENCY]" in run_command(started, "help").plain


async def test_a_long_result_of_an_extensions_tool_is_bounded_and_kept_whole(place, runtime):
    code = RATES.replace('f"{currency} {Rate().value}"', '"\\n".join(map(str, range(100_000)))')
    place.own("rates.py", code)
    call = ToolCall(id="c1", name="exchange_rate", arguments={"currency": "USD"})
    model = ScriptedModel([[call], "done"])
    session = runtime().session
    await session.prompt("go", model=model)
    result = next(message for message in session.messages if isinstance(message, ToolResultMessage))
    shown = text_of(result)
    assert len(shown.encode()) < 60_000
    path = shown.partition("Full output: ")[2].partition(" (")[0]
    with open(path) as whole:
        assert whole.read().split() == [str(number) for number in range(100_000)]


async def test_a_tool_that_is_a_plain_function_works_too(place, runtime):
    place.own("rates.py", RATES.replace("async def exchange_rate", "def exchange_rate"))
    call = ToolCall(id="c1", name="exchange_rate", arguments={"currency": "USD"})
    model = ScriptedModel([[call], "done"])
    await runtime().session.prompt("go", model=model)
    assert text_of(model.requests[1].messages[-1]) == "USD 1.1"


def test_a_tool_of_an_extension_has_a_permission_the_person_can_set_and_a_folder_cannot(place, home):
    place.own("rates.py", RATES)
    (home / "settings.json").write_text('{"permissions": {"exchange_rate": "refuse"}}')
    services = place.services()
    assert services.settings.get("permissions.exchange_rate") == "refuse"
    (home / "settings.json").unlink()
    place._write(place.folder / ".pi" / "settings.json", '{"permissions.exchange_rate": "allow"}')
    place.project("x.py", "def setup(api): ...")
    assert place.services().settings.get("permissions.exchange_rate") is None
    (home / "extensions" / "rates.py").unlink()
    with pytest.raises(SettingsError):
        place.services().settings.get("permissions.exchange_rate")


FAILING = {
    "syntax": ("def setup(api:\n", "line 1: SyntaxError"),
    "import": ("import no_such_module\n", "line 1: ModuleNotFoundError"),
    "no setup": ("x = 1\n", "has no function setup(api)"),
    "setup is no function": ("setup = 1\n", "has no function setup(api)"),
    "coroutine": ("async def setup(api): ...\n", "coroutine function"),
    "raises": ("def setup(api):\n    api.on('context')(print)\n    1 / 0\n", "line 3: ZeroDivisionError"),
    "exits": ("def setup(api):\n    raise SystemExit(1)\n", "line 2: SystemExit"),
    "panics": ("class Panic(BaseException): ...\nraise Panic('in Rust')\n", "line 2: Panic: in Rust"),
    "no commands": ("def setup(api):\n    api.commands.append(print)\n", "api.command add"),
    "no text": (
        "class Mute(Exception):\n    def __str__(self):\n        raise self\nraise Mute\n",
        "line 4: Mute",
    ),
    "no tool": ("def setup(api):\n    api.add_tool(print)\n", "add_tool takes"),
    "no event": ("def setup(api):\n    api.on('before_promt')(print)\n", "before_prompt"),
    "no name": (
        "def setup(api):\n    api.command('a b', meaning='m')(print)\n",
        "is no name of a tool or command",
    ),
    "bytes": ("\0", "SyntaxError"),
    "schema": (
        "from pi_notebook import tool\n"
        "@tool(risk='read')\nasync def f(context, x: object()) -> str:\n    '''F.'''\n"
        "def setup(api): api.add_tool(f)\n",
        "is not used",
    ),
}


@pytest.mark.parametrize("kind", FAILING)
def test_an_extension_that_fails_is_told_in_one_line_and_the_others_work(place, kind):
    code, said = FAILING[kind]
    place.own("a.py", code)
    place.own("b.py", RATES)
    services = place.services()
    (told,) = [one.text for one in services.diagnostics if "a.py" in one.text]
    assert said in told
    assert told.isprintable()
    assert [path.name for path in services.extensions.paths] == ["b.py"]
    assert [hook.name for hook in services.extensions.hooks] == ["facts of b.py"]


def test_of_two_of_one_name_the_first_counts_and_ours_before_all(place):
    place.own("a.py", adding("read", "twice", "mine"))
    place.own("b.py", adding("twice"))
    place.project("c.py", adding("mine", "theirs"))
    services = place.services()
    added = {tool.name: tool for tool in services.extensions.tools}
    assert set(added) == {"twice", "mine", "theirs"}
    assert len({definition.name for definition in services.definitions}) == len(services.definitions)
    told = [one for one in place.told() if "is taken" in one]
    assert [("read" in one, "twice" in one, "mine" in one) for one in told] == [
        (True, False, False),
        (False, True, False),
        (False, False, True),
    ]


def test_a_command_cannot_take_the_place_of_one_of_ours(place):
    place.own("a.py", adding("trust", "rates", kind="command"))
    services = place.services(commands=("trust", "help"))
    assert list(services.extensions.commands) == ["rates"]
    assert [one.text for one in services.diagnostics if "its command trust is not used" in one.text]


def test_a_command_that_fails_is_one_line(place, runtime):
    place.own("a.py", "def setup(api):\n    api.command('x', meaning='m')(lambda session, text: 1 / 0)\n")
    with pytest.raises(UsageError, match="ZeroDivisionError"):
        run_command(runtime(), "x")


def test_extensions_are_set_up_once_for_each_build_of_services(place, tmp_path):
    count = tmp_path / "count"
    place.own("a.py", f"with open({str(count)!r}, 'a') as f:\n    f.write('x')\ndef setup(api): ...")
    place.services()
    assert count.read_text() == "x"
    place.services()
    assert count.read_text() == "xx"


def test_a_folders_extension_is_read_only_where_it_is_trusted(place):
    place.project("x.py", adding("theirs"), trusted=False)
    assert place.services().extensions.tools == ()
    place.project("x.py", adding("theirs"))
    assert [tool.name for tool in place.services().extensions.tools] == ["theirs"]


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="there are no such modes here")
def test_a_file_that_everybody_may_change_is_not_run(place):
    place.own("a.py", adding("one")).chmod(0o666)
    assert place.services().extensions.tools == ()
    assert any("others than you may change it" in one for one in place.told())


def test_hidden_files_folders_and_other_files_are_no_extensions(place):
    for name in ("_helper.py", ".x.py", "x.txt", "folder.py/x.py"):
        place.own(name, "1 / 0")
    services = place.services()
    assert services.extensions.paths == ()
    assert not [one for one in place.told() if "ZeroDivisionError" in one]
