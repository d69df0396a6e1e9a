"""`%agent skills`: everything found is listed with its state, and nothing in it acts."""

import pytest

from pi_notebook.errors import UsageError
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services
from pi_notebook.ui.commands import run_command
from pi_notebook.ui.completion import complete_line
from pi_notebook.ui.skills import MAX_ROWS
from tests.kernel.client import Kernel
from tests.provider import Provider, text
from tests.skills.folders import Folders, write, write_skill


@pytest.fixture
def folders(tmp_path):
    folders = Folders(tmp_path)
    folders.home.mkdir(mode=0o700)
    folders.environ["PI_NOTEBOOK_HOME"] = str(folders.home)
    return folders


@pytest.fixture
def runtime(folders):
    runtimes = []

    def made():
        runtimes.append(
            AgentSessionRuntime(
                folders.folder, lambda folder: build_services(folder, environ=folders.environ)
            )
        )
        return runtimes[-1]

    yield made
    for one in runtimes:
        one.close()


def test_each_is_listed_with_its_source_and_what_is_wrong(folders, runtime):
    write_skill(folders.home / "skills", "mine", "does mine")
    write_skill(folders.home / "skills", "plotting", "my plots")
    write(folders.home / "skills/bad/SKILL.md", "no front matter")
    write_skill(folders.folder / ".pi/skills", "theirs", "does theirs")
    write(folders.home / "AGENTS.md", "Be kind.")
    write(folders.home / "APPEND_SYSTEM.md", "Really.")
    write(
        folders.home / "prompts/review.md", "---\ndescription: reviews\nargument-hint: FILE\n---\nReview $1"
    )
    lines = [line.split(None, 3) for line in run_command(runtime(), "skills").plain.split("\n") if line]
    states = {(line[0], line[1]): " ".join(line[2:]) for line in lines if len(line) > 2}
    assert states["mine", "user"] == "yes does mine"
    assert states["bad", "user"].startswith("no: it has no description")
    assert states["theirs", "project"].startswith("no: it lies in a folder that is not trusted")
    assert states["plotting", "user"] == "yes my plots"
    assert "has the name of" in states["plotting", "built-in"]
    assert states[str(folders.home / "AGENTS.md"), "user"].endswith("instructions")
    assert states[str(folders.home / "APPEND_SYSTEM.md"), "user"].endswith("extends the system prompt")
    assert states["/review", "FILE"] == "user reviews"
    assert any("%agent trust" in " ".join(line) for line in lines)


def test_one_is_shown_whole_and_a_wrong_name_names_the_right_one(folders, runtime):
    path = write_skill(folders.home / "skills", "mine", "word " * 100)
    shown = run_command(runtime(), "skills mine").plain
    assert str(path) in shown
    assert ("word " * 100).strip() in shown
    with pytest.raises(UsageError, match="mine"):
        run_command(runtime(), "skills mien")


def test_names_complete(folders, runtime):
    write_skill(folders.home / "skills", "mine")
    assert complete_line(runtime(), "%agent skills m") == ["mine"]
    assert "skills" in complete_line(runtime(), "%agent sk")


def test_markdown_of_a_description_loads_no_picture_and_breaks_no_table(folders, runtime):
    write_skill(folders.home / "skills", "mine", "![x](http://evil.example/x.png) ` | <img src=y>")
    markdown = run_command(runtime(), "skills").markdown
    (row,) = [line for line in markdown.split("\n") if "evil" in line]
    assert row.endswith("`! [x](http://evil.example/x.png) ' \\| &lt;img src=y>` |")
    assert row.replace("\\|", "").count("|") == 5


def test_thousands_are_listed_within_bounds_and_what_is_wrong_comes_first(folders, runtime):
    for number in range(900):
        write(folders.home / f"skills/s{number:04}/SKILL.md", "---\ndescription: d\n---\n")
    write(folders.home / "skills/zz/SKILL.md", "broken")
    shown = run_command(runtime(), "skills").plain.split("\n")
    assert shown[2].startswith("zz ")
    assert f"… and {901 + 4 - MAX_ROWS} more" in shown


@pytest.mark.kernel
def test_a_cell_of_a_kernel_sends_the_person_s_guidance_and_a_template_s_text(folders):
    write(folders.home / "AGENTS.md", "Be kind.")
    write_skill(folders.home / "skills", "mine", "does mine")
    write(folders.home / "prompts/review.md", "Review $1 now.")
    write(folders.folder / "AGENTS.md", "Untrusted.")
    with Provider() as provider:
        env = {
            **folders.environ,
            "PI_NOTEBOOK_MODEL": "openai/test",
            "OPENAI_API_KEY": "sk-test-0123456789",
            "OPENAI_API_BASE": provider.base_url,
        }
        kernel = Kernel(env=env, cwd=folders.folder)
        try:
            kernel.run("%load_ext pi_notebook")
            provider.script(text("It is fine."))
            first = kernel.run("%%agent\n/review a.py")
            again = kernel.run("%%agent --replay\n/review a.py")
        finally:
            kernel.close()
        assert not first.errors
        assert not again.errors
        (exchange,) = provider.exchanges
    system, *_, prompt = exchange.body["messages"]
    assert "Be kind." in str(system)
    assert "- mine: does mine" in str(system)
    assert "Untrusted." not in str(exchange.body)
    assert prompt["content"] == "Review a.py now."
    assert "It is fine." in str(again)
    assert "%agent trust" in str(first)
