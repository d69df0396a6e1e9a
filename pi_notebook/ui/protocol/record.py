"""What every record on the wire has in common."""

from __future__ import annotations

import msgspec


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a message; every field is always sent, so that a front end need not know defaults."""


class Tagged(Record, frozen=True, kw_only=True, tag_field="type"):
    """A record that is told from others by its `type`."""


class Image(Record, frozen=True, kw_only=True):
    """A picture on the wire."""

    mime_type: str
    data: str
    """In base64."""
