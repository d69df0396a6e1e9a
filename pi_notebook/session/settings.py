"""The values of all settings, and where they come from.

Later over earlier: defaults, the administrator's file, the user's file with its sections by folder,
the folder's own file when it is trusted, the environment, the session. What is wrong in a file or in
the environment is a diagnostic with its place, and the value of the layer below holds.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import platformdirs

from pi_notebook.errors import SettingsError
from pi_notebook.session.diagnostics import Diagnostic
from pi_notebook.session.home import APP, Home, find_home
from pi_notebook.session.setting import Setting, unknown_setting
from pi_notebook.session.setting_table import SETTINGS
from pi_notebook.skills.places import project_places
from pi_notebook.skills.plain_file import lies_within

_MAX_BYTES = 1_000_000
_FOLDERS = "folders"
_PROJECT = "project"

_OF_PI = frozenset(
    """
    branchSummary cacheWarming codemode compaction defaultModel defaultProjectTrust defaultProvider
    defaultThinkingLevel defaultTools enableAnalytics enableInstallTelemetry enableSkillCommands extensions
    followUpMode httpIdleTimeoutMs images packages prompts retry sessionDir shellCommandPrefix shellPath
    showCacheMissNotices skills steeringMode terminal theme themes thinkingBudgets transport warnings
    websocketConnectTimeoutMs
    """.split()  # noqa: SIM905 - as a list it is thirty lines
)
"""Keys of Pi, whose `.pi/settings.json` a folder may share with us."""


@dataclass(frozen=True, kw_only=True)
class SettingRow:
    """A setting as it is listed."""

    name: str
    value: Any
    source: str
    meaning: str


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The values of all settings, each with where it comes from. Changed settings are new ones."""

    table: Mapping[str, Setting] = field(default_factory=lambda: {item.name: item for item in SETTINGS})
    values: Mapping[str, Any] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)

    def get(self, name: str) -> Any:
        """The value of `name`, of the kind that the table says; `SettingsError` for an unknown name."""
        return self.values.get(name, self.setting(name).default)

    def source(self, name: str) -> str:
        """Where the value comes from: `default`, a file, an environment variable or `session`."""
        self.setting(name)
        return self.sources.get(name, "default")

    def setting(self, name: str) -> Setting:
        """The setting of that name; `SettingsError` names the nearest right one."""
        try:
            return self.table[name]
        except KeyError:
            raise unknown_setting(name, self.table) from None

    def parse(self, name: str, text: str) -> Any:
        """The value that a person means by `text` for `name`; `SettingsError` says what is allowed."""
        return self.setting(name).parse(text)

    def rows(self, *names: str) -> list[SettingRow]:
        """The settings of these names, or all in the order of the table."""
        return [
            SettingRow(
                name=name, value=self.get(name), source=self.source(name), meaning=self.setting(name).meaning
            )
            for name in names or self.table
        ]

    def with_values(self, values: Mapping[str, Any], *, source: str) -> Settings:
        """These settings with `values`, checked, over them."""
        checked = {name: self.setting(name).check(value) for name, value in values.items()}
        return replace(
            self,
            values={**self.values, **checked},
            sources={**self.sources, **dict.fromkeys(checked, source)},
        )

    def with_session_values(self, values: Mapping[str, Any]) -> Settings:
        """These settings with what the session recorded over all else.

        What this release does not know, or not so, is left out: a session of another one opens.
        """
        settings = self
        for name, value in values.items():
            with contextlib.suppress(SettingsError):
                settings = settings.with_values({name: value}, source="session")
        return settings


def load_settings(
    folder: Path,
    *,
    trusted: bool,
    environ: Mapping[str, str],
    home: Home | None = None,
    site_file: Path | None = None,
    more: Iterable[Setting] = (),
) -> tuple[Settings, list[Diagnostic]]:
    """The settings that hold in the working folder `folder`, and what was passed over on the way.

    `trusted` lets the folder's own `.pi/settings.json` count; `more` are settings beside those of the
    table. Nothing is raised for a bad file.
    """
    diagnostics: list[Diagnostic] = []
    site = site_file or platformdirs.site_config_path(APP, appauthor=False) / "settings.json"
    user = (home or find_home(environ)).settings_file
    layers = _file_layers(site, "administrator", diagnostics)
    for layer in _file_layers(user, "user", diagnostics):
        own = {key: value for key, value in layer.data.items() if key != _FOLDERS}
        layers += [replace(layer, data=own), *_folder_sections(layer, folder, diagnostics)]
    if trusted:
        layers += _project_layers(folder, diagnostics)
    settings = Settings(table={setting.name: setting for setting in (*SETTINGS, *more)})
    for layer in layers:
        settings = _apply(settings, layer, diagnostics)
    return _apply_environment(settings, environ, diagnostics), diagnostics


