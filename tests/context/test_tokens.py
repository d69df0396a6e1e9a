"""Counting tokens: near the truth, quick, and never in the way."""

import argparse
import base64
import importlib.util
import inspect
import json
import random
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_notebook.agent.messages import (
    NO_USAGE,
    AssistantMessage,
    CompactionSummaryMessage,
    ImageContent,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    user_message,
)
from pi_notebook.agent.protocols import ToolDefinition
from pi_notebook.context.encodings import find_encoding
from pi_notebook.context.tokens import (
    count_tokens,
    estimate_tokens,
    image_tokens,
    message_tokens,
    tools_tokens,
)

ARTICLE = json.loads((Path(__file__).parents[1] / "fixtures" / "scripts.json").read_text("utf-8"))
"""The first article of the Universal Declaration of Human Rights, by script."""

RANDOM = random.Random(7)
TRACEBACK = """Traceback (most recent call last):
  File "/home/user/projects/analysis/pipeline.py", line 412, in <module>
    main(sys.argv[1:])
  File "/opt/conda/lib/python3.11/site-packages/pandas/core/frame.py", line 3807, in __getitem__
    indexer = self.columns.get_loc(key)
              ^^^^^^^^^^^^^^^^^^^^^^^^^
KeyError: 'custmer_id'
"""
SAMPLES = {
    "prose": inspect.cleandoc(argparse.__doc__ or "")
    + "\n".join(filter(None, map(inspect.getdoc, [int, str]))),
    "code": inspect.getsource(argparse)[:50_000],
    "csv": "\n".join(
        f"{i},Anna,2024-{RANDOM.randint(1, 12):02d}-07,{RANDOM.random():.2f}" for i in range(1500)
    ),
    "floats": "\n".join(",".join(f"{RANDOM.gauss(0, 1):.6f}" for _ in range(8)) for _ in range(300)),
    "json": json.dumps([{"id": i, "tags": ["a", "b"], "score": RANDOM.random()} for i in range(300)]),
    "traceback": TRACEBACK * 10,
    "chinese": "数据科学家在笔记本中工作，检查缺失值和重复行。" * 40,
    "traditional chinese": "資料科學家在筆記本中工作，檢查缺失值與重複列，並繪製圖表以說明結果。" * 30,
    "japanese": "データサイエンティストはノートブックで作業し、欠損値や重複行を確認します。" * 30,
    "chinese csv": "\n".join(
        f"{i},北京市,2024-03-{i % 28 + 1:02d},{RANDOM.random():.2f}" for i in range(300)
    ),
    "russian": "Аналитик данных работает в блокноте и проверяет пропуски и повторы. " * 30,
    "tsv": "\n".join(f"{i}\tnorth\t{RANDOM.random():.3f}" for i in range(500)),
    "numbers": " ".join(str(RANDOM.randrange(10**6)) for _ in range(1000)),
    "indented json": json.dumps(
        [{"id": i, "user": {"name": f"user{i}", "mail": None}, "score": RANDOM.random()} for i in range(100)],
        indent=2,
    ),
    "html": "".join(
        f'<tr class="row"><td>{i}</td><td><a href="/items/{i}">x</a></td></tr>\n' for i in range(200)
    ),
    "log": "\n".join(
        f"2024-03-07 12:{i % 60:02d}:07,{i:03d} INFO [worker-{i % 8}] processed in {RANDOM.random():.3f}s"
        for i in range(300)
    ),
    "progress": "\n".join(
        f"Epoch {i}/300: 100%|██████████| 938/938 [00:01<00:00, {RANDOM.random() * 100:.2f}it/s]"
        for i in range(100)
    ),
    "underlines": ("_" * 65 + "\n conv2d_1 (Conv2D)           (None, 26, 26, 32)        320       \n") * 30,
    "rulers": ("─" * 80 + "\n│ cell │ other │\n") * 30,
    "notebook traceback": (
        "-" * 75 + "\nValueError                                Traceback (most recent call last)\n"
        "Cell In[12], line 3\n      1 import numpy as np\n      2 a = np.zeros((3, 4))\n----> 3 a @ a\n\n"
        "ValueError: matmul: Input operand 1 has a mismatch in its core dimension 0\n"
    )
    * 15,
    "korean": "데이터 과학자는 노트북에서 작업합니다. " * 40,
    "base64": base64.b64encode(RANDOM.randbytes(20_000)).decode(),
    "hex": "\n".join(RANDOM.randbytes(32).hex() for _ in range(300)),
}


@pytest.mark.parametrize("kind", SAMPLES)
def test_the_estimate_is_near_the_count(kind):
    counted = count_tokens(SAMPLES[kind])
    assert find_encoding("o200k_base") is not None
    assert estimate_tokens(SAMPLES[kind]) == pytest.approx(counted, rel=0.25)


@pytest.mark.parametrize("script", ARTICLE)
def test_the_estimate_is_near_the_count_in_every_script(script):
    assert estimate_tokens(ARTICLE[script]) == pytest.approx(count_tokens(ARTICLE[script]), rel=0.25)


