"""`query_json` as a model calls it: a real jq in a process of its own."""

import asyncio
import json
from collections import Counter
from dataclasses import dataclass, replace

import msgspec
import numpy as np
import pandas as pd
import psutil
import pytest

from pi_notebook.agent.tools import ToolError
from pi_notebook.context.previews.references import Variables
from pi_notebook.context.tokens import count_tokens
from pi_notebook.kernel.executor import CodeExecutor
from pi_notebook.tools.json_filter import JsonFilter, find_json_filter
from pi_notebook.tools.query_json import query_json
from tests.tools.calling import context_for
from tests.tools.test_preview_data import DirectExecutor, Shelf, text_of

ORDERS = {"orders": [{"id": i, "city": ["Oslo", "Bergen"][i % 2]} for i in range(50)], "total": 50}


async def run(reference, filter, *, folder, timeout_seconds=20.0, **values):
    context = context_for(folder, name="query_json")
    context.resources.update(
        {
            CodeExecutor: DirectExecutor(),
            Variables: Shelf(**values),
            JsonFilter: replace(find_json_filter(), timeout_seconds=timeout_seconds),
        }
    )
    arguments = query_json.parse({"reference": reference, "filter": filter})
    return text_of(await query_json.execute(context, arguments))


async def refused(*arguments, **values) -> str:
    with pytest.raises(ToolError) as raised:
        await run(*arguments, **values)
    return str(raised.value)


async def test_a_filter_is_applied_to_a_variable_and_to_a_part_of_it(tmp_path):
    assert await run("data", ".total", folder=tmp_path, data=ORDERS) == "50"
    assert await run('data["orders"][3]', ".city", folder=tmp_path, data=ORDERS) == '"Bergen"'
    assert await run("data", ".orders[:2][] | .id", folder=tmp_path, data=ORDERS) == "0\n1"


async def test_a_filter_is_applied_to_a_file_and_to_each_line_of_one(tmp_path):
    (tmp_path / "a.json").write_text("\ufeff" + json.dumps(ORDERS), encoding="utf-8")
    (tmp_path / "b.jsonl").write_text('{"x": 1}\n{"x": 2}\n')
    assert await run("a.json", ".orders | length", folder=tmp_path) == "50"
    assert await run("b.jsonl", ".x", folder=tmp_path) == "1\n2"
    assert await run(str(tmp_path / "a.json"), "keys", folder=tmp_path) == '["orders","total"]'


async def test_a_variable_goes_before_a_file_of_its_name(tmp_path):
    (tmp_path / "data").write_text("[1]")
    assert await run("data", ".total", folder=tmp_path, data=ORDERS) == "50"


async def test_a_text_of_json_is_read_as_json(tmp_path):
    assert await run("reply", ".a", folder=tmp_path, reply='{"a": [1]}') == "[1]"


async def test_whole_numbers_keep_all_their_digits(tmp_path):
    big = 12345678901234567890123
    assert await run("data", ".x", folder=tmp_path, data=json.dumps({"x": big})) == str(big)


@dataclass
class Point:
    x: int
    label: str


async def test_what_json_has_no_type_for_becomes_text(tmp_path):
    data = {
        "count": np.int64(3),
        "points": [Point(1, "a")],
        "array": np.arange(3),
        "when": pd.Timestamp("2024-01-02"),
        "nothing": pd.NaT,
        "gap": float("nan"),
        "pairs": Counter({("a", 1): 2}),
        "half": "\ud800",
        ("k", 1): {1},
        "long": 10**30,
    }
    text = await run("data", ".", folder=tmp_path, data=data)
    assert json.loads(text) == {
        "count": 3,
        "points": [{"x": 1, "label": "a"}],
        "array": [0, 1, 2],
        "when": "2024-01-02 00:00:00",
        "nothing": None,
        "gap": None,
        "pairs": {"('a', 1)": 2},
        "half": "\ufffd",
        "('k', 1)": [1],
        "long": str(10**30),
    }


async def test_half_a_character_in_a_file_is_no_hindrance(tmp_path):
    (tmp_path / "a.json").write_text(r'["\ud800", "\ud83d\ude00", "\\ud800"]')
    assert json.loads(await run("a.json", ".", folder=tmp_path)) == ["\ufffd", "\U0001f600", "\\ud800"]


