"""Stops at random moments of a run in a real kernel, many times: the prompt is back, the history is valid."""

import random
import threading
import time

import pytest

from tests.kernel.client import Kernel
from tests.provider import Hang, Provider, calls, chunk, text

pytestmark = [pytest.mark.soak, pytest.mark.kernel, pytest.mark.timeout(1800)]

SEED = 20_240_501
RUNS = 100
PHASES = {
    "model wait": [chunk({"content": "I think"}), Hang()],
    "sleep": calls(("run_code", {"code": "import time; time.sleep(60)"})),
    "busy loop": calls(("run_code", {"code": "while True: pass"})),
    "await": calls(("run_code", {"code": "import asyncio; await asyncio.sleep(60)"})),
    "flood": calls(("run_code", {"code": "while True: print('x' * 70)"})),
    "shell": calls(("bash", {"command": "sleep 60"})),
    "swallowed": calls(
        ("run_code", {"code": "import time\ntry: time.sleep(60)\nexcept KeyboardInterrupt: pass"})
    ),
}


def test_a_stop_at_any_moment_gives_the_prompt_back_and_leaves_a_valid_history(tmp_path):
    moments = random.Random(SEED)
    with Provider() as provider:
        env = {
            "PI_NOTEBOOK_HOME": str(tmp_path / "home"),
            "PI_NOTEBOOK_MODEL": "openai/test",
            "OPENAI_API_KEY": "sk-test-0123456789",
            "OPENAI_API_BASE": provider.base_url,
        }
        with Kernel(env=env, cwd=tmp_path) as kernel:
            kernel.run("%load_ext pi_notebook")
            kernel.run("%%agent\nwarm")
            for number in range(RUNS):
                phase = moments.choice(list(PHASES))
                _stop_once(
                    kernel, provider, phase, moments.uniform(0, 0.6), label=f"{number} {phase} seed {SEED}"
                )


def _stop_once(kernel: Kernel, provider: Provider, phase: str, after: float, *, label: str) -> None:
    provider.script(PHASES[phase], text("never"))
    stopped_at = 0.0

    def stop() -> None:
        nonlocal stopped_at
        stopped_at = time.monotonic()
        kernel.interrupt()

    timer = threading.Timer(0.15 + after, stop)
    timer.start()
    execution = kernel.run("%%agent --auto\ngo", timeout=60)
    assert time.monotonic() - stopped_at < 2, label
    assert execution.status == "error", label
    kernel.check_health()
    provider.script(text("fine"))
    assert "fine" in kernel.run("%%agent\nagain").values(), label
    assert not [problem for exchange in provider.exchanges for problem in exchange.problems], label
