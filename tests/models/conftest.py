from __future__ import annotations

import pytest

from tests.provider import Provider, close_clients

KEY = "sk-test-0123456789abcdef"


@pytest.fixture
async def provider(monkeypatch):
    """A strict provider that `openai/...` reaches."""
    with Provider() as running:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_API_BASE", running.base_url)
        yield running
        await close_clients()
