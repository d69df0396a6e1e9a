"""`%agent export`: what the person is told, and what lies in the folder then."""

from __future__ import annotations

import base64

import nbformat
import pytest

from pi_notebook.agent.messages import ImageContent
from pi_notebook.errors import UsageError
from pi_notebook.session.export import page_markdown
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services
from pi_notebook.session.store import SessionStore
from pi_notebook.ui.export import export
from tests.session.export.scripted import PNG, Script


@pytest.fixture
def runtime(tmp_path):
    runtime = AgentSessionRuntime(tmp_path, build_services)
    yield runtime
    runtime.close()


def fill(runtime):
    script = Script()
    script.prompt("How many?")
    script.run("print(missing)")
    script.run("n = 3\nprint(n, other)") or script.run("n = 3\nprint(n)")
    image = ImageContent(data=PNG, mime_type="image/png")
    script.call("run_code", {"code": "plot(n)"}, "", images=[image])
    script.say("There are **3**.")
    for entry in script.entries:
        runtime.session.store.append(entry)


def test_nothing_is_exported_of_a_session_in_which_nothing_was_asked(runtime, tmp_path):
    with pytest.raises(UsageError, match="nothing was asked"):
        export(runtime, "out.md")
    assert list(tmp_path.iterdir()) == []


def test_a_notebook_is_told_with_what_is_not_in_it(runtime, tmp_path):
    fill(runtime)
    lines = export(runtime, "out.ipynb").lines
    assert "3 code cells" not in lines[0]
    assert lines[0].startswith("2 code cells in **")
    assert lines[1] == "left out: 2 failed attempts, 0 repeated steps"
    assert lines[2] == "made outside the session, so not in it: `plot`"
    book = nbformat.read(tmp_path / "out.ipynb", as_version=4)
    assert book.cells[0].source.startswith("# How many?")
    assert book.metadata.pi_notebook.session == runtime.session.id


def test_a_page_and_a_text_hold_the_conversation_and_pictures_lie_beside_the_text(runtime, tmp_path):
    fill(runtime)
    export(runtime, "out.html")
    assert "There are <strong>3</strong>." in (tmp_path / "out.html").read_text()
    lines = export(runtime, "out.md").lines
    assert lines[1] == f"1 picture in {tmp_path / 'out_files'}"
    assert (tmp_path / "out_files" / "picture-1.png").read_bytes() == base64.b64decode(PNG)
    with pytest.raises(UsageError, match="--force"):
        export(runtime, "out.html")
    export(runtime, "out.md --force")


def test_pictures_are_not_written_over_others(runtime, tmp_path):
    fill(runtime)
    (tmp_path / "out_files").mkdir()
    (tmp_path / "out_files" / "picture-1.png").write_text("mine")
    with pytest.raises(UsageError, match=r"picture-1\.png is there already"):
        export(runtime, "out.md")
    assert (tmp_path / "out_files" / "picture-1.png").read_text() == "mine"
    assert not (tmp_path / "out.md").exists()


def test_without_a_renderer_answers_stand_as_they_are_and_that_is_told(runtime, tmp_path, monkeypatch):
    monkeypatch.setattr(page_markdown, "_renderer", lambda: None)
    fill(runtime)
    assert "pip install 'pi-notebook[export]'" in export(runtime, "out.html").lines[1]
    assert '<div class="plain">There are **3**.</div>' in (tmp_path / "out.html").read_text()


def test_a_session_file_opens_as_the_session_it_was(runtime, tmp_path):
    fill(runtime)
    export(runtime, "out.jsonl")
    opened = SessionStore.open(tmp_path / "out.jsonl", read_only=True)
    assert [entry.id for entry in opened.branch()] == [e.id for e in runtime.session.store.branch()]
