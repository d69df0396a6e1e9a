"""Late output as the model reads it."""

import msgspec

from pi_notebook.context.late_output import CUSTOM_TYPE, describe_late_output, late_output_message
from pi_notebook.context.previews.budget import count_tokens
from pi_notebook.kernel.late import MAX_LATE_CHARS, EndedCall, LateOutput, take_late_output


def test_it_is_named_by_the_first_line_of_its_calls_code_that_says_something():
    output = LateOutput(code="import threading\n# begin\nworker.start()\n", text="epoch 3\n", chars=8)
    assert describe_late_output([output]) == "[Late output of an earlier call, `worker.start()`:]\nepoch 3"


def test_it_is_bounded_however_much_came_of_however_many_calls():
    outputs = [LateOutput(code=f"call_{n}()", text="a word " * 1_000, chars=10**9) for n in range(20)]
    text = describe_late_output(outputs)
    assert count_tokens(text) < 2_200
    assert text.startswith("[Late output of 16 earlier calls is left out.]\n")
    assert "`call_19()`; the end of 1,000,000,000 characters:]" in text


def test_the_message_before_a_prompt_comes_once():
    take_late_output()
    EndedCall("work()").add("done\x1b[0m\n")
    message = late_output_message()
    assert message is not None
    assert message.custom_type == CUSTOM_TYPE
    assert message.content == (
        "<late_output>\n[Late output of an earlier call, `work()`:]\ndone\n</late_output>"
    )
    assert msgspec.json.encode(message)
    assert late_output_message() is None


def test_of_one_calls_output_the_end_is_kept():
    take_late_output()
    call = EndedCall("work()")
    for number in range(10_000):
        call.add(f"{number:07}\n")
    (output,) = take_late_output()
    assert (len(output.text), output.text[-8:], output.chars) == (MAX_LATE_CHARS, "0009999\n", 80_000)
