"""What earlier calls have put out after their end, in words for the model."""

from __future__ import annotations

from collections.abc import Sequence

from pi_notebook.agent.messages import CustomMessage, now_ms
from pi_notebook.agent.secrets import secret_values, without_secrets
from pi_notebook.context.amounts import count_of
from pi_notebook.context.cleaning import clean, fold_blank_lines
from pi_notebook.context.previews.budget import cut_to_fit
from pi_notebook.kernel.late import LateOutput, take_late_output

CUSTOM_TYPE = "pi_notebook/late_output"
MAX_TOKENS = 500
"""Of one call's output; its beginning and end."""
MAX_CALLS = 4
_MAX_CODE_CHARS = 80


def late_output_text() -> str:
    """What has come since this was asked last, bounded; empty when nothing has."""
    return describe_late_output(take_late_output())


def late_output_message() -> CustomMessage | None:
    """The same as a message to stand before a prompt."""
    text = late_output_text()
    if not text:
        return None
    return CustomMessage(
        custom_type=CUSTOM_TYPE,
        content=f"<late_output>\n{text}\n</late_output>",
        display=False,
        timestamp=now_ms(),
    )


def describe_late_output(outputs: Sequence[LateOutput]) -> str:
    """A block for each of the newest `outputs`, named by the first line of its call's code."""
    blocks = [_block(output) for output in outputs[-MAX_CALLS:]]
    if omitted := len(outputs) - len(blocks):
        blocks.insert(0, f"[Late output of {count_of(omitted, 'earlier call')} is left out.]")
    return "\n".join(blocks)


def _block(output: LateOutput) -> str:
    secrets = secret_values()
    text = fold_blank_lines(without_secrets(clean(output.text), secrets)).strip("\n")
    shown = cut_to_fit(text, MAX_TOKENS)
    cut = f"; the end of {output.chars:,} characters" if output.chars > len(output.text) else ""
    return f"[Late output of an earlier call, `{_named(output.code, secrets)}`{cut}:]\n{shown}"


def _named(code: str, secrets: Sequence[str]) -> str:
    """The first line of the code that says something."""
    lines = [line.strip() for line in code.splitlines()]
    telling = next((line for line in lines if line and not line.startswith(("#", "import ", "from "))), "")
    line = without_secrets(clean(telling or (lines[0] if lines else "")), secrets)
    return line if len(line) <= _MAX_CODE_CHARS else f"{line[: _MAX_CODE_CHARS - 1]}…"
