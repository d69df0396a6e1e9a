import json
import os
import re

import pytest

from pi_notebook.errors import SettingsError
from pi_notebook.session.home import Home
from pi_notebook.session.setting import Setting
from pi_notebook.session.setting_table import SETTINGS
from pi_notebook.session.settings import Settings, load_settings


@pytest.fixture
def place(tmp_path):
    """A home, a working folder and an administrator's file, with a way to write and load."""
    return Place(tmp_path)


class Place:
    def __init__(self, tmp_path):
        self.home = Home(root=tmp_path / "home")
        self.folder = tmp_path / "data" / "sales"
        self.site = tmp_path / "site.json"
        self.home.root.mkdir()
        (self.folder / ".pi").mkdir(parents=True)

    def user(self, content):
        return self._write(self.home.settings_file, content)

    def project(self, content):
        return self._write(self.folder / ".pi" / "settings.json", content)

    def administrator(self, content):
        return self._write(self.site, content)

    def load(self, *, trusted=True, environ=None):
        return load_settings(
            self.folder, trusted=trusted, environ=environ or {}, home=self.home, site_file=self.site
        )

    def _write(self, path, content):
        text = content if isinstance(content, (str, bytes)) else json.dumps(content, indent=2)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path


def test_without_any_file_the_defaults_hold_and_nothing_is_made(tmp_path):
    home = Home(root=tmp_path / "absent")
    settings, diagnostics = load_settings(
        tmp_path, trusted=True, environ={}, home=home, site_file=tmp_path / "none.json"
    )
    assert diagnostics == []
    assert settings.get("model") == "offline"
    assert settings.get("output.max_bytes") == 51_200
    assert {row.source for row in settings.rows()} == {"default"}
    assert [row.name for row in settings.rows()] == [item.name for item in SETTINGS]
    assert not home.root.exists()


def test_each_layer_holds_over_the_one_below(place):
    place.administrator({"thinking": "low", "max_turns": 1})
    place.user({"thinking": "medium", "folders": {str(place.folder): {"thinking": "high"}}})
    settings, diagnostics = place.load()
    assert diagnostics == []
    assert (settings.get("thinking"), settings.get("max_turns")) == ("high", 1)
    assert settings.source("thinking") == f"user, for {place.folder}"
    assert settings.source("max_turns") == "administrator"

    place.project({"thinking": "minimal"})
    settings, _ = place.load()
    assert (settings.get("thinking"), settings.source("thinking")) == ("minimal", "project")
    settings = settings.with_session_values({"thinking": "xhigh"})
    assert (settings.get("thinking"), settings.source("thinking")) == ("xhigh", "session")


@pytest.mark.parametrize(
    ("variable", "value", "name"),
    [
        ("PI_NOTEBOOK_MODEL", "openai/gpt-4o", "model"),
        ("PI_NOTEBOOK_POLICY", "notebook", "policy"),
        ("PI_NOTEBOOK_MODE", "plan", "mode"),
    ],
)
def test_the_environment_holds_over_files(place, variable, value, name):
    place.user({"model": "a/b", "mode": "auto"})
    settings, diagnostics = place.load(environ={variable: value})
    assert diagnostics == []
    assert (settings.get(name), settings.source(name)) == (value, variable)


def test_an_empty_environment_variable_is_as_if_unset(place):
    settings, diagnostics = place.load(environ={"PI_NOTEBOOK_MODEL": ""})
    assert (settings.get("model"), diagnostics) == ("offline", [])


def test_a_wrong_environment_variable_is_named(place):
    settings, diagnostics = place.load(environ={"PI_NOTEBOOK_MODE": "yolo"})
    assert settings.get("mode") == "ask"
    assert [d.text for d in diagnostics] == [
        "PI_NOTEBOOK_MODE: mode is plan, ask, auto-edit or auto, not 'yolo'. It is not used."
    ]


def test_the_nearest_folder_section_holds(place):
    place.user(
        {
            "folders": {
                str(place.folder): {"max_turns": 3},
                str(place.folder.parent): {"max_turns": 2, "output": {"max_lines": 7}},
                "/somewhere/else": {"max_turns": 9},
            }
        }
    )
    settings, diagnostics = place.load()
    assert diagnostics == []
    assert (settings.get("max_turns"), settings.get("output.max_lines")) == (3, 7)


