"""Spark frames at work: jobs that end when nobody waits for them any more.

What Spark computes runs on a thread of its own, since a signal does not reach a thread that waits for
its Java process, and since only a job with a name can be ended there.
"""

from __future__ import annotations

import secrets
import sys
import threading
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from pi_notebook.context.previews.beside import run_beside
from pi_notebook.context.previews.foreign import attempt, is_instance

T = TypeVar("T")


def is_spark(value: object) -> bool:
    """Whether `value` is a frame of Spark, of Spark Connect, or of pandas on Spark."""
    return is_instance(value, "pyspark.sql", "DataFrame") or is_instance(
        value, "pyspark.sql.connect.dataframe", "DataFrame"
    ) or _is_of_pandas(value)  # fmt: skip


def spark_frame(value: Any) -> Any:
    """The frame of Spark that `value` is or stands for; nothing is computed."""
    if not _is_of_pandas(value):
        return value
    frame = value.to_frame() if is_instance(value, "pyspark.pandas", "Series") else value
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the index is left out
        return frame.to_spark()


def run_job(frame: Any, work: Callable[[], T]) -> T:
    """What `work` gives, which computes `frame`; whatever ends the waiting ends the job too."""
    begin, end, thread_class = _ways(frame.sparkSession, f"pi-notebook-{secrets.token_hex(4)}")

    def run() -> T:
        begin()
        return work()

    return run_beside(run, end=end, thread_class=thread_class)


def _is_of_pandas(value: object) -> bool:
    return is_instance(value, "pyspark.pandas", "DataFrame", "Series")


def _ways(session: Any, tag: str) -> tuple[Callable[[], object], Callable[[], object], Any]:
    """How a job is named, how it is ended, and the kind of thread it runs on."""
    context = attempt(lambda: session.sparkContext, None)
    if context is None:  # Spark Connect has none
        return lambda: session.addTag(tag), lambda: session.interruptTag(tag), threading.Thread
    # A thread of its own in Java too, so that the name is not left on the person's jobs.
    thread_class = getattr(sys.modules["pyspark"], "InheritableThread", threading.Thread)
    name = lambda: context.setJobGroup(tag, "pi-notebook", interruptOnCancel=True)  # noqa: E731
    return name, lambda: context.cancelJobGroup(tag), thread_class
