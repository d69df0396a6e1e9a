"""The magics in a real kernel, against a strict provider on loopback."""

import json
import re
import threading

import pytest

from tests.kernel.client import Kernel
from tests.patience import SOON
from tests.provider import Hang, Provider, Wait, calls, chunk, failure, stream, text

pytestmark = pytest.mark.kernel


@pytest.fixture(scope="module")
def provider():
    with Provider() as provider:
        yield provider


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("folder")


@pytest.fixture(scope="module")
def kernel(provider, folder, tmp_path_factory):
    env = provider.environment(tmp_path_factory.mktemp("home"))
    with Kernel(env=env, cwd=folder) as kernel:
        loaded = kernel.run("%load_ext pi_notebook")
        assert not [m for m in loaded.messages if m["msg_type"] not in ("status", "execute_input")]
        yield kernel


@pytest.fixture(autouse=True)
def _fresh(kernel, provider):
    provider.script()
    yield
    kernel.check_health()
    assert not [problem for exchange in provider.exchanges for problem in exchange.problems]


def code(source: str) -> tuple[str, dict[str, str]]:
    return "run_code", {"code": source}


def markdown(execution) -> str:
    """The answer as it stands at the end: the newest state of the last markdown display."""
    return execution.values("text/markdown")[-1]


def plain(execution) -> str:
    return "\n".join(execution.values())


def results(provider) -> list[str]:
    """The tool results of this run that the last request held."""
    messages = provider.exchanges[-1].body["messages"]
    last_prompt = max(place for place, message in enumerate(messages) if message["role"] == "user")
    return [message["content"] for message in messages[last_prompt:] if message["role"] == "tool"]


def test_an_answer_streams_below_the_cell_as_markdown(kernel, provider):
    half = threading.Event()
    provider.script(stream(chunk({"content": "It is "}), Wait(half), chunk({"content": "**42**."})))
    timer = threading.Timer(0.5, half.set)
    timer.start()
    execution = kernel.run("%%agent\nWhat is 6 * 7?")
    shown = execution.values("text/markdown")
    assert shown[0] == "It is "
    assert shown[-1] == "It is **42**."
    assert (execution.text(), execution.text("stderr"), execution.errors) == ("", "", [])


def test_a_tool_call_is_shown_with_its_code_and_output_and_its_variables_stay(kernel, provider):
    provider.script(calls(code("answer = 6 * 7\nprint('worked it out')\nanswer")), text("done"))
    execution = kernel.run("%%agent --auto\ngo")
    assert "answer = 6 * 7" in plain(execution)
    assert "worked it out" in plain(execution)
    assert results(provider) == ["worked it out\n42"]
    assert kernel.run("answer").values() == ["42"]


def test_the_agent_sees_what_the_person_made_in_a_cell_before(kernel, provider):
    kernel.run("mine = [1, 2, 3]")
    provider.script(calls(("list_variables", {})), text("done"))
    kernel.run("%%agent\ngo")
    assert "mine: list, length 3" in results(provider)[0]
    told = [m["content"] for m in provider.exchanges[0].body["messages"] if m["role"] == "user"]
    assert any("mine: list, length 3" in content for content in told)


def test_the_prompt_is_sent_word_for_word_as_the_last_message(kernel, provider):
    prompt = "Explain {v: k for k, v in d.items()} and\n  $HOME `x` %time\n\n<b>x</b> \\n 中文"
    kernel.run(f"%%agent\n{prompt}")
    assert provider.exchanges[0].body["messages"][-1] == {"role": "user", "content": prompt}


@pytest.mark.parametrize(
    "text",
    ["is it {mine} or $mine?", "don't you see?", "what??", 'how many "rows?', "{k: v for k, v in pairs}"],
)
def test_words_behind_a_command_stand_as_typed_and_a_question_is_no_request_for_help(kernel, text):
    kernel.run("mine = 1")
    assert kernel.run(f"%agent name {text}").values() == [f"This session is called {text}."]


def test_a_value_may_be_put_where_a_command_takes_no_text(kernel, provider):
    kernel.run("wanted = 'ask'")
    assert kernel.run("%agent mode {wanted}").status == "ok"
    kernel.run("def ask(kept): get_ipython().run_cell_magic('agent', '-o {kept}', 'go {kept}')\nask('said')")
    assert provider.exchanges[0].messages[-1]["content"] == "go {kept}"
    assert kernel.run("said").status == "ok"
    assert kernel.run("%agent?").contents("execute_result") == []


