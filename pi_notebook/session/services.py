"""Everything a session has that depends on its working folder, built once and shared with no other.

What is wrong with a folder's settings becomes a diagnostic, not an exception.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pi_notebook import _loading
from pi_notebook._loading import installed
from pi_notebook.agent.protocols import Model, ToolDefinition
from pi_notebook.agent.tools import Tool
from pi_notebook.context.policies.bounds import Bounds
from pi_notebook.context.policies.policy import ContextPolicy
from pi_notebook.context.previews.frame_spills import FrameSpills
from pi_notebook.context.previews.references import Variables
from pi_notebook.context.spill import SpillFolder
from pi_notebook.context.system_prompt import PromptLimits, SystemPrompt, build_prompt
from pi_notebook.context.tokens import count_tokens
from pi_notebook.context.truncation import OutputLimits
from pi_notebook.context.variables import VariableNote, variable_notes
from pi_notebook.errors import PiNotebookError
from pi_notebook.kernel.executor import CodeExecutor, call_if_free
from pi_notebook.kernel.history import CellHistory
from pi_notebook.kernel.namespace import VariableInfo, list_variables
from pi_notebook.models import model_names, needs_litellm
from pi_notebook.models.failover import model_with_fallbacks
from pi_notebook.session.diagnostics import Diagnostic
from pi_notebook.session.extensions import Extensions, load_extensions
from pi_notebook.session.guidance import Guidance, find_guidance, prompt_limits
from pi_notebook.session.home import Home, find_home
from pi_notebook.session.settings import Settings, load_settings
from pi_notebook.session.trust import FolderTrust, folder_trust
from pi_notebook.skills.places import user_places
from pi_notebook.tools import default_tools
from pi_notebook.tools.history import HistorySearch
from pi_notebook.tools.json_filter import JsonFilter, find_json_filter
from pi_notebook.tools.list_variables import VariableList
from pi_notebook.tools.manage_context import ResultEdits
from pi_notebook.tools.needs import QueryEngine, Shell, WorkingFolder, find_query_engine, find_shell
from pi_notebook.tools.notebook_cells import notebook_tools
from pi_notebook.tools.run_code import CodeLimits

_VARIABLES_SECONDS = 1.0


@dataclass(frozen=True, kw_only=True)
class AgentSessionServices:
    """What a session of one folder works with."""

    folder: Path
    home: Home
    settings: Settings
    diagnostics: tuple[Diagnostic, ...]
    tools: tuple[Tool, ...]
    definitions: tuple[ToolDefinition, ...]
    """What the model is told of the tools, in the order it is sent."""
    trust: FolderTrust
    """What the folder brings, and whether it is used."""
    extensions: Extensions
    """Tools, hooks and commands of the person's own making, and of a trusted folder's."""
    guidance: Guidance
    """Instructions, skills and prompt templates."""
    prompt: SystemPrompt
    """The system prompt by its sections, for a window that has room for all of it."""
    shell: Any = None
    """The IPython shell whose variables the tools see; None outside a kernel."""
    _frame_spills: dict[SpillFolder, FrameSpills] = field(default_factory=dict, repr=False, compare=False)
    """By folder, so that a session's next run knows what the one before has written."""

    @property
    def system_prompt(self) -> str:
        """The text of `prompt`."""
        return self.prompt.text

    def prompt_for(self, context_window: int, limits: PromptLimits | None = None) -> SystemPrompt:
        """The system prompt for a window of so many tokens.

        What stands in files is kept within `limits`, by default the settings', and its share of the window.
        """
        bounds = (limits or prompt_limits(self.settings)).within(context_window)
        return build_prompt(self.definitions, self.guidance.texts, bounds)

    def with_notebook(self) -> AgentSessionServices:
        """The same with the tools for a notebook that is open in a panel, at the end of all others."""
        names = {tool.name for tool in self.tools}
        more = tuple(tool for tool in notebook_tools() if tool.name not in names)
        if not more:
            return self
        definitions = (*self.definitions, *(tool.definition for tool in more))
        return replace(self, tools=(*self.tools, *more), definitions=definitions)

    @property
    def model_names(self) -> list[str]:
        """Names that can be chosen, for completion; there are many more."""
        return model_names()

    def model(self, settings: Settings) -> Model:
        """The model that `settings` name; raises `ModelError` or `UsageError` when there is none such."""
        others = settings.get("fallback_models") or ""
        return model_with_fallbacks(
            settings.get("model"),
            [name.strip() for name in others.split(",") if name.strip()],
            context_window=settings.get("context_window"),
            thinking=settings.get("thinking"),
        )

    def model_or_offline(self, settings: Settings) -> tuple[Model, tuple[Diagnostic, ...]]:
        """The model that `settings` name; `offline`, with what to tell, when there is none such.

        Where only one of those that stand in is none, nobody stands in.
        """
        try:
            return self.model(settings), ()
        except PiNotebookError as error:
            told = error
        alone = settings.with_session_values({"fallback_models": None})
        where = f"fallback_models, {settings.source('fallback_models')}"
        outcome = f"No other model stands in for {settings.get('model')}."
        try:
            model = self.model(alone)
        except PiNotebookError as error:
            told, where = error, settings.source("model")
            outcome = "Until another is chosen, the model is offline."
            model = self.model(alone.with_session_values({"model": "offline"}))
        return model, (Diagnostic(level="warning", text=f"{told} (From {where}.) {outcome}"),)

    def bounds(self, settings: Settings, policy: ContextPolicy, context_window: int) -> dict[type, Any]:
        """How large one text may be, for the tools that bound theirs."""
        wanted = OutputLimits(
            max_lines=settings.get("output.max_lines"), max_bytes=settings.get("output.max_bytes")
        )
        bounds = policy.bounds(Bounds(output=wanted, read=wanted), context_window)
        return {Bounds: bounds, OutputLimits: bounds.output}

    def resources(self, session_id: str, settings: Settings | None = None) -> dict[type, Any]:
        """The objects tools ask for, by what they ask with; `bounds` gives the rest."""
        values = settings or self.settings
        found: dict[type, Any] = {
            WorkingFolder: WorkingFolder(path=self.folder),
            SpillFolder: SpillFolder(
                path=self.home.spill_folder(session_id),
                max_call_bytes=values.get("spill.max_call_bytes"),
                max_session_bytes=values.get("spill.max_session_bytes"),
                max_frame_bytes=values.get("spill.max_frame_bytes"),
            ),
            CodeLimits: CodeLimits(timeout_seconds=values.get("code.timeout_seconds")),
        }
        if (command_shell := find_shell()) is not None:
            found[Shell] = command_shell
        if (json_filter := find_json_filter()) is not None:
            found[JsonFilter] = json_filter
        if (query_engine := find_query_engine()) is not None:
            found[QueryEngine] = query_engine
        if self.shell is not None:
            found[VariableList] = found[Variables] = ShellVariables(self.shell)
            found[CellHistory] = CellHistory(self.shell)
            folder = found[SpillFolder]
            found[FrameSpills] = self._frame_spills.setdefault(folder, FrameSpills(folder))
        return found

    async def variable_notes(self, executor: CodeExecutor | None) -> Mapping[str, VariableNote] | None:
        """The person's variables in words; None when they cannot be looked at now, as while a cell runs."""
        if executor is None or self.shell is None:
            return None
        found = await call_if_free(
            executor, ShellVariables(self.shell).describe, timeout_seconds=_VARIABLES_SECONDS
        )
        return None if found is None else variable_notes(found)


