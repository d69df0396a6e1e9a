"""The wheel, built and installed as a person does it: with Python alone, on old and new ones.

The environments are made by uv, which fetches packages by the same index as pip and is quick.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import threading
import zipfile
from contextlib import contextmanager
from pathlib import Path

import nbformat
import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parent.parent
BUILT_OR_LOCAL = shutil.ignore_patterns(
    ".git", ".venv", ".*_cache", ".hypothesis", "__pycache__", "node_modules", "lib", "build", "dist"
)
PANEL_FOLDER = "share/jupyter/labextensions/pi-notebook"
UV = [sys.executable, "-m", "uv"]
# What hosted notebooks pin.
HOSTED_PINS = ("ipython==7.34.*", "ipykernel==6.17.*")

# Without these Chromium asks its maker's servers for news, or cannot start as root.
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
CELLS = [
    "%load_ext pi_notebook",
    "prices = [3.5, 2.0, 4.5]",
    "%%agent --auto\nWhich variables are there?",
]

# One worker builds the wheel once for all of them.
pytestmark = [pytest.mark.install, pytest.mark.timeout(600)]


def run(*command: str | Path, **options) -> str:
    """The output of a command that must succeed; what it said is in the failure."""
    ran = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    assert ran.returncode == 0, f"{command} failed:\n{ran.stdout[-4000:]}\n{ran.stderr[-4000:]}"
    return ran.stdout


def interpreters() -> list[Path]:
    """Every released Python from 3.10 on that is installed here, one of a kind, oldest first."""
    folders = [Path(folder) for folder in os.environ["PATH"].split(os.pathsep) if folder]
    folders += Path.home().glob(".pyenv/versions/*/bin")
    candidates = {python.resolve() for folder in folders for python in folder.glob("python3.[0-9]*")}
    found = {tuple(sys.version_info[:2]): Path(sys.executable)}
    for python in candidates:
        if python.name.rpartition(".")[2].isdigit() and (version := released_version(python)):
            found.setdefault(version, python)
    return [python for _, python in sorted(found.items())]


def released_version(python: Path) -> tuple[int, int] | None:
    code = "import sys, ensurepip; i = sys.version_info; print(i.major, i.minor, i.releaselevel)"
    ran = subprocess.run([python, "-c", code], capture_output=True, text=True)
    if ran.returncode != 0:
        return None
    major, minor, level = ran.stdout.split()
    version = (int(major), int(minor))
    return version if level == "final" and version >= (3, 10) else None


@pytest.fixture(scope="session")
def path_without_node(tmp_path_factory) -> str:
    """A PATH on which no Node is found, whatever else the machine has."""
    folder = tmp_path_factory.mktemp("bin")
    for name in ["sh", "bash", "env", "uname", "git", "cc", "gcc"]:
        if found := shutil.which(name):
            (folder / name).symlink_to(found)
    assert not shutil.which("node", path=str(folder))
    return str(folder)


@pytest.fixture(scope="session")
def dist(tmp_path_factory, path_without_node) -> Path:
    """A folder with the sdist and the wheel, built from sources alone."""
    sources = tmp_path_factory.mktemp("checkout") / "pi-notebook"
    shutil.copytree(ROOT, sources, ignore=BUILT_OR_LOCAL)
    for built in ("labextension", "ui/static"):
        shutil.rmtree(sources / "pi_notebook" / built, ignore_errors=True)
    folder = tmp_path_factory.mktemp("dist")
    environment = {**os.environ, "PATH": path_without_node}
    run(*UV, "build", "--python", sys.executable, "--out-dir", folder, sources, env=environment)
    return folder


@pytest.fixture(scope="session")
def wheel(dist) -> Path:
    return next(dist.glob("*.whl"))


@pytest.fixture(scope="session")
def environment(tmp_path_factory, wheel):
    """Makes a fresh environment with the wheel and whatever else is asked for; its folder."""

    def make(python: Path, *, extras: str = "", pins: tuple[str, ...] = ()) -> Path:
        folder = tmp_path_factory.mktemp("venv")
        run(*UV, "venv", "--quiet", "--allow-existing", "--python", python, folder)
        requirement = f"pi-notebook{extras} @ {wheel.as_uri()}"
        run(*UV, "pip", "install", "--quiet", "--python", folder / "bin" / "python", requirement, *pins)
        return folder

    return make


@pytest.fixture(scope="session")
def newest(environment) -> Path:
    """An environment of the newest Python, JupyterLab included."""
    return environment(interpreters()[-1], extras="[lab]")


def ask_in_kernel(folder: Path, tmp_path: Path) -> str:
    """What a kernel of the environment in `folder` shows for a small question to the offline model."""
    spec = {
        "argv": [str(folder / "bin" / "python"), "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": "fresh",
        "language": "python",
    }
    kernel = tmp_path / "kernels" / "fresh" / "kernel.json"
    kernel.parent.mkdir(parents=True)
    kernel.write_text(json.dumps(spec))
    specs = KernelSpecManager(kernel_dirs=[str(kernel.parent.parent)], ensure_native_kernel=False)
    manager = KernelManager(kernel_name="fresh", kernel_spec_manager=specs)
    home = {"PI_NOTEBOOK_HOME": str(tmp_path / "home"), "IPYTHONDIR": str(tmp_path / "ipython")}
    manager.start_kernel(env={**os.environ, **home}, cwd=str(tmp_path))
    client = manager.blocking_client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)
        shown = [execute(client, code) for code in CELLS]
        return shown[-1]
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def execute(client, code: str) -> str:
    """All text that `code` shows; it must succeed."""
    texts: list[str] = []

    def keep(message) -> None:
        content = message["content"]
        if message["msg_type"] == "stream":
            texts.append(content["text"])
        elif "data" in content:
            texts.append(content["data"].get("text/plain", ""))

    reply = client.execute_interactive(code, output_hook=keep, timeout=120)
    content = reply["content"]
    assert content["status"] == "ok", f"{content.get('ename')}: {content.get('evalue')}\n{texts}"
    return "\n".join(texts)


def write_notebook(path: Path) -> None:
    path.parent.mkdir(parents=True)
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = nbformat.v4.new_notebook(
        metadata={"kernelspec": kernel}, cells=[nbformat.v4.new_code_cell("1")]
    )
    nbformat.write(notebook, path)


@contextmanager
def jupyterlab(folder: Path, tmp_path: Path):
    """JupyterLab of the environment in `folder` on `tmp_path/work`; gives the address of a notebook in it."""
    own = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
    }
    environment = {**os.environ, **{name: str(tmp_path / place) for name, place in own.items()}}
    options = ["--no-browser", "--allow-root", "--ip=127.0.0.1", "--port=0", "--IdentityProvider.token=t"]
    with subprocess.Popen(
        [folder / "bin" / "jupyter", "lab", *options],
        cwd=tmp_path / "work",
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        base = next(
            found[0] for line in server.stderr if (found := re.search(r"http://127\S+:\d+/lab", line))
        )
        # A pipe that nobody reads would stop the server once it is full.
        drain = threading.Thread(target=server.stderr.read)
        drain.start()
        try:
            yield lambda notebook: f"{base}/tree/{notebook}?token=t"
        finally:
            server.terminate()
            drain.join(timeout=20)
            # JupyterLab may wait for a thread of its own for ever, after it has stopped its kernels.
            server.kill()
            drain.join()


@contextmanager
def chromium():
    """The system's Chromium."""
    names = ["chromium", "chromium-browser", "google-chrome"]
    found = next(filter(None, map(shutil.which, names)), None)
    if not found:
        pytest.skip("No Chromium here: install the package 'chromium'.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=CHROMIUM_FLAGS)
        yield browser
        browser.close()


def test_the_wheel_carries_the_panel_where_jupyterlab_looks(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    shared = {name.partition(".data/data/")[2] for name in names}
    assert {f"{PANEL_FOLDER}/package.json", f"{PANEL_FOLDER}/install.json"} <= shared
    assert any(name.startswith(f"{PANEL_FOLDER}/static/remoteEntry.") for name in shared)
    assert not [name for name in names if "node_modules" in name or "/tests/" in name]


def test_the_wheel_carries_the_inspector_beside_the_code_that_shows_it(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {"pi_notebook/ui/static/inspector.js", "pi_notebook/ui/static/inspector.css"} <= set(names)


def test_the_sdist_carries_the_built_panel_and_its_sources(dist):
    with tarfile.open(next(dist.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    built = {"pi_notebook/labextension/sources.sha256", "pi_notebook/ui/static/inspector.js"}
    assert built | {"labextension/src/plugin.ts", "LICENSE"} <= names


def test_the_agent_answers_on_the_oldest_python(environment, tmp_path):
    assert "prices" in ask_in_kernel(environment(interpreters()[0]), tmp_path)


def test_the_agent_answers_on_what_hosted_notebooks_pin(environment, tmp_path):
    assert "prices" in ask_in_kernel(environment(interpreters()[0], pins=HOSTED_PINS), tmp_path)


def test_the_agent_answers_on_the_newest_python(newest, tmp_path):
    assert "prices" in ask_in_kernel(newest, tmp_path)


def test_jupyterlab_lists_the_panel(newest):
    listed = subprocess.run(
        [newest / "bin" / "jupyter", "labextension", "list"], capture_output=True, text=True, check=True
    )
    panel = next(line for line in (listed.stdout + listed.stderr).splitlines() if "pi-notebook" in line)
    assert "enabled" in panel
    assert "OK" in panel


def saves_the_open_panel(response) -> bool:
    """Whether JupyterLab has just stored a layout in which the panel is in front."""
    if response.request.method != "PUT" or "/api/workspaces" not in response.url:
        return False
    layout = json.loads(response.request.post_data)["data"]["layout-restorer:data"]
    return layout.get("right", {}).get("current") == "pi-notebook-panel"


@pytest.mark.browser
def test_the_panel_opens_in_jupyterlab_and_comes_back_after_a_reload(newest, tmp_path):
    write_notebook(tmp_path / "work" / "penguins.ipynb")
    with jupyterlab(newest, tmp_path) as url, chromium() as browser:
        page = browser.new_page()
        page.goto(url("penguins.ipynb"))
        with page.expect_response(saves_the_open_panel):
            page.get_by_role("tab", name="Agent").click()
        words = page.get_by_role("region", name="Agent").get_by_text(re.compile(r"\w")).first
        words.wait_for()
        page.reload()
        words.wait_for()