def test_a_plot_appears_and_is_told_to_the_model(kernel, provider):
    pytest.importorskip("matplotlib")
    source = "%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.plot([1, 2])\nNone"
    provider.script(calls(code(source)), text("done"))
    execution = kernel.run("%%agent --auto\nplot")
    assert len(execution.values("image/png")) == 1
    assert "image/png" in results(provider)[0]


def test_an_error_in_the_code_is_told_to_the_model_and_nothing_red_is_shown(kernel, provider):
    provider.script(calls(code("1 / 0")), text("I see"))
    execution = kernel.run("%%agent --auto\ngo")
    assert "ZeroDivisionError: division by zero" in results(provider)[0]
    assert not execution.errors
    assert markdown(execution) == "I see"


def test_the_default_asks_and_a_yes_lets_the_call_run(kernel, provider):
    provider.script(calls(code("asked = 1")), text("done"))
    execution = kernel.run("%%agent\ngo", answers=["y"])
    assert not execution.errors
    assert kernel.run("asked").values() == ["1"]


def test_a_no_with_words_is_told_to_the_model(kernel, provider):
    provider.script(calls(code("refused = 1")), text("then not"))
    kernel.run("%%agent\ngo", answers=["use another name"])
    assert "use another name" in results(provider)[0]
    assert "NameError: name 'refused' is not defined" in kernel.run("refused").errors


def test_where_nobody_can_be_asked_a_call_is_refused_with_what_to_do(kernel, provider):
    provider.script(calls(code("refused = 1")), text("then not"))
    kernel.run("%%agent\ngo")
    assert "--auto" in results(provider)[0]


def test_an_answer_for_the_session_is_not_asked_again(kernel, provider):
    kernel.run("%agent new")
    provider.script(
        calls(code("a = 1")), calls(code("b = 1")), text("done"), calls(code("c = 1")), text("done")
    )
    kernel.run("%%agent\ngo", answers=["s"])
    kernel.run("%%agent\ngo", answers=[])
    assert kernel.run("a, b, c").values() == ["(1, 1, 1)"]


def test_parallel_calls_run_one_after_the_other_and_answer_in_order(kernel, provider):
    provider.script(calls(code("print('one')"), code("print('two')"), ("list_variables", {})), text("done"))
    kernel.run("%%agent --auto\ngo")
    assert [result.split("\n")[0] for result in results(provider)][:2] == ["one", "two"]


def test_an_interrupt_in_the_model_wait_ends_the_cell_in_one_line(kernel, provider):
    provider.script([chunk({"content": "I think"}), Hang()])
    execution = kernel.run("%%agent\ngo", interrupt_on="I think")
    assert execution.errors == ["RunStopped: "]
    assert execution.contents("error")[0]["traceback"] == ["Stopped."]
    assert execution.seconds - execution.times[-1] < SOON
    assert "stopped here" in markdown(execution)


@pytest.mark.parametrize(
    "source", ["import time; time.sleep(30)", "while True: pass", "import asyncio; await asyncio.sleep(30)"]
)
def test_an_interrupt_in_code_ends_the_run_and_leaves_a_valid_history(kernel, provider, source):
    # In pieces: the code itself is shown too, before it runs.
    provider.script(calls(code(f"print('be' + 'gun')\n{source}")), text("never"))
    execution = kernel.run("%%agent --auto\ngo", interrupt_on="begun")
    assert execution.status == "error"
    assert len(provider.exchanges) == 1
    provider.script(text("fine"))
    assert markdown(kernel.run("%%agent\nagain")) == "fine"
    told = next(
        m["content"] for m in reversed(provider.exchanges[-1].body["messages"]) if m["role"] == "tool"
    )
    assert told.startswith("begun")
    assert "interrupted" in told


def test_a_failing_provider_is_one_line_and_the_cell_is_marked_as_failed(kernel, provider):
    provider.script(failure(401, "Incorrect API key provided: sk-test-0123456789"))
    execution = kernel.run("%%agent\ngo")
    (error,) = execution.contents("error")
    assert error["ename"] == "ModelAuthError"
    assert len(error["traceback"]) == 1
    shown = [m["content"] for m in execution.messages if m["msg_type"] not in ("status", "execute_input")]
    assert "sk-test-0123456789" not in json.dumps(shown)


