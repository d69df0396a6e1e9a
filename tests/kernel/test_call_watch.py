"""What running code does to files, variables and the process, in a real kernel."""

import os

import pytest

pytestmark = pytest.mark.kernel

LIBRARIES = "import io, os, builtins, shutil, pathlib, subprocess, sys, threading, tarfile, tempfile"


@pytest.fixture
def watched(driven_by_await, tmp_path):
    """Runs code in a folder of its own and gives what was seen of it."""
    kernel = driven_by_await.kernel
    cleared = kernel.run("%reset_selective -f ^(?!driver$)")  # what is set again is not created
    assert cleared.status == "ok", cleared.errors
    before = kernel.run(f"import os\nbefore = os.getcwd()\nos.chdir({str(tmp_path)!r})\n{LIBRARIES}")
    assert before.status == "ok"

    def run(code, **options):
        report = driven_by_await.code(code, **options)
        run.report = report
        return report["effects"]

    yield run
    kernel.run("os.chdir(before)")
    assert kernel.run(
        "[io.open is builtins.open, type(io.open).__name__, type(os.open).__name__]"
    ).values() == ["[True, 'builtin_function_or_method', 'builtin_function_or_method']"]
    left = "[f'{m.__name__}.{n}' for m in (os, io, builtins, shutil, tarfile) for n in vars(m)"
    left += (
        " if hasattr(vars(m)[n], '__wrapped__') and n in ('open', 'unlink', 'remove', 'rename', 'replace',"
    )
    left += " 'link', 'symlink', 'truncate', 'chdir', 'bltn_open')]"
    assert kernel.run(left).values() == ["[]"]


def files(effects, folder=None):
    """Name, action, witness and count of each file, sorted."""
    return sorted(
        (
            os.path.relpath(one["path"], folder) if folder else os.path.basename(one["path"]),
            one["action"],
            one["witness"],
            one["count"],
        )
        for one in effects["files"]
    )


def variables(effects):
    return {one["name"]: one["action"] for one in effects["variables"]}


def test_files_that_python_code_opens_are_told_by_what_was_done(watched, tmp_path):
    (tmp_path / "in.txt").write_text("1")
    (tmp_path / "log.txt").write_text("1")
    effects = watched(
        """
        with open("in.txt") as file: file.read()
        open("in.txt").close()
        with open("out.txt", "w") as file: file.write("2")
        with open("log.txt", "a") as file: file.write("2")
        """
    )
    assert files(effects, tmp_path) == [
        ("in.txt", "read", "python", 2),
        ("log.txt", "modified", "python", 1),
        ("out.txt", "written", "python", 1),
    ]
    assert effects["is_cut"] is False


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("pathlib.Path('a').read_text()", [("a", "read", "python", 1)]),
        ("pathlib.Path('a').write_text('x')", [("a", "written", "python", 1)]),
        ("pathlib.Path('a').unlink()", [("a", "deleted", "python", 1)]),
        ("os.remove('a')", [("a", "deleted", "python", 1)]),
        ("os.replace('a', 'b')", [("a", "deleted", "python", 1), ("b", "written", "python", 1)]),
        ("pathlib.Path('a').rename('b')", [("a", "deleted", "python", 1), ("b", "written", "python", 1)]),
        ("shutil.move('a', 'b')", [("a", "deleted", "python", 1), ("b", "written", "python", 1)]),
        ("shutil.copy('a', 'b')", [("a", "read", "python", 1), ("b", "written", "python", 1)]),
        ("shutil.rmtree('sub')", [("c", "deleted", "python", 1)]),
        ("os.truncate('a', 1)", [("a", "modified", "python", 1)]),
        ("os.symlink('a', 'b')", [("b", "written", "python", 1)]),
        ("os.close(os.open('a', os.O_RDONLY))", [("a", "read", "python", 1)]),
        ("os.close(os.open('b', os.O_WRONLY | os.O_CREAT | os.O_TRUNC))", [("b", "written", "python", 1)]),
        ("io.open(b'a').close()", [("a", "read", "python", 1)]),
        ("os.chdir('sub'); open('c').close(); os.chdir('..'); open('a').close()",
         [("a", "read", "python", 1), ("c", "read", "python", 1)]),
        ("tarfile.open('b', 'w').close()", [("b", "written", "python", 1)]),
        ("import gzip\ngzip.open('b', 'w').close()", [("b", "written", "python", 1)]),
        ("tempfile.TemporaryFile().close(); tempfile.NamedTemporaryFile(dir='.').close()", []),
        ("open('b', 'w').close(); os.remove('b')", []),
        ("subprocess.run('echo 1 > b; echo 22 > a; rm sub/c', shell=True)",
         [("a", "modified", "scan", 1), ("b", "written", "scan", 1), ("c", "deleted", "scan", 1)]),
        ("!echo 1 > b", [("b", "written", "scan", 1)]),
        ("os.system('mv a b')", [("a", "deleted", "scan", 1), ("b", "written", "scan", 1)]),
        ("def f():\n    def g(): return open('a').read()\n    return g()\nf()", [("a", "read", "python", 1)]),
        ("t = threading.Thread(target=lambda: open('a').read()); t.start(); t.join()",
         [("a", "read", "python", 1)]),
        ("import json, encodings.idna", []),
    ],
)  # fmt: skip
def test_every_way_to_a_file_is_seen(watched, tmp_path, code, expected):
    (tmp_path / "a").write_text("1")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "c").write_text("1")
    found = files(watched(code))
    assert watched.report["status"] == "ok", watched.report["error"]
    assert found == expected


