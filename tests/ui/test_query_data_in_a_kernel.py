"""`query_data` in a real kernel, asked for by a provider on loopback."""

import pytest

from tests.kernel.client import Kernel
from tests.patience import SOON
from tests.provider import Provider, calls, text

pytestmark = pytest.mark.kernel
ENDLESS = "SELECT count(*) FROM frame, range(100000000000000) b WHERE random() * b.range > frame.a"


@pytest.fixture(scope="module")
def provider():
    with Provider() as provider:
        yield provider


@pytest.fixture(scope="module")
def kernel(provider, tmp_path_factory):
    env = provider.environment(tmp_path_factory.mktemp("home"))
    with Kernel(env=env, cwd=tmp_path_factory.mktemp("folder")) as kernel:
        kernel.run("%load_ext pi_notebook")
        yield kernel
        kernel.check_health()


def ask(kernel, provider, sql):
    provider.script(calls(("query_data", {"sql": sql})), text("done"))
    kernel.run("%%agent\nquery")
    messages = provider.exchanges[-1].body["messages"]
    return [item["content"] for item in messages if item["role"] == "tool"][-1]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_persons_frame_is_queried_by_its_name(kernel, provider, library):
    kernel.run(f"import {library}\nframe = {library}.DataFrame({{'a': [1, 2, 3]}})")
    assert ask(kernel, provider, "SELECT sum(a) AS total FROM frame").endswith("total\n6")
    assert "There is no table fram. Did you mean frame?" in ask(kernel, provider, "FROM fram")


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_an_interrupt_ends_an_endless_query_and_the_kernel_goes_on(kernel, provider, library):
    kernel.run(f"import {library}\nframe = {library}.DataFrame({{'a': [1, 2, 3]}})")
    provider.script(calls(("query_data", {"sql": ENDLESS})), text("done"))
    stopped = kernel.run("%%agent\nquery", interrupt_on="b.range")
    assert stopped.errors == ["RunStopped: "]
    assert stopped.seconds - stopped.times[-1] < SOON
    left = "[t for t in threading.enumerate() if t.name == 'pi-notebook-query']"
    kernel.run(f"import threading\nfor thread in {left}: thread.join({SOON})")
    assert kernel.run(f"print({left})").text() == "[]\n"
