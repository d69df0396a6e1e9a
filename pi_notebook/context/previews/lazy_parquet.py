"""Data that is not computed yet, written to parquet by its own library, when somebody asks for that.

It is never collected: dask and Spark write a file for each partition into one folder, polars and DuckDB
one file as they go.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pi_notebook.context.amounts import count_of
from pi_notebook.context.previews.beside import run_beside
from pi_notebook.context.previews.foreign import first_line, is_instance
from pi_notebook.context.previews.parquet import NotSpilled, safe_stem
from pi_notebook.context.previews.spark import is_spark, run_job, spark_frame
from pi_notebook.context.previews.wording import byte_size
from pi_notebook.context.spill import FRAME_ENDING, make_private_folder
from pi_notebook.errors import CodeTimeoutError

_COMPRESSION = "zstd"


@dataclass(frozen=True, kw_only=True)
class LazyFile:
    """The parquet file of something lazy, or the folder of its files."""

    path: Path
    byte_count: int
    file_count: int

    @property
    def way_back(self) -> str:
        """Where it is, and how it is queried."""
        pattern = str(self.path / "*.parquet") if self.path.is_dir() else str(self.path)
        files = f", {count_of(self.file_count, 'file')}" if self.path.is_dir() else ""
        return f"All rows, for query_data: FROM '{pattern}' (parquet{files}, {byte_size(self.byte_count)})."

    def details(self) -> dict[str, Any]:
        """The record as JSON."""
        return {"path": str(self.path), "bytes": self.byte_count, "files": self.file_count}


def is_writable(value: object) -> bool:
    """Whether the library of `value`, which is lazy, writes parquet."""
    return _writer(value) is not None


def write_lazy(value: object, folder: Path, name: str) -> LazyFile | NotSpilled:
    """Write `value` into `folder`, under a new name after `name`.

    Never raises for the library, the folder or the disk; an interrupt or a deadline passes, and ends what
    is computed. It computes all of `value`: for what a model has asked for.
    """
    write = _writer(value)
    if write is None:
        return NotSpilled(reason=_refusal(value))
    token = secrets.token_hex(4)
    path = folder / f"{safe_stem(name)}-{token}{FRAME_ENDING}"
    unfinished = folder / f".{path.stem}.unfinished"
    try:
        make_private_folder(folder)
        write(value, unfinished)
        if not parquet_sizes(unfinished):
            return NotSpilled(reason="its files were written where this machine does not see them")
        os.chmod(unfinished, 0o700 if unfinished.is_dir() else 0o600)
        os.replace(unfinished, path)
    except CodeTimeoutError:
        raise
    except Exception as error:
        return NotSpilled(reason=first_line(error).rstrip("."))
    finally:
        remove(unfinished)
    sizes = parquet_sizes(path)
    return LazyFile(path=path, byte_count=sum(sizes), file_count=len(sizes))


def remove(path: Path) -> None:
    """Take away a file, or a folder of files."""
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def parquet_sizes(path: Path) -> list[int]:
    """Of the parquet files at `path`."""
    if not path.is_dir():
        return [path.stat().st_size] if path.exists() else []
    return [file.stat().st_size for file in path.glob(f"*{FRAME_ENDING}")]


def _refusal(value: object) -> str:
    if is_instance(value, "pyarrow.dataset", "Dataset", "Scanner") or is_instance(
        value, "pyarrow.parquet", "ParquetFile"
    ):
        return "it is of files already, which query_data reads where they are"
    return "only frames are written"


def _writer(value: object) -> Callable[[Any, Path], object] | None:
    if is_spark(value):
        return _write_spark
    if is_instance(value, "dask.dataframe", "DataFrame", "Series"):
        return _write_dask
    if is_instance(value, "polars", "LazyFrame"):
        return _write_polars
    if is_instance(value, "duckdb", "DuckDBPyRelation"):
        return _write_duckdb
    if is_instance(value, "ibis.expr.types", "Table"):
        return lambda table, path: table.to_parquet(str(path), compression=_COMPRESSION)
    return None


def _write_spark(value: Any, path: Path) -> None:
    frame = spark_frame(value)
    run_job(frame, lambda: frame.write.parquet(path.as_uri(), compression=_COMPRESSION))


def _write_dask(value: Any, path: Path) -> None:
    """The index only where it has a name: the numbers of a partition's rows repeat in the next."""
    frame = value.to_frame() if is_instance(value, "dask.dataframe", "Series") else value
    frame.to_parquet(
        str(path), compression=_COMPRESSION, write_index=frame.index.name is not None, overwrite=False
    )


def _write_duckdb(value: Any, path: Path) -> None:
    run_beside(lambda: value.write_parquet(str(path), compression=_COMPRESSION))


def _write_polars(value: Any, path: Path) -> None:
    run_beside(lambda: value.sink_parquet(path, compression=_COMPRESSION))
