"""The messages between a front end and the kernel, both ways; names on the wire are snake_case and permanent.

`requests` is what the panel sends, `messages` what the kernel sends, `segments` and `events` what these
are made of; `inspection` is what the inspector asks and is told, in the panel and in the widget alike, of the
records in `inspected`.
`labextension/src/protocol.ts` is generated from here. What a message does is up to `ui/panel` and
`ui/inspection`.
"""
