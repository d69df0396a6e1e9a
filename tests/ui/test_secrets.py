"""A provider's key in the kernel's environment reaches neither the provider nor the session by a tool."""

import json

import pytest

from tests.kernel.client import Kernel
from tests.provider import Provider, calls, text

pytestmark = pytest.mark.kernel

KEY = "sk-proj-Zk3/Qx+0123456789abcdefghijklmnop"


@pytest.fixture
def provider():
    with Provider() as provider:
        yield provider


@pytest.fixture
def kernel(provider, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "config.ini").write_text(f"# set\nkey = {KEY}\n")
    env = provider.environment(tmp_path / "home") | {"OPENAI_API_KEY": KEY}
    kernel = Kernel(env=env, cwd=folder)
    kernel.run("%load_ext pi_notebook")
    yield kernel
    kernel.close()


LEAKS = [
    ("run_code", {"code": "import os\nprint(dict(os.environ))"}),
    ("run_code", {"code": "os.environ"}),
    (
        "run_code",
        {
            "code": "import sys, time\nkey = os.environ['OPENAI_API_KEY']\n"
            "for part in (key[:7], key[7:20], key[20:]): sys.stdout.write(part); sys.stdout.flush()"
        },
    ),
    ("run_code", {"code": "raise ValueError(key)"}),
    ("run_code", {"code": "print('x' * 70_000 + key)"}),
    ("run_code", {"code": "import json, urllib.parse\nprint(json.dumps(key), urllib.parse.quote(key, ''))"}),
    ("run_code", {"code": "import pandas as pd\nframe = pd.DataFrame({'key': [key] * 3})\nframe"}),
    ("preview_data", {"name": "key"}),
    ("query_data", {"sql": "SELECT key FROM frame"}),
    ("query_json", {"reference": "dict(a=key)", "filter": "."}),
    ("bash", {"command": "env; cat config.ini"}),
    ("read", {"path": "config.ini"}),
    ("grep", {"pattern": "key = .*"}),
    ("edit", {"path": "config.ini", "edits": [{"old_text": "# set", "new_text": "# was set"}]}),
]


def test_a_key_that_tools_find_reaches_neither_the_provider_nor_the_session(provider, kernel, tmp_path):
    provider.script(calls(*LEAKS), text("done"))
    execution = kernel.run("%%agent --auto\ngo", timeout=120)
    assert not execution.errors
    last = provider.exchanges[-1].messages
    answers = [message for message in last if message["role"] == "tool"]
    assert len(answers) == len(LEAKS)
    (session,) = (tmp_path / "home" / "sessions").rglob("*.jsonl")
    for place, held in (("request", json.dumps(last)), ("session", session.read_text())):
        assert "[key]" in held, place
        assert KEY[:18] not in held, place
        assert KEY[-18:] not in held, place
    # What the code displays goes to the person's page as a cell's own would.
    drawn = [m for m in execution.messages if "text/html" not in m["content"].get("data", {})]
    assert [message for message in drawn if KEY[:18] in json.dumps(message, default=str)] == []
    assert f"key = {KEY}" in (tmp_path / "folder" / "config.ini").read_text()
    kernel.check_health()
