"""What a model is told of the moment: whole at first, then what changed, never more than a little."""

from hypothesis import given, settings
from hypothesis import strategies as st

from pi_notebook.agent.messages import CustomMessage
from pi_notebook.context.variables import variable_notes
from pi_notebook.kernel.namespace import VariableInfo
from pi_notebook.session.situation import NOWHERE, Situation, situation_message, told_situation


def frame(name, width=3):
    columns = tuple((f"column_{chr(97 + i % 26)}{i * i}", "float64") for i in range(width))
    return VariableInfo(name=name, type="pandas.DataFrame", shape=(10, width), columns=columns)


def scalar(name, value=0.5):
    return VariableInfo(name=name, type="float", text=repr(value))


def moment(*infos, folder="/data"):
    return Situation(facts={"working folder": folder}, variables=variable_notes(infos))


def lines(told, now):
    message = situation_message(told, now)
    return message.content.split("\n")[1:-1] if message else []


def reread(*messages):
    """As a resumed session finds it."""
    return told_situation(
        CustomMessage(**{name: getattr(one, name) for name in one.__struct_fields__}) for one in messages
    )


def test_all_is_told_at_first_plain_things_in_one_line():
    ax = VariableInfo(name="ax", type="matplotlib.axes._axes.Axes")
    assert lines(NOWHERE, moment(frame("df", 1), scalar("t"), ax, scalar("b"))) == [
        "working folder: /data",
        "variables:",
        "  df: pandas.DataFrame, 10 x 1; float64: column_a0",
        "  also: t, b (float), ax (Axes)",
    ]


def test_then_only_what_changed_is_told_and_a_new_value_of_a_number_is_no_change():
    before = moment(frame("df"), scalar("t", 0.5), scalar("old"))
    message = situation_message(NOWHERE, before)
    now = moment(frame("df", 1), scalar("t", 0.7), scalar("n"))
    assert lines(reread(message), now) == [
        "variables new or changed:",
        "  df: pandas.DataFrame, 10 x 1; float64: column_a0",
        "  also: n (float)",
        "variables gone: old",
    ]
    assert situation_message(reread(message), before) is None


def test_the_newest_of_many_are_told_and_the_others_counted():
    message = situation_message(NOWHERE, moment(*(frame(f"df{i}", 20) for i in range(100))))
    assert "  df99: " in message.content
    assert "  df0: " not in message.content
    told = message.content.count("pandas.DataFrame")
    assert f"  ({100 - told} more; list_variables shows them)" in message.content


infos = st.one_of(
    st.builds(frame, st.text(min_size=1, max_size=40), st.integers(0, 60)),
    st.builds(scalar, st.text(min_size=1, max_size=40)),
)


@settings(max_examples=50, derandomize=True, deadline=None, database=None)
@given(st.lists(infos, max_size=60), st.lists(infos, max_size=60))
def test_no_message_is_long_and_nothing_is_told_twice(first, second):
    message = situation_message(NOWHERE, moment(*first))
    assert len(message.content.encode("utf-8", "backslashreplace")) <= 1600
    after = situation_message(reread(message), moment(*second))
    if after is not None:
        assert len(after.content.encode("utf-8", "backslashreplace")) <= 1600
        assert situation_message(reread(message, after), moment(*second)) is None
