import pytest

from tests.patience import SOON

pytestmark = pytest.mark.kernel


@pytest.mark.parametrize(
    ("code", "plain"),
    [
        ("6 * 7", "42"),
        ("None", None),
        ("6 * 7;", None),
        ("x = 1", None),
        ("import asyncio\nawait asyncio.sleep(0, 'awaited')", "'awaited'"),
        ("%pwd\n", "cwd"),
        ("!!echo hi", "['hi']"),
        ("1\n2", "2"),
    ],
)
def test_the_last_expression_is_the_value(driven, code, plain):
    report, seen = driven.run(f"driver.codes({code!r})")
    text = report[0]["data"].get("text/plain")
    assert text == plain or (plain == "cwd" and text.startswith("'/"))
    assert seen.contents("execute_result") == []


def test_the_value_has_all_its_representations(driven):
    data = driven.code("from IPython.display import HTML\nHTML('<i>y</i>')")["data"]
    assert data["text/html"] == "<i>y</i>"
    assert "text/plain" in data


def test_the_value_is_known_as_underscore_to_the_next_piece(driven):
    driven.kernel.run("globals().pop('_', None)")  # one of the person's own is theirs
    assert driven.codes("123", "_ + 1")[1]["data"]["text/plain"] == "124"


@pytest.mark.parametrize(
    "body",
    [
        "def __repr__(self): raise ValueError('boom')",
        "def __repr__(self): return 5",
        "def __repr__(self): raise SystemExit",
        "def __repr__(self): raise KeyboardInterrupt",
        "def __repr__(self): return self.__repr__()",
        "def _repr_html_(self): raise ValueError('boom')",
        "def __getattr__(self, name): raise RuntimeError(name)",
        "def _ipython_display_(self): raise ValueError('boom')",
    ],
)
def test_a_broken_representation_breaks_nothing_and_is_told(driven, body):
    report = driven.code(f"class Broken:\n    {body}\nBroken()")
    assert report["status"] == "ok"
    assert report["data"].get("text/plain", "").startswith("<")
    if "__getattr__" not in body:
        assert any("representation failed" in note for note in report["notes"]), report


@pytest.mark.parametrize(
    "body",
    [
        "while True: pass",
        "import time; time.sleep(60)",
        "while True:\n"
        + " " * 12
        + "try:\n"
        + " " * 16
        + "while True: pass\n"
        + " " * 12
        + "except BaseException: pass",
    ],
)
def test_an_endless_representation_is_given_up_after_two_seconds(driven_by_await, body):
    report = driven_by_await.code(f"class Slow:\n    def __repr__(self):\n        {body}\nSlow()")
    assert report["status"] == "ok"
    assert 1.5 < report["seconds"] < SOON
    assert "took longer than 2 s" in report["data"]["text/plain"]
    assert report["interrupts"] == 0


@pytest.mark.parametrize("code", ["'x' * 50_000_000", "b'x' * 50_000_000", "[list(range(1000))] * 1000"])
def test_a_huge_value_has_a_bounded_text(driven, code):
    report = driven.code(code)
    assert len(report["data"]["text/plain"]) < 70_000
    assert report["seconds"] < SOON


def test_a_container_too_long_to_format_is_shown_by_its_first_elements(driven_by_await):
    report = driven_by_await.code("[list(range(1000))] * 3000")
    assert report["data"]["text/plain"].startswith("[[0, 1, 2, 3, 4, 5, ...], [0, 1,")
