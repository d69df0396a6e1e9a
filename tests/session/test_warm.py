"""What is loaded ahead of the first question."""

import os
import subprocess
import sys

HEAVY = ("pandas", "polars", "pyarrow", "litellm", "duckdb")


def test_what_previews_need_is_ready_and_no_library_of_frames_is_loaded_for_it(tmp_path):
    code = (
        "import sys; from pi_notebook.session.services import warm_previews\n"
        "warm_previews(); print(' '.join(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert "narwhals" in loaded
    assert loaded.isdisjoint(HEAVY)


def test_the_library_of_a_chosen_model_is_loaded_before_the_first_question(tmp_path):
    code = (
        "import sys, threading\n"
        "from pathlib import Path\n"
        "from pi_notebook.session.runtime import AgentSessionRuntime\n"
        "from pi_notebook.session.services import build_services\n"
        "from pi_notebook.ui.commands import run_command\n"
        "runtime = AgentSessionRuntime(Path.cwd(), build_services)\n"
        "for name in ('offline', 'openai/test'):\n"
        "    run_command(runtime, f'model {name}')\n"
        "    [thread.join() for thread in threading.enumerate() if thread.name == 'pi_notebook-model']\n"
        "    print('litellm' in sys.modules)\n"
    )
    env = {**os.environ, "PI_NOTEBOOK_HOME": str(tmp_path / "home"), "OPENAI_API_KEY": "k"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "True"]
    assert done.stderr == ""
