"""What a person ran and mentions, as a provider is sent it from a real kernel."""

import json

import pytest

from tests.kernel.client import Kernel
from tests.provider import Provider, calls, text
from tests.ui.front_end import FrontEnd

pytestmark = pytest.mark.kernel

SECRET = "sk-test-0123456789"
PASSWORD = "correct horse battery staple"


@pytest.fixture(scope="module")
def provider():
    with Provider() as provider:
        yield provider


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("folder")
    (folder / "notes.md").write_text("the answer is 42\n")
    (folder / "data").mkdir()
    (folder / "data" / "prices.csv").write_text("a,b\n1,2\n")
    return folder


@pytest.fixture(scope="module")
def kernel(provider, folder, tmp_path_factory):
    env = provider.environment(tmp_path_factory.mktemp("home")) | {
        "OPENAI_API_KEY": SECRET,
        "DB_PASSWORD": PASSWORD,
    }
    with Kernel(env=env, cwd=folder) as kernel:
        kernel.run("%load_ext pi_notebook")
        yield kernel


@pytest.fixture(autouse=True)
def _fresh(kernel, provider):
    provider.script()
    kernel.run("%%agent\nforget what came before")
    provider.script()
    yield
    assert not [problem for exchange in provider.exchanges for problem in exchange.problems]


def ask(kernel, provider, prompt="go", options="") -> list[str]:
    """The messages that stand before the prompt, which is sent as it was typed; nothing is printed."""
    execution = kernel.run(f"%%agent {options}\n{prompt}")
    assert (execution.text(), execution.text("stderr"), execution.errors) == ("", "", [])
    sent = provider.exchanges[0].body["messages"]
    last = max(at for at, message in enumerate(sent) if message["role"] == "assistant")
    *before, prompted = sent[last + 1 :]
    assert prompted == {"role": "user", "content": prompt}
    return [_text(message["content"]) for message in before]


def _text(content) -> str:
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def cells(messages) -> str:
    found = [message for message in messages if message.startswith("<cells>")]
    assert len(found) <= 1
    return found[0] if found else ""


def test_code_value_output_and_error_of_the_persons_cells_come_with_the_next_prompt_once(kernel, provider):
    kernel.run("x = 1\nprint('said')\nx + 41")
    kernel.run("import os\nr = os.system('echo from a child')")
    kernel.run("def fail():\n    return 1 / 0\n\nfail()")
    kernel.run("if broken")
    kernel.run("import asyncio\nawait asyncio.sleep(0)\nprint('awaited')")
    kernel.run("display({'shown': 1})")
    told = cells(ask(kernel, provider))
    for expected in (
        "x = 1\nprint('said')\nx + 41\nOutput:\nsaid\nOut[",
        "]: 42\n",
        "Output:\nfrom a child\n",
        "Error: ZeroDivisionError: division by zero (line 4)\n",
        "Error: SyntaxError: ",
        "print('awaited')\nOutput:\nawaited\n",
        "Output:\n{'shown': 1}\n",
    ):
        assert expected in told
    provider.script()
    assert cells(ask(kernel, provider)) == ""


def test_the_number_of_a_cell_is_the_one_the_person_sees(kernel, provider):
    execution = kernel.run("'numbered'")
    number = execution.contents("execute_result")[0]["execution_count"]
    told = cells(ask(kernel, provider))
    assert f"In[{number}]:\n'numbered'\nOut[{number}]: 'numbered'" in told


@pytest.mark.parametrize(
    "cell",
    [
        "# agent: ignore\nprint('private')",
        "%agent",
        "%agent settings",
        "%%time\n%%agent\nprivate prompt",
        "  ",
    ],
)
def test_cells_of_the_agent_and_ignored_ones_are_left_out(kernel, provider, cell):
    kernel.run(cell)
    provider.script()
    assert cells(ask(kernel, provider)) == ""


def test_code_that_the_agent_ran_is_no_cell_of_the_persons(kernel, provider):
    provider.script(
        calls(("run_code", {"code": "print('by the agent')\nget_ipython().run_cell('7')"})), text(".")
    )
    kernel.run("%%agent --auto\ngo")
    provider.script()
    assert cells(ask(kernel, provider)) == ""


