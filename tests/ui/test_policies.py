"""Policies in a real kernel: chosen from cells, and what a long conversation in it comes to."""

import json

import pytest

from tests.kernel.client import Kernel
from tests.provider import Provider, calls, text

pytestmark = pytest.mark.kernel

UNCOUNTED: dict = {}
SUMMARY = text("## Goal\nlook at prices", usage=UNCOUNTED)


@pytest.fixture(scope="module")
def provider():
    with Provider() as provider:
        yield provider


@pytest.fixture
def kernel(provider, tmp_path):
    (tmp_path / "folder").mkdir()
    env = provider.environment(tmp_path / "home")
    with Kernel(env=env, cwd=tmp_path / "folder") as kernel:
        kernel.run("%load_ext pi_notebook")
        yield kernel
    assert not [problem for exchange in provider.exchanges for problem in exchange.problems]


def ask(kernel, provider, *replies, options="", prompt="go"):
    """What the cell showed, and the bodies that were sent."""
    provider.script(*replies)
    before = len(provider.exchanges)
    execution = kernel.run(f"%%agent --auto {options}\n{prompt}", timeout=180)
    assert not execution.errors, execution.errors
    return str(execution.messages), [exchange.body for exchange in provider.exchanges[before:]]


def shown(kernel, line):
    return str(kernel.run(line).messages)


def entries(tmp_path, kind):
    (path,) = (tmp_path / "home" / "sessions").rglob("*.jsonl")
    found = map(json.loads, path.read_text().splitlines())
    return [entry for entry in found if kind in (entry["type"], entry.get("customType"))]


def printing(chars):
    return calls(("run_code", {"code": f"print('word ' * {chars // 5})"}), usage=UNCOUNTED)


def test_that_the_window_is_a_guess_is_told_under_the_first_cell_alone(kernel, provider, tmp_path):
    first, _ = ask(kernel, provider, text("ok"))
    second, _ = ask(kernel, provider, text("ok"))
    told = "is not known and taken as 32,768 tokens: %agent settings context_window N"
    assert told in first
    assert "context window" not in second
    assert "context window" not in ask(kernel, provider, options="-m offline", prompt="hello")[0]
    assert len(entries(tmp_path, "pi_notebook/guessed_window")) == 1


def test_a_policy_is_chosen_from_cells(kernel, provider, tmp_path):
    assert "**notebook**" in shown(kernel, "%agent policy")
    ask(kernel, provider, text("ok"), options="-p pi")
    (record,) = entries(tmp_path, "pi_notebook/policy")
    assert record["data"] == {"name": "pi"}
    assert "**notebook**" in shown(kernel, "%agent policy")
    assert "**pi**" in shown(kernel, "%agent policy pi")
    assert kernel.run("%%agent -p nothing\ngo").errors
    status = shown(kernel, "%agent")
    assert "until older messages are summarised" in status
    assert "notebook.prune_at_percent" in shown(kernel, "%agent settings")


def test_old_output_is_shortened_and_the_variables_in_use_are_shown_again_after_a_compaction(
    kernel, provider, tmp_path
):
    kernel.run("%agent settings context_window 16000")
    kernel.run("%agent settings compaction.keep_recent_tokens 1000")
    made = calls(("run_code", {"code": "prices = {'apple': 3, 'pear': 4}"}), usage=UNCOUNTED)
    told, bodies = ask(kernel, provider, made, *[printing(9_000)] * 7, text("done", usage=UNCOUNTED))
    results = [m["content"] for m in bodies[-1]["messages"] if m["role"] == "tool"]
    assert "characters left out to save room" in results[1]
    assert "left out" not in results[-1]
    assert " shortened: about " in told
    assert entries(tmp_path, "pi_notebook/pruning")
    kernel.run("%agent settings compaction.reserve_tokens 4000")
    _, bodies = ask(kernel, provider, SUMMARY, text("fine", usage=UNCOUNTED), prompt="word " * 8_000)
    (entry,) = entries(tmp_path, "compaction")
    assert [item["details"] for item in entry["details"]["attached"]] == [
        {"kind": "variable", "name": "prices"}
    ]
    sent = bodies[-1]["messages"]
    again = next(
        n for n, message in enumerate(sent) if '<in_use variable="prices">' in str(message["content"])
    )
    assert "look at prices" in str(sent[again - 1]["content"]) or "look at prices" in str(
        sent[again]["content"]
    )
    assert "'pear': 4" in str(sent[again]["content"])
