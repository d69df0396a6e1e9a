"""The Chinese of the panel: whole, nothing too many, with the same placeholders, and found by JupyterLab."""

from __future__ import annotations

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


def sources() -> list[str]:
    found = [file for file in sorted(SOURCES.rglob("*.ts*")) if "__tests__" not in file.parts]
    return [file.read_text(encoding="utf-8") for file in found]


def texts() -> dict[str, int]:
    """Every text that is translated, and how many forms its translation has."""
    found = {}
    for source in sources():
        found |= {match[1].replace("\\'", "'"): 1 for match in SINGULAR.finditer(source)}
        found |= {match[1].replace("\\'", "'"): 2 for match in PLURAL.finditer(source)}
    return found


def translations() -> dict[str, list[str]]:
    read: dict[str, list[str]] = json.loads(FILE.read_text(encoding="utf-8"))
    return {text: forms for text, forms in read.items() if text}


def placeholders(text: str) -> list[str]:
    return sorted(set(re.findall(r"%\d", text)))


def test_every_text_is_written_where_it_is_translated():
    for source in sources():
        assert len(CALL.findall(source)) == len(SINGULAR.findall(source)) + len(PLURAL.findall(source))


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
