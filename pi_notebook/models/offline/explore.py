"""The course of an answer: which tool is called next, and what is said in the end.

`explore` is written as a generator that yields calls and is sent their results. It is pure: run
again with the same results, it yields the same calls, and so a request's messages are all the
state there is.
"""

from __future__ import annotations

from collections.abc import Generator

from pi_notebook.models.offline.answers.by_kind import ANSWERS
from pi_notebook.models.offline.answers.figures import code, number
from pi_notebook.models.offline.answers.finding import Finding
from pi_notebook.models.offline.answers.overview import overview_plot
from pi_notebook.models.offline.answers.texts import Language, listed
from pi_notebook.models.offline.cells import pandas_cells, polars_cells
from pi_notebook.models.offline.cells.common import Fresh, cell
from pi_notebook.models.offline.cells.plots import plot_kind, plot_lines
from pi_notebook.models.offline.conversation import Conversation
from pi_notebook.models.offline.course import MAX_CALLS, Call, Course, Result, Stop, is_code_error, last_line
from pi_notebook.models.offline.loading import load_file, profile_frame
from pi_notebook.models.offline.query import Query, Unclear
from pi_notebook.models.offline.question.rules import read_question
from pi_notebook.models.offline.question.words import has_chinese
from pi_notebook.models.offline.schema import NO_OUTPUT, Output, Schema, read_output
from pi_notebook.models.offline.small_talk import asks_for_abilities, find_code, is_greeting
from pi_notebook.models.offline.targets import (
    File,
    NoTarget,
    choose_target,
    mention_stems,
    new_name,
    read_variables,
    without_files,
)

Answering = Generator[Call, Result, list[str]]
"""Yields calls, is sent results, returns the paragraphs of the answer."""


def explore(conversation: Conversation, tools: frozenset[str]) -> Generator[Call, Result, str]:
    """The course of the answer to the conversation's question."""
    language: Language = "zh" if has_chinese(conversation.prompt) else "en"
    course = Course(conversation=conversation, tools=tools, language=language)
    try:
        paragraphs = yield from _answer(course)
    except Stop as stop:
        paragraphs = [str(stop)]
    return "\n\n".join([*filter(None, paragraphs), course.say("disclaimer")])


def _answer(course: Course) -> Answering:
    prompt = course.conversation.prompt
    source = find_code(prompt)
    if source is not None:
        return (yield from _run_as_it_stands(course, source))
    if is_greeting(prompt) or asks_for_abilities(prompt):
        greeting = course.say("hello") if is_greeting(prompt) else ""
        return [greeting, course.say("abilities"), course.say("choose_model")]
    listing = yield from course.attempt("list_variables", {}, "looking")
    if listing.is_error:
        raise Stop(course.failure(listing))
    variables = read_variables(listing.text)
    target = choose_target(course.conversation, variables)
    if isinstance(target, NoTarget):
        return _ask_for_target(course, target)
    fresh = _fresh(course.conversation, variables.names | {target.name})
    if isinstance(target, File):
        schema, profile = yield from load_file(course, target, variables, fresh)
        loaded = course.say("loaded", path=code(target.path), name=code(target.name))
    else:
        schema, profile = yield from profile_frame(course, target, fresh)
        loaded = ""
    return (yield from _answer_about(course, schema, profile, fresh, loaded))


def _run_as_it_stands(course: Course, source: str) -> Answering:
    result = yield from course.run(source, "computing")
    text = result.text.strip()
    return [course.say("ran"), f"```\n{text[:4000]}\n```"] if text else [course.say("ran_nothing")]


def _ask_for_target(course: Course, target: NoTarget) -> list[str]:
    """What there is, and how to ask for it."""
    if target.frames:
        frames = listed([code(name) for name in target.frames], course.language)
        return [course.say("which_frame", frames=frames, first=code(target.frames[0]))]
    others = listed([code(name) for name in target.other_names], course.language)
    lines = [course.say("other_names", names=others)] if others else []
    return [course.say("nothing"), *lines, course.say("abilities"), course.say("choose_model")]


def _fresh(conversation: Conversation, names: frozenset[str]) -> Fresh:
    """Names for variables that replace none of the person's, nor a frame that was loaded."""
    loaded = {name for _, name in conversation.loads}
    taken = names - (conversation.own_names - loaded)
    return lambda name: new_name(name, taken)


