"""`%agent continue`, `steer` and `follow` in a real kernel: after a stop, and beside a run that is on."""

import threading

import pytest

from tests.kernel.client import Kernel
from tests.provider import Hang, Provider, Wait, calls, chunk, failure, text
from tests.ui.front_end import FrontEnd

pytestmark = pytest.mark.kernel


@pytest.fixture(scope="module")
def provider():
    with Provider() as provider:
        yield provider


@pytest.fixture(scope="module")
def kernel(provider, tmp_path_factory):
    env = provider.environment(tmp_path_factory.mktemp("home")) | {"PI_NOTEBOOK_MODE": "auto"}
    with Kernel(env=env, cwd=tmp_path_factory.mktemp("folder")) as kernel:
        yield kernel


@pytest.fixture(autouse=True)
def _loaded(kernel, provider):
    provider.script()
    assert kernel.run("%load_ext pi_notebook").status == "ok"
    kernel.run("%agent new")
    yield
    kernel.run("%unload_ext pi_notebook")
    kernel.check_health()
    assert not [problem for exchange in provider.exchanges for problem in exchange.problems]


def code(source):
    return calls(("run_code", {"code": source}))


def shown(execution):
    return "\n".join(execution.values())


def asked(exchange):
    """The person's words; what the program says stands in messages of its own."""
    said = [m["content"] for m in exchange.messages if m["role"] == "user"]
    return [part for content in said for part in ([content] if isinstance(content, str) else content)]


def test_a_stopped_run_goes_on_below_the_cell_and_has_its_thread(kernel, provider):
    provider.script([chunk({"content": "I think"}), Hang()])
    assert kernel.run("%%agent\ngo", interrupt_on="I think").errors == ["RunStopped: "]
    provider.script(
        code("made = 6 * 7\nawait __import__('asyncio').sleep(0)\nprint('made', made)"), text("It is 42.")
    )
    went_on = kernel.run("%agent continue")
    assert went_on.status == "ok"
    assert went_on.values("text/markdown")[-1] == "It is 42."
    assert "made 42" in shown(went_on)
    assert kernel.run("made").values() == ["42"]
    assert "go" in str(asked(provider.exchanges[0])[-1])


@pytest.mark.parametrize(
    "cell", ["%agent continue", "x = 1\n%agent continue", "if True:\n    %agent continue"]
)
def test_a_failed_run_goes_on_wherever_the_line_stands(kernel, provider, cell):
    provider.script(failure(400, "bad request"))
    assert kernel.run("%%agent\ngo").status == "error"
    provider.script(code("print('here')"), text("done"))
    went_on = kernel.run(cell)
    assert (went_on.status, went_on.values("text/markdown")[-1]) == ("ok", "done")
    assert "here" in shown(went_on)


def test_an_interrupt_stops_a_run_that_went_on(kernel, provider):
    provider.script(failure(400, "bad request"))
    kernel.run("%%agent\ngo")
    provider.script(code("import time\nprint('be' + 'gun', flush=True)\ntime.sleep(60)"))
    went_on = kernel.run("%agent continue", interrupt_on="begun")
    assert went_on.errors == ["RunStopped: "]


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("%agent continue", "There is nothing to continue"),
        ("%agent continue --attach x", "belong to a prompt"),
        ("%agent continue please", "'please' is no option"),
        ("%agent steer faster", "No run is on"),
        ("%agent follow and then", "No run is on"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(kernel, cell, message):
    (error,) = kernel.run(cell).contents("error")
    assert message in error["evalue"]
    assert len(error["traceback"]) == 1


def test_a_run_of_the_panel_is_told_from_a_cell_and_what_waits_is_listed(kernel, provider):
    gate = threading.Event()
    provider.script(_waiting(gate), text("b it is"))
    panel = FrontEnd(kernel)
    panel.send("prompt", text="take a")
    provider.wait_for(1)
    assert "before its next answer" in shown(kernel.run("%agent steer take b instead"))
    assert "when it is done" in shown(kernel.run("%agent follow and draw it"))
    listed = shown(kernel.run("%agent steer"))
    assert "take b instead" in listed
    assert "and draw it" in listed
    gate.set()
    panel.wait_idle(since=0)
    assert [str(asked(exchange)[-1]) for exchange in provider.exchanges] == [
        "take a",
        "take b instead",
        "and draw it",
    ]
    assert "Nothing waits" in shown(kernel.run("%agent follow"))
    panel.close()


def test_a_run_in_a_cell_is_told_from_a_thread_of_the_kernel(kernel, provider):
    gate = threading.Event()
    provider.script(_waiting(gate), text("b it is"))
    kernel.run(
        "import threading, time\n"
        "from pi_notebook import current_session\n"
        "session = current_session()\n"
        "def tell():\n"
        "    while True:\n"
        "        try: return session.steer('take b instead')\n"
        "        except Exception: time.sleep(0.01)\n"
        "threading.Thread(target=tell).start()"
    )
    threading.Thread(target=lambda: (provider.wait_for(1), gate.set())).start()
    run = kernel.run("%%agent\ntake a")
    assert run.values("text/markdown")[-1] == "b it is"
    assert "You: take b instead" in shown(run)
    assert str(asked(provider.exchanges[-1])[-1]) == "take b instead"


@pytest.mark.parametrize("cell", ["%%agent\n/compact look after the prices", "%agent compact"])
def test_compacting_from_a_cell_says_what_it_did(kernel, provider, cell):
    (error,) = kernel.run(cell).contents("error")
    assert "nothing to compact" in error["evalue"]
    provider.script(code("prices = [19, 23, 42]"), text("ok"))
    for word in ("one ", "two ", "three "):
        kernel.run("%%agent\n" + word * 6_500)
    provider.script(text("## Goal\nsummary"))
    compacted = kernel.run(cell)
    assert compacted.status == "ok", compacted.errors
    assert "Summarised" in shown(compacted) or "## Goal" in shown(compacted)
    assert len(provider.exchanges) == 1
    assert ("look after the prices" in str(provider.exchanges[0].body)) == ("look" in cell)
    provider.script(text("so be it"))
    kernel.run("%%agent\nand now?")
    again = [str(said) for said in asked(provider.exchanges[0]) if "<in_use" in str(said)]
    assert any("prices = [19, 23, 42]" in said for said in again)


def _waiting(gate):
    return [chunk({"role": "assistant", "content": "I "}), Wait(gate), *text("think")]


def test_a_run_that_never_ends_is_ended_by_its_budget_and_can_go_on(kernel, provider):
    kernel.run("%agent settings budget.tool_calls 3")
    provider.script(code("count = globals().get('count', 0) + 1"))
    (error,) = kernel.run("%%agent\ngo").contents("error")
    assert error["ename"] == "BudgetError"
    assert len(error["traceback"]) == 1
    assert "budget.tool_calls" in error["evalue"]
    assert kernel.run("count").values() == ["3"]
    provider.script(code("count += 1"), text("done"))
    assert kernel.run("%agent continue").values("text/markdown")[-1] == "done"
    assert kernel.run("count").values() == ["4"]