def test_scripts_and_code_in_one_text_are_each_taken_as_what_they_are():
    text = "\n".join(f"name = {text!r}  # a text\n" for text in ARTICLE.values())
    assert estimate_tokens(text) == pytest.approx(count_tokens(text), rel=0.1)


@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base"])
def test_the_vocabularies_are_those_of_tiktoken(encoding, monkeypatch):
    folder = Path(importlib.util.find_spec("litellm").origin).parent / "litellm_core_utils" / "tokenizers"
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(folder))
    import tiktoken

    theirs = tiktoken.get_encoding(encoding)
    for text in SAMPLES.values():
        assert find_encoding(encoding).encode_ordinary(text) == theirs.encode_ordinary(text)


def test_counting_loads_no_litellm_and_opens_no_connection():
    code = (
        "import socket, sys\n"
        "def refuse(*_): raise AssertionError('network')\n"
        "socket.socket.connect = socket.getaddrinfo = refuse\n"
        "from pi_notebook.context import tokens\n"
        "assert 'tiktoken' not in sys.modules\n"
        "print(tokens.count_tokens('hello world'))\n"
        "assert 'tiktoken' in sys.modules and 'litellm' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "2"


@pytest.mark.parametrize("missing", ["tiktoken", "litellm"])
def test_without_a_vocabulary_it_estimates(missing):
    code = (
        f"import sys; sys.modules[{missing!r}] = None\n"
        "from pi_notebook.context.tokens import count_tokens, estimate_tokens\n"
        "text = 'plain words and 12345 numbers ' * 50\n"
        "assert count_tokens(text) == estimate_tokens(text) > 0\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("unit", ["a", "^", " ", "_", "\n", "\u4e2d", "<|endoftext|>", "\ud800", "\x00"])
def test_long_runs_and_odd_texts_are_counted_in_bounded_time(unit):
    started = time.perf_counter()
    assert count_tokens(unit * 600_000) > 0
    assert time.perf_counter() - started < 20


@pytest.mark.parametrize(
    "unit", ["\t", " \t", "\t\n", "\u00a0", "-\t", "<|", "a\u0301", "\U0001f600", "\u200d"]
)
def test_long_runs_are_estimated_in_bounded_time(unit):
    started = time.perf_counter()
    assert estimate_tokens(unit * 100_000) > 0
    assert time.perf_counter() - started < 10


@pytest.mark.parametrize("mark", ["\U0001f600", "\U0001f469\u200d\U0001f52c", "e\u0301", "\u2192 ", "\u2500"])
def test_a_row_of_like_signs_is_not_taken_for_a_line_unless_it_is_one(mark):
    assert estimate_tokens(mark * 2_000) == pytest.approx(count_tokens(mark * 2_000), rel=0.8)


@settings(max_examples=200, derandomize=True, deadline=None)
@given(st.text(st.characters(codec=None)))
def test_no_string_makes_it_raise(text):
    assert count_tokens(text) >= 0
    assert estimate_tokens(text) >= 0


def test_an_image_costs_what_its_pixels_cost():
    def png(width: int, height: int) -> ImageContent:
        head = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + struct.pack(">II", width, height) + bytes(20)
        return ImageContent(data=base64.b64encode(head).decode(), mime_type="image/png")

    assert image_tokens(png(1000, 750)) == 1000
    assert image_tokens(png(1920, 1080)) == 1568 * 882 // 750
    assert image_tokens(png(10, 10)) == 85
    assert image_tokens(ImageContent(data="not base64!", mime_type="image/png")) == 1600


def test_every_kind_of_block_and_message_counts():
    call = ToolCall(id="c", name="run_code", arguments={"code": "print(1)"})
    reply = AssistantMessage(
        content=[ThinkingContent(thinking="let me look"), TextContent(text="looking"), call],
        api="a", provider="p", model="m", usage=NO_USAGE, stop_reason="toolUse", timestamp=0,
    )  # fmt: skip
    result = ToolResultMessage(
        tool_call_id="c",
        tool_name="run_code",
        content=[TextContent(text="1"), ImageContent(data="", mime_type="image/png")],
        is_error=False,
        timestamp=0,
    )
    summary = CompactionSummaryMessage(summary="what was done", tokens_before=9, timestamp=0)
    assert message_tokens(user_message("hello world")) == 6
    assert message_tokens(reply) > 4 + 3 + 1 + 8
    assert message_tokens(result) == 4 + 1 + 1600
    assert message_tokens(summary) == 4 + 3


def test_tools_are_part_of_the_count():
    schema = {"type": "object", "properties": {"path": {"type": "string", "description": "File to read"}}}
    definitions = [
        ToolDefinition(name=f"tool_{i}", description="Reads.", parameters=schema) for i in range(160)
    ]
    assert tools_tokens(definitions) > 160 * 20
