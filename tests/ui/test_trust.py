"""Trust and hooks in a real kernel: what is shown, who is asked, and three lines in a cell."""

import json

import pytest

from tests.kernel.client import Kernel
from tests.provider import Provider, calls, text

pytestmark = pytest.mark.kernel

EXTENSION = """
open({canary!r}, "a").close()

def setup(api):
    api.on("before_prompt")(lambda prompt: "from the extension")
    api.command("hello", meaning="say hello")(lambda session, text: f"hello {{text}}")
"""

THREE_LINES = """
from pi_notebook import on
@on("before_prompt")
def facts(prompt): return "Prices are without tax."
"""
GATE = """
@on("before_tool_call")
def gate(tool, call):
    if "unlink" in str(call.arguments): return "Files are not deleted here."
"""


@pytest.fixture(scope="module")
def provider():
    with Provider() as provider:
        yield provider


@pytest.fixture
def place(provider, tmp_path):
    with Place(provider, tmp_path) as place:
        yield place


class Place:
    """A project in a folder of its own, and a kernel that works in it."""

    def __init__(self, provider, tmp_path):
        self.provider = provider
        self.folder = tmp_path / "folder"
        self.folder.mkdir()
        self.home = tmp_path / "home"
        self.canary = tmp_path / "canary"
        env = provider.environment(self.home)
        self.kernel = Kernel(env=env, cwd=self.folder)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.kernel.close()

    def write(self, name, content, *, at=None):
        path = (at or self.folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)

    def ask(self, prompt="go", *replies):
        """The requests of an agent cell, as they were sent."""
        self.provider.script(*(replies or (text("done"),)))
        execution = self.kernel.run(f"%%agent --auto\n{prompt}")
        assert not execution.errors, execution.errors
        return [json.dumps(exchange.body) for exchange in self.provider.exchanges]

    def run(self, code, **options):
        execution = self.kernel.run(code, **options)
        assert not execution.errors, execution.errors
        return "\n".join(execution.values())


def test_a_folder_is_shown_asked_about_used_and_asked_about_again_when_it_changes(place):
    place.write("AGENTS.md", "Always speak Latin.\n")
    place.write(".pi/extensions/x.py", EXTENSION.format(canary=str(place.canary)))
    place.run("%load_ext pi_notebook")
    (request,) = place.ask("first")
    assert "Latin" not in request
    assert not place.canary.exists()
    asked = place.run("%agent trust", answers=["n"])
    assert "Always speak Latin." in asked
    assert "is run as Python code in this kernel" in asked
    assert "Not trusted" in asked
    assert not place.canary.exists()
    assert "Trusted: it is used" in place.run("%agent trust", answers=["y"])
    assert place.canary.exists()
    (request,) = place.ask("second")
    assert "Always speak Latin." in request
    assert "from the extension" in request
    assert "hello you" in place.run("%agent hello you")
    place.write("AGENTS.md", "Always speak Greek.\n")
    shown = place.run("%agent trust", answers=["no"])
    assert "-Always speak Latin." in shown
    assert "+Always speak Greek." in shown
    assert "extensions" not in shown
    place.run("%agent new")
    (request,) = place.ask("third")
    assert "Greek" not in request
    assert "Latin" not in request
    assert "No longer trusted" in place.run("%agent trust --remove")


def test_where_nobody_can_be_asked_nothing_is_trusted_unless_the_cell_says_so(place):
    place.write("AGENTS.md", "Always speak Latin.\n")
    place.run("%load_ext pi_notebook")
    shown = place.run("%agent trust")
    assert "Always speak Latin." in shown
    assert "Nobody can be asked here" in shown
    (request,) = place.ask("first")
    assert "Latin" not in request
    assert "Trusted: it is used" in place.run("%agent trust --yes")
    (request,) = place.ask("second")
    assert "Latin" in request


def test_three_lines_in_a_cell_add_a_passage_and_three_more_a_gate(place):
    victim = place.folder / "victim.txt"
    victim.write_text("kept")
    place.run("%load_ext pi_notebook")
    place.run(THREE_LINES)
    place.run(GATE)
    code = {"code": "import pathlib; pathlib.Path('victim.txt').unlink()"}
    first, second = place.ask("tidy up", calls(("run_code", code)), text("done"))
    assert "<passage>\\nPrices are without tax." in first
    assert "Files are not deleted here." in second
    assert victim.read_text() == "kept"
    place.run(THREE_LINES.replace("without", "with"))
    place.run("%agent new")
    (request,) = place.ask("again")
    assert "<passage>\\nPrices are with tax." in request
    assert "<passage>\\nPrices are without tax." not in request


def test_loading_the_extension_runs_no_extension_of_the_persons(place):
    place.write("extensions/x.py", EXTENSION.format(canary=str(place.canary)), at=place.home)
    place.run("%load_ext pi_notebook")
    place.run("import time; time.sleep(2)")  # longer than what is loaded ahead waits
    assert not place.canary.exists()
    (request,) = place.ask("first")
    assert place.canary.exists()
    assert "from the extension" in request


def test_a_hook_that_fails_is_one_line_below_the_answer(place):
    place.run("%load_ext pi_notebook")
    place.run(THREE_LINES.replace('return "Prices are without tax."', "return 1 / 0"))
    place.provider.script(text("the answer"))
    execution = place.kernel.run("%%agent --auto\ngo")
    shown = "\n".join(execution.values()) + execution.text()
    assert not execution.errors
    assert "The before_prompt hook facts failed: ZeroDivisionError" in shown
    assert "Traceback" not in shown
    assert "the answer" in shown
