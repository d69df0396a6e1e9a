"""What counts as a mention, and how it may be read."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_notebook.context.mentions import MAX_MENTIONS, find_mentions


@pytest.mark.parametrize(
    ("prompt", "first"),
    [
        ("plot @df", "df"),
        ("@df", "df"),
        ("(@df)", "df"),
        ("@df, please", "df"),
        ("is it @df?", "df"),
        ("@df.", "df"),
        ("`@df`", "df"),
        ("@df.columns", "df.columns"),
        ('@df["x y"]', 'df["x y"]'),
        ("@frames[0].shape!", "frames[0].shape"),
        ("@data/penguins.csv", "data/penguins.csv"),
        ("see @../notes/a-b.md.", "../notes/a-b.md"),
        ("@~/x.txt", "~/x.txt"),
        ('@"my file.csv" and', "my file.csv"),
        ("@In[5]", "In[5]"),
        ("@Out[5]:", "Out[5]"),
        ("@error", "error"),
        ("请看 @df，谢谢", "df"),
        ("@größe", "größe"),
    ],
)
def test_a_mention_is_read_whole_and_without_its_punctuation(prompt, first):
    assert find_mentions(prompt)[0][0] == first


def test_in_chinese_the_name_may_end_where_the_word_begins():
    assert "df" in find_mentions("@df里有什么")[0]


@pytest.mark.parametrize(
    "prompt",
    [
        "user@host",
        "me@example.com",
        "git@github.com:a/b.git",
        "https://example.com/@me",
        "a @ b",
        "@",
        "@@df",
        "@app.route('/x')",
        "@dataclass\nclass X:\n    pass",
        "    @property\n    def x(self): ...",
        "@f(1)",
    ],
)
def test_addresses_operators_and_decorators_are_no_mentions(prompt):
    assert find_mentions(prompt) == []


def test_a_missing_file_is_not_read_as_the_variable_its_path_begins_with():
    assert find_mentions("@data/x.csv") == [("data/x.csv",)]
    assert find_mentions("@df.csv") == [("df.csv",)]


def test_each_is_there_once_and_there_is_a_bound():
    assert len(find_mentions("@df @df @df, @x")) == 2
    assert len(find_mentions(" ".join(f"@v{number}" for number in range(100)))) == MAX_MENTIONS


@settings(max_examples=300, derandomize=True, deadline=None)
@given(st.text(alphabet=st.sampled_from("@ab.[]\"'`(){}$/\\ \n中1-"), max_size=60))
def test_any_text_can_be_looked_through_and_readings_stand_in_it(prompt):
    for readings in find_mentions(prompt):
        assert readings
        for reading in readings:
            assert reading
            assert reading in prompt
