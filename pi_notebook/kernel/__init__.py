"""Running code in IPython: all that it puts out, how it ended, and what variables there are.

A cell lends the kernel's main thread with `AwaitedCellExecutor` or `BlockingCellExecutor`; a run on
another thread uses it through `CodeExecutor`. Nothing here knows of agents or sessions.
"""

from pi_notebook.kernel.await_magic import AwaitingTransformer, can_await, is_awaited
from pi_notebook.kernel.awaited import AwaitedCellExecutor
from pi_notebook.kernel.blocking import BlockingCellExecutor
from pi_notebook.kernel.capture import Capture
from pi_notebook.kernel.executor import CodeExecutor
from pi_notebook.kernel.namespace import VariableInfo, list_variables
from pi_notebook.kernel.outputs import (
    CellResult,
    CellStatus,
    DisplayOutput,
    ErrorOutput,
    OutputSink,
    StreamName,
)

__all__ = [
    "AwaitedCellExecutor",
    "AwaitingTransformer",
    "BlockingCellExecutor",
    "Capture",
    "CellResult",
    "CellStatus",
    "CodeExecutor",
    "DisplayOutput",
    "ErrorOutput",
    "OutputSink",
    "StreamName",
    "VariableInfo",
    "can_await",
    "is_awaited",
    "list_variables",
]
