"""Executing an example notebook in a real kernel, and printing what the agent answered.

Owns no notebook and no agent: it runs what the notebook says with the Python it is itself run by.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

TIMEOUT_SECONDS = 300


def main() -> int:
    """Run the notebook named on the command line; 1 when a cell of it failed."""
    options = parse_options()
    notebook = nbformat.read(options.notebook, as_version=4)
    error = execute(notebook, folder=options.notebook.parent)
    executed = write(notebook, options.output / options.notebook.name)
    answers = find_answers(notebook)
    for answer in answers:
        print(answer, end="\n\n")
    print(f"The executed notebook: {executed}")
    if error:
        print(f"{options.notebook} failed: {error}", file=sys.stderr)
        return 1
    if not answers:
        print(f"{options.notebook} failed: no %%agent cell in it gave an answer", file=sys.stderr)
        return 1
    return 0


def parse_options() -> argparse.Namespace:
    """The notebook and where its executed copy goes."""
    parser = argparse.ArgumentParser(description="Execute a notebook and print the agent's answers.")
    parser.add_argument("notebook", type=Path)
    parser.add_argument("--output", type=Path, default=Path("build/demo"), help="folder of the executed copy")
    return parser.parse_args()


def execute(notebook: nbformat.NotebookNode, *, folder: Path) -> str:
    """Run every cell; the first failure in one line, or nothing."""
    # Else a kernel of the same name in the person's home would run the notebook with another Python.
    os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"
    client = NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=TIMEOUT_SECONDS,
        # That a kernel on loopback is not encrypted is no news to who runs an example.
        extra_arguments=["--IPKernelApp.log_level=ERROR"],
        resources={"metadata": {"path": str(folder)}},
    )
    try:
        client.execute()
    except CellExecutionError as error:
        return f"{error.ename}: {error.evalue}"
    return ""


def write(notebook: nbformat.NotebookNode, path: Path) -> Path:
    """Save `notebook`; where it lies."""
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, path)
    return path.resolve()


def find_answers(notebook: nbformat.NotebookNode) -> list[str]:
    """The last text that each `%%agent` cell left."""
    agent_cells = [
        cell
        for cell in notebook.cells
        if cell.cell_type == "code" and cell.source.lstrip().startswith("%%agent")
    ]
    texts = [[text for output in cell.outputs if (text := read_text(output))] for cell in agent_cells]
    return [found[-1].strip() for found in texts if found]


def read_text(output: nbformat.NotebookNode) -> str:
    """The text of one output, as markdown where it has that form."""
    if output.output_type == "stream":
        return str(output.text) if output.name == "stdout" else ""
    data = output.get("data", {})
    return str(data.get("text/markdown") or data.get("text/plain", ""))


if __name__ == "__main__":
    sys.exit(main())