def test_hidden_and_silent_requests_are_no_cells(kernel, provider):
    kernel.run("hidden = 1", store_history=False)
    kernel.run("silent = 1", silent=True)
    assert cells(ask(kernel, provider)) == ""


def test_what_no_longer_fits_is_said_and_the_newest_is_kept(kernel, provider):
    for number in range(60):
        kernel.run(f"value = {number}\nprint('word ' * 200, {number})")
    kernel.run("print('flood ' * 2_000_000, 'the end')")
    told = cells(ask(kernel, provider))
    assert "earlier ones left out" in told
    assert "the end\n</cells>" in told
    assert len(told) < 12_000


def test_the_setting_widens_or_switches_off_what_is_told(kernel, provider):
    kernel.run("%agent settings cells.max_tokens 0")
    kernel.run("off = 1")
    assert cells(ask(kernel, provider)) == ""
    kernel.run("%agent settings cells.max_tokens 8000")
    kernel.run("print('word ' * 700)\nprint('word ' * 700)")
    kernel.run("print('word ' * 700)")
    provider.script()
    assert "left out" not in cells(ask(kernel, provider))
    kernel.run("%agent settings cells.max_tokens default")


def test_values_of_keys_and_passwords_are_masked_in_all_that_is_added(kernel, provider):
    kernel.run("import os\nmine = os.environ['OPENAI_API_KEY']\nprint(mine, os.environ['DB_PASSWORD'])\nmine")
    kernel.run(f"open('secret.txt', 'w').write({PASSWORD!r})\nraise ValueError(mine)")
    told = ask(kernel, provider, "see @mine @secret.txt @error")
    assert len(told) == 5
    body = json.dumps(provider.exchanges[0].body)
    assert SECRET not in body
    assert PASSWORD not in body


def test_mentions_stand_before_the_prompt_once_each_and_others_stay_text(kernel, provider):
    kernel.run("prices = {'milk': 2}\nd = {'x': [1, 2]}")
    number = kernel.run("6 * 7").contents("execute_result")[0]["execution_count"]
    kernel.run("1 / 0")
    prompt = (
        f'@prices, @d["x"]. @notes.md @"data/prices.csv" @In[{number}] @Out[{number}] @error @prices! '
        "user@host @nobody @Out[99999] {prices} $HOME {x:>{y}} \\@ 50% @"
    )
    told = [message for message in ask(kernel, provider, prompt) if message.startswith("<attachment")]
    expected = ["'milk': 2", "[1, 2]", "answer is 42", "a,b", "6 * 7", "42", "ZeroDivisionError"]
    assert len(told) == len(expected)
    for message, part in zip(told, expected, strict=True):
        assert part in message
    assert "1 / 0" in told[-1]


def test_what_is_attached_and_mentioned_goes_once(kernel, provider):
    kernel.run("prices = {'milk': 2}")
    told = ask(kernel, provider, "@prices @./notes.md", "--attach prices --attach notes.md --attach @prices")
    assert len([message for message in told if message.startswith("<attachment")]) == 2


def test_attachments_are_bounded_each_and_together(kernel, provider):
    kernel.run(
        "long = [f'{i} {i * i}' for i in range(200_000)]\n"
        "for name in 'abcde': _ = open(f'{name}.txt', 'w').write('1 2 3\\n' * 30_000)"
    )
    told = ask(kernel, provider, "@long @a.txt @b.txt @c.txt @d.txt @e.txt")
    attached = [message for message in told if message.startswith("<attachment")]
    assert len(attached) == 6
    assert sum(map(len, attached)) < 80_000
    assert "left out" in attached[-1]


def test_a_figure_and_a_picture_are_image_blocks_for_a_model_that_sees(kernel, provider, folder):
    pytest.importorskip("matplotlib")
    pytest.importorskip("PIL")
    kernel.run(
        "from PIL import Image\nimport matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nplt.close(fig)"
    )
    kernel.run("picture = Image.new('RGB', (8, 8))\npicture.save('red.png')")
    execution = kernel.run("%%agent -m openai/gpt-4o\n@fig @picture @red.png")
    assert execution.errors == []
    assert json.dumps(provider.exchanges[0].body).count("data:image/png;base64,") == 3


