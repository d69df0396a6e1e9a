"""The options of %%agent."""

import pytest

from pi_notebook.errors import UsageError
from pi_notebook.ui.arguments import parse_cell_line


def test_an_empty_line_asks_for_nothing():
    options = parse_cell_line("")
    assert (
        options.model,
        options.mode,
        options.session,
        options.max_turns,
        options.output,
        options.stream,
    ) == (None,) * 6
    assert options.attach == ()


def test_every_option_is_read():
    options = parse_cell_line(
        "-m openai/gpt-4o --mode plan --session abc --max-turns 3 -o answer --no-stream "
        "--attach df --attach 'my data.csv'"
    )
    assert options.model == "openai/gpt-4o"
    assert options.mode == "plan"
    assert options.session == "abc"
    assert options.max_turns == 3
    assert options.output == "answer"
    assert options.stream is False
    assert options.attach == ("df", "my data.csv")


def test_auto_is_short_for_its_mode():
    assert parse_cell_line("--auto").mode == "auto"
    assert parse_cell_line("--auto --mode auto").mode == "auto"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--modell x", "%%agent has no option --modell. Did you mean --model?"),
        ("--mode automatic", "There is no mode 'automatic'. Did you mean auto?"),
        ("--max-turns 0", "--max-turns takes a whole number from 1, not '0'"),
        ("--max-turns many", "not 'many'"),
        ("-m", "expected one argument"),
        (f"--max-turns {'9' * 5_000}", "--max-turns takes a whole number from 1, not '999"),
        ("-o class", "-o takes a variable name, not 'class'"),
        ("--auto --mode plan", "--auto means --mode auto, and --mode plan says otherwise"),
        ("-o 1x", "-o takes a variable name, not '1x'"),
        ("what is this", "The prompt goes on the lines below"),
        ('-m "open', "No closing quotation"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_with_what_is_right(line, message):
    with pytest.raises(UsageError) as caught:
        parse_cell_line(line)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
