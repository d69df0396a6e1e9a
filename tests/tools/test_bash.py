"""`bash`: a command's whole output, its end, and the end of all it started."""

import asyncio
import os
import time
from pathlib import Path

import psutil
import pytest

from pi_notebook.agent import Agent
from pi_notebook.agent.events import ToolExecutionUpdate
from pi_notebook.agent.tools import ToolError
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.models.scripted import call as scripted_call
from pi_notebook.tools.bash import bash
from pi_notebook.tools.needs import find_shell
from tests.patience import SOON
from tests.tools.calling import call, context_for, text_of

pytestmark = pytest.mark.skipif(find_shell() is None, reason="there is no shell here")


async def test_stdout_and_stderr_come_in_the_order_they_were_written(tmp_path):
    text = await text_of(bash, tmp_path, command="echo one; echo two >&2; echo three; pwd")
    assert text == f"one\ntwo\nthree\n{tmp_path}"


async def test_a_command_without_output_says_so(tmp_path):
    assert await text_of(bash, tmp_path, command="true") == "(no output)"


async def test_a_failed_command_is_an_error_with_its_output_and_code(tmp_path):
    result = await call(bash, tmp_path, command="echo before; exit 3")
    assert result.is_error
    assert result.content[0].text == "before\n\nCommand exited with code 3."
    assert result.details["exitCode"] == 3


async def test_a_signal_is_reported_as_a_shell_does(tmp_path):
    result = await call(bash, tmp_path, command="kill -9 $$")
    assert result.details["exitCode"] == 137


async def test_a_command_gets_no_input_and_never_waits_for_one(tmp_path):
    assert await text_of(bash, tmp_path, command="cat; read x; echo rest") == "rest"


async def test_a_timeout_ends_the_whole_group_and_keeps_the_output(tmp_path):
    started = time.monotonic()
    command = "echo begun; (sleep 300; echo never) & echo $! > child; sleep 300"
    result = await call(bash, tmp_path, command=command, timeout=0.5)
    assert time.monotonic() - started < SOON
    assert result.is_error
    assert result.content[0].text.startswith("begun\n\nCommand timed out after 0.5 seconds and was ended.")
    assert not is_alive(int((tmp_path / "child").read_text()))


async def test_a_command_that_ignores_being_asked_is_ended_all_the_same(tmp_path):
    result = await call(bash, tmp_path, command="trap '' TERM; while :; do sleep 0.1; done", timeout=0.3)
    assert result.details["ending"] == "timeout"


async def test_a_cancelled_call_ends_what_it_started(tmp_path):
    context = context_for(tmp_path)
    run = asyncio.ensure_future(
        bash.execute(context, bash.parse({"command": "echo $$ > pid.new; mv pid.new pid; sleep 300"}))
    )
    await until((tmp_path / "pid").exists)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    pid = int((tmp_path / "pid").read_text())
    await until(lambda: not is_alive(pid))


@pytest.mark.parametrize("trap", ["", "trap '' TERM; "])
async def test_what_a_stopped_command_printed_is_kept(tmp_path, trap):
    command = f"{trap}echo begun; echo $$ > pid.new; mv pid.new pid; while :; do sleep 0.1; done"
    agent = Agent(
        ScriptedModel([scripted_call("bash", command=command)]),
        tools=[bash],
        resources=context_for(tmp_path).resources,
    )
    glances = []
    agent.subscribe(
        lambda event: glances.append(event.text) if isinstance(event, ToolExecutionUpdate) else None
    )
    run = asyncio.ensure_future(agent.prompt("go"))
    await until(lambda: (tmp_path / "pid").exists() and "begun" in "".join(glances))
    stopped = time.monotonic()
    agent.abort()
    end = await run
    assert time.monotonic() - stopped < SOON
    result = end.messages[-1]
    assert end.reason == "aborted"
    assert result.is_error
    assert result.text == "begun\n\nCommand stopped by the person."
    assert result.details["ending"] == "stopped"
    pid = int((tmp_path / "pid").read_text())
    await until(lambda: not is_alive(pid))


async def test_a_timeout_of_one_second_is_no_seconds(tmp_path):
    text = await text_of(bash, tmp_path, command="sleep 30", timeout=1)
    assert "timed out after 1 second and" in text


