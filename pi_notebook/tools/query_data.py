"""`query_data`: SQL over the person's frames, files and databases."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

from pi_notebook.agent.tools import ToolContext, ToolError, ToolResult, tool
from pi_notebook.context.policies.bounds import Bounds
from pi_notebook.context.previews import Preview
from pi_notebook.context.previews.foreign import attempt
from pi_notebook.context.previews.frame_spills import FrameSpills
from pi_notebook.context.previews.references import Variables
from pi_notebook.context.queries.databases import open_job
from pi_notebook.context.queries.paths import ReadableFolders
from pi_notebook.context.queries.problems import QueryProblem, QueryStopped
from pi_notebook.context.queries.result import ResultTable, preview_result
from pi_notebook.context.queries.running import RunningQuery
from pi_notebook.context.spill import SpillFolder
from pi_notebook.errors import CodeTimeoutError
from pi_notebook.kernel.executor import CodeExecutor
from pi_notebook.tools.encoding_problem import encoding_problem
from pi_notebook.tools.needs import QueryEngine, WorkingFolder

_NOTICE_TOKENS = 200
_FILE_SIGNS = ("utf-8", "UTF-8", "sniffing file")
"""In what DuckDB says of a file that it cannot decode."""


@dataclass(kw_only=True)
class _Query:
    """One call, on whichever thread it is."""

    sql: str
    source: str | None
    variables: Variables
    folders: ReadableFolders
    timeout_seconds: float
    running: RunningQuery[ResultTable] = field(default_factory=RunningQuery)
    notes: Sequence[str] = ()

    def begin(self) -> None:
        """Begin it, on the main thread, and hold that until the end where what is read may change."""
        job = open_job(self.sql, self.source, self.variables, self.folders)

        def work() -> ResultTable:
            try:
                found = job.run()
                self.notes = job.notes
                return found
            finally:
                job.close()

        def interrupt() -> None:
            attempt(job.interrupt, None)

        if job.place == "main":
            self.running.run(work, interrupt=interrupt)
        else:
            self.running.start(work, interrupt=interrupt)
        if job.place == "held":
            self.running.hold(self.timeout_seconds)


@tool(risk="read", sequential=True, needs=(CodeExecutor, Variables, QueryEngine))
async def query_data(
    context: ToolContext,
    sql: Annotated[str, "One SELECT. Tables: frames by variable name, files as 'data.csv'"],
    source: Annotated[str | None, "A database instead: its file or the variable of its connection"] = None,
) -> ToolResult:
    """Query frames, CSV, JSON and parquet files, or a database with SQL (DuckDB's); nothing is changed.

    Gives all rows, of many both ends and how many.
    """
    spill: SpillFolder = context.need(SpillFolder)
    spills = context.resources.get(FrameSpills)
    folders = ReadableFolders(paths=[context.need(WorkingFolder).path, spill.path])
    if spills is not None:
        folders = replace(folders, was_dropped=spills.was_dropped, was_changed=spills.was_changed)
    query = _Query(
        sql=sql,
        source=source,
        variables=context.need(Variables),
        folders=folders,
        timeout_seconds=context.need(QueryEngine).timeout_seconds,
    )
    try:
        table = await _within(query, context.need(CodeExecutor))
    except (QueryStopped, CodeTimeoutError, asyncio.TimeoutError):
        raise ToolError(
            f"The query took longer than {query.timeout_seconds:g} s and was stopped. Filter or sample first "
            "(USING SAMPLE 1%), or use run_code."
        ) from None
    except QueryProblem as problem:
        raise ToolError(_problem(problem, folders)) from None
    shown = preview_result(table, max_tokens=Bounds.of(context.resources).asked_tokens - _NOTICE_TOKENS)
    return _result(shown, query.notes, folders.used)


async def _within(query: _Query, executor: CodeExecutor) -> ResultTable:
    """The result, in time; when it is late or not wanted any more, the query is ended."""
    loop = asyncio.get_running_loop()
    end = loop.time() + query.timeout_seconds
    # A driver that waits in C sees no signal, only this.
    timer = loop.call_at(end, query.running.stop)
    try:
        await executor.call(query.begin, timeout_seconds=query.timeout_seconds)
        return await asyncio.wait_for(query.running.result(), end - loop.time())
    finally:
        timer.cancel()
        query.running.stop()


def _problem(problem: QueryProblem, folders: ReadableFolders) -> str:
    """What is wrong with a query, or with a file it reads."""
    said = str(problem)
    is_of_file = any(sign in said for sign in _FILE_SIGNS)
    return (encoding_problem(folders.used, folders.paths[0]) if is_of_file else None) or said


def _result(shown: Preview, notes: Sequence[str], files: Iterable[str]) -> ToolResult:
    said = " ".join([*notes, *_ways_on(shown)])
    text = f"{shown.text}\n[{said}]" if said else shown.text
    return ToolResult.of_text(text, details={**shown.details, "files": list(files)})


def _ways_on(shown: Preview) -> list[str]:
    """How to get what is not shown."""
    details = shown.details
    if details.get("rows_shown", 0) < details.get("rows", 0):
        return ["More: ORDER BY with LIMIT and OFFSET, or aggregate."]
    if details.get("columns_shown", 0) < details.get("columns", 0) or "shortened_cell" in details:
        return ["More of a cell: select fewer columns, or substr(column, 1, 2000)."]
    return []
