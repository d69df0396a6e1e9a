"""The magics in a terminal IPython, typed as a person types."""

import os
import re
import signal
import sys

import pytest

pexpect = pytest.importorskip("pexpect")

pytestmark = pytest.mark.kernel


class Terminal:
    """An IPython in a terminal of its own."""

    def __init__(self, folder):
        options = [
            "-m",
            "IPython",
            "--simple-prompt",
            "--no-banner",
            "--colors=NoColor",
            f"--ipython-dir={folder}",
        ]
        environment = {**os.environ, "TERM": "dumb", "PYTHONPATH": os.getcwd()}
        self.child = pexpect.spawn(
            sys.executable, options, env=environment, encoding="utf-8", timeout=60, dimensions=(50, 200)
        )
        self.number = 1
        self.wait()

    def wait(self, *others: str) -> str:
        """What was printed until the next prompt, or one of `others`."""
        self.child.expect([rf"In \[{self.number}\]: ", *others])
        return self.child.before

    def type(self, line: str, *others: str) -> str:
        self.child.sendline(line)
        self.number += 1
        return self.wait(*others)

    def ask(self, line: str, prompt: str, *others: str) -> str:
        """An `%%agent` cell: its line, the prompt, and the two empty lines that end it."""
        for typed in (line, prompt, ""):
            self.child.sendline(typed)
            self.child.expect(r"\.\.\.: ")
        return self.type("", *others)


@pytest.fixture
def terminal(tmp_path):
    terminal = Terminal(tmp_path)
    terminal.type("%load_ext pi_notebook")
    yield terminal
    terminal.child.close(force=True)


def test_the_answer_is_printed_and_variables_stay(terminal):
    shown = terminal.ask("%%agent --auto", "run: answer = 6 * 7; answer")
    assert "answer = 6 * 7; answer" in shown
    assert "not a language model" in shown
    assert "42" in terminal.type("answer")


def test_the_question_is_asked_at_the_prompt(terminal):
    shown = terminal.ask("%%agent", "run: asked = 7", "› ")
    assert "asked = 7" in shown
    assert "y yes" in shown
    terminal.child.sendline("y")
    terminal.wait()
    assert "7" in terminal.type("asked")


def test_a_table_is_aligned_text_and_a_mistake_is_one_line(terminal):
    assert "model" in terminal.type("%agent")
    shown = terminal.type("%agent sesions")
    assert "Did you mean sessions?" in shown
    assert "Traceback" not in shown


def test_an_interrupt_stops_the_run(terminal):
    for typed in ("%%agent --auto", "run: import time; print('begun'); time.sleep(60)", ""):
        terminal.child.sendline(typed)
        terminal.child.expect(r"\.\.\.: ")
    terminal.child.sendline("")
    terminal.child.expect("begun'")
    terminal.child.kill(signal.SIGINT)
    terminal.number += 1
    assert "Stopped." in terminal.wait()
    assert "2" in terminal.type("1 + 1")


def test_the_context_is_told_in_characters(terminal):
    shown = terminal.type("import pi_notebook; pi_notebook.inspect_context()")
    assert "the next request · " in shown
    assert re.search(r"█+░+\|▒+", shown)
    assert re.search(r"tool definitions × \d+ +[\d,]+ +[\d.]+ %", shown)
    assert "<div" not in shown
    printed = terminal.type("print(pi_notebook.inspect_context())")
    assert printed.split("the next request", 1)[1].split() == shown.split("the next request", 1)[1].split()
