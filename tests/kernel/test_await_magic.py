import pytest

from tests.kernel.client import Kernel
from tests.kernel.conftest import outcome

pytestmark = pytest.mark.kernel


@pytest.fixture(scope="module")
def kernel():
    with Kernel() as kernel:
        started = kernel.run("import tests.kernel.driver as driver; driver.load_demo()")
        assert started.status == "ok", started.errors
        yield kernel


@pytest.mark.parametrize(
    ("cell", "how"),
    [
        ("%%demo\n6 * 7", "awaited"),
        ("\n\n%%demo -x 'quoted' \"and\"\n6 * 7", "awaited"),
        ("%%time\n%%demo\n6 * 7", "blocking"),
        ("get_ipython().run_cell_magic('demo', '', '6 * 7')", "awaited"),
        ("x = 1\nget_ipython().run_cell_magic('demo', '', '6 * 7')", "blocking"),
        ("def f(): get_ipython().run_cell_magic('demo', '', '6 * 7')\nf()", "blocking"),
        ("await get_ipython().run_cell_magic('demo', '', '6 * 7')", "awaited"),
        (
            "import asyncio\nawait asyncio.sleep(0)\nget_ipython().run_cell_magic('demo', '', '6 * 7')",
            "blocking",
        ),
    ],
)
def test_the_magic_is_awaited_where_the_cell_can_await_it(kernel, cell, how):
    got, report = outcome(kernel.run(cell))
    assert got == how
    assert report["data"]["text/plain"] == "42"
    kernel.check_health()


def test_the_magic_blocks_where_autoawait_is_off(kernel):
    kernel.run("%autoawait off")
    got, report = outcome(kernel.run("%%demo\nimport asyncio\nawait asyncio.sleep(0)\n6 * 7"))
    kernel.run("%autoawait on")
    assert got == "blocking"
    assert report["status"] == "error" or report["data"]["text/plain"] == "42"
    assert outcome(kernel.run("%%demo\n6 * 7"))[0] == "awaited"


def test_other_cells_are_left_alone(kernel):
    assert kernel.run("%%time\n1 + 1").status == "ok"
    assert kernel.run("%%bash\necho hi").text() == "hi\n"
    assert kernel.run("# a comment\n6 * 7").values() == ["42"]


def test_installing_twice_and_uninstalling_leave_one_and_none(kernel):
    count = "sum(type(t).__name__ == 'AwaitingTransformer' for t in get_ipython().input_transformers_post)"
    kernel.run("driver.load_demo()")
    assert kernel.run(count).values() == ["1"]
    kernel.run("driver.AwaitingTransformer('demo').uninstall(get_ipython())")
    assert kernel.run(count).values() == ["0"]
    assert outcome(kernel.run("%%demo\n6 * 7"))[0] == "blocking"
    kernel.run("driver.load_demo()")
    assert outcome(kernel.run("%%demo\n6 * 7"))[0] == "awaited"
