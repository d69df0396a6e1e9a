"""What the agent reads of the person's data, in a real kernel."""

import pytest

from tests.kernel.client import Kernel
from tests.provider import Provider, calls, text
from tests.ui.test_magics import results

pytestmark = pytest.mark.kernel


@pytest.fixture(scope="module")
def provider():
    with Provider() as provider:
        yield provider


@pytest.fixture(scope="module")
def kernel(provider, tmp_path_factory):
    folder = tmp_path_factory.mktemp("folder")
    (folder / "a.json").write_text('{"items": [{"n": 1}, {"n": 2}]}')
    env = provider.environment(tmp_path_factory.mktemp("home"))
    with Kernel(env=env, cwd=folder) as kernel:
        kernel.run("%load_ext pi_notebook")
        yield kernel


def answer_of(kernel, provider, tool, **arguments) -> str:
    provider.script(calls((tool, arguments)), text("done"))
    kernel.run("%%agent\ngo")
    (said,) = results(provider)
    kernel.check_health()
    return said


def test_a_filter_reads_a_variable_and_a_file(kernel, provider):
    kernel.run("data = {'a': [{'x': i} for i in range(5)]}")
    assert answer_of(kernel, provider, "query_json", reference="data", filter=".a | map(.x)") == "[0,1,2,3,4]"
    assert answer_of(kernel, provider, "query_json", reference="a.json", filter=".items[].n") == "1\n2"


def test_a_filter_that_fails_says_what_the_input_is(kernel, provider):
    said = answer_of(kernel, provider, "query_json", reference="a.json", filter=".items.n")
    assert said.endswith("The input is an object with the keys items.")


def test_a_shortened_cell_is_given_whole(kernel, provider):
    kernel.run("import pandas as pd; df = pd.DataFrame({'n': range(100), 'text': 'word ' * 100 + '!'})")
    shown = answer_of(kernel, provider, "preview_data", name="df")
    assert '\n[A shortened cell whole: cell=[0, "text"].]\n' in shown  # its name comes last
    whole = answer_of(kernel, provider, "preview_data", name="df", cell=[0, "text"])
    assert whole == "df, row 0, text: 501 characters\n" + "word " * 100 + "!"