@dataclass(frozen=True, kw_only=True)
class _Layer:
    """One file's settings, or one section of it."""

    data: Mapping[str, Any]
    text: str
    path: Path
    source: str
    section: tuple[str, ...] = ()
    """The way from the top of the file to `data`."""

    @property
    def is_project(self) -> bool:
        return self.source == _PROJECT

    def place(self, *key: str) -> str:
        """The file, and the line where `key` stands, as far as it can be found."""
        position = 0
        for part in (*self.section, *key):
            found = re.compile(f"{re.escape(json.dumps(part))}\\s*:").search(self.text, position)
            position = found.start() if found else position
        return f"{self.path}, line {self.text.count(chr(10), 0, position) + 1}"


def _file_layers(path: Path, source: str, diagnostics: list[Diagnostic]) -> list[_Layer]:
    """The layer in the file at `path`; none when there is no file or it is broken."""
    try:
        text = _read(path)
        data = json.loads(text) if text.strip() else {}
        if not isinstance(data, dict):
            raise ValueError("it is not a JSON object")
    except FileNotFoundError:
        return []
    except json.JSONDecodeError as error:
        where = f"{path}, line {error.lineno}"
        diagnostics.append(_warning(where, f"this is not JSON ({error.msg}). The file is not used."))
        return []
    except (OSError, ValueError, RecursionError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        diagnostics.append(_warning(str(path), f"{reason}. The file is not used."))
        return []
    return [_Layer(data=data, text=text, path=path, source=source)]


def _project_layers(folder: Path, diagnostics: list[Diagnostic]) -> list[_Layer]:
    """The layer of the folder's own file; what a link from outside gives was never looked at."""
    path = folder / ".pi" / "settings.json"
    if not lies_within(path, project_places(folder).root):
        diagnostics.append(_warning(str(path), "it is a link that leads out of the project. It is not used."))
        return []
    return _file_layers(path, _PROJECT, diagnostics)


def _read(path: Path) -> str:
    status = path.stat()
    if not path.is_file():
        raise ValueError("it is not a plain file")
    if status.st_size > _MAX_BYTES:
        raise ValueError(f"it is larger than {_MAX_BYTES:,} bytes")
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError("it is not UTF-8") from error


def _folder_sections(layer: _Layer, folder: Path, diagnostics: list[Diagnostic]) -> Iterator[_Layer]:
    """The sections of the user's file for `folder` and those it lies in, the nearest last."""
    sections = layer.data.get(_FOLDERS, {})
    if not isinstance(sections, dict):
        diagnostics.append(_warning(layer.place(_FOLDERS), f"{_FOLDERS} is an object of objects by folder."))
        return
    places = {folder, *folder.parents}
    named = [(Path(os.path.expanduser(name)), name) for name in sections]
    chosen = [(path, name) for path, name in named if path in places]
    for _, name in sorted(chosen, key=lambda item: len(item[0].parts)):
        section = sections[name]
        if isinstance(section, dict):
            yield replace(layer, data=section, source=f"user, for {name}", section=(_FOLDERS, name))
        else:
            where = layer.place(_FOLDERS, name)
            diagnostics.append(_warning(where, "the section of a folder is an object of settings."))


def _apply(settings: Settings, layer: _Layer, diagnostics: list[Diagnostic]) -> Settings:
    for key, name, value in _flattened(layer.data, settings):
        try:
            setting = settings.setting(name)
            if layer.is_project and not setting.from_project:
                raise SettingsError(f"{name} may not be set by a folder's own file.", name=name)
            settings = settings.with_values({name: value}, source=layer.source)
        except SettingsError as error:
            if not (layer.is_project and key[0] in _OF_PI):
                diagnostics.append(_warning(layer.place(*key), f"{error} It is not used."))
    return settings


def _flattened(data: Mapping[str, Any], settings: Settings) -> Iterator[tuple[tuple[str, ...], str, Any]]:
    """Each value with the way to it in the layer and the dotted name it has."""
    todo: list[tuple[tuple[str, ...], Any]] = [((key,), data[key]) for key in reversed(list(data))]
    while todo:
        key, value = todo.pop()
        name = ".".join(key)
        if isinstance(value, dict) and name not in settings.table:
            todo += [((*key, part), value[part]) for part in reversed(list(value))]
        else:
            yield key, name, value


def _apply_environment(
    settings: Settings, environ: Mapping[str, str], diagnostics: list[Diagnostic]
) -> Settings:
    for name, setting in settings.table.items():
        text = environ.get(setting.variable or "", "")
        if not text or setting.variable is None:
            continue
        try:
            settings = settings.with_values({name: setting.parse(text)}, source=setting.variable)
        except SettingsError as error:
            diagnostics.append(_warning(setting.variable, f"{error} It is not used."))
    return settings


def _warning(where: str, text: str) -> Diagnostic:
    return Diagnostic(level="warning", text=f"{where}: {text}")
