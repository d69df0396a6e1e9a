"""Providers' keys left out of a stream of bytes, piece by piece: no more of it is held than a key is long."""

from __future__ import annotations

from pi_notebook.agent.secrets import MASK, provider_keys, without_secrets


class KeyMask:
    """Gives what it takes without the keys that the environment holds."""

    def __init__(self) -> None:
        self._held = b""
        """The end of what was taken, where a key may begin in it."""

    def take(self, data: bytes) -> bytes:
        """What can be given of the stream so far."""
        keys = _keys()
        data, self._held = self._held + data, b""
        if not keys:
            return data
        text = data.decode("latin-1")
        for key in keys:  # whole ones first: a key may end as another begins
            text = text.replace(key, MASK)
        end = len(text) - max(_begun(text, key) for key in keys)
        self._held = text[end:].encode("latin-1")
        return without_secrets(text[:end], keys).encode("latin-1")

    def rest(self) -> bytes:
        """What was held back, as the end of what is given."""
        held, self._held = self._held, b""
        return without_secrets(held.decode("latin-1"), _keys()).encode("latin-1")


def _keys() -> list[str]:
    """As they stand in text that is decoded byte by byte, so that any bytes can be."""
    return [key.encode("utf-8", "surrogatepass").decode("latin-1") for key in provider_keys()]


def _begun(text: str, key: str) -> int:
    """How many characters at the end of `text` are the beginning of `key`."""
    most = min(len(text), len(key) - 1)
    return next((count for count in range(most, 0, -1) if text.endswith(key[:count])), 0)
