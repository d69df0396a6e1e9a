import io

import pytest

from pi_notebook.kernel.rates import RateLimit
from pi_notebook.kernel.streams import CapturedStream


def test_a_stream_without_a_call_writes_to_the_one_beneath():
    beneath, stream = io.StringIO(), CapturedStream("stdout")
    stream.begin(None, beneath)
    assert stream.write("text") == 4
    assert beneath.getvalue() == "text"


def test_writing_late_to_a_closed_stream_raises_nothing():
    beneath, stream = io.StringIO(), CapturedStream("stdout")
    stream.begin(None, beneath)
    beneath.close()
    assert stream.write("text") == 4


def test_only_text_can_be_written():
    with pytest.raises(TypeError, match="must be str, not <class 'bytes'>"):
        CapturedStream("stdout").write(b"bytes")


def test_a_subclass_of_str_is_written_as_the_text_it_holds():
    class Liar(str):
        __slots__ = ()

        def __len__(self):
            return 10**9

    beneath, stream = io.StringIO(), CapturedStream("stdout")
    stream.begin(None, beneath)
    assert stream.write(Liar("abc")) == 3
    assert beneath.getvalue() == "abc"


def test_unknown_attributes_are_those_of_the_stream_beneath():
    stream = CapturedStream("stdout")
    stream.begin(None, io.StringIO())
    with pytest.raises(AttributeError):
        stream.buffer  # noqa: B018 - the kernel's own has none either
    assert stream.getvalue() == ""


def test_no_more_than_the_rate_passes_and_the_rest_is_counted():
    limit = RateLimit(1000)
    passed = sum(len(limit.take("x" * 300)) for _ in range(10))
    assert 1000 <= passed < 1100
    assert limit.dropped_characters == 3000 - passed
    assert limit.take("é" * 4000) == ""
