from __future__ import annotations

import subprocess
import sys

import pytest

from pi_notebook.agent.secrets import provider_keys
from pi_notebook.errors import ModelNotFoundError
from pi_notebook.models import check_name, get_model, model_names, needs_litellm
from pi_notebook.models.providers import PROVIDERS


def test_a_provider_and_a_name_give_a_model_of_that_name():
    model = get_model("openai/gpt-4o")
    assert model.info.name == "openai/gpt-4o"
    assert model.info.context_window == 128_000
    assert model.info.sees_images
    assert model.info.window_is_known


def test_a_name_may_have_slashes_of_its_own():
    info = get_model("openrouter/anthropic/claude-x").info
    assert (info.provider, info.id) == ("openrouter", "anthropic/claude-x")


def test_an_unknown_window_is_a_cautious_guess_and_says_so():
    info = get_model("openai/my-own-model").info
    assert info.context_window == 32_768
    assert not info.window_is_known
    assert info.max_output_tokens <= info.context_window


def test_the_person_may_say_how_large_the_window_is():
    info = get_model("openai/my-own-model", context_window=8_000).info
    assert info.context_window == 8_000
    assert info.window_is_known


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("gpt-4o", "openai/gpt-4o"),
        ("claude-sonnet-4-5", "anthropic/claude-sonnet-4-5"),
        ("opnai/gpt-4o", "openai/gpt-4o"),
        ("ofline", "offline"),
        ("offline/x", "PROVIDER/NAME"),
        ("openai/", "openai/"),
        ("openai/gpt-4o and more", "openai/gpt-4o"),
        ("", "offline"),
        ("qqqqqqqq", "PROVIDER/NAME"),
    ],
)
def test_a_wrong_name_is_answered_in_one_line_with_the_nearest_right_ones(name, near):
    with pytest.raises(ModelNotFoundError) as raised:
        get_model(name)
    assert near in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("name", ["offline", "openai/x", "hosted_vllm/x", "ollama_chat/x", "ai21/x"])
def test_a_name_that_may_be_a_models_passes(name):
    check_name(name)


def test_only_offline_does_without_litellm():
    assert not needs_litellm("offline")
    assert needs_litellm("openai/gpt-4o")


def test_every_name_that_is_offered_may_be_a_models():
    for name in model_names():
        check_name(name)


def test_making_and_describing_a_model_imports_no_providers_library():
    code = (
        "import sys\n"
        "from pi_notebook.models import get_model, model_names\n"
        "get_model('openai/gpt-4o').info, model_names()\n"
        "print([name for name in ('litellm', 'openai', 'httpx', 'tiktoken') if name in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"
    assert shown.stderr == ""


def test_the_key_of_every_provider_is_kept_out_of_tool_results():
    key = "abc-0123456789"
    for provider in PROVIDERS.values():
        assert all(provider_keys({name: key}) == [key] for name in provider.keys)
