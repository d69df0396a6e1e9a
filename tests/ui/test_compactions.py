"""`%agent compactions` on records of any program: what they tell of themselves may be anything."""

import pytest

from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services
from pi_notebook.ui.compactions import compactions


@pytest.fixture
def runtime(tmp_path):
    runtime = AgentSessionRuntime(tmp_path, build_services)
    yield runtime
    runtime.close()


@pytest.mark.parametrize(
    ("details", "sizes"),
    [
        ({"tokensAfter": 1_200, "model": "p/m", "seconds": 2.0}, "5,000 → 1,200 tokens"),
        ({"tokensAfter": "few", "model": ["m"], "seconds": "long"}, "5,000 tokens"),
        ({"readFiles": [], "modifiedFiles": []}, "5,000 tokens"),
        ("text", "5,000 tokens"),
        (None, "5,000 tokens"),
    ],
)
def test_a_record_is_listed_whatever_its_details_are(runtime, details, sizes):
    runtime.session.branch.add_compaction(
        first_kept_entry_id=None, summary="what was", tokens_before=5_000, details=details
    )
    (row,) = compactions(runtime, "").rows
    assert row[2] == sizes
    assert row[4] == "what was"
