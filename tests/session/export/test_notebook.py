"""A clean notebook of a session: what is kept, that it makes what the session made, and how it is written."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_notebook.agent.messages import ImageContent, TextContent
from pi_notebook.context.call_record import FileNote, VariableNote
from pi_notebook.session.export.notebook import notebook
from pi_notebook.session.export.texts import masking
from tests.session.export.scripted import PNG, Script, execute, kept, plain_variables

FOLDER = Path("/data/sales")


def exported(script, *, into=FOLDER, title="Sales"):
    made = notebook(script.entries, session_id="s", title=title, folder=FOLDER, into=into, mask=masking())
    book = nbformat.reads(made.text, as_version=4)
    nbformat.validate(book)
    return made, book.cells


def code_of(script, **options):
    return [cell.source for cell in exported(script, **options)[1] if cell.cell_type == "code"]


def prose_of(script):
    return [cell.source for cell in exported(script)[1] if cell.cell_type == "markdown"]


def session(*codes):
    """One run that ran these."""
    script = Script()
    script.prompt()
    for code in codes:
        script.run(code)
    script.say("Done.")
    return script


def test_prompts_answers_and_code_stand_in_their_order():
    script = Script()
    script.prompt("How many?\nExactly.")
    script.run("n = 3\nprint(n)", say="I count.")
    script.say("There are **3**.")
    _, cells = exported(script)
    assert [(c.cell_type, c.source) for c in cells[1:]] == [
        ("markdown", "> How many?\n> Exactly."),
        ("markdown", "I count."),
        ("code", "n = 3\nprint(n)"),
        ("markdown", "There are **3**."),
    ]
    assert cells[3].outputs == [{"output_type": "stream", "name": "stdout", "text": "3\n"}]


def test_a_failed_attempt_is_left_out_with_what_was_said_before_it():
    script = Script()
    script.prompt()
    script.run("x = undefined_name", say="A first try.")
    script.run("x = 1", say="A second try.")
    assert code_of(script) == ["x = 1"]
    assert "A first try." not in prose_of(script)
    assert "1 failed attempt" in prose_of(script)[0]


def test_what_a_failed_cell_made_before_it_failed_is_kept_where_later_code_needs_it():
    script = session("n = 4\nm = 5\n\nn.missing()", "print(n + 1)")
    assert code_of(script) == ["n = 4\nm = 5", "print(n + 1)"]


def test_of_a_failed_cell_whose_imports_alone_are_needed_only_they_are_kept():
    script = session("import math\nprint('x')\nmath.missing()", "print(math.pi)")
    assert code_of(script) == ["import math", "print(math.pi)"]


def test_a_failure_in_a_function_is_found_at_the_line_that_called_it():
    script = session("def f(x):\n    y = 1\n    return 1 / x", "n = 1\nf(0)\nn = 2", "print(n)")
    assert code_of(script)[1] == "n = 1"


def test_a_failed_cell_without_a_traceback_keeps_what_it_was_seen_to_make():
    script = Script()
    script.prompt()
    note = VariableNote(name="n", action="created", type="int")
    script.call("run_code", {"code": "n = 1\nwait()\nm = 2"}, "Stopped.", is_error=True, variables=[note])
    script.run("n = 1")
    script.entries = [*script.entries]
    script.call("run_code", {"code": "print(n)"})
    assert code_of(script) == ["n = 1", "print(n)"]


def test_a_call_without_a_result_is_left_out():
    script = Script()
    script.prompt()
    script.call("run_code", {"code": "n = 1"}, None)
    assert code_of(script) == []


def test_an_older_version_of_a_step_is_left_out_when_it_showed_nothing_and_nothing_used_it():
    script = session(
        "def area(r):\n    return 3 * r", "def area(r):\n    return 3.14 * r * r", "print(area(2))"
    )
    assert code_of(script) == ["def area(r):\n    return 3.14 * r * r", "print(area(2))"]


def test_an_older_version_stays_when_something_used_it():
    codes = ["def area(r):\n    return 3 * r", "a = area(2)", "def area(r):\n    return 3.14 * r * r"]
    assert code_of(session(*codes)) == codes


def test_an_older_version_that_showed_something_stays_unless_the_later_one_does_all_of_it():
    codes = ["n = 1\nprint(n)", "n = 2\nprint(n)"]
    assert code_of(session(*codes)) == codes
    assert code_of(session("n = 1\nprint(n)", "n = 1\nm = 2\nprint(n)")) == ["n = 1\nm = 2\nprint(n)"]


def test_the_imports_of_a_step_that_is_left_out_stay():
    script = session(
        "import math\nn = math.floor(2.5)",
        "n = round(2.5) + 1\nm = math.ceil(n)",
        "import math\nn = math.floor(3.5)",
    )
    assert code_of(script)[0] == "import math"


def test_a_step_that_was_repeated_on_the_same_values_stands_once():
    assert code_of(session("n = 1", "m = n + 1\nprint(m)", "m = n + 1\nprint(m)")) == [
        "n = 1",
        "m = n + 1\nprint(m)",
    ]


def test_a_step_that_was_repeated_on_other_values_stands_twice():
    codes = ["n = 1", "m = n + 1\nprint(m)", "n = 2", "m = n + 1\nprint(m)"]
    assert code_of(session(*codes)) == codes


def test_a_step_that_adds_to_a_value_stands_as_often_as_it_ran():
    codes = ["n = []", "n.append(1)", "n.append(1)", "k = 0", "k += 1", "k += 1"]
    assert code_of(session(*codes)) == codes


def test_the_same_question_for_another_group_is_no_older_version():
    script = Script()
    data = "rows = [1, 2, 3]"
    first, second = "by = [r for r in rows if r > 1]\nprint(by)", "by = [r for r in rows if r > 2]\nprint(by)"
    script.prompt()
    script.run(data)
    script.run(first)
    script.prompt()
    script.run(second)
    assert code_of(script) == [data, first, second]


def test_imports_stand_once_at_the_top_with_future_first():
    script = session(
        "import json\nimport math as m\n\nn = m.floor(1.5)",
        "from __future__ import annotations\nfrom os import path\nimport json\nk = json.dumps(n)",
        "from os import sep",
    )
    assert code_of(script) == [
        "from __future__ import annotations\nimport json\nimport math as m\nfrom os import path, sep",
        "n = m.floor(1.5)",
        "k = json.dumps(n)",
    ]


def test_an_import_stays_where_its_name_means_two_things_or_it_depends_on_what_is_before_it():
    codes = [
        "try:\n    import json\nexcept ImportError:\n    json = None",
        "from os import path\nn = path.sep",
        "from os import sep as path\nm = path",
        "import sys\nsys.path.append('/nowhere')\nimport colorsys",
    ]
    script = session(*codes)
    top, *rest = code_of(script)
    assert top == "import sys\nimport colorsys"  # of the standard library, wherever sys.path leads
    assert rest == [*codes[:3], "sys.path.append('/nowhere')"]
    script.call("run_code", {"code": "import mine\nmine.go()"})
    assert code_of(script)[-1] == "import mine\nmine.go()"


def test_an_import_that_shares_its_line_stays():
    assert code_of(session("import math; n = math.pi"))[-1] == "import math; n = math.pi"


def test_magics_shell_lines_and_await_are_kept_as_they_are():
    script = Script()
    script.prompt()
    codes = [
        "%matplotlib inline\nn = 1",
        "!echo hi",
        "%%time\nm = n",
        "import asyncio\nawait asyncio.sleep(0)\nk = m",
    ]
    for code in codes:
        script.call("run_code", {"code": code}, "shown")
    top, *rest = code_of(script)
    assert top == "import asyncio"
    assert rest == [*codes[:3], "await asyncio.sleep(0)\nk = m"]
    assert "make them first" not in prose_of(script)[0]


def test_a_cell_of_the_persons_that_later_code_needs_is_there():
    script = Script()
    script.person(
        'In[2]:\nimport json\ndata = [1, 2]\ntext = """\nError: no\n"""\nOut[2]: [1, 2]',
        "In[3]:\nother = 1\nOutput:\nx = 3",
    )
    script.prompt()
    script.call("run_code", {"code": "print(json.dumps(data))"})
    assert code_of(script) == [
        "import json",
        'data = [1, 2]\ntext = """\nError: no\n"""',
        "print(json.dumps(data))",
    ]


def test_a_cell_of_the_persons_that_changed_a_value_is_there():
    script = Script()
    script.prompt()
    script.call("run_code", {"code": "rows = [3, 1]"})
    script.person("In[3]:\nrows.sort()", "In[4]:\nprint(rows)\nOutput:\n[1, 3]")
    script.prompt()
    script.call("run_code", {"code": "print(rows[0])"}, "1")
    assert code_of(script) == ["rows = [3, 1]", "rows.sort()", "print(rows[0])"]


def test_of_a_persons_cell_that_failed_what_ran_is_there():
    script = Script()
    script.person("In[2]:\nn = 1\nm = 1 / 0\nError: ZeroDivisionError: division by zero (line 2)")
    script.prompt()
    script.call("run_code", {"code": "print(n)"}, "1")
    assert code_of(script) == ["n = 1", "print(n)"]


def test_names_that_no_recorded_cell_makes_are_told_at_the_top(monkeypatch):
    script = Script()
    script.person("In[2]:\nframe = 1\n[… 9,000 more characters]", omitted=2)
    script.prompt()
    script.call(
        "run_code", {"code": "for row in frame:\n    print(row, other)\nprint(row, [x for x in frame])"}
    )
    made, _ = exported(script)
    assert made.unmade == ("frame", "other")
    assert "`frame`, `other`" in prose_of(script)[0]


def write(script, path, content):
    note = FileNote(path=path, action="written", witness="tools")
    script.call("write", {"path": path, "content": content}, "Created", files=[note])


def test_a_file_that_code_needs_is_written_by_a_cell_as_it_was_at_that_point():
    script = Script()
    script.prompt()
    write(script, "tools.py", "A = 1\n")
    script.call(
        "edit", {"path": "/data/sales/tools.py", "edits": [{"old_text": "1", "new_text": "2"}]}, "Edited"
    )
    script.call("run_code", {"code": "from tools import A\nimport json\nprint(A)"}, "2")
    assert code_of(script) == ["import json", "%%writefile tools.py\nA = 2", "from tools import A\nprint(A)"]


def test_a_file_that_nothing_needs_is_named_and_one_of_the_persons_that_was_edited_too():
    script = Script()
    script.prompt()
    write(script, "report.md", "# Report\n")
    script.call("edit", {"path": "theirs.py", "edits": [{"old_text": "a", "new_text": "b"}]}, "Edited")
    script.call("run_code", {"code": "import theirs"}, "")
    assert "*Wrote* `report.md`" in prose_of(script)
    assert "*Changed* `theirs.py`" in prose_of(script)
    assert code_of(script) == ["import theirs"]


def test_a_file_in_a_folder_or_with_an_odd_name_is_written_by_python(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    script = Script()
    script.prompt()
    for path in ("a/b $x.csv", "{c}.csv", "empty.csv"):
        write(script, path, "" if "empty" in path else "x\n'''\r\n")
    script.call("run_code", {"code": "read('b $x.csv', '{c}.csv', 'empty.csv')"})
    *cells, _ = code_of(script)
    for cell in cells:
        exec(cell, namespace := {}) if "import" in cell else exec(cell, namespace)
    assert (tmp_path / "a" / "b $x.csv").read_bytes() == b"x\n'''\r\n"
    assert (tmp_path / "{c}.csv").exists()
    assert (tmp_path / "empty.csv").read_bytes() == b""


def test_commands_that_act_are_kept_and_those_that_look_are_not():
    script = Script()
    script.prompt()
    for command in ("ls -la | head -3", "cat a.csv 2>/dev/null", "git status && pwd", "python --version"):
        script.call("bash", {"command": command}, "x")
    script.call("bash", {"command": "false"}, "exit", is_error=True)
    for command in (
        "pip install humanize",
        "for f in a b; do\n  touch $f\ndone",
        "sort a > b",
        "echo $HOME > c",
    ):
        script.call("bash", {"command": command}, "x")
    assert code_of(script) == [
        "!pip install humanize",
        "%%bash\nfor f in a b; do\n  touch $f\ndone",
        "!sort a > b",
        "%%bash\necho $HOME > c",
    ]


def test_a_query_is_told_with_its_answer():
    script = Script()
    script.prompt()
    script.call("query_data", {"sql": "SELECT count(*) FROM t"}, "3 ``` rows")
    assert prose_of(script)[-1] == (
        "Asked in SQL:\n\n```sql\nSELECT count(*) FROM t\n```\n\n````\n3 ``` rows\n````"
    )


def test_outputs_are_text_value_and_picture_within_bounds():
    script = Script()
    script.prompt()
    notice = "[Shown: the end. All of it: /home/me/f.txt]"
    value = "shape (1, 2)\n[All rows: /home/me/spill/x.parquet]"
    text = f"{'a' * 30_000}\n[image/png, 1 x 1, 70 bytes]\n\n{notice}\n{value}"
    details = {
        "shownValue": [text.index(value), len(text)],
        "notice": notice,
        "valueSpill": {"path": "/home/me/spill/x.parquet"},
    }
    bad = ImageContent(data='"><script>', mime_type="image/png")
    svg = ImageContent(data=PNG, mime_type="image/svg+xml")
    script.call(
        "run_code",
        {"code": "show()"},
        text,
        details=details,
        images=[ImageContent(data=PNG, mime_type="image/png"), bad, svg],
    )
    _, cells = exported(script)
    stream, picture, result = cells[-1].outputs
    assert 9_000 < len(stream.text) < 11_000
    assert picture.data["image/png"] == PNG
    assert result.data == {"text/plain": "shape (1, 2)"}
    assert "/home/me" not in json.dumps(cells)


def test_a_picture_in_a_prompt_is_attached():
    script = Script()
    script.prompt([TextContent(text="See"), ImageContent(data=PNG, mime_type="image/png")])
    _, cells = exported(script)
    assert cells[-1].attachments == {"picture-1.png": {"image/png": PNG}}
    assert "![picture-1.png](attachment:picture-1.png)" in cells[-1].source


def test_secrets_are_masked_everywhere(monkeypatch):
    monkeypatch.setenv("SERVICE_TOKEN", "hunter2-hunter2")
    script = Script()
    script.prompt("Use hunter2-hunter2")
    script.call("run_code", {"code": "key = 'hunter2-hunter2'"}, "hunter2-hunter2")
    write(script, "a.py", "K = 'hunter2-hunter2'")
    script.call("run_code", {"code": "import a"}, "")
    script.call("bash", {"command": "echo hunter2-hunter2 > x"}, "hunter2-hunter2")
    script.say("It is hunter2-hunter2.")
    made, _ = exported(script, title="hunter2-hunter2")
    assert "hunter2" not in made.text


def test_pictures_and_markup_in_answers_do_not_load_anything():
    script = Script()
    script.prompt("![a](http://x/p.png)")
    script.say("![a](http://x/y.png) <img src=http://x/z.png>\n\n```html\n<b>![kept]</b>\n```")
    _, cells = exported(script)
    assert cells[-2].source == "> ! [a](http://x/p.png)"
    assert cells[-1].source == (
        "! [a](http://x/y.png) &lt;img src=http://x/z.png>\n\n```html\n<b>![kept]</b>\n```"
    )


def test_saved_elsewhere_it_works_in_the_sessions_folder():
    script = session("n = 1")
    assert code_of(script, into=Path("/elsewhere")) == ["import os\n\nos.chdir('/data/sales')", "n = 1"]


def test_the_same_session_gives_the_same_file():
    script = session("import math", "n = 1", "n")
    assert exported(script)[0].text == exported(script)[0].text


NAMES = st.sampled_from("abcd")
NUMBERS = st.integers(0, 3).map(str)
VALUES = st.one_of(
    NUMBERS,
    NAMES,
    st.builds("{} + {}".format, NAMES, NUMBERS),
    st.builds("[{}]".format, NAMES),
    st.builds("math.floor({})".format, NAMES),
    st.builds("f({})".format, NAMES),
    st.builds("[x for x in {}]".format, NAMES),
    st.builds("len({})".format, NAMES),
)
STATEMENTS = st.one_of(
    st.builds("{} = {}".format, NAMES, VALUES),
    st.builds("{} = {}".format, NAMES, VALUES),
    st.builds("{} += {}".format, NAMES, NUMBERS),
    st.builds("{}.append({})".format, NAMES, NUMBERS),
    st.builds("{}[0] = {}".format, NAMES, NUMBERS),
    st.builds("print({})".format, NAMES),
    st.just("import math"),
    st.just("import math as m"),
    st.builds("def f(x):\n    return [x, {}]".format, NAMES),
    st.builds("for {} in range({}):\n    {} = {}".format, NAMES, NUMBERS, NAMES, VALUES),
    st.builds("if {}:\n    {} = {}\nelse:\n    {} = {}".format, NAMES, NAMES, VALUES, NAMES, VALUES),
    st.builds("try:\n    {} = {}\nexcept Exception:\n    {} = 0".format, NAMES, VALUES, NAMES),
    st.builds("del {}".format, NAMES),
    st.builds("{} = {} = {}".format, NAMES, NAMES, VALUES),
    st.just("1 / 0"),
)
CELLS = st.lists(STATEMENTS, min_size=1, max_size=4).map("\n".join)


@st.composite
def scripts(draw):
    """Codes of a session, with retries and repeats; an empty one stands for the next prompt."""
    codes = ["a = 1\nb = [2]\nc = 0\nd = []\ndef f(x):\n    return x"]
    for _ in range(draw(st.integers(1, 12))):
        kind = draw(st.sampled_from(["new", "new", "again", "longer", "prompt"]))
        if kind == "new":
            codes.append(draw(CELLS))
        elif kind == "prompt":
            codes.append("")
        else:
            earlier = draw(st.sampled_from([code for code in codes if code]))
            codes.append(earlier if kind == "again" else f"{earlier}\n{draw(STATEMENTS)}")
    return codes


@given(codes=scripts())
@settings(max_examples=150, deadline=None, derandomize=True)
def test_the_notebook_runs_and_makes_what_the_code_that_worked_made(codes):
    script = Script()
    script.prompt()
    made: set[str] = set()
    for code in codes:
        if not code:
            script.prompt()
            continue
        before = kept(script.namespace)
        has_worked = script.run(code)
        after = kept(script.namespace)
        changed = {name for name in after if name not in before or before[name] != after[name]}
        made = made | changed if has_worked else made - changed
    namespace: dict[str, object] = {}
    for source in code_of(script):
        _, error = execute(source, namespace)
        assert not error, (source, error)
    wanted = {n: v for n, v in plain_variables(script.namespace).items() if n in made}
    found = plain_variables(namespace)
    assert {name: found.get(name) for name in wanted} == wanted
