"""The providers by name, and where each looks for its key and its address.

Names and variables are litellm's. A provider that is not listed here may still be one of
litellm's; it is left to litellm to find its key.
"""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Provider:
    """What a provider needs from the environment."""

    keys: tuple[str, ...] = ()
    """Any one of these is enough; none means that no key is needed, or that it is not a simple one."""
    bases: tuple[str, ...] = ()
    is_local: bool = False
    """It runs on the person's machine, where the first token may take long."""


PROVIDERS = {
    "openai": Provider(keys=("OPENAI_API_KEY",), bases=("OPENAI_BASE_URL", "OPENAI_API_BASE")),
    "anthropic": Provider(
        keys=("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"), bases=("ANTHROPIC_API_BASE", "ANTHROPIC_BASE_URL")
    ),
    "gemini": Provider(keys=("GEMINI_API_KEY", "GOOGLE_API_KEY")),
    "azure": Provider(
        keys=("AZURE_API_KEY", "AZURE_OPENAI_API_KEY", "AZURE_AD_TOKEN"), bases=("AZURE_API_BASE",)
    ),
    "azure_ai": Provider(keys=("AZURE_AI_API_KEY",), bases=("AZURE_AI_API_BASE",)),
    "bedrock": Provider(),
    "cerebras": Provider(keys=("CEREBRAS_API_KEY",)),
    "cohere": Provider(keys=("COHERE_API_KEY", "CO_API_KEY")),
    "dashscope": Provider(keys=("DASHSCOPE_API_KEY",)),
    "databricks": Provider(keys=("DATABRICKS_API_KEY",), bases=("DATABRICKS_API_BASE",)),
    "deepseek": Provider(keys=("DEEPSEEK_API_KEY",), bases=("DEEPSEEK_API_BASE",)),
    "fireworks_ai": Provider(keys=("FIREWORKS_API_KEY", "FIREWORKS_AI_API_KEY")),
    "github": Provider(keys=("GITHUB_API_KEY", "GITHUB_TOKEN")),
    "groq": Provider(keys=("GROQ_API_KEY",), bases=("GROQ_API_BASE",)),
    "hosted_vllm": Provider(bases=("HOSTED_VLLM_API_BASE",), is_local=True),
    "huggingface": Provider(keys=("HF_TOKEN", "HUGGINGFACE_API_KEY")),
    "litellm_proxy": Provider(keys=("LITELLM_PROXY_API_KEY",), bases=("LITELLM_PROXY_API_BASE",)),
    "lm_studio": Provider(bases=("LM_STUDIO_API_BASE",), is_local=True),
    "mistral": Provider(keys=("MISTRAL_API_KEY",), bases=("MISTRAL_API_BASE",)),
    "moonshot": Provider(keys=("MOONSHOT_API_KEY",)),
    "nvidia_nim": Provider(keys=("NVIDIA_NIM_API_KEY",)),
    "ollama": Provider(bases=("OLLAMA_API_BASE",), is_local=True),
    "ollama_chat": Provider(bases=("OLLAMA_API_BASE",), is_local=True),
    "openrouter": Provider(keys=("OPENROUTER_API_KEY", "OR_API_KEY"), bases=("OPENROUTER_API_BASE",)),
    "perplexity": Provider(keys=("PERPLEXITYAI_API_KEY", "PERPLEXITY_API_KEY")),
    "together_ai": Provider(keys=("TOGETHERAI_API_KEY", "TOGETHER_API_KEY", "TOGETHER_AI_TOKEN")),
    "vertex_ai": Provider(),
    "xai": Provider(keys=("XAI_API_KEY",), bases=("XAI_API_BASE",)),
    "zai": Provider(keys=("ZAI_API_KEY",)),
}
"""Those that people name most; `registry` also takes what litellm's table names."""


def find_key(provider: str) -> str | None:
    """The person's key for `provider`, where one is set."""
    return _first_set(PROVIDERS.get(provider, Provider()).keys)


def find_base(provider: str) -> str | None:
    """The address that the environment gives for `provider`, if any."""
    return _first_set(PROVIDERS.get(provider, Provider()).bases)


def needs_key(provider: str) -> bool:
    """True when `provider` is asked with a key, as far as is known here."""
    return bool(PROVIDERS.get(provider, Provider()).keys)


def missing_key(provider: str, *, api_base: str | None) -> str | None:
    """The variable to set before `provider` can be asked; None when nothing is missing.

    With an address of its own a server may do without a key, so that none is demanded.
    """
    keys = PROVIDERS.get(provider, Provider()).keys
    if not keys or api_base or find_base(provider) or find_key(provider):
        return None
    return keys[0]


def is_local(provider: str, api_base: str | None) -> bool:
    """True when the model runs on this machine."""
    base = api_base or find_base(provider) or ""
    return PROVIDERS.get(provider, Provider()).is_local or "//localhost" in base or "//127." in base


def _first_set(names: tuple[str, ...]) -> str | None:
    return next((value for name in names if (value := os.environ.get(name, "").strip())), None)
