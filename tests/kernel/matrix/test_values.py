"""Rows 3 and 4: values whose representation fails, lies, is endless or huge."""

import pytest

from tests.kernel.matrix.case import BOTH, case, matrix, reads

pytestmark = pytest.mark.kernel


def value(id, body, exactly=None, *parts, **fields):
    """A case whose value is an object with these methods."""
    lines = "\n".join("    " + line for line in body.splitlines())
    return case(id, reads(f"class Odd:\n{lines}\nOdd()", exactly, *parts), **fields)


BROKEN = [
    value("repr raises", "def __repr__(self): raise ValueError('boom')", how=BOTH, is_chosen=True),
    value("repr is no text", "def __repr__(self): return 5", is_chosen=True),
    value("repr exits", "def __repr__(self): raise SystemExit", how=BOTH, is_chosen=True),
    value("repr is interrupted", "def __repr__(self): raise KeyboardInterrupt", how=BOTH, is_chosen=True),
    value("repr raises GeneratorExit", "def __repr__(self): raise GeneratorExit"),
    value(
        "repr raises CancelledError", "def __repr__(self):\n    import asyncio; raise asyncio.CancelledError"
    ),
    value(
        "repr raises what cannot be shown",
        "def __repr__(self):\n    class E(Exception):\n        def __str__(self): raise RuntimeError\n    raise E",
    ),
    value(
        "repr calls itself",
        "def __repr__(self): return repr(self)",
        None,
        "Odd (its repr failed) object\n[The value's representation failed: RecursionError: maximum recursion depth exceeded",
        is_chosen=True,
    ),
    value("repr prints", "def __repr__(self):\n    print('side effect'); return 'shown'"),
    value(
        "repr displays",
        "def __repr__(self):\n    from IPython.display import display; display(1); return 'shown'",
    ),
    value("repr replaces stdout", "def __repr__(self):\n    import sys; sys.stdout = None; return 'shown'"),
    value("repr asks", "def __repr__(self): return input('name?')"),
    value("html raises", "def _repr_html_(self): raise ValueError('boom')", is_chosen=True),
    value("html is no text", "def _repr_html_(self): return 5"),
    value("html exits", "def _repr_html_(self): raise SystemExit"),
    value("mimebundle is none", "def _repr_mimebundle_(self, include=None, exclude=None): return 5"),
    value(
        "mimebundle raises",
        "def _repr_mimebundle_(self, include=None, exclude=None): raise ValueError('boom')",
    ),
    value(
        "mimebundle with odd keys",
        "def _repr_mimebundle_(self, include=None, exclude=None): return {5: 'x', 'text/plain': b'bytes', 'a/b': object()}",
    ),
    value("png is no picture", "def _repr_png_(self): return 'not base64!'"),
    value("displays itself and raises", "def _ipython_display_(self): raise ValueError('boom')"),
    value("displays itself", "def _ipython_display_(self): print('itself')"),
    value("every attribute raises", "def __getattr__(self, name): raise RuntimeError(name)", is_chosen=True),
    value("every attribute exits", "def __getattr__(self, name): raise SystemExit"),
    value("every attribute is callable", "def __getattr__(self, name): return lambda *a, **k: None"),
    value(
        "every attribute is itself",
        "def __getattr__(self, name): return self\ndef __call__(self, *a, **k): return self",
    ),
    value("attributes asked for raise", "def __getattribute__(self, name): raise ValueError(name)"),
    value("class is a lie", "__class__ = property(lambda self: int)"),
    value("class raises", "@property\ndef __class__(self): raise ValueError('boom')"),
    value("length is a lie", "def __len__(self): return 10**12\ndef __getitem__(self, i): return i"),
    value(
        "length raises",
        "def __len__(self): raise ValueError('boom')\ndef __iter__(self): raise ValueError('boom')",
    ),
    value(
        "truth raises",
        "def __bool__(self): raise ValueError('boom')\ndef __eq__(self, other): raise ValueError('boom')\n__hash__ = None",
    ),
    value(
        "hash and size raise",
        "def __hash__(self): raise ValueError('boom')\ndef __sizeof__(self): raise ValueError('boom')\ndef __dir__(self): raise ValueError('boom')",
    ),
    case(
        "type cannot be shown",
        reads(
            "class M(type):\n    def __repr__(self): raise ValueError('boom')\nclass C(metaclass=M): pass\nC"
        ),
    ),
    case(
        "type without a name",
        reads(
            "class M(type):\n    @property\n    def __name__(self): raise ValueError('boom')\n    __module__ = __name__\nclass C(metaclass=M): pass\nC()"
        ),
    ),
    case(
        "a dict that raises",
        reads(
            "class D(dict):\n    def __iter__(self): raise ValueError('boom')\n    items = keys = values = __iter__\nD(a=1)"
        ),
    ),
    case(
        "a list that never ends",
        reads("class L(list):\n    def __iter__(self):\n        while True: yield 1\nL([1, 2])"),
    ),
    case(
        "a text with a mind of its own",
        reads(
            "class S(str):\n    def __str__(self): raise ValueError('boom')\n    __repr__ = __len__ = __str__\nS('abc')"
        ),
    ),
    case(
        "elements that fail",
        reads("class E:\n    def __repr__(self): raise ValueError('boom')\n[E(), 2, {'k': E()}]"),
    ),
    case(
        "an exception that cannot be shown",
        reads("class E(Exception):\n    def __str__(self): raise RuntimeError\n    __repr__ = __str__\nE()"),
    ),
    case("a dead proxy", reads("import weakref\nclass C: pass\nweakref.proxy(C())")),
    case(
        "a dataclass with a field that fails",
        reads(
            "import dataclasses\nclass E:\n    def __repr__(self): raise ValueError('boom')\n@dataclasses.dataclass\nclass D:\n    a: int\n    b: object\nD(1, E())"
        ),
    ),
]

