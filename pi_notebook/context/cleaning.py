"""Text made fit for a model: what a terminal would have shown, and nothing that steers one.

Escape sequences go, frames that a carriage return overwrote go, control bytes go; characters that
cannot be seen are shown as escapes. No newline is added or removed, so line numbers stay true.
"""

from __future__ import annotations

import re

from pi_notebook.agent.messages import without_surrogates

_ESCAPE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    # OSC, DCS, APC, PM, SOS with their text; one that its line does not end loses its opening only,
    # so that nothing can hide what follows it.
    r"|(?:\x1b[PX^_\]]|[\x90\x98\x9d-\x9f])(?:[^\x07\x1b\r\n\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\|\x9c))?"
    r"|\x1b[ -/]*[0-~]?"
)
_CONTROLS = {
    code: None
    for code in (*range(0x20), *range(0x7F, 0xA0), 0xFFF9, 0xFFFA, 0xFFFB)
    if chr(code) not in "\t\n\r\b"
}
_UNSEEN = re.compile(
    "[\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e01ef]"
)
_ODD_CONTROL = re.compile("[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f]")
_CONTROL_OR_ESCAPE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufff9-\ufffb]")
_BLANK_LINES = re.compile(r"(?:^[ \t]*\n){3,}", re.MULTILINE)
_RAW_COLOUR = re.compile(rb"\x1b\[[0-?]*[ -/]*[@-~]")
_SEEN = re.compile(rb"[^\x1b\xc2]*?[!-~]")
_LONE_SURROGATE = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]")
_SURROGATE_PAIR = re.compile(rb"\xed[\xa0-\xaf][\x80-\xbf]\xed[\xb0-\xbf][\x80-\xbf]")

_FEW_BYTES = 256
"""Too few to call them binary."""


def clean(text: str) -> str:
    """`text` as a terminal would leave it, without escape sequences and control characters."""
    text = without_surrogates(text)
    if "\x1b" in text or not text.isascii():
        text = _ESCAPE.sub("", text)
    text = text.translate(_CONTROLS)
    if "\r" in text:
        text = "\n".join(_last_frame(line) for line in text.split("\n"))
    if "\b" in text:
        text = "\n".join(_overstruck(line) for line in text.split("\n"))
    return show_unseen(text)


def show_unseen(text: str) -> str:
    """`text` with the characters that turn or hide text as escapes: bidi controls, tags, zero widths."""
    return text if text.isascii() else _UNSEEN.sub(_escape_of, text)


def show_controls(text: str) -> str:
    """`text` with every character that cannot be seen as an escape; nothing is removed."""
    return show_unseen(_CONTROL_OR_ESCAPE.sub(_escape_of, text))


def fold_blank_lines(text: str) -> str:
    """`text` with no more than two blank lines in a row."""
    return _BLANK_LINES.sub("\n\n", text)


def decode(data: bytes) -> str:
    """`data` as text; what is not UTF-8 becomes U+FFFD, surrogate pairs become their character."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        data = _SURROGATE_PAIR.sub(_join_pair, data)
        return _LONE_SURROGATE.sub("\ufffd".encode(), data).decode("utf-8", "replace")


def encode(text: str) -> bytes:
    """`text` in UTF-8; a lone surrogate as the three bytes that `decode` knows."""
    return text.encode("utf-8", "surrogatepass")


def is_binary(text: str) -> bool:
    """Whether decoded `text` is no text, by its control characters.

    Bytes that are not UTF-8 do not count: they may be words in an older encoding.
    """
    if len(text) < _FEW_BYTES:
        return False
    return len(_ODD_CONTROL.findall(text)) * 30 >= len(text)


def fold_frames(data: bytes) -> bytes:
    """Raw output without the frames that later ones overwrote.

    It removes only what `clean` would remove, and no newline, so that output may be folded piece by
    piece: folding what was folded, with more behind it, gives the same.
    """
    if b"\r" not in data:
        return data
    return b"\n".join(_from_last_frame(line) if b"\r" in line else line for line in data.split(b"\n"))


def _from_last_frame(line: bytes) -> bytes:
    end = len(line)
    while (start := line.rfind(b"\r", 0, end)) >= 0:
        frame = _RAW_COLOUR.sub(b"", line[start + 1 : end])
        # Behind another escape nothing is sure: it may be cut short here, and `clean` will see it whole.
        if _SEEN.match(frame):
            return line[start + 1 :]
        end = start
    return line


def _last_frame(line: str) -> str:
    """What a line shows in the end: its last frame that is not blank."""
    if "\r" not in line:
        return line
    return next((frame for frame in reversed(line.split("\r")) if frame.strip()), "")


def _overstruck(line: str) -> str:
    kept: list[str] = []
    for character in line:
        if character != "\b":
            kept.append(character)
        elif kept:
            kept.pop()
    return "".join(kept)


def _escape_of(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _join_pair(match: re.Match[bytes]) -> bytes:
    pair = match[0].decode("utf-8", "surrogatepass").encode("utf-16", "surrogatepass")
    return pair.decode("utf-16").encode("utf-8")
