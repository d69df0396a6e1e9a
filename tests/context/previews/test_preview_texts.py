"""What a model reads for each kind of value, word for word.

Run with `UPDATE_GOLDEN=1` in the environment to write the files anew, then read the difference.
"""

import os
import re
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

from pi_notebook.context.encodings import find_encoding
from pi_notebook.context.previews import preview
from pi_notebook.context.tokens import count_tokens
from tests.context.previews.examples import EXAMPLES
from tests.context.previews.library_examples import FOLDER

GOLDEN = Path(__file__).parents[2] / "fixtures" / "previews"
MAX_TOKENS = 600


def shown(name):
    found = preview(EXAMPLES[name](), max_tokens=MAX_TOKENS)
    text = re.sub(r" at 0x[0-9a-f]+", " at 0x…", found.text)
    text = re.sub(r"(/[\w.+-]+)+/(?=\w+\.py)", "…/", text)
    text = re.sub(r"(?<=\.py:)\d+|(?<=at line )\d+|(?<=, changed )[-\d]+ [:\d]+", "…", text)
    text = re.sub(re.escape(FOLDER.name) + r"/\w+", "…", text)
    return f"[{found.kind}, {'complete' if found.is_complete else 'shortened'}]\n{text}\n"


HAS_RECORDED_VERSIONS = (
    int(pd.__version__.split(".")[0]) >= 3
    and int(pl.__version__.split(".")[0]) >= 2
    and find_encoding("o200k_base") is not None
)
recorded_with_these = pytest.mark.skipif(
    not HAS_RECORDED_VERSIONS, reason="recorded with pandas 3, polars 2 and a vocabulary of tokens"
)


@recorded_with_these
@pytest.mark.parametrize("name", EXAMPLES)
def test_the_text_for_a_kind_of_value_is_the_recorded_one(name):
    path = GOLDEN / f"{name}.txt"
    text = shown(name)
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_no_recorded_text_is_without_its_example():
    assert {path.stem for path in GOLDEN.glob("*.txt")} == set(EXAMPLES)


@pytest.mark.parametrize("max_tokens", [5, 60, 1500])
@pytest.mark.parametrize("name", EXAMPLES)
def test_no_example_is_over_any_budget(name, max_tokens):
    found = preview(EXAMPLES[name](), max_tokens=max_tokens)
    assert 0 < count_tokens(found.text) <= max_tokens