def test_a_missing_key_names_the_variable_and_the_way_without_one(kernel):
    execution = kernel.run("%%agent -m anthropic/claude-sonnet-4-5\ngo")
    assert "ANTHROPIC_API_KEY" in execution.errors[0]
    assert "-m offline" in execution.errors[0]


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("%%agent --modell x\ngo", "Did you mean --model?"),
        ("%%agent --mode automatic\ngo", "Did you mean auto?"),
        ("%%agent -m opnai/gpt-4o\ngo", "openai"),
        ("%%agent --session nothing\ngo", "nothing"),
        ("%%agent\n   ", "no prompt"),
        ("%agent sesions", "Did you mean sessions?"),
        ("%agent settings max_turn 3", "max_turns"),
        ("%agent settings max_turns many", "max_turns"),
        ("%agent mode automatic", "auto"),
        ("%agent model gpt4", "gpt"),
        ("%agent resume nothing", "nothing"),
        ("%agent resume two words", "'two words'"),
        ("%agent resume ~nobody-of-this-name/x.jsonl", "There is no file"),
        ("%agent new analysis", "%agent new takes nothing more, but 'analysis'"),
        ("%agent usage 3 # so far", "'3 # so far'"),
        ("%%agent -m ''\ngo", "model is a text, not ''"),
    ],
)
def test_what_is_typed_wrong_is_answered_in_one_line(kernel, cell, message):
    execution = kernel.run(cell)
    (error,) = execution.contents("error")
    assert message in error["traceback"][0]
    assert len(error["traceback"]) == 1
    assert "\n" not in error["traceback"][0]


def test_the_status_shows_model_mode_policy_session_and_how_full_the_context_is(kernel):
    shown = plain(kernel.run("%agent"))
    for expected in ("openai/test", "ask", "notebook", "tokens", "%agent help"):
        assert expected in shown


def test_help_lists_only_what_works(kernel):
    (shown,) = kernel.run("%agent help").values("text/markdown")
    listed = re.findall(r"`%agent (\w+)", shown)
    assert {"model", "mode", "sessions", "settings"} <= set(listed)
    for name in set(listed) - {"new", "help"}:
        execution = kernel.run(f"%agent {name}")
        assert "no command" not in " ".join(execution.errors)


def test_a_setting_holds_from_the_next_request_on(kernel, provider):
    kernel.run("%agent settings max_turns 1")
    provider.script(calls(code("first = 1")), text("never"))
    execution = kernel.run("%%agent --auto\ngo")
    assert len(provider.exchanges) == 1
    assert "Stopped after the turns" in plain(execution)
    kernel.run("%agent settings max_turns none")
    assert "session" in plain(kernel.run("%agent settings max_turns"))


def test_a_comment_may_stand_behind_a_command(kernel):
    assert kernel.run("%agent tools  # what it can do").status == "ok"


def test_sessions_are_listed_and_one_can_be_continued(kernel, provider):
    kernel.run("%agent new")
    kernel.run("%%agent\nremember this")
    session_id = re.search(r"session\s+(\S+)", plain(kernel.run("%agent"))).group(1)
    kernel.run("%agent new")
    assert "remember this" in plain(kernel.run("%agent sessions"))
    kernel.run(f"%%agent --session {session_id[:13]}\nand?")
    told = [m["content"] for m in provider.exchanges[-1].body["messages"] if m["role"] == "user"]
    assert "remember this" in told


def test_the_answer_can_be_kept_in_a_variable(kernel, provider):
    provider.script(text("forty-two"))
    kernel.run("%%agent -o kept\ngo")
    assert kernel.run("kept").values() == ["'forty-two'"]


def test_without_a_stream_the_answer_comes_once(kernel, provider):
    provider.script(text("word " * 100))
    assert len(kernel.run("%%agent --no-stream\ngo").values("text/markdown")) == 1


@pytest.mark.parametrize("prefix", ["%%time\n", "%%capture seen\n"])
def test_inside_another_cell_magic_the_cell_drains_a_queue(kernel, provider, prefix):
    provider.script(calls(code("nested = 7\nnested")), text("done"))
    execution = kernel.run(f"{prefix}%%agent --auto\ngo")
    assert not execution.errors
    assert results(provider) == ["7"]


def test_with_autoawait_off_the_agent_works_too(kernel, provider):
    kernel.run("%autoawait False")
    try:
        provider.script(calls(code("import asyncio\nawait asyncio.sleep(0)\n'awaited'")), text("done"))
        assert not kernel.run("%%agent --auto\ngo").errors
        assert results(provider)
    finally:
        kernel.run("%autoawait True")


