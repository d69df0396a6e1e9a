"""A real Jupyter server on loopback with the panel built from this checkout.

It serves JupyterLab at `/lab` and Notebook 7 at `/notebooks`. One serves all tests: `reset` takes
away what a test left in it. `PI_NOTEBOOK_TEST_JUPYTER` chooses the server's interpreter, one that has
jupyterlab, notebook and anywidget, of other releases perhaps; kernels stay those of the tests.
"""

from __future__ import annotations

import fcntl
import importlib.util
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Any

import nbformat
from ipykernel.kernelspec import get_kernel_dict

ROOT = Path(__file__).parents[2]
START_SECONDS = 60
SHUTDOWN_SECONDS = 0.2
"""That a kernel has for its own end; to free all its memory first would take it some more."""

# Each starts a kernel that lacks something; argv[1] is what the kernel launcher is given.
KERNELS = {
    "bare": (
        "Python without the package",
        "import os, sys; "
        "sys.path[:] = [p for p in sys.path if not os.path.isdir(os.path.join(p, 'pi_notebook'))]; "
        "from ipykernel.kernelapp import launch_new_instance; launch_new_instance()",
    ),
    "other": (
        "Another language",
        "from ipykernel.ipkernel import IPythonKernel; "
        "IPythonKernel.language_info = {**IPythonKernel.language_info, 'name': 'R'}; "
        "from ipykernel.kernelapp import launch_new_instance; launch_new_instance()",
    ),
}
SETTINGS = {
    "apputils-extension/notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
        "doNotDisturbMode": True,
    },
}


def build_panel() -> Path:
    """The built panel, made anew when it is not of the sources that are there."""
    script = ROOT / "labextension" / "hatch_build.py"
    spec = importlib.util.spec_from_file_location("hatch_build", script)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    (ROOT / "build").mkdir(exist_ok=True)
    with (ROOT / "build" / "panel.lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another worker finds it built
        module.PanelBuildHook(str(ROOT), {}, None, None, "", "wheel").initialize("standard", {})
    return ROOT / "pi_notebook" / "labextension"


class Lab:
    """A running server; everything it writes is below `folder`."""

    def __init__(self, folder: Path, env: dict[str, str]) -> None:
        self._folder = folder
        self.notebooks = folder / "notebooks"
        self.notebooks.mkdir()
        self.token = secrets.token_hex(16)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self._log = (folder / "server.log").open("wb")
        _install(folder)
        self._process = subprocess.Popen(
            [
                os.environ.get("PI_NOTEBOOK_TEST_JUPYTER", sys.executable),
                "-m",
                "jupyterlab",
                "--no-browser",
                "--allow-root",
                "--ServerApp.ip=127.0.0.1",
                f"--ServerApp.port={self.port}",
                "--ServerApp.port_retries=0",
                f"--ServerApp.root_dir={self.notebooks}",
                f"--IdentityProvider.token={self.token}",
                f"--KernelManager.shutdown_wait_time={SHUTDOWN_SECONDS}",
                "--LabApp.news_url=",
                "--LabApp.expose_app_in_browser=True",
                "--JupyterNotebookApp.expose_app_in_browser=True",
            ],
            env=_environment(folder) | env,
            cwd=folder,
            stdout=self._log,
            stderr=subprocess.STDOUT,
        )
        self._wait()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def notebook(self, name: str, *cells: str, kernel: str = "python3") -> str:
        """Write a notebook; its name."""
        made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        made.metadata["kernelspec"] = {"name": kernel, "display_name": kernel, "language": "python"}
        nbformat.write(made, self.notebooks / f"{name}.ipynb")
        return name

    def set(self, plugin: str, **values: Any) -> None:
        """Write settings of a plugin of JupyterLab, for pages that are opened from now on."""
        _write_settings(self._folder, {plugin: values})

    def reset(self) -> None:
        """End the kernels and forget sessions of the agent, notebooks and settings."""
        for session in json.loads(self.api("GET", "sessions")):
            self.api("DELETE", f"sessions/{session['id']}")
        for folder in (self._folder / "home", self._folder / "settings", self.notebooks):
            _empty(folder)
        _write_settings(self._folder, SETTINGS)

    def api(self, method: str, path: str) -> bytes:
        """What the server answers to a request of its REST interface."""
        request = urllib.request.Request(
            f"{self.url}/api/{path}", method=method, headers={"Authorization": f"token {self.token}"}
        )
        with urllib.request.urlopen(request, timeout=20) as answer:
            content: bytes = answer.read()
        return content

    def close(self) -> None:
        self._process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(15)
        self._process.kill()
        self._process.wait()
        self._log.close()

    def _wait(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while True:
            with suppress(OSError):
                urllib.request.urlopen(f"{self.url}/api?token={self.token}", timeout=5).close()
                return
            assert self._process.poll() is None, Path(self._log.name).read_text()
            assert time.monotonic() < deadline, "the server did not answer"
            time.sleep(0.2)


def _install(folder: Path) -> None:
    """Put the panel, the kernels and the settings where the server looks for them."""
    share = folder / "share"
    (share / "labextensions").mkdir(parents=True)
    (share / "labextensions" / "pi-notebook").symlink_to(build_panel())
    specs = {"python3": get_kernel_dict()} | {
        name: {
            "argv": [sys.executable, "-c", launcher, "-f", "{connection_file}"],
            "display_name": display_name,
            "language": "python",
        }
        for name, (display_name, launcher) in KERNELS.items()
    }
    for name, spec in specs.items():
        (share / "kernels" / name).mkdir(parents=True)
        (share / "kernels" / name / "kernel.json").write_text(json.dumps(spec))
    _write_settings(folder, SETTINGS)


def _write_settings(folder: Path, settings: dict[str, dict[str, Any]]) -> None:
    for name, values in settings.items():
        file = folder / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(values))


def _empty(folder: Path) -> None:
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _environment(folder: Path) -> dict[str, str]:
    return os.environ | {
        "HOME": str(folder),
        "IPYTHONDIR": str(folder / "ipython"),
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "JUPYTER_DATA_DIR": str(folder / "data"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "JUPYTER_PATH": str(folder / "share"),
        "JUPYTERLAB_SETTINGS_DIR": str(folder / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"),
        "PI_NOTEBOOK_HOME": str(folder / "home"),
    }
