"""Files that are no text: what they are, and what opens them."""

from __future__ import annotations

SNIFFED_BYTES = 8192

_KINDS = (
    (b"PAR1", "parquet", "pandas.read_parquet"),
    (b"ARROW1", "Arrow or Feather", "pandas.read_feather"),
    (b"\x89HDF\r\n\x1a\n", "HDF5", "h5py or pandas.read_hdf"),
    (b"\x93NUMPY", "NumPy array", "numpy.load"),
    (b"SQLite format 3\x00", "SQLite", "sqlite3"),
    (b"%PDF-", "PDF", "a PDF library"),
    (b"\x1f\x8b", "gzip", "gzip.open; pandas reads .csv.gz itself"),
    (b"BZh", "bzip2", "bz2.open"),
    (b"\xfd7zXZ\x00", "xz", "lzma.open"),
    (b"(\xb5/\xfd", "zstd", "pandas with compression='zstd'"),
    (b"PK\x03\x04", "zip, or an Office file", "zipfile, or pandas.read_excel for .xlsx"),
    (b"\x7fELF", "program", "nothing here"),
    (b"\x80\x04\x95", "pickle", "its own library; a pickle runs code when it is loaded"),
)
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def is_binary_head(head: bytes) -> bool:
    """Whether the first bytes of a file are those of no text."""
    if head.startswith(_UTF16_MARKS):
        return False
    return b"\0" in head or any(head.startswith(signature) for signature, _, _ in _KINDS)


def describe_binary(head: bytes) -> str:
    """What the bytes are and what to open them with, in one sentence."""
    for signature, kind, opener in _KINDS:
        if head.startswith(signature):
            return f"It is {kind}: open it with run_code ({opener})."
    return "Look at it with run_code, or with bash: `file`, `xxd PATH | head`."
