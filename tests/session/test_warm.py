"""What is loaded ahead of the first question."""

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
