"""Sessions from cells of a real kernel: run again, replayed, resumed, forked, found by their notebook."""

import json

import pytest

from tests.kernel.client import Kernel, KernelDied
from tests.provider import Provider, calls, text

pytestmark = pytest.mark.kernel

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


@pytest.fixture(scope="module")
def provider():
    with Provider() as provider:
        yield provider


@pytest.fixture
def started(provider, tmp_path):
    """Starts a kernel for a notebook, each time on the same folder and the same sessions."""
    folder = tmp_path / "folder"
    folder.mkdir()
    kernels = []

    def start(notebook="one.ipynb"):
        for kernel in kernels:
            kernel.close()
        env = provider.environment(tmp_path / "home") | {"JPY_SESSION_NAME": str(folder / notebook)}
        kernels[:] = [Kernel(env=env, cwd=folder)]
        kernels[0].run("%load_ext pi_notebook")
        return kernels[0]

    yield start
    for kernel in kernels:
        kernel.close()
    assert not [problem for exchange in provider.exchanges for problem in exchange.problems]


def ask(kernel, provider, prompt, *replies, cell=None, options=""):
    provider.script(*replies)
    before = len(provider.exchanges)
    metadata = {"cellId": cell} if cell else None
    execution = kernel.run(f"%%agent --auto {options}\n{prompt}", metadata=metadata)
    assert not execution.errors, execution.errors
    return execution, [exchange.body for exchange in provider.exchanges[before:]]


def said(body):
    return [m["content"] for m in body["messages"] if m["role"] == "user" and "<situation>" not in str(m)]


def shown(execution):
    assert not execution.errors, execution.errors
    return "\n".join([*execution.values("text/markdown"), *execution.values()])


def entries_of(tmp_path, kind):
    (path,) = (tmp_path / "home" / "sessions").glob("*/*.jsonl")
    return [entry for entry in map(json.loads, path.read_text().splitlines()) if entry["type"] == kind]


def test_a_cell_that_runs_again_goes_on_before_its_earlier_prompt_and_nothing_is_lost(started, provider):
    kernel = started()
    ask(kernel, provider, "first", text("one"), cell="a")
    ask(kernel, provider, "second", text("two"), cell="b")
    ask(kernel, provider, "third", text("three"), cell="c")
    execution, (body,) = ask(kernel, provider, "second, better", text("again"), cell="b")
    assert said(body) == ["first", "second, better"]
    assert "This cell asked before" in shown(execution)
    tree = shown(kernel.run("%agent tree"))
    for prompt in ("first", "second", "third", "second, better ", "← here"):
        assert prompt in tree
    _, (body,) = ask(kernel, provider, "without an id", text("ok"))
    assert said(body) == ["first", "second, better", "without an id"]
    kernel.run("%agent settings cells.rerun append")
    _, (body,) = ask(kernel, provider, "second once more", text("ok"), cell="b")
    assert said(body)[-1] == "second once more"
    assert len(said(body)) == 4


def test_a_replayed_cell_shows_what_is_recorded_in_a_new_kernel_and_asks_nobody(started, provider, tmp_path):
    kernel = started()
    plot = "import base64\nfrom IPython.display import Image, display\ndisplay(Image(base64.b64decode(PNG)))"
    png = f"PNG = {PNG!r}"
    replies = (calls(("run_code", {"code": f"{png}\nprint('ran')\n{plot}"})), text("The **answer**."))
    ask(kernel, provider, "draw it", *replies, options="--replay")
    kernel = started()
    execution, bodies = ask(kernel, provider, "draw it", options="--replay -o kept")
    assert bodies == []
    told = shown(execution)
    assert "The **answer**." in told
    assert "ran" in told
    assert "no model was asked" in told
    assert execution.values("image/png")
    assert kernel.run("kept").values() == ["'The **answer**.'"]
    assert "NameError" in kernel.run("PNG").errors[0]
    execution, (body,) = ask(kernel, provider, "and now?", text("new"), options="--replay")
    assert said(body)[0] == "draw it"
    assert len(list((tmp_path / "home" / "sessions").glob("*/*.jsonl"))) == 1


def test_resume_takes_the_newest_session_of_this_notebook_before_others(started, provider):
    ask(started("one.ipynb"), provider, "in one", text("1"))
    ask(started("two.ipynb"), provider, "in two", text("2"))
    kernel = started("one.ipynb")
    listed = shown(kernel.run("%agent sessions"))
    assert "in one" in listed
    assert "two.ipynb" in listed
    assert "openai/test" in listed
    assert "1 prompt" in shown(kernel.run("%agent resume"))
    _, (body,) = ask(kernel, provider, "on", text("ok"))
    assert said(body) == ["in one", "on"]


def test_the_kernel_s_death_in_a_call_is_told_and_the_call_is_not_run_again(started, provider, tmp_path):
    kernel = started()
    marker = tmp_path / "folder" / "marker"
    code = f"open({str(marker)!r}, 'a').write('x')\nimport os, signal\nos.kill(os.getpid(), signal.SIGKILL)"
    provider.script(calls(("run_code", {"code": code})), text("never"))
    with pytest.raises(KernelDied):
        kernel.run("%%agent --auto\ndie")
    kernel = started()
    told = shown(kernel.run("%agent resume"))
    assert "run_code was running" in told
    assert "not run again" in told
    _, (body,) = ask(kernel, provider, "what happened?", text("It died."))
    result = next(message for message in body["messages"] if message["role"] == "tool")
    assert "may have run" in str(result["content"])
    assert marker.read_text() == "x"
    assert "was running" not in shown(started().run("%agent resume"))


def test_a_fork_and_a_move_go_on_from_where_they_are_told(started, provider, tmp_path):
    kernel = started()
    for word in ("first", "second", "third"):
        ask(kernel, provider, word, text(f"{word} answer"))
    prompts = [e["id"] for e in entries_of(tmp_path, "message") if e["message"]["role"] == "user"]
    kernel.run("%agent name the long way")
    assert "goes on with 2 prompts" in shown(kernel.run(f"%agent fork {prompts[1]}"))
    _, (body,) = ask(kernel, provider, "in the fork", text("ok"))
    assert said(body) == ["first", "second", "in the fork"]
    listed = shown(kernel.run("%agent sessions"))
    assert "the long way" in listed
    first = next(line for line in listed.splitlines() if "the long way" in line)
    kernel.run(f"%agent resume {first.split('|')[1].strip()}")
    kernel.run(f"%agent tree {prompts[0]} --label start")
    moved = kernel.run(f"%agent tree {prompts[2]} --before")
    assert "before “third”" in shown(moved)
    assert [p["text"] for p in moved.reply["content"]["payload"]] == ["%%agent\nthird"]
    _, (body,) = ask(kernel, provider, "instead", text("ok"))
    assert said(body) == ["first", "second", "instead"]
    assert "start" in shown(kernel.run("%agent tree"))
    assert "no prompt 'zzz'" in shown_error(kernel.run("%agent tree zzz"))


def test_a_session_in_use_elsewhere_is_offered_as_a_copy(started, provider, tmp_path):
    kernel = started()
    ask(kernel, provider, "first", text("one"))
    other = Kernel(env={"PI_NOTEBOOK_HOME": str(tmp_path / "home")}, cwd=tmp_path / "folder")
    with other:
        other.run("%load_ext pi_notebook")
        refused = shown_error(other.run("%agent resume"))
        assert "--copy" in refused
        assert "1 prompt" in shown(other.run("%agent resume --copy"))
    ask(kernel, provider, "on", text("ok"))


def shown_error(execution):
    assert execution.errors
    return " ".join(execution.errors)
