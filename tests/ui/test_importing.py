"""`%agent import FILE`, up to the next request."""

import json

import pytest

from pi_notebook.errors import SessionFormatError, UsageError
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services
from pi_notebook.ui.importing import import_

LINE = {
    "type": "user",
    "uuid": "u",
    "sessionId": "s",
    "message": {"role": "user", "content": "How many rows?"},
}


@pytest.fixture
def runtime(tmp_path):
    runtime = AgentSessionRuntime(tmp_path, build_services)
    yield runtime
    runtime.close()


@pytest.mark.parametrize("name", ["theirs.jsonl", "'theirs.jsonl'", "{folder}/theirs.jsonl"])
def test_the_session_of_another_program_goes_on_in_this_folder(runtime, tmp_path, name):
    (tmp_path / "theirs.jsonl").write_text(json.dumps(LINE) + "\n")
    before = runtime.session.id
    report = import_(runtime, name.format(folder=tmp_path))
    assert runtime.session.id != before
    assert runtime.session.services.folder == tmp_path
    assert [message.content for message in runtime.session.messages] == ["How many rows?"]
    assert report.lines == (
        f"session **{runtime.session.id}** goes on with what `theirs.jsonl` holds",
        "Claude Code: 1 message, 0 tool calls.",
    )


def test_without_a_file_it_is_said_what_can_be_imported(runtime):
    with pytest.raises(UsageError, match=r"Name a file: %agent import FILE\. .*Claude Code"):
        import_(runtime, " ")


@pytest.mark.parametrize("name", ["~nobody-of-this-name/x.jsonl", "a\0b.jsonl", "n" * 300])
def test_a_name_that_no_file_has_is_told(runtime, name):
    with pytest.raises(SessionFormatError, match="cannot be imported: "):
        import_(runtime, name)


def test_what_cannot_be_imported_leaves_the_session_that_is_there(runtime, tmp_path):
    (tmp_path / "notes.jsonl").write_text("some notes\n")
    before = runtime.session
    with pytest.raises(SessionFormatError, match=r"notes\.jsonl is no session that can be imported"):
        import_(runtime, "notes.jsonl")
    assert runtime.session is before
