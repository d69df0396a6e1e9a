"""`read`: a part of a file, exactly counted, and a way on from whatever cannot be read."""

import base64
import json
import os
import re
import socket
import struct
import zlib

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_notebook.agent.messages import ImageContent, ToolCall, ToolResultMessage
from pi_notebook.agent.tools import ToolError
from pi_notebook.context.truncation import OutputLimits
from pi_notebook.tools.encoding import EncodingCheck
from pi_notebook.tools.json_filter import JsonFilter, find_json_filter
from pi_notebook.tools.needs import QueryEngine
from pi_notebook.tools.parquet_file import describe_parquet
from pi_notebook.tools.read import read
from pi_notebook.tools.text_file import scan_lines
from pi_notebook.ui.render import for_person, output_text
from pi_notebook.ui.transcript import CallSegment
from tests.tools.calling import call, context_for, text_of


def png(width: int, height: int) -> bytes:
    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    rows = b"".join(b"\0" + bytes(width) for _ in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


async def refused(folder, path: str, **arguments) -> str:
    with pytest.raises(ToolError) as raised:
        await call(read, folder, path=path, **arguments)
    return str(raised.value)


async def test_a_small_file_is_given_as_it_is(tmp_path):
    (tmp_path / "a.txt").write_text("one\n\n\n\n\ntwo  \n")
    assert await text_of(read, tmp_path, path="a.txt") == "one\n\n\n\n\ntwo  \n"


async def test_of_a_skill_a_person_is_told_its_name_and_the_model_its_body(tmp_path):
    folder = tmp_path / "skills" / "plotting"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: plotting\n---\nPlot in blue.\n" * 30)
    result = await call(read, tmp_path, path="skills/plotting/SKILL.md")
    assert "Plot in blue." in result.content[0].text
    shown = ToolResultMessage(
        tool_call_id="c", tool_name="read", content=list(result.content), details=result.details,
        is_error=False, timestamp=0,
    )  # fmt: skip
    assert for_person(shown) == "read skill plotting"
    segment = CallSegment(ToolCall(id="c", name="read", arguments={"path": "SKILL.md"}), result=shown)
    assert output_text(segment) == "read skill plotting"


async def test_ten_lines_with_a_final_newline_are_ten(tmp_path):
    (tmp_path / "a.txt").write_text("".join(f"{i}\n" for i in range(1, 11)))
    text = await text_of(read, tmp_path, path="a.txt", limit=5)
    assert text == "1\n2\n3\n4\n5\n\n[Showing lines 1-5 of 10. Use offset=6 to continue.]"
    assert await text_of(read, tmp_path, path="a.txt", offset=10) == "10\n"
    assert (
        await refused(tmp_path, "a.txt", offset=11)
        == "offset=11 is behind the end of a.txt, which has 10 lines."
    )


async def test_paging_by_the_notices_gives_the_whole_file(tmp_path):
    lines = [f"{i} {'x' * (i % 200)}" for i in range(1, 5001)]
    (tmp_path / "a.txt").write_text("\n".join(lines) + "\n")
    read_lines: list[str] = []
    offset = 1
    while offset:
        text = await text_of(read, tmp_path, path="a.txt", offset=offset)
        body, _, notice = text.partition("\n\n[")
        read_lines += body.removesuffix("\n").split("\n")
        found = re.search(r"Use offset=(\d+)", notice)
        offset = int(found[1]) if found else 0
    assert read_lines == lines


@pytest.mark.parametrize("limit", [1, 2, 3])
async def test_paging_passes_blank_lines(tmp_path, limit):
    (tmp_path / "a.txt").write_text("a\n\n\n\nb\n\n")
    told, offset = [], 1
    while offset:
        text = await text_of(read, tmp_path, path="a.txt", offset=offset, limit=limit)
        told += re.findall(r"Showing (lines? \S+) of 6\.", text)
        found = re.search(r"Use offset=(\d+)", text)
        assert found is None or int(found[1]) == offset + limit
        offset = int(found[1]) if found else 0
    ends = {1: [f"line {n}" for n in range(1, 6)], 2: ["lines 1-2", "lines 3-4"], 3: ["lines 1-3"]}
    assert told == ends[limit]


async def test_a_long_line_behind_blank_ones_is_named_by_its_number(tmp_path):
    (tmp_path / "a.txt").write_text("\n\n" + "x" * 60_000 + "\nshort\n")
    text = await text_of(read, tmp_path, path="a.txt")
    assert text == (
        f"\n\n{'x' * 4094}\n\n[Line 3 of 4 is too long; its first 4.0 KB are shown. The rest: run_code, or "
        "bash with sed -n 3p PATH | tail -c +4095. Use offset=4 to continue.]"
    )


async def test_a_line_longer_than_the_limit_shows_its_start_and_how_to_go_on(tmp_path):
    (tmp_path / "a.txt").write_text("x" * 60_000 + "\nshort\n")
    text = await text_of(read, tmp_path, path="a.txt")
    start = "x" * 4096
    assert text == (
        f"{start}\n\n[Line 1 of 2 is too long; its first 4.0 KB are shown. The rest: run_code, or "
        "bash with sed -n 1p PATH | tail -c +4097. Use offset=2 to continue.]"
    )
    (tmp_path / "b.txt").write_bytes(("\u00e9 " * 60_000).encode("cp1252"))
    text = await text_of(read, tmp_path, path="b.txt")
    assert text.endswith(f"are shown. The rest: run_code.]\n[{GUESSED}]")


async def test_text_that_does_not_decode_is_only_glanced_at(tmp_path):
    (tmp_path / "a.txt").write_bytes(
        ("\u041f\u0440\u0438\u0432\u0435\u0442 \u043c\u0438\u0440\n" * 2000).encode("cp1251")
    )
    text = await text_of(read, tmp_path, path="a.txt")
    assert len(text.encode()) < 4096 + 300
    assert re.search(r"\[Showing lines 1-\d+ of 2,000 \(4.0 KB limit\). Use offset=\d+ to continue.\]", text)


async def test_nothing_is_changed_that_an_edit_would_have_to_match(tmp_path):
    (tmp_path / "a.py").write_bytes(b"\xef\xbb\xbfa = '\x1b[0m'\r\nb\t= 1  \r\n")
    assert await text_of(read, tmp_path, path="a.py") == "a = '\\x1b[0m'\nb\t= 1  \n"


GUESSED = 'Not UTF-8: decoded as cp1252, a guess; in code encoding="cp1252".'


@pytest.mark.parametrize(
    ("data", "shown", "note"),
    [
        ("größe,Ω\n1\n".encode("utf-16"), "größe,Ω\n1", 'Decoded from UTF-16; in code encoding="utf-16".'),
        ("Größe – 5 €\n".encode("cp1252"), "Größe – 5 €", GUESSED),
        (b"caf\xe9 \x81\n", "café \\x81", GUESSED.replace("cp1252", "latin-1")),
        ("größe Ω\n".encode() + b"\xe9\n", "größe Ω\n�", "Damaged UTF-8: � marks bytes that do not decode."),
        ("größe Ω".encode()[:-1], "größe �", "Damaged UTF-8: � marks bytes that do not decode."),
        (
            "Привет\n".encode("cp1251"),
            "������",
            "Not UTF-8: � marks bytes that do not decode. Try encodings with run_code.",
        ),
        (b"a,b\r1,2\r", "a,b\n1,2", "Its lines end in a carriage return alone, shown as newlines."),
    ],
)
async def test_other_encodings_and_line_ends_are_read_and_told(tmp_path, data, shown, note):
    (tmp_path / "a.csv").write_bytes(data)
    assert await text_of(read, tmp_path, path="a.csv") == f"{shown}\n\n[{note}]"


async def test_an_encoding_is_that_of_the_whole_file_on_every_page(tmp_path):
    data = b"".join(b"%d,plain\n" % i for i in range(200_000)) + "Größe\n".encode("cp1252") * 10
    (tmp_path / "a.csv").write_bytes(data)
    first = await text_of(read, tmp_path, path="a.csv", limit=2)
    assert first == (
        f"0,plain\n1,plain\n\n[Showing lines 1-2 of 200,010. Use offset=3 to continue.]\n[{GUESSED}]"
    )
    assert await text_of(read, tmp_path, path="a.csv", offset=200_010) == f"Größe\n\n[{GUESSED}]"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
async def test_utf16_without_a_mark_is_named(tmp_path, encoding):
    (tmp_path / "a.csv").write_bytes("name,amount\none,1\n".encode(encoding))
    assert f'text in UTF-16: open it with run_code (encoding="{encoding}")' in await refused(
        tmp_path, "a.csv"
    )


@settings(max_examples=200, derandomize=True, deadline=None)
@given(data=st.binary(max_size=60) | st.text(max_size=30).map(str.encode), piece=st.integers(1, 9))
def test_an_encoding_does_not_hang_on_where_the_blocks_end(data, piece):
    check = EncodingCheck()
    for at in range(0, len(data), piece):
        check.take(data[at : at + piece])
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        assert check.encoding() != "utf-8"
    else:
        assert check.encoding() == "utf-8"


async def test_one_line_is_not_called_lines(tmp_path):
    (tmp_path / "a.txt").write_text("x\n")
    assert (await refused(tmp_path, "a.txt", offset=2)).endswith("a.txt, which has 1 line.")


async def test_an_empty_file_says_so(tmp_path):
    (tmp_path / "a.txt").touch()
    assert await text_of(read, tmp_path, path="a.txt") == "(a.txt is empty)"


@pytest.mark.parametrize(
    ("name", "data", "hint"),
    [
        ("a.h5", b"\x89HDF\r\n\x1a\n" + bytes(100), "HDF5: open it with run_code (h5py or pandas.read_hdf)"),
        ("a.npy", b"\x93NUMPY\x01\x00v", "numpy.load"),
        ("a.bin", bytes(range(256)), "Look at it with run_code"),
    ],
)
async def test_a_binary_file_is_refused_with_its_size_and_what_opens_it(tmp_path, name, data, hint):
    (tmp_path / name).write_bytes(data)
    said = await refused(tmp_path, name)
    assert said.startswith(f"{name} is binary ({len(data)} bytes). ")
    assert hint in said


async def test_what_is_no_plain_file_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s"))
        assert "is a socket" in await refused(tmp_path, "s")
    assert "is a named pipe: reading it could wait for ever" in await refused(tmp_path, "pipe")
    assert "is a device: it may have no end" in await refused(tmp_path, "/dev/zero")


async def test_a_missing_path_names_what_is_near(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "customers.csv").touch()
    assert await refused(tmp_path, "data/custmers.csv") == (
        "Nothing is at data/custmers.csv. Did you mean data/customers.csv?"
    )
    assert await refused(tmp_path, "dta/x/y.csv") == (
        f"Nothing is at dta/x/y.csv: the last folder that exists is {tmp_path}. Look with `ls` or `find`."
    )
    assert "Look with `ls` or `find`." in await refused(tmp_path, "zzz")


async def test_a_missing_path_names_the_same_name_in_other_folders(tmp_path):
    for name in ("data/raw/2024/sales.csv", "data/Sales.csv", ".hidden/sales.csv", "node_modules/sales.csv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / ".gitignore").write_text("data/\n")
    (tmp_path / "loop").symlink_to(".")
    (tmp_path / "sale.csv").touch()
    near = "Did you mean data/Sales.csv"
    assert await refused(tmp_path, "sales.csv") == (
        f"Nothing is at sales.csv. {near}, data/raw/2024/sales.csv or sale.csv?"
    )
    assert await refused(tmp_path, "dta/sales.csv") == (
        f"Nothing is at dta/sales.csv: the last folder that exists is {tmp_path}. "
        f"{near} or data/raw/2024/sales.csv?"
    )
    assert near in await refused(tmp_path, "/home/someone/sales.csv")
    assert "Did you mean data/raw/2024?" in await refused(tmp_path, "2024")


@pytest.mark.parametrize("path", ["", "  ", "a\0b"])
async def test_a_path_that_is_none_is_explained(tmp_path, path):
    assert "empty or holds a NUL byte" in await refused(tmp_path, path)


async def test_a_path_that_is_too_long_or_a_loop_is_explained(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    assert "could not be read" in await refused(tmp_path, "x" * 5000)
    assert "could not be read" in await refused(tmp_path, "loop")


async def test_paths_are_found_however_they_are_spelled(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "caf\u00e9 it's.txt").write_text("found")
    for path in (
        "caf\u00e9 it's.txt",
        "cafe\u0301 it's.txt",
        "@caf\u00e9 it\u2019s.txt",
        "~/caf\u00e9\u202fit's.txt",
    ):
        assert await text_of(read, tmp_path, path=path) == "found"


async def test_an_image_is_an_image_block_with_its_size(tmp_path):
    (tmp_path / "plot.dat").write_bytes(png(64, 48))
    result = await call(read, tmp_path, path="plot.dat")
    assert result.content[0].text == f"Image plot.dat (image/png, 64 x 48, {len(png(64, 48))} bytes)."
    assert result.content[1] == ImageContent(
        data=base64.b64encode(png(64, 48)).decode(), mime_type="image/png"
    )


async def test_a_large_image_is_made_smaller(tmp_path):
    pytest.importorskip("PIL")
    (tmp_path / "big.png").write_bytes(png(4000, 1000))
    result = await call(read, tmp_path, path="big.png")
    assert result.content[0].text.endswith(", shown as 2000 x 500.")
    assert base64.b64decode(result.content[1].data).startswith(b"\x89PNG")


async def test_an_image_that_would_fill_memory_or_is_broken_is_refused(tmp_path):
    head = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
    (tmp_path / "bomb.png").write_bytes(head + struct.pack(">II", 50_000, 50_000) + bytes(100))
    (tmp_path / "broken.png").write_bytes(head + struct.pack(">II", 3000, 10) + bytes(100))
    assert "is too large to show" in await refused(tmp_path, "bomb.png")
    assert "broken.png (image/png, 3000 x 10, " in await refused(tmp_path, "broken.png")
    pytest.importorskip("PIL")
    (tmp_path / "half.png").write_bytes(png(64, 48)[:45])
    assert "64 x 48, 45 bytes) cannot be decoded: it is damaged" in await refused(tmp_path, "half.png")
    (tmp_path / "short.gif").write_bytes(b"GIF89a")
    said = "short.gif (image/gif, size unknown, 6 bytes) cannot be decoded: it is damaged or cut short."
    assert await refused(tmp_path, "short.gif") == said


def notebook(*cells) -> str:
    return json.dumps({"cells": list(cells), "metadata": {"kernelspec": {"name": "python3"}}, "nbformat": 4})


async def test_a_notebook_is_read_by_cell(tmp_path):
    outputs = [
        {"output_type": "stream", "name": "stdout", "text": ["\x1b[31m 1%\r", "100%\x1b[0m\n"]},
        {"output_type": "stream", "name": "stderr", "text": "careful\n"},
        {"output_type": "display_data", "data": {"image/png": [base64.b64encode(png(4, 2)).decode(), "\n"]}},
        {"output_type": "display_data", "data": {"text/html": "<b>" * 1000}},
        {"output_type": "execute_result", "data": {"text/plain": ["42"]}, "execution_count": 1},
        {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["\x1b[1mTraceback", "E: v"]},
    ]
    (tmp_path / "n.ipynb").write_text(
        notebook(
            {"cell_type": "markdown", "id": "aa", "source": ["# Title\n", "text"]},
            {
                "cell_type": "code",
                "id": "bb",
                "execution_count": 1,
                "source": "print(1)",
                "outputs": outputs,
            },
        )
    )
    assert await text_of(read, tmp_path, path="n.ipynb") == (
        "Notebook with 2 cells, kernel python3.\n\n"
        "[cell 1, markdown, id aa]\n# Title\ntext\n\n"
        "[cell 2, code, id bb, run 1]\nprint(1)\n"
        "[output] 100%\n[output] stderr: careful\n"
        f"[output] [image/png, 4 x 2, {len(png(4, 2))} bytes]\n[output] [text/html, 2.9 KB]\n"
        "[output] 42\n[output] Traceback\nE: v"
    )


async def test_a_long_notebook_is_paged_by_cell(tmp_path):
    cells = [{"cell_type": "code", "source": f"x = {i}\n" * 300, "outputs": []} for i in range(1, 31)]
    (tmp_path / "n.ipynb").write_text(notebook(*cells))
    text = await text_of(read, tmp_path, path="n.ipynb")
    shown = text.count("[cell ")
    assert text.endswith(f"\n\n[Showing cells 1-{shown} of 30. Use offset={shown + 1} to continue.]")
    assert len(text.encode()) <= 51_200
    assert text.count("\n") <= 2000
    assert (await text_of(read, tmp_path, path="n.ipynb", offset=30)).endswith("[Showing cell 30 of 30.]")
    assert "which has 30." in await refused(tmp_path, "n.ipynb", offset=31)


async def test_a_long_output_tells_once_what_is_left_out_and_how_to_see_it(tmp_path):
    output = {"output_type": "stream", "text": "".join(f"{i}\n" for i in range(1, 61))}
    (tmp_path / "n.ipynb").write_text(notebook({"cell_type": "code", "source": "x", "outputs": [output]}))
    text = await text_of(read, tmp_path, path="n.ipynb")
    lines = "\n".join([*map(str, range(1, 10)), "[... 42 lines not shown ...]", *map(str, range(52, 61))])
    assert text.endswith(
        f"[output] {lines}\n\n[More of a cell that is shortened: its number as offset, limit=1.]"
    )
    whole = await text_of(read, tmp_path, path="n.ipynb", offset=1, limit=1)
    assert whole.endswith("\n".join(map(str, range(1, 61))))


async def test_a_cell_too_long_for_the_limit_says_that_it_is_cut(tmp_path):
    outputs = [{"output_type": "stream", "text": f"{i}\n" * 300} for i in range(200)]
    (tmp_path / "n.ipynb").write_text(notebook({"cell_type": "code", "source": "x", "outputs": outputs}))
    text = await text_of(read, tmp_path, path="n.ipynb")
    assert len(text.encode()) <= 51_200
    assert text.count("\n") <= 2000
    assert "The rest of this cell: run_code and nbformat.]" in text


async def test_a_notebook_of_format_3_is_read(tmp_path):
    code = {
        "cell_type": "code",
        "input": "1/0",
        "prompt_number": 7,
        "outputs": [
            {"output_type": "pyout", "text": "seven", "prompt_number": 7},
            {"output_type": "pyerr", "ename": "Z", "evalue": "v", "traceback": []},
        ],
    }
    (tmp_path / "n.ipynb").write_text(json.dumps({"worksheets": [{"cells": [code]}], "nbformat": 3}))
    assert (await text_of(read, tmp_path, path="n.ipynb")).endswith(
        "[cell 1, code, run 7]\n1/0\n[output] seven\n[output] Z: v"
    )


@pytest.mark.parametrize("value", ["NaN", "[1, -Infinity]", '"\\ud83d"'])
async def test_a_notebook_with_numbers_that_are_none_is_read_by_cell(tmp_path, value):
    outputs = [
        {"output_type": "execute_result", "data": {"text/plain": "\ud83d", "application/json": "VALUE"}}
    ]
    body = notebook({"cell_type": "code", "source": ["n = 1\n", "VALUE"], "outputs": outputs})
    body = body.replace('"application/json": "VALUE"', f'"application/json": {value}')
    (tmp_path / "n.ipynb").write_text(body)
    said = await text_of(read, tmp_path, path="n.ipynb")
    assert said.endswith("[cell 1, code]\nn = 1\nVALUE\n[output] \ufffd")


async def test_a_picture_broken_into_lines_has_the_size_it_has(tmp_path):
    data = base64.encodebytes(png(40, 30)).decode()
    outputs = [
        {"output_type": "display_data", "data": {"image/png": value}} for value in (data, data.split("\n"))
    ]
    cell = {"cell_type": "code", "source": None, "outputs": outputs}
    (tmp_path / "n.ipynb").write_text(notebook(cell))
    line = f"[output] [image/png, 40 x 30, {len(png(40, 30))} bytes]"
    assert (await text_of(read, tmp_path, path="n.ipynb")).endswith(f"[cell 1, code]\n{line}\n{line}")


@pytest.mark.parametrize("body", ["{", "[]", '{"cells": 3}', "{" * 100_000])
async def test_a_notebook_that_is_none_is_shown_as_text(tmp_path, body):
    (tmp_path / "n.ipynb").write_text(body)
    assert (await text_of(read, tmp_path, path="n.ipynb")).startswith("[It is no notebook (")


@pytest.mark.parametrize("cell", [None, 3, {}, {"outputs": [None, {"data": None}, {"output_type": "error"}]}])
async def test_odd_cells_are_shown_as_far_as_they_go(tmp_path, cell):
    (tmp_path / "n.ipynb").write_text(notebook(cell))
    assert "[cell 1, " in await text_of(read, tmp_path, path="n.ipynb")


@settings(max_examples=200, derandomize=True, deadline=None)
@given(text=st.text(st.sampled_from("ab\n"), max_size=60), offset=st.integers(1, 20), piece=st.integers(1, 9))
def test_lines_are_found_wherever_the_blocks_end(text, offset, piece):
    data = text.encode()
    blocks = [data[at : at + piece] for at in range(0, len(data), piece)]
    part = scan_lines(blocks, offset=offset, max_bytes=7)
    assert part.data == b"".join(data.splitlines(keepends=True)[offset - 1 :])[:7]
    assert (part.whole.line_count, part.whole.byte_count) == (len(data.splitlines()), len(data))


async def test_a_smaller_limit_of_the_session_holds(tmp_path):
    (tmp_path / "a.txt").write_text("line\n" * 100)
    text = await text_of(read, tmp_path, OutputLimits(max_lines=10, max_bytes=1000), path="a.txt")
    assert text.endswith("[Showing lines 1-10 of 100. Use offset=11 to continue.]")


SALES = pd.DataFrame(
    {
        "id": range(20_000),
        "city, town": ["Oslo", "Ås"] * 10_000,
        "when": pd.date_range("2024-01-01", periods=20_000, freq="h"),
        "price": [1.5, None] * 10_000,
    }
)


async def test_a_large_csv_is_told_by_columns_rows_and_its_first_lines(tmp_path):
    SALES.to_csv(tmp_path / "a.csv", index=False)
    text = await text_of(read, tmp_path, path="a.csv")
    title, columns, _, header, first, *_ = text.split("\n")
    found = re.fullmatch(
        r"a\.csv: [\d.]+ KB, ([\d,]+) rows x 4 columns, separated by ','",
        title,
    )
    assert found[1] == "20,000"
    types = 'id (int), "city, town" (text), when (date), price (float, gaps)'
    assert columns == f"columns, by the first 1,000 rows: {types}"
    assert (header, first) == ('id,"city, town",when,price', "0,Oslo,2024-01-01 00:00:00,1.5")
    assert len(text) < 2000
    assert text.endswith(
        '[Load it with run_code: pandas.read_csv("a.csv"). Its lines as they are: limit=100.]'
    )


async def test_a_wide_csv_is_told_by_its_columns_however_small(tmp_path):
    frame = pd.DataFrame({f"column {number}": ["yes", "no"] for number in range(3000)})
    frame.to_csv(tmp_path / "a.csv", index=False)
    text = await text_of(read, tmp_path, path="a.csv")
    assert "2 rows x 3,000 columns" in text
    assert "column 199 (text), and 2,800 more" in text
    assert len(text) < 20_000


async def test_codes_with_leading_zeros_are_no_numbers(tmp_path):
    rows = "".join(f"{number:05d},{number}.50,-0.5e3,{number}\n" for number in range(90_000, 110_000))
    (tmp_path / "a.csv").write_text("zip,price,x,n\n01234,0.5,.5,0\n" + rows)
    text = await text_of(read, tmp_path, path="a.csv")
    assert "rows: zip (text), price (float), x (float), n (int)\n" in text


async def test_an_encoding_that_is_not_known_is_left_open_in_the_advice(tmp_path):
    (tmp_path / "a.csv").write_bytes("名前,値\n東京駅前,1\n".encode("cp932") * 30_000)
    text = await text_of(read, tmp_path, path="a.csv")
    assert 'pandas.read_csv("a.csv", encoding=…)' in text


async def test_the_rows_of_a_file_that_is_not_read_to_its_end_are_estimated(tmp_path):
    pd.concat([SALES] * 5).to_csv(tmp_path / "a.csv", index=False)
    text = await text_of(read, tmp_path, path="a.csv")
    found = re.search(r"about ([\d,]+) rows \(estimated from its size\) x 4 columns", text)
    assert abs(int(found[1].replace(",", "")) - 100_000) < 5_000


async def test_line_breaks_within_fields_are_no_rows(tmp_path):
    pd.DataFrame({"a": ["one\ntwo\nthree"] * 20_000, "b": 1}).to_csv(tmp_path / "a.csv", index=False)
    assert "20,000 rows x 2 columns" in await text_of(read, tmp_path, path="a.csv")


async def test_its_lines_are_given_when_they_are_asked_for(tmp_path):
    SALES.to_csv(tmp_path / "a.csv", index=False)
    text = await text_of(read, tmp_path, path="a.csv", limit=2)
    assert text.endswith("[Showing lines 1-2 of 20,001. Use offset=3 to continue.]")
    assert (await text_of(read, tmp_path, path="a.csv", offset=20_001)).startswith("19999,")


@pytest.mark.parametrize(
    ("name", "options", "load"),
    [
        ("a.tsv", {"sep": "\t"}, 'sep="\\t"'),
        ("a.csv", {"sep": ";", "encoding": "utf-16"}, 'sep=";", encoding="utf-16"'),
        ("a.csv", {"sep": "|", "encoding": "cp1252"}, 'sep="|", encoding="cp1252"'),
    ],
)
async def test_separator_and_encoding_are_told_as_a_library_wants_them(tmp_path, name, options, load):
    SALES.to_csv(tmp_path / name, index=False, **options)
    text = await text_of(read, tmp_path, path=name)
    assert f'pandas.read_csv("{name}", {load})' in text
    assert "x 4 columns" in text
    assert "Ås" in text


@pytest.mark.parametrize(
    "content", ["x" * 300_000, "\n" * 300_000, "a,b\n" + '"' + "x" * 300_000, "a,b\n1,2\n" + "x" * 300_000]
)
async def test_a_large_file_that_is_no_table_is_shown_as_text(tmp_path, content):
    (tmp_path / "a.csv").write_text(content)
    assert "run_code: pandas" not in await text_of(read, tmp_path, path="a.csv")


async def test_a_parquet_file_is_told_by_schema_rows_and_some_of_them(tmp_path):
    SALES.to_parquet(tmp_path / "a.parquet", row_group_size=3000)
    text = await text_of(read, tmp_path, path="a.parquet")
    assert "20,000 rows x 4 columns, 7 row groups\ncolumns: id (int64), " in text
    assert '\n\nrows from 0:\nid,"city, town",when,price\n0,Oslo,2024-01-01,1.5\n' in text
    assert text.endswith('[Load it with run_code: pandas.read_parquet("a.parquet").]')
    later = await text_of(read, tmp_path, path="a.parquet", offset=6000, limit=2)
    assert "\nrows from 5,999:\n" in later
    assert re.findall(r"^(\d+),", later, re.M) == ["5999", "6000"]


async def test_columns_of_one_name_are_not_told_to_be_left_out(tmp_path):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    twice = pa.table([pa.array([1]), pa.array([2])], names=["a", "a"])
    parquet.write_table(twice, tmp_path / "a.parquet")
    assert "\nrows from 0:\na,a\n1,2\n" in await text_of(read, tmp_path, path="a.parquet")


def test_a_parquet_column_that_unpacks_to_more_than_may_be_is_not_unpacked(tmp_path):
    path = tmp_path / "a.parquet"
    SALES.head(100).assign(bomb="x" * 10_000 + SALES["id"].astype(str)).to_parquet(path)
    text = describe_parquet(path, "a.parquet", start=0, count=10, max_unpacked_bytes=100_000)
    assert "x 5 columns" in text
    assert '\nrows from 0 (without 1 column, too many or too large):\nid,"city, town",when,price\n0,' in text


async def test_a_damaged_parquet_file_says_what_is_wrong(tmp_path):
    (tmp_path / "a.parquet").write_bytes(b"PAR1 and no more")
    said = await refused(tmp_path, "a.parquet")
    assert said.startswith("a.parquet (16 bytes) cannot be read: Parquet magic bytes not found in footer.")


def pdf(*pages: str) -> bytes:
    """A file with one line of text on each page."""
    kids = " ".join(f"{4 + 2 * i} 0 R" for i in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, text in enumerate(pages):
        stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * number} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    data, places = "%PDF-1.4\n", []
    for number, text in enumerate(objects, 1):
        places.append(len(data))
        data += f"{number} 0 obj\n{text}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    return (
        f"{data}xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} /Root 1 0 R >>\n"
        f"startxref\n{len(data)}\n%%EOF\n"
    ).encode()


async def test_a_pdf_is_read_by_page(tmp_path):
    (tmp_path / "a.pdf").write_bytes(pdf(*(f"This is page {i}." for i in range(1, 31))))
    text = await text_of(read, tmp_path, path="a.pdf", offset=3, limit=2)
    assert text == (
        "--- page 3 ---\nThis is page 3.\n\n--- page 4 ---\nThis is page 4.\n\n"
        "[Showing pages 3-4 of 30. Use offset=5 to continue.]"
    )
    assert "[Showing pages 1-20 of 30. Use offset=21" in await text_of(read, tmp_path, path="a.pdf")
    assert (await text_of(read, tmp_path, path="a.pdf", offset=30)).endswith("[Showing page 30 of 30.]")
    assert "which has 30 pages" in await refused(tmp_path, "a.pdf", offset=31)


async def test_a_long_pdf_is_bounded(tmp_path):
    (tmp_path / "a.pdf").write_bytes(pdf(*(["word " * 8000] * 3)))
    text = await text_of(read, tmp_path, path="a.pdf")
    assert len(text.encode()) <= 51_200
    assert text.endswith("[Showing page 1 of 3. Use offset=2 to continue.]")


async def test_a_damaged_pdf_says_what_is_wrong(tmp_path):
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.4 no more")
    assert (await refused(tmp_path, "a.pdf")).startswith("a.pdf (16 bytes) cannot be read: ")


async def test_a_folder_is_listed(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.txt").write_text("x")
    assert await text_of(read, tmp_path, path="folder") == "a.txt  1 byte"


async def test_json_too_long_to_show_names_what_looks_into_it(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps([{"id": i} for i in range(20_000)]))
    context = context_for(tmp_path, name="read")
    context.resources[JsonFilter] = find_json_filter()
    result = await read.execute(context, read.parse({"path": "a.json"}))
    assert result.content[0].text.endswith("\n[query_json looks into it.]")
    assert "query_json" not in await text_of(read, tmp_path, path="a.json")


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
async def test_where_queries_are_offered_a_table_says_so(tmp_path, encoding):
    SALES.to_csv(tmp_path / "a.csv", index=False, encoding=encoding)
    SALES.to_parquet(tmp_path / "a.parquet")
    for path in ("a.csv", "a.parquet"):
        context = context_for(tmp_path, name="read")
        context.resources[QueryEngine] = QueryEngine()
        result = await read.execute(context, read.parse({"path": path}))
        is_offered = f", or query it with query_data: FROM '{path}'." in result.content[0].text
        assert is_offered == (path == "a.parquet" or encoding == "utf-8")
