"""A real JupyterLab on loopback with the panel built from this checkout, and a page of a browser in it."""

from __future__ import annotations

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
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import nbformat
from playwright.sync_api import Locator, Page, sync_playwright

ROOT = Path(__file__).parents[2]
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
START_SECONDS = 60

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
    "notification": {"fetchNews": "false", "checkForUpdates": False, "doNotDisturbMode": True},
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
    module.PanelBuildHook(str(ROOT), {}, None, None, "", "wheel").initialize("standard", {})
    return ROOT / "pi_notebook" / "labextension"


class Lab:
    """A running server; everything it writes is below `folder`."""

    def __init__(self, folder: Path, env: dict[str, str]) -> None:
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
                sys.executable,
                "-m",
                "jupyterlab",
                "--no-browser",
                "--allow-root",
                "--ServerApp.ip=127.0.0.1",
                f"--ServerApp.port={self.port}",
                "--ServerApp.port_retries=0",
                f"--ServerApp.root_dir={self.notebooks}",
                f"--IdentityProvider.token={self.token}",
                "--LabApp.news_url=",
                "--LabApp.expose_app_in_browser=True",
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

    def close(self) -> None:
        self._process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(15)
        self._process.kill()
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
    for name, (display_name, launcher) in KERNELS.items():
        spec = {
            "argv": [sys.executable, "-c", launcher, "-f", "{connection_file}"],
            "display_name": display_name,
            "language": "python",
        }
        (share / "kernels" / name).mkdir(parents=True)
        (share / "kernels" / name / "kernel.json").write_text(json.dumps(spec))
    for name, values in SETTINGS.items():
        file = folder / "settings" / "@jupyterlab" / "apputils-extension" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(values))


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


class LabPage:
    """A page with one notebook and the panel."""

    def __init__(self, page: Page, lab: Lab) -> None:
        self.page = page
        self._lab = lab
        self.panel = page.locator("#pi-notebook-panel")
        self.cells = page.locator(".jp-Notebook:visible .jp-CodeCell")

    def open(self, notebook: str) -> None:
        """Show a notebook alone, wait for its kernel, and open the panel by its command."""
        self.page.goto(f"{self._lab.url}/lab/tree/{notebook}.ipynb?token={self._lab.token}&reset")
        self.wait_idle()
        self.command("pi-notebook:open-panel")

    def wait_idle(self) -> None:
        """Return when the notebook in front has a kernel that waits for work."""
        self.page.wait_for_function(
            "() => { const context = window.jupyterapp?.shell?.currentWidget?.sessionContext;"
            " return context?.isReady && context.session?.kernel?.status === 'idle'; }",
            timeout=60_000,
        )

    def command(self, name: str, **arguments: Any) -> None:
        self.page.evaluate(
            "([name, args]) => window.jupyterapp.commands.execute(name, args)", [name, arguments]
        )

    def reload(self) -> None:
        """Load the page again once the workspace that brings notebook and panel back is saved."""
        self.page.wait_for_function(
            "async () => { const saved = await (await fetch('/lab/api/workspaces/default')).json();"
            " const layout = saved.data['layout-restorer:data'];"
            " return layout?.right?.current === 'pi-notebook-panel' && layout.main?.current; }"
        )
        self.page.reload()
        self.wait_idle()

    def run_cell(self, index: int) -> None:
        self.cells.nth(index).locator(".cm-content").click()
        self.page.keyboard.press("Control+Enter")

    def output(self, index: int) -> Locator:
        """What a cell put out; its source may hold the same text."""
        return self.cells.nth(index).locator(".jp-OutputArea-output")

    def ask(self, text: str) -> None:
        box = self.panel.get_by_label("Prompt")
        box.fill(text)
        box.press("Enter")

    def answer(self, text: str) -> Locator:
        """The answer that has `text`, once it stands there."""
        return self.panel.locator(".jp-pi-Answer").filter(has_text=text)


@contextmanager
def lab_page(lab: Lab) -> Iterator[LabPage]:
    """A page; what its console and its scripts reported as an error fails the test at the end."""
    assert CHROMIUM is not None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS, headless=True)
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        page.set_default_timeout(20_000)
        errors: list[str] = []
        page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        try:
            yield LabPage(page, lab)
        finally:
            browser.close()
    assert errors == []
