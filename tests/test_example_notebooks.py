"""The example notebooks run in a real kernel, and what the agent says in them is true."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pandas as pd
import pytest
from nbclient import NotebookClient

from tests.models.offline.markdown import figure, rounded, tables

pytestmark = pytest.mark.kernel

FOLDER = Path(__file__).parent.parent / "example_notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


@pytest.fixture(scope="module")
def penguins():
    return pd.read_csv(FOLDER / "data" / "penguins.csv")


@pytest.fixture(scope="module")
def quickstart(tmp_path_factory):
    """The quickstart's cells by id, executed."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("PI_NOTEBOOK_HOME", str(tmp_path_factory.mktemp("home")))
        environment.setenv("JUPYTER_PREFER_ENV_PATH", "1")
        notebook = nbformat.read(FOLDER / "01_quickstart.ipynb", as_version=4)
        client = NotebookClient(
            notebook,
            kernel_name="python3",
            timeout=120,
            extra_arguments=["--IPKernelApp.log_level=ERROR"],
            resources={"metadata": {"path": str(FOLDER)}},
        )
        client.execute()
    return {cell.id: cell for cell in notebook.cells}


def texts(cell, mime_type):
    return ["".join(output.data[mime_type]) for output in cell.outputs if mime_type in output.get("data", {})]


def answer(cell):
    """The last markdown that a cell left."""
    return texts(cell, "text/markdown")[-1]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_is_valid_and_stores_no_output(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    assert notebook.metadata.kernelspec.name == "python3"
    assert [cell.id for cell in notebook.cells if cell.get("outputs")] == []
    assert [cell.id for cell in notebook.cells if cell.get("execution_count")] == []


def test_no_cell_of_the_quickstart_writes_to_stderr(quickstart):
    outputs = [output for cell in quickstart.values() for output in cell.get("outputs", [])]
    assert [output.text for output in outputs if output.get("name") == "stderr"] == []


def test_the_overview_names_the_strongest_correlation_and_the_shape(quickstart, penguins):
    said = answer(quickstart["explore"])
    r = penguins["flipper_length_mm"].corr(penguins["body_mass_g"])
    assert f"`flipper_length_mm` and `body_mass_g` rise together** (correlation {r:.3f})" in said
    assert f"**{penguins.shape[0]} rows and {penguins.shape[1]} columns**" in said


def test_the_tables_of_the_overview_are_those_of_pandas(quickstart, penguins):
    columns, numbers, means = tables(answer(quickstart["explore"]))
    for row in columns:
        assert figure(row["missing"]) == penguins[row["column"]].isna().sum()
        assert figure(row["distinct values"]) == penguins[row["column"]].nunique()
    for row in numbers:
        values = penguins[row["column"]]
        wanted = [values.mean(), values.std(), values.min(), values.median(), values.max()]
        said = [row[name] for name in ("mean", "standard deviation", "minimum", "median", "maximum")]
        assert said == [rounded(value) for value in wanted]
    for row in means:
        of_species = penguins[penguins["species"] == row["species"]]
        assert figure(row["rows"]) == len(of_species)
        for name in row.keys() - {"species", "rows"}:
            assert row[name] == rounded(of_species[name].mean())


def test_the_overview_leaves_one_plot(quickstart):
    assert len(texts(quickstart["explore"], "image/png")) == 1


def test_a_variable_that_the_agent_made_is_there_in_the_next_cell(quickstart, penguins):
    wanted = penguins.groupby("species")["body_mass_g"].mean().round()
    assert texts(quickstart["use"], "text/plain")[-1] == repr(wanted)


def test_a_narrow_question_gets_its_numbers(quickstart, penguins):
    (means,) = tables(answer(quickstart["focus"]))
    wanted = penguins[penguins["sex"] == "female"].groupby("species")["body_mass_g"].agg(["mean", "count"])
    assert {row["species"]: row["mean"] for row in means} == wanted["mean"].map(rounded).to_dict()
    assert {row["species"]: figure(row["count"]) for row in means} == wanted["count"].to_dict()


def test_every_answer_says_once_that_no_language_model_gave_it(quickstart):
    for name in ("explore", "focus"):
        assert answer(quickstart[name]).count("not a language model") == 1


def test_the_status_names_the_model_and_the_mode(quickstart):
    status = answer(quickstart["status"])
    assert "offline" in status
    assert "ask" in status
