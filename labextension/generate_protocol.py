"""Writes `src/protocol.ts`: the TypeScript types of the messages defined in `pi_notebook/ui/protocol`.

    python labextension/generate_protocol.py

The JSON schema of the structs is all that is read, so that both sides mean what the decoder accepts.
"""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

import msgspec

from pi_notebook.ui.protocol.events import PanelEvent
from pi_notebook.ui.protocol.inspection import InspectorMessage, InspectorRequest
from pi_notebook.ui.protocol.messages import KernelMessage
from pi_notebook.ui.protocol.requests import PROTOCOL_VERSION, PanelRequest
from pi_notebook.ui.protocol.segments import Segment

TARGET = Path(__file__).parent / "src" / "protocol.ts"

HEADER = """\
/**
 * The messages between a front end and the kernel.
 *
 * Generated from pi_notebook/ui/protocol by labextension/generate_protocol.py. Do not edit.
 */
"""

UNIONS = {
    "PanelRequest": (PanelRequest, "What the panel sends."),
    "KernelMessage": (KernelMessage, "What the kernel sends."),
    "PanelEvent": (PanelEvent, "What happened in the conversation."),
    "InspectorRequest": (InspectorRequest, "What the inspector asks, of the panel's comm or the widget's."),
    "InspectorMessage": (InspectorMessage, "What the inspector is told."),
    "Segment": (Segment, "What the conversation is made of."),
}
"""Names, the unions themselves, and what they are for the reader of the types."""


def generate() -> str:
    """The text of `protocol.ts`."""
    unions, records = msgspec.json.schema_components(
        [union for union, _ in UNIONS.values()], ref_template="{name}"
    )
    parts = [HEADER, f"export const PROTOCOL_VERSION = {PROTOCOL_VERSION};\n"]
    parts += [_interface(name, records[name]) for name in records]
    parts += [
        _comment(purpose) + _alias(name, schema)
        for (name, (_, purpose)), schema in zip(UNIONS.items(), unions, strict=True)
    ]
    messages = unions[list(UNIONS).index("KernelMessage")]
    return "\n".join([*parts, _types(messages), _shapes(messages, records)])


def _interface(name: str, schema: dict[str, Any]) -> str:
    required = set(schema["required"])
    fields = [
        f"  readonly {field}{'' if field in required else '?'}: {_type(kind)};\n"
        for field, kind in schema["properties"].items()
    ]
    return f"{_comment(schema['description'])}export interface I{name} {{\n{''.join(fields)}}}\n"


def _alias(name: str, schema: dict[str, Any]) -> str:
    lines = "".join(f"\n  | {_type(option)}" for option in schema["anyOf"])
    return f"export type {name} ={lines};\n"


def _types(schema: dict[str, Any]) -> str:
    """A list of the tags, for telling a message that is known from one that is not."""
    tags = ", ".join(f"'{tag}'" for tag in schema["discriminator"]["mapping"])
    return (
        _comment("The types of message this panel knows.")
        + "export const KERNEL_MESSAGE_TYPES: readonly string[] = [\n"
        + textwrap.fill(tags, 80, **_INDENT)
        + "\n];\n"
    )


def _shapes(schema: dict[str, Any], records: dict[str, Any]) -> str:
    """The fields of the messages and of the records in them, to be held against what comes."""
    shapes: dict[str, dict[str, str]] = {}
    open_names = _names(schema)
    while open_names:
        name = open_names.pop(0)
        if name not in shapes:
            properties = records[name]["properties"]
            shapes[name] = {field: _kind(kind) for field, kind in properties.items()}
            open_names += [one for kind in properties.values() for one in _names(kind)]
    lines = [f"  {name}: {{\n{_fields(fields)}\n  }}" for name, fields in shapes.items()]
    return (
        _comment("What holds a message, and the fields of each record: `=` is a fixed text, `[]` a list.")
        + f"export const KERNEL_MESSAGE = '{_kind(schema)}';\n"
        + "export const SHAPES: Readonly<Record<string, Readonly<Record<string, string>>>> = {\n"
        + ",\n".join(lines)
        + "\n};\n"
    )


def _fields(fields: dict[str, str]) -> str:
    return ",\n".join(f"    {field}: '{kind}'" for field, kind in fields.items())


def _names(schema: dict[str, Any]) -> list[str]:
    """The records that `schema` refers to."""
    if "$ref" in schema:
        return [schema["$ref"]]
    parts = [*schema.get("anyOf", ()), *([schema["items"]] if "items" in schema else [])]
    return [name for part in parts for name in _names(part)]


def _kind(schema: dict[str, Any]) -> str:
    """In one word; the choices of a text are left out, since a newer kernel may have more of them."""
    if "$ref" in schema:
        return str(schema["$ref"])
    if "anyOf" in schema:
        return "|".join(_kind(option) for option in schema["anyOf"])
    if "enum" in schema:
        return f"={schema['enum'][0]}" if len(schema["enum"]) == 1 else "string"
    if schema["type"] == "array":
        return f"{_kind(schema['items'])}[]"
    return {"integer": "number"}.get(schema["type"], str(schema["type"]))


_INDENT: dict[str, Any] = {"initial_indent": "  ", "subsequent_indent": "  "}


def _type(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return f"I{schema['$ref']}"
    if "anyOf" in schema:
        return " | ".join(_type(option) for option in schema["anyOf"])
    if "enum" in schema:
        return " | ".join(json.dumps(value).replace('"', "'") for value in schema["enum"])
    if schema["type"] == "array":
        return f"readonly ({_type(schema['items'])})[]"
    return {"integer": "number"}.get(schema["type"], str(schema["type"]))


def _comment(text: str) -> str:
    return f"/** {' '.join(text.split())} */\n"


if __name__ == "__main__":
    TARGET.write_text(generate(), encoding="utf-8", newline="\n")
