import os
import stat
from pathlib import Path

import pytest

from pi_notebook.errors import SessionWriteError
from pi_notebook.session.home import Home, find_home, folder_slug


@pytest.fixture
def home(tmp_path):
    return Home(root=tmp_path / "deep" / "home")


@pytest.fixture(params=[0o000, 0o022, 0o077, 0o777], ids=oct)
def umask(request):
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def mode(path):
    return stat.S_IMODE(path.lstat().st_mode)


def test_the_environment_names_the_home(tmp_path):
    assert find_home({"PI_NOTEBOOK_HOME": str(tmp_path / "x")}).root == tmp_path / "x"
    assert find_home({"PI_NOTEBOOK_HOME": "~/pi"}).root == Path.home() / "pi"
    assert find_home({"PI_NOTEBOOK_HOME": "here"}).root == Path.cwd() / "here"


def test_without_it_the_home_is_the_platform_s_folder_for_data(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert find_home({}).root == tmp_path / "pi-notebook"
    assert find_home({"PI_NOTEBOOK_HOME": ""}).root == tmp_path / "pi-notebook"


def test_asking_where_things_lie_makes_nothing(home, tmp_path):
    home.session_path(tmp_path, session_id="x", timestamp="2026-01-02T03:04:05.678Z")
    assert home.settings_file.name == "settings.json"
    assert home.spill_folder("x").name == "x"
    assert list(tmp_path.iterdir()) == []


def test_a_session_lies_in_its_folder_s_place_under_time_and_id(home):
    path = home.session_path(Path("/data/my sales"), session_id="ab-1", timestamp="2026-01-02T03:04:05.678Z")
    assert path.relative_to(home.root) == Path(
        "sessions/--data-my-sales--/2026-01-02T03-04-05-678Z_ab-1.jsonl"
    )


def test_folders_are_private_whatever_the_umask(home, umask):
    home.make_folder(home.spill_folder("s"))
    assert [mode(path) for path in [home.root.parent, home.root, *home.root.rglob("*")]] == [0o700] * 4


def test_a_folder_of_ours_that_others_may_enter_is_closed(home):
    home.sessions_folder.mkdir(parents=True)
    home.sessions_folder.chmod(0o777)
    home.make_folder(home.sessions_folder / "x")
    assert mode(home.sessions_folder) == 0o700


def test_a_home_that_the_person_made_keeps_its_mode(home):
    home.root.mkdir(parents=True)
    home.root.chmod(0o755)
    home.make_folder(home.sessions_folder)
    assert mode(home.root) == 0o755


def test_a_link_in_the_place_of_a_folder_is_refused_and_its_target_left_alone(home, tmp_path):
    victim = tmp_path / "victim"
    victim.mkdir()
    home.root.mkdir(parents=True)
    home.sessions_folder.symlink_to(victim)
    with pytest.raises(SessionWriteError, match=r"sessions is a link\. Move it away"):
        home.make_folder(home.sessions_folder / "x")
    assert list(victim.iterdir()) == []


def test_a_home_reached_by_a_link_of_one_s_own_is_used(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "home").symlink_to(tmp_path / "disk")
    home = Home(root=tmp_path / "home")
    home.make_folder(home.sessions_folder)
    assert (tmp_path / "disk" / "sessions").is_dir()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
@pytest.mark.parametrize("which", ["root", "sessions_folder"])
def test_a_folder_of_another_user_is_refused(home, which):
    home.sessions_folder.mkdir(parents=True)
    os.chown(getattr(home, which), 12345, 12345)
    with pytest.raises(SessionWriteError, match="belongs to another user. Set PI_NOTEBOOK_HOME"):
        home.make_folder(home.sessions_folder / "x")
    assert list(home.sessions_folder.iterdir()) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a link away")
def test_a_home_behind_another_user_s_link_is_refused(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "home").symlink_to(tmp_path / "mine")
    os.lchown(tmp_path / "home", 12345, 12345)
    home = Home(root=tmp_path / "home")
    with pytest.raises(SessionWriteError, match="belongs to another user"):
        home.make_folder(home.sessions_folder)


def test_a_file_in_the_place_of_the_home_is_refused(tmp_path):
    (tmp_path / "home").write_text("")
    home = Home(root=tmp_path / "home")
    with pytest.raises(SessionWriteError, match="not a folder"):
        home.make_folder(home.sessions_folder)


def test_a_home_below_a_file_says_what_to_set(tmp_path):
    (tmp_path / "file").write_text("")
    home = Home(root=tmp_path / "file" / "home")
    with pytest.raises(SessionWriteError, match=r"Not a directory\. Set PI_NOTEBOOK_HOME"):
        home.make_folder(home.sessions_folder)


def test_a_user_without_a_home_is_told_so():
    home = Home(root=Path("~/.local/share/pi-notebook"))
    with pytest.raises(SessionWriteError, match="No home folder is known"):
        home.make_folder(home.sessions_folder)


@pytest.mark.parametrize(
    "folder",
    ["/", "/a/b", "/" + "x" * 200 + "/" + "y" * 200, "/ü\n\x00*?", "/..", "C:\\data\\x", "/a\udcff"],
)
def test_a_slug_is_one_safe_file_name(folder):
    slug = folder_slug(Path(folder))
    assert len(slug) <= 140
    assert set(slug) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")
    assert slug not in ("", ".", "..")


def test_long_folders_that_begin_and_end_alike_lie_apart():
    first, second = (Path("/a" * 30, mid * 100, "z" * 90) for mid in "xy")
    assert folder_slug(first) != folder_slug(second)