def test_an_untrusted_folder_sets_nothing_and_says_nothing(place):
    place.project("{ broken")
    settings, diagnostics = place.load(trusted=False)
    assert (settings, diagnostics) == (Settings(), [])


@pytest.mark.parametrize(("name", "value"), [("mode", "auto"), ("model", "evil/model")])
def test_a_project_may_not_choose_what_runs_or_who_is_sent_the_data(place, name, value):
    path = place.project({"thinking": "low", name: value})
    settings, diagnostics = place.load()
    assert settings.get("thinking") == "low"
    assert settings.source(name) == "default"
    assert [d.text for d in diagnostics] == [
        f"{path}, line 3: {name} may not be set by a folder's own file. It is not used."
    ]


def test_a_project_file_shared_with_pi_brings_no_warnings(place):
    place.project({"theme": "dark", "compaction": {"reserveTokens": 1}, "defaultModel": "x", "max_turns": 4})
    settings, diagnostics = place.load()
    assert (settings.get("max_turns"), diagnostics) == (4, [])


def test_dotted_keys_may_be_written_nested(place):
    place.user({"output": {"max_lines": 10}, "output.max_bytes": 2048, "spill": {"max_call_bytes": 0}})
    settings, diagnostics = place.load()
    assert diagnostics == []
    assert [settings.get(f"output.{name}") for name in ("max_lines", "max_bytes")] == [10, 2048]
    assert settings.get("spill.max_call_bytes") == 0


def test_a_wrong_value_is_named_with_its_line_and_the_rest_holds(place):
    text = '{\n  "stream": "no",\n  "output": {\n    "max_lines": "many",\n    "max_bytes": 4096\n  }\n}'
    path = place.user(text)
    settings, diagnostics = place.load()
    assert [d.text for d in diagnostics] == [
        f"{path}, line 2: stream is true or false, not 'no'. It is not used.",
        f"{path}, line 4: output.max_lines is a whole number of at least 1, not 'many'. It is not used.",
    ]
    assert {d.level for d in diagnostics} == {"warning"}
    assert (settings.get("output.max_lines"), settings.get("output.max_bytes")) == (2000, 4096)


def test_an_unknown_key_in_a_section_is_named_with_its_own_line(place):
    text = json.dumps({"modle": "a/b", "folders": {str(place.folder): {"modle": "c/d"}}}, indent=1)
    path = place.user(text)
    _, diagnostics = place.load()
    wrong = "There is no setting 'modle'. Did you mean model? %agent settings lists them. It is not used."
    assert [d.text for d in diagnostics] == [f"{path}, line 2: {wrong}", f"{path}, line 5: {wrong}"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{\n"model": "a/b",\n}', r", line 3: this is not JSON \(.+\)\. The file is not used\."),
        ("[1]", r": it is not a JSON object\. The file is not used\."),
        (b"\xff\xfe{}", r": it is not UTF-8\. The file is not used\."),
        ("[" * 100_000, r": .+ The file is not used\."),
        (" " * 1_000_001, r": it is larger than 1,000,000 bytes\. The file is not used\."),
    ],
)
def test_a_broken_file_is_a_diagnostic_and_the_defaults_hold(place, content, said):
    path = place.user(content)
    settings, diagnostics = place.load()
    assert settings == Settings()
    assert len(diagnostics) == 1
    assert re.fullmatch(re.escape(str(path)) + said, diagnostics[0].text)


@pytest.mark.parametrize("content", ["", "\n", "{}", '\ufeff{"stream": true}'])
def test_an_empty_file_and_a_byte_order_mark_are_no_faults(place, content):
    place.user(content)
    assert place.load()[1] == []


def test_a_folder_or_a_pipe_in_the_place_of_a_file_is_a_diagnostic(place):
    place.home.settings_file.mkdir()
    os.mkfifo(place.folder / ".pi" / "settings.json")
    _, diagnostics = place.load()
    assert [d.text.partition(": ")[2] for d in diagnostics] == [
        "it is not a plain file. The file is not used."
    ] * 2