async def test_many_results_are_bounded_and_say_how_to_go_on(tmp_path):
    data = [{"id": i, "text": "word " * 20} for i in range(5000)]
    text = await run("data", ".[]", folder=tmp_path, data=data)
    lines = text.split("\n")
    assert count_tokens(text) <= 10_000
    shown = len(lines) - 1
    assert lines[-1] == (f"[The first {shown:,} of 5,000 results. The next: [FILTER][{shown}:{shown * 2}][]]")
    going_on = await run("data", f"[.[]][{shown}:{shown * 2}][]", folder=tmp_path, data=data)
    assert json.loads(going_on.partition("\n")[0])["id"] == shown


async def test_one_long_result_keeps_its_structure(tmp_path):
    data = {"rows": [{"id": i, "text": "word " * 200} for i in range(500)], "version": 3}
    text = await run("data", ".", folder=tmp_path, data=data)
    assert count_tokens(text) <= 10_000
    assert "'version': 3" in text
    assert "more …" in text
    assert text.endswith("a narrower filter gives the whole of a part.]")


async def test_a_result_without_end_is_cut_and_one_too_large_is_refused(tmp_path):
    assert "of more than 20,000 results" in await run("data", "repeat(1)", folder=tmp_path, data=[1])
    said = await refused("data", '"x" * 5000000', folder=tmp_path, data=[1])
    assert said == "The first result alone is over 4 MB. Ask for less: length, keys, .[:5]."


async def test_a_runaway_filter_is_ended_at_the_deadline(tmp_path):
    said = await refused("data", "last(repeat(1))", folder=tmp_path, timeout_seconds=1.0, data=[1])
    assert said.startswith("The filter ran longer than 1 s and was ended. Bound it with limit(10; …)")


async def test_a_stopped_call_leaves_no_process(tmp_path):
    stuck = asyncio.ensure_future(run("data", "last(repeat(1))", folder=tmp_path, data=[1]))
    started = await anyone_of(psutil.Process())
    stuck.cancel()
    with pytest.raises(asyncio.CancelledError):
        await stuck
    assert psutil.wait_procs([started], timeout=5)[1] == []


async def anyone_of(process) -> psutil.Process:
    """A child that runs a filter, once there is one."""
    while True:
        for child in process.children():
            if any(part.endswith("jq_child.py") for part in child.cmdline()):
                return child
        await asyncio.sleep(0.01)


async def test_a_filter_sees_no_keys_of_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    assert "secret" not in await run("data", "env, $ENV", folder=tmp_path, data=[1])


@pytest.mark.parametrize(
    ("reference", "filter", "said"),
    [
        ("data", ".orders[", "The filter is not jq: syntax error, unexpected end of file"),
        ("data", ".orders\0", "The filter is not jq: it must be text without a NUL byte."),
        ("data", "\ud800", "The filter is not jq: it must be text without a NUL byte."),
        ("data", "." * 3_000_000, "The filter is not jq: it is too long."),
        ("data", ".orders.city", "Cannot index array with"),
        ("data", ".orders.city", "The input is an object with the keys orders, total."),
        ("data", "nosuch", "nosuch/0 is not defined"),
        ("dat", ".", "There is no variable 'dat'. Did you mean data?"),
        ("n", ".", "n (int) is no JSON and no container."),
        ("text", ".", "text is not JSON (parse error: "),
        ("loop", ".", "loop cannot be written as JSON: it contains itself"),
        ("gone.json", ".", "Nothing is at gone.json. Did you mean gond.json?"),
        ("bad.json", ".", "bad.json is not JSON ("),
        ("df", ".", "df (DataFrame) is no JSON and no container. Look at it with preview_data"),
    ],
)
async def test_what_the_model_can_mend_says_how(tmp_path, reference, filter, said):
    (tmp_path / "gond.json").write_text("{}")
    (tmp_path / "bad.json").write_text("[" * 100_000)
    loop = []
    loop.append(loop)
    values = {"data": ORDERS, "n": 1, "text": "no", "loop": loop, "df": pd.DataFrame({"a": [1]})}
    found = await refused(reference, filter, folder=tmp_path, **values)
    assert said in found
    assert len(found) < 1000


async def test_a_name_that_is_not_there_tells_what_is(tmp_path):
    text = await run("data", ".order", folder=tmp_path, data=ORDERS)
    assert text == "null\n[The input is an object with the keys orders, total.]"


def test_the_definition_is_short():
    assert len(msgspec.json.encode(query_json.definition)) <= 400
    assert query_json.risk == "read"
