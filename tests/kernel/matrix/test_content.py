"""Rows 20 and 24: text that is hard to hold, and frames of every kind."""

import pytest

from tests.kernel.matrix.case import BOTH, case, fails, matrix, reads

pytestmark = pytest.mark.kernel

TEXTS = [
    case("half a surrogate pair", reads("print('a\\ud800b')", "a\\ud800b"), how=BOTH, is_chosen=True),
    case("half a pair as a value", reads("'a\\udfffb'")),
    case("a null", reads("print('a\\x00b')", "ab"), is_chosen=True),
    case(
        "escape sequences",
        reads("print('\\x1b[31mred\\x1b[0m \\x1b]0;title\\x07 \\x1b[2Jcleared')"),
        is_chosen=True,
    ),
    case("bells and backspaces", reads("print('ab\\b\\bcd\\a')")),
    case("a carriage return", reads("print('first\\rlast')", "last")),
    case("text from right to left", reads("print('שלום \\u202e reversed \\u202c')")),
    case("characters nobody sees", reads("print('a\\u200bb\\u2060c\\ufeffd\\U000e0041')")),
    case(
        "a million combining characters",
        reads("print('a' + '\\u0301' * 1_000_000)", None, "Full output: "),
        seconds=30,
    ),
    case(
        "every character of the first plane",
        reads("print(''.join(map(chr, range(0x20, 0xd800))))", None, "힣"),
        seconds=30,
    ),
    case("emoji of many parts", reads("print('👩‍👩‍👧‍👦')")),
    case(
        "bytes that are no text",
        reads("import os; r = os.write(1, b'\\xff\\xfe good \\xc3\\x28\\n')", None, " good "),
    ),
    case("half a character at the end", reads("import os; r = os.write(1, 'é'.encode()[:1])")),
    case("line ends of all kinds", reads("print('a\\r\\nb\\u2028c\\x85d\\x0be')")),
    case("a name that is not ASCII", reads("größe = 3\ngröße", "3")),
    case("code with a surrogate", reads("x = '\\ud83d'\nlen(x)", "1")),
    case(
        "a display with surrogates",
        reads("from IPython.display import display, HTML\ndisplay(HTML('<b>\\ud800</b>'))"),
    ),
    case(
        "an error with surrogates",
        fails("raise ValueError('\\ud800')", None, "ValueError: \\ud800"),
        how=BOTH,
    ),
    case("a key with controls", reads("{'a\\x1b[31m': '\\x00'}")),
]

PANDAS = "import pandas as pd, numpy as np\n"
FRAMES = [
    case(
        "ten thousand columns",
        reads(
            PANDAS + "wide = pd.DataFrame(np.zeros((3, 10_000)))\nwide",
            None,
            "wide = DataFrame (pandas): 3 rows x 10,000 columns",
        ),
        seconds=30,
        is_chosen=True,
    ),
    case(
        "a million rows",
        reads(PANDAS + "long = pd.DataFrame({'n': np.arange(1_000_000)})\nlong", None, "1,000,000 rows"),
        seconds=30,
        is_chosen=True,
        after="del long",
    ),
    case(
        "names twice", reads(PANDAS + "pd.DataFrame([[1, 2]], columns=['a', 'a'])", None, "1 row"), seconds=30
    ),
    case(
        "names that are no text",
        reads(PANDAS + "pd.DataFrame([[1, 2, 3]], columns=[None, (1, 2), 3.5])", None, "1 row"),
        seconds=30,
    ),
    case(
        "several indexes",
        reads(
            PANDAS + "pd.DataFrame({'v': range(4)}, index=pd.MultiIndex.from_product([['a', 'b'], [1, 2]]))",
            None,
            "4 rows",
        ),
        seconds=30,
    ),
    case(
        "cells of a megabyte",
        reads(PANDAS + "pd.DataFrame({'t': ['x' * 1_000_000] * 20})", None, "20 rows"),
        seconds=30,
    ),
    case(
        "cells that fail",
        reads(
            PANDAS
            + "class E:\n    def __repr__(self): raise ValueError('boom')\npd.DataFrame({'e': [E(), E()]})",
            None,
            "2 rows",
        ),
        seconds=30,
        is_chosen=True,
    ),
    case(
        "cells that are frames",
        reads(PANDAS + "pd.DataFrame({'f': [pd.DataFrame({'a': [1]})] * 2})", None, "2 rows"),
        seconds=30,
    ),
    case(
        "mixed objects that parquet cannot hold",
        reads(
            PANDAS + "mixed = pd.DataFrame({'m': [1, 'a', object(), {'k': 1}] * 5_000})\nmixed",
            None,
            "20,000 rows",
        ),
        seconds=30,
        after="del mixed",
    ),
    case("no rows", reads(PANDAS + "pd.DataFrame({'a': []})", None, "0 rows"), seconds=30),
    case("nothing at all", reads(PANDAS + "pd.DataFrame()", None, "0 rows"), seconds=30),
    case(
        "a frame with a repr of its own",
        reads(
            PANDAS
            + "class F(pd.DataFrame):\n    def __repr__(self): raise ValueError('boom')\n    _repr_html_ = __repr__\nF({'a': [1]})",
            None,
            "1 row",
        ),
        seconds=30,
    ),
]


@matrix(TEXTS)
def test_text_of_any_kind_is_read_in_one_line_of_escapes(check, case, how):
    check(case, how)


@matrix(FRAMES)
def test_a_frame_of_any_kind_is_read_by_its_summary(check, case, how):
    check(case, how)