@pytest.mark.parametrize("name", ["~nobody-of-this-name/x", "", "\0", "n" * 5_000])
def test_a_section_for_a_folder_that_can_be_none_does_not_matter(place, name):
    place.user({"folders": {name: {"max_turns": 1}}, "max_turns": 2})
    settings, told = place.load()
    assert (settings.get("max_turns"), told) == (2, [])


def test_wrong_folder_sections_are_diagnostics(place):
    path = place.user('{\n"folders": 3\n}')
    assert [d.text for d in place.load()[1]] == [
        f"{path}, line 2: folders is an object of objects by folder."
    ]
    path = place.user({"folders": {str(place.folder): 3}})
    assert [d.text for d in place.load()[1]] == [
        f"{path}, line 3: the section of a folder is an object of settings."
    ]


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("model", "openai/gpt-4o", "openai/gpt-4o"),
        ("stream", "off", False),
        ("stream", "YES", True),
        ("max_turns", "5", 5),
        ("max_turns", "none", None),
        ("code.timeout_seconds", "2", 2.0),
        ("code.timeout_seconds", "1.5", 1.5),
        ("output.max_lines", "default", 2000),
        ("thinking", "off", "off"),
        ("tools.execution", "sequential", "sequential"),
    ],
)
def test_what_a_person_types_is_understood(name, text, value):
    parsed = Settings().parse(name, text)
    assert parsed == value
    assert type(parsed) is type(value)
    assert Settings().with_session_values({name: parsed}).get(name) == value


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("mode", "atuo", "mode is plan, ask, auto-edit or auto, not 'atuo'. Did you mean auto?"),
        ("stream", "maybe", "stream is true or false, not 'maybe'."),
        ("max_turns", "0", "max_turns is a whole number of at least 1, or none, not 0."),
        ("max_turns", "2.5", "max_turns is a whole number of at least 1, or none, not '2.5'."),
        ("output.max_lines", "none", "output.max_lines is a whole number of at least 1, not 'none'."),
        ("code.timeout_seconds", "inf", "code.timeout_seconds is a number of at least 1, or none, not inf."),
        ("code.timeout_seconds", "nan", "code.timeout_seconds is a number of at least 1, or none, not nan."),
        ("model", "", "model is a text, not ''."),
        (
            "max_lines",
            "3",
            "There is no setting 'max_lines'. Did you mean output.max_lines? %agent settings lists them.",
        ),
        ("zzz", "3", "There is no setting 'zzz'. %agent settings lists them."),
    ],
)
def test_a_wrong_name_or_value_says_in_one_line_what_is_right(name, text, message):
    with pytest.raises(SettingsError) as caught:
        Settings().parse(name, text)
    assert str(caught.value) == message
    assert caught.value.name == name


def test_a_long_wrong_value_is_quoted_in_part():
    with pytest.raises(SettingsError) as caught:
        Settings().parse("mode", "x" * 10_000)
    assert len(str(caught.value)) < 150


def test_a_boolean_is_no_number_and_a_number_no_boolean():
    for name, value in [("max_turns", True), ("stream", 1), ("model", 3)]:
        with pytest.raises(SettingsError):
            Settings().with_values({name: value}, source="user")


def test_settings_are_values():
    before = Settings()
    after = before.with_session_values({"stream": False})
    assert before.get("stream") is True
    assert after.source("stream") == "session"


def test_values_of_a_session_that_this_release_does_not_know_are_left_out():
    settings = Settings().with_session_values({"gone": 1, "mode": "yolo", "stream": False})
    assert [row.name for row in settings.rows() if row.source == "session"] == ["stream"]


def test_rows_may_be_asked_for_by_name():
    assert [row.value for row in Settings().rows("mode", "model")] == ["ask", "offline"]
    with pytest.raises(SettingsError):
        Settings().rows("nothing.such")


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda item: item.name)
def test_every_default_is_allowed_and_every_meaning_is_one_line(setting: Setting):
    assert setting.check(setting.default) == setting.default
    assert setting.meaning
    assert "\n" not in setting.meaning


def test_a_wrong_policy_names_the_nearest():
    with pytest.raises(
        SettingsError, match=r"^policy is .*notebook.*, not 'notebok'\. Did you mean notebook\?$"
    ):
        Settings().parse("policy", "notebok")
