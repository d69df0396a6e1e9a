"""Values of keys and passwords are left out of texts, whole or cut."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_notebook.agent.secrets import (
    MASK,
    provider_keys,
    secret_values,
    without_secrets,
    without_secrets_in,
)

LONG = "sk-proj-0123456789abcdefghijklmnopqrstuvwxyz"


def masked(text: str, **environ: str) -> str:
    return without_secrets(text, secret_values(environ))


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "HF_TOKEN", "APP_SECRET", "DB_PASSWORD", "db_password"])
def test_values_of_such_variables_are_left_out(name):
    assert masked(f"it is {LONG}, really", **{name: LONG}) == f"it is {MASK}, really"


def test_other_variables_stay():
    assert masked(f"{LONG} /home/me", HOME="/home/me", KEYBOARD=LONG) == f"{LONG} /home/me"


@pytest.mark.parametrize("value", ["hunter2", "pass"])
def test_a_short_value_is_left_out_as_a_word_only(value):
    assert masked(f"{value}; a{value}b", X_PASSWORD=value) == f"{MASK}; a{value}b"


@pytest.mark.parametrize("value", ["", "1", "yes", "true", "False", "   "])
def test_a_value_that_is_no_secret_takes_nothing_out(value):
    text = "true False yes 1    none"
    assert masked(text, USE_KEY=value) == text


def test_a_value_is_found_as_a_literal_shows_it():
    value = 'a "quoted"\nline\\with é'
    for shown in (value, repr(value), json.dumps(value)):
        assert "quoted" not in masked(f"x = {shown}", X_SECRET=value)


@pytest.mark.parametrize("cut", [LONG[:20], LONG[:40], LONG[-20:], LONG[3:]])
def test_a_long_part_of_a_cut_value_is_left_out_too(cut):
    assert masked(f"x = '{cut}...' or", X_KEY=LONG) == f"x = '{MASK}...' or"


def test_a_path_that_begins_as_a_secret_one_stays():
    assert masked("/home/someone/data.csv", SSH_KEY="/home/someone/.ssh/id_rsa") == "/home/someone/data.csv"


@settings(max_examples=200, derandomize=True, deadline=None)
@given(st.text(), st.text(min_size=8), st.text())
def test_no_text_keeps_a_long_value_and_nothing_fails(before, value, after):
    secret = f"z9{value}9z"
    assert secret not in masked(before + secret + after, X_TOKEN=secret)


@pytest.mark.parametrize(
    "name",
    ["OPENAI_API_KEY", "ANTHROPIC_AUTH_TOKEN", "WATSONX_APIKEY", "HF_TOKEN", "TOGETHER_AI_TOKEN"]
    + ["AWS_SECRET_ACCESS_KEY", "AWS_BEARER_TOKEN_BEDROCK", "AZURE_AD_TOKEN", "REPLICATE_API_TOKEN"],
)
def test_providers_keys_are_told_by_their_names(name):
    assert provider_keys({name: LONG}) == [LONG]


@pytest.mark.parametrize(
    ("name", "value"),
    [("SORT_KEY", "customer_number"), ("OPENAI_API_KEY", "not-needed"), ("AWS_ACCESS_KEY_ID", LONG)]
    + [("DB_PASSWORD", LONG), ("OPENAI_API_BASE", LONG)],
)
def test_what_is_no_providers_key_stays_in_what_tools_find(name, value):
    assert provider_keys({name: value}) == []


def test_texts_within_data_are_masked_and_the_rest_is_as_it_was():
    keys = provider_keys({"OPENAI_API_KEY": LONG})
    kept = object()
    data = {"path": "a", LONG: [f"x{LONG}", 1, None, ("y", LONG)], "other": kept}
    assert without_secrets_in(data, keys) == {
        "path": "a",
        MASK: [f"x{MASK}", 1, None, ("y", MASK)],
        "other": kept,
    }


def test_a_long_result_is_masked_in_no_noticeable_time():
    environ = {f"PROVIDER{number}_API_KEY": f"sk-{number:040}" for number in range(10)}
    text = "a line of output, as a cell prints them\n" * 1_250
    began = time.process_time()
    assert without_secrets(text, provider_keys(environ)) == text
    assert time.process_time() - began < 0.25