LARGE = [
    case("a list in itself", reads("x = [1]; x.append(x); x", "[1, [...]]")),
    case("a dict in itself", reads("x = {}; x['x'] = x; x")),
    case("a deep list", reads("x = []\nfor _ in range(100_000): x = [x]\nx"), is_chosen=True),
    case("a long text", reads("'x' * 50_000_000", None, "str, 50,000,000 characters, 1 line:\nxxx")),
    case("long bytes", reads("b'x' * 50_000_000", None, "bytes, 50,000,000 bytes: b'xxx")),
    case(
        "a long list",
        reads(
            "list(range(10_000_000))",
            None,
            "list of 10,000,000 items:\n[\n 0, 1, 2,",
            " more …, ",
            "9999999\n]",
        ),
        is_chosen=True,
    ),
    case(
        "a wide dict",
        reads(
            "{i: 'v' * 100 for i in range(200_000)}",
            None,
            "dict of 200,000 items:\n{\n 0: 'vvv",
            "\n}",
        ),
    ),
    case("a number of 5,000 digits", reads("10 ** 5000")),
    case("a number of ten million bits", reads("1 << 10_000_000")),
    case(
        "nested lists",
        reads("[list(range(1000))] * 3000", None, "list of 3,000 items:\n[\n [0, 1, 2,", " 979 more …, "),
    ),
    case(
        "a generator is left alone",
        reads("g = (print('consumed') for _ in range(3)); g"),
        reads("sum(1 for _ in g)", "consumed\nconsumed\nconsumed\n3"),
    ),
    case(
        "a file is left alone",
        reads("f = open('some.txt', 'w+'); r = f.write('text'); r = f.seek(0); f"),
        reads("f.read()", "str 'text'"),
        after="f.close(); import os; os.remove('some.txt')",
    ),
    case(
        "a large html",
        reads(
            "class H:\n    def _repr_html_(self): return '<b>' * 3_000_000\n    def __repr__(self): return 'small'\nH()"
        ),
    ),
    case(
        "a large picture",
        reads(
            "class P:\n    def _repr_png_(self): return b'x' * 30_000_000\n    def __repr__(self): return 'small'\nP()"
        ),
    ),
    case(
        "an object that counts",
        reads(
            "class C:\n    n = 0\n    def __repr__(self):\n        C.n += 1; return 'shown'\nC()", "C: shown"
        ),
        reads("C.n <= 3", "True"),
    ),
    value("a repr without an end", "def __repr__(self):\n    while True: pass", seconds=30, is_chosen=True),
    value("a repr that sleeps", "def __repr__(self):\n    import time; time.sleep(60)", seconds=30),
    value(
        "a repr that will not be stopped",
        "def __repr__(self):\n    while True:\n        try:\n            while True: pass\n        except BaseException: pass",
        seconds=30,
    ),
    value(
        "a length without an end",
        "def __len__(self):\n    while True: pass\ndef __iter__(self):\n    while True: pass\ndef __repr__(self): return 'shown'",
        seconds=30,
    ),
    value("a repr of 300 MB", "def __repr__(self): return 'x' * 300_000_000", None, "Odd\nxxx", seconds=30),
]


@matrix(BROKEN)
def test_a_broken_representation_breaks_nothing(check, case, how):
    check(case, how)


@matrix(LARGE)
def test_a_value_of_any_size_is_read_in_bounds(check, case, how):
    check(case, how)
