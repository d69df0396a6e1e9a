"""The code of the person's cells in a session: whole where there is room, and read back exactly."""

from types import SimpleNamespace

from pi_notebook.agent.entries import CustomMessageEntry
from pi_notebook.kernel.person_cells import PersonCell
from pi_notebook.session.person_cells import MAX_CODE_CHARS, cells_message
from pi_notebook.session.recorded_cells import recorded_cells

LOOKS_LIKE_OURS = 'text = """\nIn[9]:\nOutput:\nError: no\n"""'


def shell_with(*cells):
    return SimpleNamespace(_pi_notebook_cells=SimpleNamespace(since=lambda time_ms: cells))


def cell(number, code, **fields):
    return PersonCell(number=number, code=code, code_chars=fields.pop("code_chars", len(code)), **fields)


def read_back(message):
    entry = CustomMessageEntry(
        id="e1",
        parent_id=None,
        timestamp="2026-01-01T00:00:00.000Z",
        custom_type=message.custom_type,
        content=message.content,
        display=message.display,
        details=message.details,
    )
    return recorded_cells([entry])


def test_every_cell_is_read_back_as_it_ran_however_little_the_model_is_told():
    long = "\n".join(f"value_{n} = {n}" for n in range(500))
    shell = shell_with(
        cell(1, long), cell(2, LOOKS_LIKE_OURS), cell(3, "1/0", error="ZeroDivisionError (line 1)")
    )
    message = cells_message(shell, 0, max_tokens=200)
    assert "value_250" not in message.content
    found = read_back(message)
    assert [one.text for one in found] == [long, LOOKS_LIKE_OURS, "1/0"]
    assert [one.is_whole for one in found] == [True, True, True]
    assert [one.has_worked for one in found] == [True, True, False]


def test_cut_and_masked_code_is_marked_and_the_oldest_give_way(monkeypatch):
    monkeypatch.setenv("MY_API_KEY", "abcdefghijklmnop")
    secret, cut = cell(2, "key = 'abcdefghijklmnop'"), cell(3, "x = 1", code_chars=9_000)
    message = cells_message(shell_with(secret, cut), 0, max_tokens=2_000)
    assert "abcdefghijklmnop" not in str(message.details)
    assert [one.is_whole for one in read_back(message)] == [False, False]
    many = [cell(number, f"# {number}\n" + "x" * 8_000) for number in range(50)]
    message = cells_message(shell_with(*many), 0, max_tokens=2_000)
    assert sum(len(one["code"]) for one in message.details["cells"]) <= MAX_CODE_CHARS
    found = read_back(message)
    assert (found[0].text, found[0].is_whole) == ("", False)
    assert found[-1].text == many[-1].code
