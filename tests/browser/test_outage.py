"""What the panel shows when the connection to the kernel is down for a while, as on a laptop that sleeps."""

import json
import re
import threading
import time

import pytest
from playwright.sync_api import expect

from tests.provider import Wait, calls, chunk, text

LOST = "The connection to the kernel is lost."


class Line:
    """The connections of a page to kernels, which can be muted and cut."""

    def __init__(self, page):
        self._page = page
        self._lost = b""
        self._is_mute = False
        self._ends = []
        page.route_web_socket(re.compile("/channels"), self._connect)

    def mute(self):
        """Let it seem to be there while nothing gets through, as when a laptop has gone to sleep."""
        self._is_mute = True

    def wait_lost(self, text):
        """Return when `text` was sent to the page and did not get through."""
        deadline = time.monotonic() + 60
        while text.encode() not in self._lost:
            assert time.monotonic() < deadline, f"{text} was not sent"
            self._page.wait_for_timeout(50)

    def cut(self):
        """End the connections as when JupyterLab has given up: it does not try again by itself."""
        self._is_mute = False
        while self._ends:
            self._ends.pop().close(code=1000)

    def _connect(self, end):
        self._ends.append(end)
        server = end.connect_to_server()
        end.on_message(lambda message: self._pass(message, server))
        server.on_message(lambda message: self._pass(message, end))

    def _pass(self, message, to):
        if self._is_mute:
            self._lost += message if isinstance(message, bytes) else message.encode()
        else:
            to.send(message)


@pytest.fixture
def gate():
    gate = threading.Event()
    yield gate
    gate.set()


def test_what_came_while_a_laptop_slept_is_there_afterwards_and_its_question_too(lab, page, provider, gate):
    provider.script(
        [
            chunk({"role": "assistant", "content": "Half is here, "}),
            Wait(gate),
            *calls(("run_code", {"code": "print('run')"}), say="and the rest."),
        ],
        text("All is done."),
    )
    line = Line(page.page)
    page.tolerated += ["WebSocket"]
    page.open(lab.notebook("asleep", "%agent model openai/test"))
    page.choose_scripted_model()
    page.ask("Tell me.")
    expect(page.answer("Half is here")).to_be_visible()
    line.mute()
    gate.set()
    line.wait_lost('"ask"')
    line.cut()
    expect(page.panel.locator(".jp-pi-Absence p")).to_contain_text(LOST)
    expect(page.answer("Half is here")).to_have_text("Half is here,")
    page.panel.get_by_label("Prompt", exact=True).fill("Written meanwhile")
    page.panel.get_by_role("button", name="Try again").click()
    page.panel.get_by_role("button", name="Allow once").click()
    expect(page.output(1)).to_have_text("run")
    expect(page.answer("All is done.")).to_be_visible()
    expect(page.panel.locator(".jp-pi-Absence")).to_have_count(0)
    expect(page.panel.get_by_role("button", name="Send")).to_be_enabled()
    assert page.panel.locator(".jp-pi-Prompt").all_inner_texts() == ["Tell me."]
    answers = page.panel.locator(".jp-pi-Answer").all_inner_texts()
    assert answers == ["Half is here, and the rest.", "All is done."]
    expect(page.panel.get_by_label("Prompt", exact=True)).to_have_value("Written meanwhile")
    assert page.cells.count() == 2
    assert len(provider.exchanges) == 2


def test_a_kernel_that_was_started_anew_while_the_connection_was_down_is_found(lab, page):
    line = Line(page.page)
    page.tolerated += ["WebSocket"]
    page.open(lab.notebook("anew", "1"))
    page.ask("```python\nprint('before')\n```")
    expect(page.panel.get_by_role("button", name="Allow once")).to_be_visible()
    line.cut()
    expect(page.panel.locator(".jp-pi-Absence p")).to_contain_text(LOST)
    [kernel] = json.loads(lab.api("GET", "kernels"))
    lab.api("POST", f"kernels/{kernel['id']}/restart")
    page.page.evaluate("() => window.dispatchEvent(new Event('online'))")
    expect(page.panel).to_contain_text("Ask about your data")
    expect(page.panel.get_by_role("button", name="Allow once")).to_have_count(0)
    page.panel.get_by_role("button", name="Go on with the last session").click()
    expect(page.panel.locator(".jp-pi-Prompt")).to_contain_text("print('before')")
    page.ask("```python\nprint('after')\n```")
    page.panel.get_by_role("button", name="Allow once").click()
    expect(page.output(1)).to_have_text("after")
