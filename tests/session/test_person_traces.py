"""What the person does between runs is told when the next begins, and only what is theirs."""

import time

import pytest
from IPython.core.interactiveshell import InteractiveShell

from pi_notebook.agent.entries import CustomEntry
from pi_notebook.context.call_record import LEDGER_TYPE, record_of
from pi_notebook.context.ledger import Ledger, ledger_of
from pi_notebook.kernel.call_watch import CallWatch
from pi_notebook.kernel.effects import CellEffects, VariableEffect
from pi_notebook.kernel.person_cells import PersonCells
from pi_notebook.session.person_traces import PersonTraces


@pytest.fixture
def shell(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shell = InteractiveShell()
    cells = PersonCells(shell, "agent")
    cells.install()
    yield shell
    cells.uninstall()
    shell.history_manager.end_session()


def person(shell, code):
    shell.run_cell(code, store_history=True)


def agent(shell, code):
    with CallWatch(shell, code):
        exec(code, shell.user_ns)


def told(traces):
    effects = traces.effects()
    return {one.name: one.action for one in effects.variables}


def test_variables_of_the_person_are_told_once_and_those_of_the_agent_never(shell):
    traces = PersonTraces(shell, tuple)
    person(shell, "a = [1]; b = 2")
    agent(shell, "c = [1]; d = [1]")
    assert told(traces) == {"a": "created", "b": "created"}
    assert told(traces) == {}
    person(shell, "a.append(2); del b; c.append(2); e = 1")
    agent(shell, "f = 1; del d")
    assert told(traces) == {"a": "changed", "b": "deleted", "c": "changed", "e": "created"}
    person(shell, "e = 'other'")
    agent(shell, "e = []; a = ()")
    assert told(traces) == {}
    person(shell, "del c, f")
    assert told(traces) == {"c": "deleted", "f": "deleted"}


def test_loop_variables_of_either_are_known_to_be_passing(shell):
    traces = PersonTraces(shell, tuple)
    person(shell, "for part in [[1], [2]]:\n    total = part")
    person(shell, "for rows in [[1], [2]]:\n    pass")
    person(shell, "rows = [3]")
    passing = {one.name: one.is_passing for one in traces.effects().variables}
    assert passing == {"part": True, "total": False, "rows": False}
    with CallWatch(shell, "for word in ['ab']:\n    count = [word]") as watch:
        exec("for word in ['ab']:\n    count = [word]", shell.user_ns)
    assert {one.name: one.is_passing for one in watch.effects.variables} == {"word": True, "count": False}


def test_another_session_of_the_kernel_takes_nothing_of_an_agent_for_the_persons(shell):
    first = PersonTraces(shell, tuple)
    told(first)
    agent(shell, "x = [1]")
    person(shell, "y = [1]")
    second = PersonTraces(shell, tuple)
    assert told(second) == {"y": "created"}
    assert told(first) == {"y": "created"}


def test_what_a_session_recorded_already_is_told_again_only_where_it_differs(shell):
    effects = CellEffects(
        variables=tuple(
            VariableEffect(name=name, action="created", type="list", length=1) for name in ("a", "b", "lost")
        )
    )
    record = record_of(effects, folder="/", by="person")
    entry = CustomEntry(id="1", parent_id=None, timestamp="", custom_type=LEDGER_TYPE, data=record.data())
    assert ledger_of([entry]).variables["a"].by == "person"
    person(shell, "a = [1]; b = [1, 2]; c = 1")
    assert told(PersonTraces(shell, lambda: [entry])) == {"b": "created", "c": "created"}


def test_files_are_told_from_the_cells_that_ran(shell, tmp_path):
    for name in ("in.csv", "old.csv", "failed.csv", "unread.csv"):
        (tmp_path / name).write_text("1")
    traces = PersonTraces(shell, tuple)
    person(shell, "import json, missing_package_x")
    person(
        shell,
        "with open('in.csv') as file: text = file.read()\nwith open('out.txt', 'w') as file: file.write('x')",
    )
    person(shell, "from pathlib import Path\nPath('in.csv').read_text()\n'to_csv(\"old.csv\")'")
    person(shell, "Path('late.txt').write_text('x'); 1 / 0; Path('unread.csv').read_text()")
    person(shell, "# agent: ignore\nPath('failed.csv').read_text()")
    effects = traces.effects()
    assert sorted((path.rpartition("/")[2], action, count) for path, action, count in (
        (one.path, one.action, one.count) for one in effects.files
    )) == [("in.csv", "read", 2), ("late.txt", "written", 1), ("out.txt", "written", 1)]  # fmt: skip
    assert {one.witness for one in effects.files} == {"code"}
    assert effects.imports == ("json", "pathlib")
    assert traces.effects() == CellEffects()


def test_doers_are_kept_and_a_summary_says_whose_it_is():
    def made(name, by, call=""):
        variable = VariableEffect(name=name, action="created", type="dict")
        return record_of(CellEffects(variables=(variable,)), folder="/", by=by, call_id=call)

    ledger = Ledger([made("xs", "agent", "1"), made("ys", "person"), made("xs", "person")])
    assert (ledger.variables["xs"].by, ledger.variables["xs"].call_id) == ("person", "")
    assert ledger.changed_in == {"xs": ["1"]}
    assert ledger.text() == "Variables: xs (dict) by the person, ys (dict) by the person"


def test_a_look_at_a_thousand_variables_and_fifty_cells_takes_no_noticeable_time(shell):
    shell.user_ns.update({f"name{number}": [number] for number in range(1_000)})
    for number in range(50):
        person(shell, f"value{number} = {number}\n" * 100)
    traces = PersonTraces(shell, tuple)
    began = time.process_time()
    traces.effects()
    assert time.process_time() - began < 3  # of this process alone, on a machine that is busy
