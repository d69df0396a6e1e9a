"""From a frame or a file to its schema: the cells that load and profile it, and what may go wrong."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from pi_notebook.models.offline.answers.figures import code
from pi_notebook.models.offline.cells import csv_code, pandas_code, polars_code
from pi_notebook.models.offline.cells.common import Fresh, cell
from pi_notebook.models.offline.course import Call, Course, Result, Stop, is_code_error, last_line
from pi_notebook.models.offline.schema import Library, Output, Schema, read_output, read_schema
from pi_notebook.models.offline.targets import File, Frame, Variables

Loaded = tuple[Schema, Output]
"""A schema, and the output that it was read from."""


def profile_frame(course: Course, frame: Frame, fresh: Fresh) -> Generator[Call, Result, Loaded]:
    """Look at the columns of a frame that is there."""
    module = polars_code if frame.library == "polars" else pandas_code
    source = cell(module.profile_lines(frame.name, fresh))
    result = yield from course.run(source, "profiling", name=code(frame.name))
    return _read(course, result, frame.name, frame.library)


def load_file(
    course: Course, file: File, variables: Variables, fresh: Fresh
) -> Generator[Call, Result, Loaded]:
    """Load a file with the first library that is installed; one parted by other signs is read again."""
    names = {"path": code(file.path), "name": code(file.name)}
    note = "loading"
    for library in _libraries(variables):
        source = _load_source(file, library, None, fresh)
        result = yield from course.attempt("run_code", {"code": source}, note, **names)
        if not result.is_error:
            break
        if "ModuleNotFoundError" not in result.text:
            raise Stop(_failure(course, result, names["path"]))
        note = "retry_csv" if note == "retry_library" else "retry_library"
    else:
        raise Stop(_failure(course, result, names["path"]))
    loaded = _read(course, result, file.name, library)
    mark = _wrong_separator(loaded[0])
    if mark:
        source = _load_source(file, library, mark, fresh)
        shown = code(mark.replace("\t", "\\t"))
        result = yield from course.run(source, "retry_separator", mark=shown)
        loaded = _read(course, result, file.name, library)
    return loaded


def _libraries(variables: Variables) -> Sequence[Library]:
    """The libraries to try; polars first for those who work with it."""
    if variables.frames and all(frame.library == "polars" for frame in variables.frames):
        return ("polars", "pandas", "csv")
    return ("pandas", "polars", "csv")


def _load_source(file: File, library: Library, separator: str | None, fresh: Fresh) -> str:
    """The cell that loads a file and profiles it."""
    if library == "csv":
        load = csv_code.load_lines(file.path, file.name, separator=separator)
        return cell([*load, "", "", *csv_code.profile_lines(file.name, fresh)])
    module = polars_code if library == "polars" else pandas_code
    line = module.load_line(file.path, file.name, separator=separator)
    return cell([line, "", "", *module.profile_lines(file.name, fresh)])


def _failure(course: Course, result: Result, path: str) -> str:
    if is_code_error(result.text):
        return course.say("load_failed", path=path, why=last_line(result.text))
    return course.failure(result)


def _read(course: Course, result: Result, name: str, library: Library) -> Loaded:
    schema = read_schema(result.text, frame=name, library=library)
    if schema is None:
        raise Stop(course.say("failed", why=last_line(result.text)))
    return schema, read_output(result.text)


def _wrong_separator(schema: Schema) -> str | None:
    """The separator that a file read as one column seems to have."""
    if len(schema.columns) != 1:
        return None
    return next((mark for mark in (";", "\t", "|") if mark in schema.columns[0].name), None)