async def test_background_processes_that_hold_the_output_do_not_hang_it(tmp_path):
    started = time.monotonic()
    text = await text_of(bash, tmp_path, command="sleep 60 & echo $!")
    pid = int(text.split("\n")[0])
    try:
        assert time.monotonic() - started < SOON
        assert is_alive(pid)
        assert "Processes it left running still hold its output" in text
    finally:
        os.kill(pid, 9)


async def test_a_shell_that_closes_its_output_is_waited_for(tmp_path):
    result = await call(bash, tmp_path, command="exec >&- 2>&-; sleep 0.3; exit 4")
    assert result.details["exitCode"] == 4


async def test_late_output_of_a_child_is_not_lost(tmp_path):
    assert await text_of(bash, tmp_path, command="(sleep 0.05; echo late) & echo early") == "early\nlate"


async def test_a_long_output_keeps_its_end_and_is_whole_on_disk(tmp_path):
    result = await call(bash, tmp_path, command="seq 1 100000")
    text = result.content[0].text
    assert "\n100000\n\n[Showing lines 98,001-100,000 of 100,000 lines, 575.1 KB in all" in text
    spill = Path(result.details["fullOutputPath"])
    assert spill.read_text() == "".join(f"{i}\n" for i in range(1, 100_001))


async def test_a_failed_command_keeps_both_ends(tmp_path):
    text = await text_of(bash, tmp_path, command="seq 1 100000; exit 1")
    assert text.startswith("1\n2\n3\n")
    assert "lines not shown" in text
    assert "\n100000\n" in text


async def test_colours_and_progress_bars_are_what_a_terminal_shows(tmp_path):
    text = await text_of(bash, tmp_path, command=r"printf '\033[31mred\033[0m\n 10%%\r 99%%\r100%%\n'")
    assert text == "red\n100%"


async def test_output_that_is_not_utf8_is_named(tmp_path):
    text = await text_of(bash, tmp_path, command=r"printf 'caf\351\n'")
    assert (
        text == "caf\ufffd\n\n[\ufffd stands for bytes that are not UTF-8; `iconv -f cp1252` may read them.]"
    )


async def test_binary_noise_is_named_by_its_size(tmp_path):
    assert "(binary output of 115.2 KB)" in await text_of(
        bash, tmp_path, command="head -c 118000 /dev/urandom"
    )


async def test_a_glance_is_given_while_it_runs(tmp_path):
    seen: list[str] = []
    context = context_for(tmp_path, update=seen.append)
    command = "echo first; while [ ! -e go ]; do sleep 0.02; done; echo last"
    run = asyncio.ensure_future(bash.execute(context, bash.parse({"command": command})))
    await until(lambda: "first" in seen)
    (tmp_path / "go").touch()
    result = await run
    assert result.content[0].text == "first\nlast\n".rstrip("\n")


async def test_a_child_does_not_inherit_what_only_the_kernel_can_use(tmp_path, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    monkeypatch.setenv("FORCE_COLOR", "1")
    text = await text_of(bash, tmp_path, command="echo $MPLBACKEND $TERM $PAGER [$FORCE_COLOR]")
    assert text == "agg dumb cat []"


async def test_a_folder_that_is_gone_and_a_command_that_cannot_start_are_explained(tmp_path):
    folder = tmp_path / "gone"
    with pytest.raises(ToolError, match="is not there"):
        await call(bash, folder, command="true")
    for command in ("echo \0", "echo \ud800"):
        with pytest.raises(
            ToolError, match=r"could not be started: .*\. It must be text without a NUL byte\."
        ):
            await call(bash, tmp_path, command=command)
    with pytest.raises(ToolError, match="could not be started: Argument list too long"):
        await call(bash, tmp_path, command="true " + "x" * 3_000_000)


def test_wrong_arguments_name_the_right_ones():
    with pytest.raises(ToolError, match=r"It takes: command \(required\), timeout \(optional\)"):
        bash.parse({"cmd": "ls"})
    with pytest.raises(ToolError, match="timeout"):
        bash.parse({"command": "ls", "timeout": -1})


def is_alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def until(condition) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)
