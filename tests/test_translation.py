"""The Chinese of the panel and of what the kernel says in it: whole, nothing too many, with the same
placeholders, and found by JupyterLab.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = ROOT / "labextension" / "src"
FILE = ROOT / "pi_notebook" / "locale" / "zh_CN" / "LC_MESSAGES" / "pi_notebook.json"
LITERAL = r"'((?:[^'\\]|\\.)*)'"
SINGULAR = re.compile(rf"\.__\(\s*{LITERAL}")
PLURAL = re.compile(rf"\._n\(\s*{LITERAL},\s*{LITERAL}")
CALL = re.compile(r"\.(?:__|_n|_p|_np)\(")
KERNEL = SOURCES / "kernel" / "sentences.ts"
SCHEMA = ROOT / "labextension" / "schema" / "panel.json"
FROM_FILES = (".__(form.text,", ".__(text)")
"""How what the kernel says, and what the settings say, is translated; both stand in files of their own."""


@pytest.fixture(scope="module")
def generator():
    sys.path.insert(0, str(ROOT / "labextension"))
    try:
        return importlib.import_module("generate_sentences")
    finally:
        sys.path.pop(0)


def sources() -> list[str]:
    found = [file for file in sorted(SOURCES.rglob("*.ts*")) if "__tests__" not in file.parts]
    return [file.read_text(encoding="utf-8") for file in found]


def texts() -> dict[str, int]:
    """Every text that is translated, and how many forms its translation has."""
    found = {}
    for source in sources():
        found |= {match[1].replace("\\'", "'"): 1 for match in SINGULAR.finditer(source)}
        found |= {match[1].replace("\\'", "'"): 2 for match in PLURAL.finditer(source)}
    return found | dict.fromkeys([*kernel_forms(), *schema_texts()], 1)


def schema_texts() -> list[str]:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    return [
        one[field] for one in (schema, *schema["properties"].values()) for field in ("title", "description")
    ]


def kernel_forms() -> list[str]:
    lines = KERNEL.read_text(encoding="utf-8").splitlines()
    found = (re.fullmatch(rf"  {LITERAL},?", line) for line in lines)
    return [match[1].replace("\\'", "'") for match in found if match]


def translations() -> dict[str, list[str]]:
    read: dict[str, list[str]] = json.loads(FILE.read_text(encoding="utf-8"))
    return {text: forms for text, forms in read.items() if text}


def placeholders(text: str) -> list[str]:
    return sorted(set(re.findall(r"%\d", text)))


def test_every_text_is_written_where_it_is_translated():
    for source in sources():
        for call in FROM_FILES:
            source = source.replace(call, "")
        assert len(CALL.findall(source)) == len(SINGULAR.findall(source)) + len(PLURAL.findall(source))


def test_the_forms_are_those_of_what_the_kernel_says(generator):
    assert KERNEL.read_text() == generator.generate(), "run python labextension/generate_sentences.py"


def test_all_that_the_kernel_says_is_found_where_it_is_written(generator):
    # What is not: errors that have their text from where they are raised, and what was said by others.
    assert generator.Sentences().unknown() == [
        "session/asked_compactions.py: str(error)",
        "ui/inspection/actions.py: text",
        "ui/inspection/inspection.py: str(error)",
        "ui/panel/area.py: reply",
        "ui/panel/area.py: str(error)",
        "ui/panel/conversation.py: notice.text",
        "ui/panel/conversation.py: str(event.error)",
        "ui/panel/conversation.py: text_of(message)",
        "ui/panel/conversation.py: told.text",
        "ui/panel/retelling.py: text",
        "ui/panel/run.py: '\\n\\n'.join(taken)",
        "ui/panel/sessions.py: typed_words(store, entry)",
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        "Write a name.",  # of a request of the panel
        "The session has no such compaction on this branch.",  # of the inspector
        "No API key for %1. Set %2, or use -m offline.",  # of a model
        "The run was ended: it %1 (budget.%2). %3",
        "has cost $%1, of $%2",  # what is filled into it
        "%1 Asking again in %2 s (%3 of %4).",  # a notice
        "The code went to the notebook and %1.",  # of the kernel
        "The session file %1 could not be written: %2. Free some space and ask again.",
    ],
)
def test_what_each_layer_says_has_a_form(sentence):
    assert sentence in kernel_forms()


def test_forms_can_be_filled_in_again():
    for form in kernel_forms():
        holes = re.findall(r"%\d", form)
        assert holes == [f"%{number}" for number in range(1, len(holes) + 1)], form
        assert not re.search(r"%%|%\d\d|%\d%\d", form), form


def test_the_head_says_what_jupyterlab_asks_for():
    head = json.loads(FILE.read_text(encoding="utf-8"))[""]
    # Under another name for the plurals the panel would not start, with another language it would be English.
    assert head == {"domain": "pi_notebook", "language": "zh-CN", "plural_forms": "nplurals=1; plural=0;"}


def test_every_text_has_a_chinese_one_and_there_are_no_others():
    assert sorted(translations()) == sorted(texts())


def test_forms_and_placeholders_agree():
    counts = texts()
    for text, forms in translations().items():
        # JupyterLab takes a plural for one only when it has more than one form.
        assert len(forms) == counts[text], text
        for form in forms:
            assert form.strip(), text
            assert placeholders(form) == placeholders(text), text


def test_jupyterlab_finds_the_translation_once_a_language_pack_is_there(tmp_path):
    pytest.importorskip("jupyterlab_server")
    (tmp_path / "empty_pack.py").touch()
    made = tmp_path / "empty_pack-1.dist-info"
    made.mkdir()
    (made / "METADATA").write_text("Metadata-Version: 2.1\nName: empty-pack\nVersion: 1\n")
    declared = re.search(
        r'\[project\.entry-points\."(jupyterlab\.locale)"\]\n(\w+) = "(\w+)"',
        (ROOT / "pyproject.toml").read_text(),
    )
    assert declared
    entries = (
        f"[jupyterlab.languagepack]\nzh_CN = empty_pack\n[{declared[1]}]\n{declared[2]} = {declared[3]}\n"
    )
    (made / "entry_points.txt").write_text(entries)
    code = (
        "import json; from jupyterlab_server.translation_utils import get_language_pack;"
        "pack, problems = get_language_pack('zh_CN'); assert not problems.strip(), problems;"
        "print(json.dumps(pack['pi_notebook']))"
    )
    path = os.pathsep.join([str(tmp_path), str(ROOT)])
    ended = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout) == json.loads(FILE.read_text(encoding="utf-8"))
