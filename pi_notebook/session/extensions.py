"""Python files that add tools, hooks and commands: the person's own, and those of a trusted folder.

Each has a function `setup` that is given an `ExtensionApi`:

    from pi_notebook import tool

    @tool(risk="read")
    async def exchange_rate(context, currency: str) -> str:
        '''The rate of a currency to the euro.'''
        return rates[currency]

    def setup(api):
        api.add_tool(exchange_rate)

        @api.on("before_prompt")
        def known_facts(prompt):
            return "Prices are without tax."

        @api.command("rates", meaning="list the rates")
        def rates_command(session, text):
            return str(rates)

They are run once when a session's services are built. One that fails adds nothing and is told; of
two tools or commands of one name the first counts, ours before all.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import os
import re
import sys
import traceback
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from pi_notebook.agent.foreign import said
from pi_notebook.agent.tools import Tool, ToolContext, ToolResult
from pi_notebook.context.foreign_content import bounded_content
from pi_notebook.errors import UsageError
from pi_notebook.session.diagnostics import Diagnostic
from pi_notebook.session.home import Home, is_ours
from pi_notebook.session.hook_events import HookEvent
from pi_notebook.session.hook_registry import HookRegistry
from pi_notebook.session.setting import Setting
from pi_notebook.session.setting_table import permission_setting
from pi_notebook.session.trust import FolderTrust
from pi_notebook.skills.shown import one_line

logger = logging.getLogger(__name__)

F = TypeVar("F", bound=Callable[..., Any])

MAX_FILES = 100
_MAX_BYTES = 1_000_000
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_MAX_ERROR_CHARS = 300


@dataclass(frozen=True, kw_only=True)
class ExtensionCommand:
    """What follows `%agent`, from an extension."""

    name: str
    meaning: str
    takes: str
    function: Callable[..., Any]
    """Called with the session and what was typed behind the name; gives what is shown."""
    path: Path


class ExtensionApi:
    """What an extension may add; given to its `setup`.

    Parameters
    ----------
    path
        The extension's file.
    folder
        The working folder of the sessions it is loaded for.
    """

    def __init__(self, path: Path, folder: Path) -> None:
        self.path = path
        self.folder = folder
        self.tools: list[Tool] = []
        self.commands: list[ExtensionCommand] = []
        self.hooks = HookRegistry(name=one_line(path.name, 60), place=one_line(str(path), 200))

    def add_tool(self, tool: Tool) -> Tool:
        """Offer `tool`, as the decorator `pi_notebook.tool` makes it, to the model."""
        if not isinstance(tool, Tool):
            raise UsageError("add_tool takes what the decorator pi_notebook.tool makes of a function.")
        _check_name(tool.name)
        self.tools.append(replace(tool, run=_bounded(tool.run)))
        return tool

    def on(self, event: HookEvent) -> Callable[[F], F]:
        """A decorator that registers a hook; see `pi_notebook.on`."""
        return self.hooks.on(event)

    def command(self, name: str, *, meaning: str, takes: str = "") -> Callable[[F], F]:
        """A decorator for what `%agent NAME text` does: called with the session and the text.

        It gives what is shown. `takes` says in `%agent help` what may stand behind the name.
        """
        _check_name(name)

        def register(function: F) -> F:
            command = ExtensionCommand(
                name=name, meaning=meaning, takes=takes, function=function, path=self.path
            )
            self.commands.append(command)
            return function

        return register


@dataclass(frozen=True, kw_only=True)
class Extensions:
    """What the extensions of a folder's sessions add."""

    paths: tuple[Path, ...] = ()
    """Of those that were set up."""
    tools: tuple[Tool, ...] = ()
    commands: Mapping[str, ExtensionCommand] = field(default_factory=dict)
    hooks: HookRegistry = field(default_factory=HookRegistry)
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def settings(self) -> tuple[Setting, ...]:
        """The settings that are there for the sake of the tools."""
        return tuple(permission_setting(tool.name) for tool in self.tools)


def load_extensions(
    home: Home, trust: FolderTrust, *, tools: Collection[str] = (), commands: Collection[str] = ()
) -> Extensions:
    """Set up the person's extensions, and the folder's when it is trusted; nothing is raised.

    `tools` and `commands` are the names of our own.
    """
    diagnostics: list[Diagnostic] = []
    apis: list[ExtensionApi] = []
    for path, code in _sources(home, trust, diagnostics):
        api = ExtensionApi(path, trust.found.folder)
        try:
            _set_up(path, code, api)
        except (KeyboardInterrupt, asyncio.CancelledError):
            raise
        except BaseException as error:  # an exit, or a panic in a library's Rust part, is no Exception
            logger.exception("extension %s failed", path)
            diagnostics.append(_warning(path, f"{_place(error, path)}{_said(error)}. It is not used."))
        else:
            apis.append(api)
    offered = ((api, tool, "tool") for api in apis for tool in api.tools)
    added = ((api, command, "command") for api in apis for command in api.commands)
    return Extensions(
        paths=tuple(api.path for api in apis),
        tools=tuple(_first_of_each(offered, tools, diagnostics).values()),
        commands=_first_of_each(added, commands, diagnostics),
        hooks=HookRegistry(*(api.hooks for api in apis)),
        diagnostics=tuple(diagnostics),
    )


