"""Files that are no text: what they are, and what opens them."""

from __future__ import annotations

from pi_notebook.tools.encoding import UTF16_MARKS

SNIFFED_BYTES = 8192

_KINDS = (
    (b"PAR1", "parquet", "pandas.read_parquet"),
    (b"ARROW1", "Arrow or Feather", "pandas.read_feather"),
    (b"\x89HDF\r\n\x1a\n", "HDF5", "h5py or pandas.read_hdf"),
    (b"\x93NUMPY", "NumPy array", "numpy.load"),
    (b"SQLite format 3\x00", "SQLite", "sqlite3"),
    (b"%PDF-", "PDF", "pypdf; with it installed, read gives its text"),
    (b"\x1f\x8b", "gzip", "gzip.open; pandas reads .csv.gz itself"),
    (b"BZh", "bzip2", "bz2.open"),
    (b"\xfd7zXZ\x00", "xz", "lzma.open"),
    (b"(\xb5/\xfd", "zstd", "pandas with compression='zstd'"),
    (b"PK\x03\x04", "zip, or an Office file", "zipfile, or pandas.read_excel for .xlsx"),
    (b"\x7fELF", "program", "nothing here"),
    (b"\x80\x04\x95", "pickle", "its own library; a pickle runs code when it is loaded"),
)


def is_binary_head(head: bytes) -> bool:
    """Whether the first bytes of a file are those of no text."""
    if head.startswith(UTF16_MARKS):
        return False
    return b"\0" in head or any(head.startswith(signature) for signature, _, _ in _KINDS)


def describe_binary(head: bytes) -> str:
    """What the bytes are and what to open them with, in one sentence."""
    for signature, kind, opener in _KINDS:
        if head.startswith(signature):
            return f"It is {kind}: open it with run_code ({opener})."
    if encoding := _unmarked_utf16(head):
        return f'It looks like text in UTF-16: open it with run_code (encoding="{encoding}").'
    return "Look at it with run_code, or with bash: `file`, `xxd PATH | head`."


def _unmarked_utf16(head: bytes) -> str:
    """The name of the UTF-16 whose every second byte is zero, as in Western text; empty for none."""
    zeros = (head[::2].count(0), head[1::2].count(0))
    if len(head) < _LEAST_UTF16_BYTES or min(zeros) * 8 > max(zeros) or max(zeros) * 4 < len(head):
        return ""
    return "utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"


_LEAST_UTF16_BYTES = 16