def test_an_open_that_fails_is_no_read_and_an_error_keeps_what_was_seen(watched, tmp_path):
    (tmp_path / "a").write_text("1")
    effects = watched("x = 1\nopen('a').close()\nopen('missing')\ny = 2")
    assert watched.report["status"] == "error"
    assert files(effects) == [("a", "read", "python", 1)]
    assert variables(effects) == {"x": "created"}


def test_a_long_row_of_opens_is_counted_exactly_and_other_threads_are_left_out(watched, tmp_path):
    (tmp_path / "a").write_text("1")
    (tmp_path / "b").write_text("1")
    watched(
        """
        go, end = threading.Event(), threading.Event()
        def work():
            go.wait()
            while not end.is_set(): open("b").close()
        thread = threading.Thread(target=work); thread.start()
        """
    )
    effects = watched("go.set()\nfor _ in range(25_000): open('a').close()\nend.set(); thread.join()")
    assert files(effects) == [("a", "read", "python", 25_000)]
    assert effects["is_cut"] is False
    watched("del go, end, work, thread")


def test_an_open_of_the_persons_own_is_left_alone(watched, tmp_path):
    (tmp_path / "a").write_text("1")
    effects = watched("open = lambda path: 'mine'\nassert open('a') == 'mine'\nio.open('a').close()")
    assert watched.report["status"] == "ok"
    assert files(effects) == [("a", "read", "python", 1)]
    effects = watched("del open\nassert open('a').read() == '1'")
    assert files(effects) == [("a", "read", "python", 1)]


def test_a_replacement_that_the_code_puts_over_open_stays(watched, tmp_path):
    watched(
        "kept = builtins.open\nbuiltins.open = lambda *a, **k: kept(*a, **k)\nfrom os import unlink as gone"
    )
    effects = watched("open('a', 'w').close()\ngone('a')")
    assert watched.report["status"] == "ok"
    watched("builtins.open = io.open.__wrapped__")
    assert "a" not in os.listdir(tmp_path)
    assert effects["is_cut"] is False


def test_what_frames_write_and_native_readers_read_is_told(watched, tmp_path):
    pytest.importorskip("pyarrow")
    effects = watched(
        """
        import pandas as pd
        frame = pd.DataFrame({"a": [1, 2]})
        frame.to_csv("out.csv")
        frame.to_parquet("out.parquet")
        """
    )
    assert [(name, action) for name, action, _, _ in files(effects)] == [
        ("out.csv", "written"), ("out.parquet", "written"),
    ]  # fmt: skip
    assert effects["imports"] == ["pandas"]
    assert [one["shape"] for one in effects["variables"]] == [[2, 1]]
    effects = watched("folder = '.'\nback = pd.read_parquet(pathlib.Path(folder) / 'out.parquet')\nlen(back)")
    assert files(effects) == [("out.parquet", "read", "code", 1)]
    effects = watched("frame['b'] = 1\nframe = frame.copy() if False else frame")
    assert variables(effects)["frame"] in ("changed", "rebound")
    effects = watched("frame.drop(columns='b', inplace=True)")
    assert variables(effects) == {"frame": "changed"}


def test_variables_are_told_as_created_rebound_changed_and_deleted(watched):
    watched("rebound = [1]; same = [1]; changed = [1]; gone = 1; kept = 5")
    effects = watched("made = {}\nrebound = [1]\nsame[0] = 2\nchanged.append(1)\ndel gone\nkept = 5")
    assert variables(effects) == {
        "made": "created", "rebound": "rebound", "changed": "changed", "gone": "deleted", "kept": "rebound",
    }  # fmt: skip
    assert {one["name"]: one["length"] for one in effects["variables"]}["changed"] == 2
    assert variables(watched("def helper(): pass\nimport json as js")) == {"helper": "created"}
    watched("del made, rebound, same, changed, kept, helper")


def test_folder_and_environment_are_told_by_name_alone(watched, tmp_path):
    (tmp_path / "sub").mkdir()
    effects = watched("os.chdir('sub'); os.environ['MY_TOKEN'] = 'secret'")
    assert effects["folder"] == str(tmp_path / "sub")
    assert effects["environment"] == ["MY_TOKEN"]
    assert "secret" not in str(effects)
    watched("os.chdir('..'); del os.environ['MY_TOKEN']")


def test_a_folder_too_large_to_be_looked_at_is_said(watched, tmp_path):
    for number in range(50):
        (tmp_path / f"{number}").touch()
    watched("import pi_notebook.kernel.folder_scan as fs; fs.scan.__kwdefaults__['max_files'] = 10")
    assert watched("os.getpid()")["is_cut"] is True
    assert watched("len('a')")["is_cut"] is False
    watched("fs.scan.__kwdefaults__['max_files'] = fs.MAX_FILES")


def test_a_stop_leaves_nothing_wrapped(watched, tmp_path):
    effects = watched(
        "display('go')\nwhile True: open('a', 'w').close()", interrupt_on="go", interrupt_after=0.1
    )
    assert watched.report["status"] == "interrupted"
    assert [one[:3] for one in files(effects)] in ([], [("a", "written", "python")])


def test_a_large_value_is_freed_while_the_code_runs(watched):
    watched("class Big: pass\nimport weakref\nbig = Big(); seen = weakref.ref(big)")
    watched("big = None\nassert seen() is None")
    assert watched.report["status"] == "ok"
