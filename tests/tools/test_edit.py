"""`edit`: exact pieces replaced, all or none, and a refusal that shows the way."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_notebook.agent.tools import ToolError
from pi_notebook.tools.edit import edit
from pi_notebook.tools.replacements import Replacement, replace_all
from tests.tools.calling import call, text_of


def one(old: str, new: str) -> dict[str, str]:
    return {"old_text": old, "new_text": new}


async def refused(folder, *edits: dict[str, str], path: str = "a.py") -> str:
    before = (folder / path).read_bytes()
    with pytest.raises(ToolError) as raised:
        await call(edit, folder, path=path, edits=list(edits))
    assert (folder / path).read_bytes() == before
    return str(raised.value)


async def test_all_edits_are_made_against_the_file_as_it_was(tmp_path):
    (tmp_path / "a.py").write_text("a = 1\nb = 2\nc = 3\n")
    said = await text_of(
        edit, tmp_path, path="a.py", edits=[one("c = 3\n", ""), one("a = 1", "b = 2\nd = 4")]
    )
    assert said == "Edited a.py: 2 replacements, at lines 1 and 3."
    assert (tmp_path / "a.py").read_text() == "b = 2\nd = 4\nb = 2\n"


async def test_the_details_hold_the_difference(tmp_path):
    (tmp_path / "a.py").write_text("a\nb\n")
    result = await call(edit, tmp_path, path="a.py", edits=[one("b", "c")])
    assert result.details["diff"] == "@@ -1,2 +1,2 @@\n a\n-b\n+c"


async def test_line_ends_and_the_byte_order_mark_stay(tmp_path):
    (tmp_path / "a.py").write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\nthree\nfour\r\n")
    await call(edit, tmp_path, path="a.py", edits=[one("two\nthree", "2\n3"), one("one", "1")])
    assert (tmp_path / "a.py").read_bytes() == b"\xef\xbb\xbf1\r\n2\r\n3\nfour\r\n"


async def test_a_piece_found_more_than_once_is_refused_with_its_lines(tmp_path):
    (tmp_path / "a.py").write_text("x = 1\ny\nx = 1\n")
    assert await refused(tmp_path, one("x = 1", "z")) == (
        "old_text of edit 1 matches 2 times, at lines 1 and 3 of a.py. "
        "Include more of the text around it, until it is found once."
    )


async def test_a_piece_that_is_not_there_names_what_is_near(tmp_path):
    (tmp_path / "a.py").write_text("import os\n\ndef  load(path):\n    return 1\n")
    assert await refused(tmp_path, one("def lod(path):", "x")) == (
        "old_text of edit 1 is not in a.py. The nearest is line 3: def  load(path):"
    )
    assert await refused(tmp_path, one("def load(path):\n  return 1", "x")) == (
        "old_text of edit 1 is not in a.py. Only the white space differs from line 3, which has:\n"
        "def  load(path):\n    return 1"
    )
    assert "No line is like it. `read` the file first." in await refused(tmp_path, one("@@@@@@", "x"))


@pytest.mark.parametrize(
    ("held", "wanted"), [("cafe\u0301 = 1", "caf\u00e9 = 1"), ("x caf\u00e9", "cafe\u0301")]
)
async def test_accents_in_another_form_are_told_since_they_look_alike(tmp_path, held, wanted):
    (tmp_path / "a.py").write_text(f"first\n{held}\n")
    assert "Line 2 has it with accents in another Unicode form" in await refused(tmp_path, one(wanted, "y"))


async def test_an_edit_of_a_cell_is_told_what_a_notebook_is(tmp_path):
    (tmp_path / "n.ipynb").write_text('{"cells": [{"source": ["a = 1\\n", "b"]}]}')
    said = await refused(tmp_path, one("a = 1\nb", "x"), path="n.ipynb")
    assert said.endswith("\nA notebook is JSON: change its cells with run_code and nbformat.")


async def test_edits_that_overlap_are_refused(tmp_path):
    (tmp_path / "a.py").write_text("abcdef")
    assert "Edits 2 and 1 overlap in a.py" in await refused(tmp_path, one("cdef", "x"), one("abcd", "y"))


async def test_edits_that_are_none_are_refused(tmp_path):
    (tmp_path / "a.py").write_text("abc")
    assert "is empty. Use `write`" in await refused(tmp_path, one("", "x"))
    assert "edits is empty" in await refused(tmp_path)
    assert "leave a.py as it is" in await refused(tmp_path, one("b", "b"))


async def test_what_is_no_text_is_refused(tmp_path):
    (tmp_path / "a.py").write_bytes(b"abc\xff")
    assert "is not UTF-8 (byte 3)" in await refused(tmp_path, one("b", "c"))
    (tmp_path / "a.py").write_bytes("x = 'café'\n".encode("cp1252"))
    assert "naming its encoding, probably cp1252." in await refused(tmp_path, one("x", "y"))
    (tmp_path / "a.py").write_bytes("x = 1\n".encode("utf-16"))
    assert "naming its encoding, utf-16." in await refused(tmp_path, one("x", "y"))
    with pytest.raises(ToolError, match="Nothing is at b.py. Did you mean a.py\\?"):
        await call(edit, tmp_path, path="b.py", edits=[one("b", "c")])


async def test_parallel_edits_of_one_file_are_all_kept(tmp_path):
    (tmp_path / "a.py").write_text("".join(f"<{i}>\n" for i in range(20)))
    (tmp_path / "link.py").symlink_to("a.py")
    names = ["a.py", "link.py"] * 10
    calls = [
        call(edit, tmp_path, path=name, edits=[one(f"<{i}>", f"done {i}")]) for i, name in enumerate(names)
    ]
    await asyncio.gather(*calls)
    assert (tmp_path / "a.py").read_text() == "".join(f"done {i}\n" for i in range(20))


def test_wrong_arguments_name_the_field():
    with pytest.raises(ToolError, match="old_text"):
        edit.parse({"path": "a", "edits": [{"new_text": "x"}]})


TEXTS = st.lists(st.sampled_from(["a", "b\n", "c\r\n", "\u4e2d", "\n"]), min_size=1, max_size=30).map("".join)


@settings(max_examples=300, derandomize=True, deadline=None)
@given(text=TEXTS, data=st.data())
def test_what_is_outside_an_edit_never_changes(text, data):
    plain = text.replace("\r\n", "\n")
    start = data.draw(st.integers(0, len(plain) - 1))
    end = data.draw(st.integers(start + 1, len(plain)))
    old = plain[start:end]
    try:
        after, _ = replace_all(text, [Replacement(old=old, new="NEW")], "f")
    except ToolError:
        assert plain.count(old) > 1 or plain.find(old, plain.find(old) + 1) >= 0
        return
    assert after.replace("\r\n", "\n") == plain[:start] + "NEW" + plain[end:]
    before, _, behind = after.partition("NEW")
    assert text.startswith(before)
    assert text.endswith(behind)


async def test_a_part_of_a_line_that_differs_in_white_space_is_found(tmp_path):
    (tmp_path / "a.py").write_text('name = "x"\nprint(f"hello, {name}!")\n')
    text = await refused(tmp_path, one("print( f", "print(g"))
    assert 'Only the white space differs from line 2: print(f"hello, {name}!")' in text