def test_tab_completes_variables_and_files_behind_an_at_in_the_body(kernel):
    kernel.run("shopping_list = 1")

    def complete(text: str) -> list[str]:
        message_id = kernel.client.complete(text, len(text))
        while True:
            reply = kernel.client.get_shell_msg(timeout=20)
            if reply["parent_header"].get("msg_id") == message_id:
                return reply["content"]["matches"]

    for start, whole in (("shop", "shopping_list"), ("no", "notes.md"), ("data/pr", "data/prices.csv")):
        assert whole in complete(f"%%agent\nlook at @{start}")
    assert complete("%%agent\nlook at @shop") == ["shopping_list"]


def test_code_that_a_panels_run_put_into_a_cell_is_no_cell_of_the_persons(tmp_path):
    env = {"PI_NOTEBOOK_HOME": str(tmp_path / "home"), "PI_NOTEBOOK_MODE": "auto"}
    with Kernel(env=env, cwd=tmp_path) as kernel:
        kernel.run("%load_ext pi_notebook")
        front_end = FrontEnd(kernel)
        front_end.prompt("made = 6 * 7\nprint('made', made)")
        front_end.wait_idle(since=0)
        kernel.run("mine = 1")
        front_end.close()
        found = kernel.run(
            "print([cell.code for cell in get_ipython()._pi_notebook_cells.since(0)])", store_history=False
        )
        assert found.text() == "['mine = 1']\n"


def test_the_offline_model_reads_a_mention_among_what_stands_before_it(tmp_path):
    pytest.importorskip("pandas")
    env = {"PI_NOTEBOOK_HOME": str(tmp_path / "home")}
    with Kernel(env=env, cwd=tmp_path) as kernel:
        kernel.run("%load_ext pi_notebook\nimport pandas as pd")
        kernel.run(
            "other = pd.DataFrame({'z': [1]})\nprices = pd.DataFrame({'item': ['a', 'b'], 'price': [3, 5]})"
        )
        execution = kernel.run("%%agent --auto -m offline\nWhat is the mean price in @prices?")
        assert execution.errors == []
        assert "4" in execution.values("text/markdown")[-1]


def test_listening_costs_a_plain_cell_less_than_a_millisecond(kernel, provider):
    kernel.run(
        "import asyncio, time\n"
        "def measure():\n"
        "    for _ in range(200):\n"
        "        began = time.perf_counter()\n"
        "        get_ipython().run_cell('x = 1', store_history=True)\n"
        "        times.append(time.perf_counter() - began)"
    )

    def median() -> float:
        # After the cell, so that what is run is no part of it.
        kernel.run(
            "times = []\nawait asyncio.sleep(0)\nt = asyncio.get_running_loop().call_later(0.05, measure)"
        )
        while len(times := json.loads(kernel.run("print(times)", store_history=False).text())) < 200:
            pass
        return sorted(times)[100]

    with_it = median()
    kernel.run("%unload_ext pi_notebook")
    without = median()
    kernel.run("%load_ext pi_notebook")
    print(f"plain cell: {with_it * 1e6:.0f} µs with the extension, {without * 1e6:.0f} µs without")
    assert with_it - without < 0.001


def test_a_cell_within_a_cell_is_a_part_of_it(kernel, provider):
    kernel.run("print('outer')\nr = get_ipython().run_cell('print(\\'inner\\')', store_history=True)")
    kernel.run("# agent: ignore\nr = get_ipython().run_cell('hidden = 1', store_history=True)")
    look = (
        "for cell in get_ipython()._pi_notebook_cells.since(0)[-2:]:\n"
        "    print(cell.code[:14], 'outer' in cell.output, 'inner' in cell.output)"
    )
    kernel.run("after = 1")
    found = kernel.run(look, store_history=False).text()
    assert found == "print('outer') True True\nafter = 1 False False\n"


def test_leaving_the_extension_leaves_no_listener_behind(kernel):
    look = (
        "(len(get_ipython().events.callbacks['pre_run_cell']), len(get_ipython().Completer.custom_matchers), "
        "len(get_ipython().display_pub._hooks))"
    )
    before = kernel.run(look).values()
    kernel.run("%unload_ext pi_notebook")
    assert kernel.run(look).values() != before
    kernel.run("%load_ext pi_notebook")
    assert kernel.run(look).values() == before