def _answer_about(course: Course, schema: Schema, profile: Output, fresh: Fresh, loaded: str) -> Answering:
    prompt = course.conversation.prompt
    query = read_question(without_files(prompt), schema, mention_stems(schema.frame, prompt))
    if isinstance(query, Unclear):
        return [loaded, *_decline(course, query, schema)]
    if schema.library == "csv":
        return [loaded, *_without_libraries(course, query, schema, profile)]
    found = Finding(query=query, schema=schema, output=NO_OUTPUT, language=course.language)
    blank = [column for column in query.columns if column.missing >= schema.rows]
    if blank and query.kind not in ("overview", "missing", "duplicates"):
        return [found.say("no_values", where="", column=code(blank[0].name)), loaded]
    if query.kind == "plot":
        drawn = yield from _draw(course, found, query, fresh)
        return [drawn, loaded, _notes(found)]
    return (yield from _compute(course, query, schema, fresh, loaded))


def _compute(course: Course, query: Query, schema: Schema, fresh: Fresh, loaded: str) -> Answering:
    output = NO_OUTPUT
    if query.kind != "overview" or schema.quantities:
        cells = polars_cells.CELLS if schema.library == "polars" else pandas_cells.CELLS
        result = yield from course.run(cell(cells[query.kind](query, schema, fresh)), "computing")
        output = read_output(result.text)
    found = Finding(query=query, schema=schema, output=output, language=course.language)
    paragraphs = ANSWERS[query.kind](found)
    if query.kind != "overview":
        return [*paragraphs, loaded, _notes(found)]
    picture, drawn = overview_plot(found), ""
    if picture is not None and course.calls < MAX_CALLS:
        drawn = yield from _draw(course, found, picture, fresh)
    return [*paragraphs[:2], loaded, drawn, *paragraphs[2:], _notes(found)]


def _draw(course: Course, found: Finding, picture: Query, fresh: Fresh) -> Generator[Call, Result, str]:
    """The plot's line; a plot that fails costs no answer."""
    source = cell(plot_lines(picture, found.schema, fresh))
    result = yield from course.attempt("run_code", {"code": source}, "drawing")
    if result.is_error and is_code_error(result.text):
        return course.say("no_plot", why=last_line(result.text))
    if result.is_error:
        return course.failure(result)
    names = [column.name for column in picture.columns] + [group.name for group in picture.groups]
    what = listed([code(name) for name in dict.fromkeys(names)], course.language)
    where = found.where if picture is found.query else ""
    return course.say("plotted", kind=course.say(plot_kind(picture)), what=what, where=where)


def _notes(found: Finding) -> str:
    """What the person should know of how the answer came about."""
    query, schema, facts = found.query, found.schema, found.output
    notes = [found.say("reading", word=word, column=code(name)) for word, name in query.readings]
    if query.row_noun and query.kind in ("counts", "share"):
        notes.append(found.say("row_noun", noun=query.row_noun))
    notes += [note for column in query.columns for note in _text_number_notes(found, column.name)]
    if schema.is_sampled and 0 < facts.whole("rows used") < schema.rows:
        notes.append(found.say("sampled", count=number(facts.number("rows used"))))
    if schema.is_sampled and query.kind == "overview":
        notes.append(found.say("sampled_values"))
    if schema.column_count > len(schema.columns):
        every, seen = number(schema.column_count), number(len(schema.columns))
        notes.append(found.say("first_columns", count=seen, all=every))
    return " ".join(notes)


def _text_number_notes(found: Finding, name: str) -> list[str]:
    column = next(column for column in found.query.columns if column.name == name)
    if not column.is_text_number or found.query.kind in ("counts", "missing", "duplicates"):
        return []
    unread = found.output.number("unread")
    left_out = [found.say("unread", count=number(unread), column=code(name))] if unread else []
    return [found.say("text_numbers", column=code(name)), *left_out]


def _without_libraries(course: Course, query: Query, schema: Schema, profile: Output) -> list[str]:
    """An overview from what the profile of Python's csv module gave."""
    rows = tuple({"column": row["summary"], **row} for row in profile.rows if "summary" in row)
    output = Output(rows=rows, facts={})
    found = Finding(query=Query(kind="overview"), schema=schema, output=output, language=course.language)
    only = [] if query.kind == "overview" else [course.say("only_overview_csv")]
    return [*only, *ANSWERS["overview"](found)]


def _decline(course: Course, reason: Unclear, schema: Schema) -> list[str]:
    """Why not, what the frame has, and what can be asked instead."""
    words = [code(word) for word in reason.words] or [code(schema.frame)]
    why = course.say(f"unclear_{reason.reason}", word=words[0], words=listed(words, course.language))
    if reason.reason == "ambiguous":
        choices = listed(words[1:], course.language)
        why = course.say("unclear_ambiguous", word=words[0], words=choices)
    names = listed([code(column.name) for column in schema.columns[:30]], course.language)
    shape = {"rows": number(schema.rows), "columns": number(schema.column_count)}
    known = course.say("known", frame=code(schema.frame), names=names, **shape)
    return [why, known, course.say("abilities"), course.say("choose_model")]
