"""Which names code changes without setting them."""

import pytest

from pi_notebook.context.in_place import changed_in_place


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("df['fare'] = df.fare / 10", ["df"]),
        ("%time x = 1\ndf.loc[df.a == 1, 'b'] += 2", ["df"]),
        ("df.columns = ['a']\ncfg['x']['y'] = 1\ndf['b'] = 2", ["df", "cfg"]),
        ("if True:\n    df.drop(columns='a', inplace=True)", ["df"]),
        ("counts[key] **= 2", ["counts"]),
        ("x = df['a']\ndf['a'] == 2\nplot(df['a'], x=1)\nax.plot(x=df['a'])\ndf[df.a == 1].head()", []),
    ],
)
def test_a_part_that_is_set_names_the_whole(code, names):
    assert changed_in_place([code]) == names
