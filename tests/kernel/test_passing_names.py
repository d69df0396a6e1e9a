"""Which names code binds in passing."""

import pytest

from pi_notebook.kernel.code_facts import CodeFacts


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("for i, (a, b) in pairs:\n    total = a", {"i", "a", "b"}),
        ("with open('x') as f, lock:\n    text = f.read()", {"f"}),
        ("if True:\n    for line in file:\n        line = line.strip()", {"line"}),
        ("for df in frames:\n    pass\ndf = join(frames)", set()),
        ("try:\n    pass\nexcept ValueError:\n    for key in d:\n        pass", {"key"}),
        ("%matplotlib inline\nfor key in d: print(key)", {"key"}),
        ("def f():\n    for x in y:\n        pass\nz = [w for w in y]", set()),
        ("if a:\n    part = 1\nelse:\n    for part in parts:\n        pass", set()),
        ("async with session() as s:\n    async for chunk in s:\n        n += 1", {"s", "chunk"}),
        ("not python at all", set()),
        ("if x:\n    pass\n" + "elif x:\n    pass\n" * 80 + "else:\n    for i in x: pass", {"i"}),
    ],
)
def test_heads_of_loops_and_with_bind_in_passing_what_nothing_else_sets(code, names):
    assert CodeFacts(code).passing == names