class ShellVariables:
    """The variables of an IPython shell, for the tools that look at them."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell

    def describe(self) -> Sequence[VariableInfo]:
        """Every variable, described without being evaluated."""
        return list_variables(self._shell)

    def names(self) -> list[str]:
        """The names the person sees."""
        hidden = self._shell.user_ns_hidden
        return [name for name in self._shell.user_ns if name not in hidden and not name.startswith("_")]

    def get(self, name: str) -> object:
        """The object of that name; `KeyError` when there is none."""
        return self._shell.user_ns[name]


def _usable(tools: Sequence[Tool], shell: Any) -> tuple[Tool, ...]:
    """Those of `tools` that can be given here what they need."""
    offered: set[type] = {WorkingFolder, OutputLimits, SpillFolder, CodeLimits, HistorySearch, ResultEdits}
    if find_shell() is not None:
        offered.add(Shell)
    if find_json_filter() is not None:
        offered.add(JsonFilter)
    if find_query_engine() is not None:
        offered.add(QueryEngine)
    if shell is not None:
        offered |= {CodeExecutor, VariableList, Variables}
    return tuple(tool for tool in tools if set(tool.needs) <= offered)


def build_services(
    folder: Path,
    *,
    shell: Any = None,
    environ: Mapping[str, str] | None = None,
    commands: Collection[str] = (),
) -> AgentSessionServices:
    """The services of `folder`; never raises for what stands in its files or the environment.

    What the folder itself brings, settings, instructions, skills, templates and extensions, counts only
    where the person trusts it. `commands` are the front end's own, which extensions cannot replace.
    """
    environment = os.environ if environ is None else environ
    home = find_home(environment)
    user = user_places(home.root, environment)
    trust = folder_trust(Path(os.path.abspath(folder)), home, user)
    own = [tool.name for tool in (*default_tools(), *notebook_tools())]
    extensions = load_extensions(home, trust, tools=own, commands=commands)
    settings, diagnostics = load_settings(
        folder, home=home, trusted=trust.is_trusted, environ=environment, more=extensions.settings
    )
    limits = prompt_limits(settings)
    guidance = find_guidance(folder, user=user, is_trusted=trust.is_trusted, limits=limits)
    tools = _usable((*default_tools(), *extensions.tools), shell)
    definitions = tuple(tool.definition for tool in tools)
    return AgentSessionServices(
        folder=folder,
        home=home,
        settings=settings,
        diagnostics=(*trust.diagnostics, *diagnostics, *guidance.diagnostics, *extensions.diagnostics),
        tools=tools,
        definitions=definitions,
        trust=trust,
        extensions=extensions,
        guidance=guidance,
        prompt=build_prompt(definitions, guidance.texts, limits),
        shell=shell,
    )


def warm(folder: Path) -> None:
    """Load what the model chosen for `folder` needs, so that the first request does not wait for it.

    For a thread of its own: importing litellm takes seconds. What is wrong is told when it is used.
    """
    settings, _ = load_settings(folder, trusted=False, environ=os.environ)
    warm_model(settings.get("model"))


def warm_model(name: str) -> None:
    """Load what that model needs; as `warm` does."""
    if needs_litellm(name):
        with _loading.lock, installed():
            from pi_notebook.models.litellm_model import warm as warm_litellm
        warm_litellm()


def warm_previews() -> None:
    """Load what looking at values needs, half a second and 90 MB: for a thread, when a run begins.

    Not with the extension: a kernel in which nobody asks shall not hold the memory.
    """
    with installed():
        import narwhals  # noqa: F401

    count_tokens("ready")
