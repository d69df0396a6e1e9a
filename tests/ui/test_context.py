"""`%agent context` in a real kernel: the page and its plain twin, past requests, two compared."""

import re

import pytest

from tests.kernel.client import Kernel
from tests.provider import Provider, calls, text

pytestmark = pytest.mark.kernel
USAGE = {"prompt_tokens": 4_000, "completion_tokens": 9, "total_tokens": 4_009}


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    with Provider(text("ok")) as provider:
        env = provider.environment(tmp_path_factory.mktemp("home"))
        with Kernel(env=env, cwd=tmp_path_factory.mktemp("folder")) as kernel:
            kernel.run("%load_ext pi_notebook")
            code = "print('<script>alert(1)</script> ' * 200)"
            provider.script(calls(("run_code", {"code": code}), usage=USAGE), text("done", usage=USAGE))
            assert not kernel.run("%%agent --auto\nprint <b>it</b>").errors
            yield kernel


def shown(kernel, line):
    """The page and the plain text of one command."""
    execution = kernel.run(f"%agent {line}")
    assert not execution.errors, execution.errors
    (page,), (plain,) = execution.values("text/html"), execution.values()
    return page, plain


def test_the_next_request_by_its_parts_adds_up_to_what_the_status_says(kernel):
    page, plain = shown(kernel, "context")
    tokens = {
        name: int(number.replace(",", ""))
        for name, number in re.findall(r"^(\w[\w ()×]*?)\s{2,}([\d,]+)\s{2,}[\d.]+ %", plain, re.MULTILINE)
    }
    whole = int(re.search(r"([\d,]+) of [\d,]+ tokens", plain)[1].replace(",", ""))
    room = tokens.pop("free") + tokens.pop("reserve for the reply")
    assert sum(tokens.values()) == whole
    window = int(re.search(r"of ([\d,]+) tokens", plain)[1].replace(",", ""))
    assert whole + room == window
    status = kernel.run("%agent")
    assert f"{whole:,} of {window:,} tokens" in "".join(status.values())
    assert "as the provider counted" in page


def test_a_page_runs_and_loads_nothing_whatever_the_messages_say(kernel):
    for line in ("context", "context 2", "context 1 2"):
        page, plain = shown(kernel, line)
        assert "<script" not in page
        assert "<b>" not in page
        assert not re.search(r"(src|href)=|url\(|@import|\son\w+=", page)
        assert "&lt;b&gt;it&lt;/b&gt;" in page or line == "context 1 2"
    assert "run_code" in plain


def test_a_past_request_and_the_difference_of_two(kernel):
    _, first = shown(kernel, "context 1")
    assert first.startswith("request 1 of 2")
    assert "4,000 of" in first
    _, change = shown(kernel, "context 1 now")
    assert "100 % of the earlier one is the beginning of the later one" in change
    assert "tool results" in change
    assert "a result of run_code" in change


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("context 9", "1 to 2"),
        ("context x", "not 'x'"),
        (f"context {'9' * 5_000}", "not '999"),
        ("context 1 1", "same"),
        ("context 1 2 1", "two"),
    ],
)
def test_what_is_no_request_is_said_in_one_line(kernel, line, reason):
    execution = kernel.run(f"%agent {line}")
    assert reason in str(execution.errors)