def test_tab_completes_commands_options_and_values(kernel):
    def complete(text: str) -> list[str]:
        message_id = kernel.client.complete(text, len(text))
        while True:
            reply = kernel.client.get_shell_msg(timeout=20)
            if reply["parent_header"].get("msg_id") == message_id:
                return reply["content"]["matches"]

    assert "settings" in complete("%agent se")
    assert "auto-edit" in complete("%agent mode au")
    assert "--max-turns" in complete("%%agent --ma")
    assert "offline" in complete("%%agent -m off")


def test_loading_twice_changes_nothing_and_unloading_takes_the_magics_away(kernel):
    kernel.run("%load_ext pi_notebook\n%reload_ext pi_notebook")
    assert not kernel.run("%agent").errors
    kernel.run("%unload_ext pi_notebook")
    assert "UsageError" in kernel.run("%agent").text("stderr") + " ".join(kernel.run("%agent").errors)
    assert not kernel.run("%load_ext pi_notebook").errors
    assert not kernel.run("%agent").errors


def test_what_litellm_loads_late_warns_in_nobodys_cell_whoever_puts_filters_back(kernel):
    loads = "import warnings\nwith warnings.catch_warnings():\n    import litellm, importlib, sys\n"
    late = "import litellm.llms.github_copilot.authenticator as late\nimportlib.reload(late)"
    assert kernel.run(loads + late).text("stderr") == ""
    kernel.run("del warnings, litellm, importlib, sys, late")


def test_nothing_of_the_session_lies_in_the_persons_namespace(kernel):
    names = kernel.run("[n for n in dir() if 'pi_notebook' in n or 'agent' in n.lower()]").values()
    assert names == ["[]"]


def test_a_variable_can_go_with_the_prompt(kernel, provider):
    kernel.run("shopping = {'milk': 2, 'bread': 1}")
    kernel.run("%%agent --attach shopping\nhow many?")
    told = provider.exchanges[0].body["messages"]
    assert told[-1]["content"] == "how many?"
    assert "'milk': 2" in json.dumps(told[-2]["content"])
    assert "Did you mean shopping?" in kernel.run("%%agent --attach shoping\ngo").errors[0]


def test_the_runs_working_code_can_be_put_into_a_new_cell(kernel, provider):
    provider.script(calls(code("good = 1")), calls(code("1 / 0")), calls(code("better = 2")), text("done"))
    kernel.run("%%agent --auto\ngo")
    (payload,) = kernel.run("%agent cell").reply["content"]["payload"]
    assert payload["text"] == "good = 1\n\nbetter = 2"
    assert payload["source"] == "set_next_input"


def test_usage_shows_what_the_provider_counted(kernel, provider):
    kernel.run("%agent new")
    usage = {"prompt_tokens": 1200, "completion_tokens": 34, "total_tokens": 1234}
    provider.script(text("ok", usage={**usage, "prompt_tokens_details": {"cached_tokens": 1000}}))
    kernel.run("%%agent\ngo")
    shown = plain(kernel.run("%agent usage"))
    for expected in ("openai/test", "1,200", "1,000", "34"):
        assert expected in shown
    assert "1,234" in plain(kernel.run("%agent"))


def test_the_person_can_write_other_code_and_that_is_what_runs(kernel, provider):
    provider.script(calls(code("edited = 1")), text("done"))
    execution = kernel.run("%%agent\ngo", answers=["e", "if True:", "    edited = 2", ""])
    assert kernel.run("edited").values() == ["2"]
    assert "edited = 2" in plain(execution)
    assert results(provider) == ["(no output)"]


def test_the_line_on_the_offline_model_is_shown_once_and_only_when_nothing_was_chosen(tmp_path, provider):
    env = {"PI_NOTEBOOK_HOME": str(tmp_path), "OPENAI_API_KEY": "k", "OPENAI_API_BASE": provider.base_url}
    with Kernel(env=env, cwd=tmp_path) as kernel:
        kernel.run("%load_ext pi_notebook")
        assert "Model: offline" not in plain(kernel.run("%%agent -m openai/test\nhello"))
        first = plain(kernel.run("%%agent\nhello"))
        assert "Model: offline" in first
        assert "-m openai/NAME" in first
        assert "Model: offline" not in plain(kernel.run("%%agent\nhello"))