def _sources(home: Home, trust: FolderTrust, diagnostics: list[Diagnostic]) -> Iterator[tuple[Path, bytes]]:
    """Each file with its code: the person's by name, then the folder's."""
    paths = [path for path in sorted((home.root / "extensions").glob("*.py")) if _counts(path)]
    if len(paths) > MAX_FILES:
        diagnostics.append(_warning(paths[MAX_FILES], f"and those after it are not used: {MAX_FILES} are."))
    for path in paths[:MAX_FILES]:
        try:
            yield path, _read(path)
        except OSError as error:
            diagnostics.append(_warning(path, f"{error.strerror}. It is not used."))
    if trust.is_trusted:
        files = [file for file in trust.found.of_kind("extension") if _counts(file.path)]
        yield from ((file.path, file.data) for file in files[:MAX_FILES])


def _counts(path: Path) -> bool:
    return path.name[0] not in "._"


def _read(path: Path) -> bytes:
    """The person's own file; an `OSError` whose text says why it cannot be used."""
    status = path.stat()
    if not (_is_own(status) and _is_own(path.parent.stat())):
        raise OSError(0, "others than you may change it")
    if not path.is_file() or status.st_size > _MAX_BYTES:
        raise OSError(0, f"it is no file of at most {_MAX_BYTES:,} bytes")
    return path.read_bytes()


def _is_own(status: os.stat_result) -> bool:
    """Whether only this user, and a group they let, can have written there."""
    return is_ours(status) and not (status.st_mode & 0o002 and hasattr(os, "geteuid"))


def _set_up(path: Path, code: bytes, api: ExtensionApi) -> None:
    name = f"pi_notebook_extension_{re.sub(r'[^A-Za-z0-9_]', '_', path.stem)}"
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module  # dataclasses of the extension look themselves up there
    exec(compile(code, str(path), "exec", dont_inherit=True), module.__dict__)
    setup = module.__dict__.get("setup")
    if not callable(setup):
        raise UsageError("it has no function setup(api)")
    if inspect.iscoroutinefunction(setup):
        raise UsageError("its setup is a coroutine function; it has to be a plain one")
    setup(api)
    for tool in api.tools:
        _ = tool.definition  # a schema that cannot be made is found now
    are_commands = all(isinstance(command, ExtensionCommand) for command in api.commands)
    if not are_commands or not isinstance(api.hooks, HookRegistry):
        raise UsageError("it changed the lists of the api itself; api.on and api.command add to them")


N = TypeVar("N", Tool, ExtensionCommand)


def _first_of_each(
    found: Iterator[tuple[ExtensionApi, N, str]], taken: Collection[str], diagnostics: list[Diagnostic]
) -> dict[str, N]:
    """By name; what has a name that is taken is told and left out."""
    kept: dict[str, N] = {}
    for api, one, kind in found:
        if one.name in kept or one.name in taken:
            diagnostics.append(_warning(api.path, f"its {kind} {one.name} is not used: the name is taken."))
        else:
            kept[one.name] = one
    return kept


def _bounded(run: Callable[..., Any]) -> Callable[..., Any]:
    """`run` with its result within the bounds that ours keep; a plain function runs on a thread."""

    async def bounded(context: ToolContext, **arguments: Any) -> ToolResult:
        if inspect.iscoroutinefunction(run):
            given = await run(context, **arguments)
        else:
            given = await asyncio.to_thread(run, context, **arguments)
        result = given if isinstance(given, ToolResult) else ToolResult.of_text(str(given))
        return replace(result, content=bounded_content(result.content, context.resources))

    return bounded


def _check_name(name: str) -> None:
    if _NAME.fullmatch(name) is None:
        raise UsageError(f"{name[:64]!r} is no name of a tool or command: letters, digits, _ and - are used")


def _place(error: BaseException, path: Path) -> str:
    """The line of the extension at which it failed, as far as there is one."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return f"line {error.lineno}: "
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    return f"line {frames[-1].lineno}: " if frames else ""


def _said(error: BaseException) -> str:
    if isinstance(error, UsageError):
        return str(error).rstrip(".")
    text = f"{type(error).__name__}: {error.msg}" if isinstance(error, SyntaxError) else said(error)
    return one_line(text, _MAX_ERROR_CHARS).rstrip(".")


def _warning(path: Path, text: str) -> Diagnostic:
    return Diagnostic(level="warning", text=f"The extension {one_line(str(path), 200)}: {text}")
