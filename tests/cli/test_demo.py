"""`fajin demo`: scenes that every installation has, and a page that plays one."""

import filecmp

import pytest
from commands import fajin_here
from paths import SCENES

from fajin.tools.demo import DEMOS


def test_the_list_names_each_demo_and_how_to_get_all_scenes():
    lines = fajin_here("demo", "--list").stdout.splitlines()
    assert [line.split()[0] for line in lines[:-1]] == list(DEMOS)
    assert lines[-1].endswith("fajin demo --scenes scenes")
    assert max(map(len, lines)) <= 88


@pytest.mark.parametrize("name", DEMOS)
def test_a_demo_is_a_scene(name):
    assert (SCENES / f"{DEMOS[name].scene}.usda").is_file()


def test_without_a_display_the_page_is_written(tmp_path, monkeypatch):
    """And the command ends, as in a container."""
    for variable in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    done = fajin_here("demo", "dominoes", "--seconds", 0.1, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    about, speed, wrote, how = done.stdout.splitlines()
    assert about == f"{DEMOS['dominoes'].about}."
    assert speed.startswith("0.1 s simulated, ")
    assert wrote.startswith("wrote dominoes.html: ")
    assert how.endswith("fajin demo dominoes --port 8000 serves it")
    assert "<title>dominoes" in (tmp_path / "dominoes.html").read_text()


def test_the_page_goes_where_it_is_asked_to(tmp_path):
    assert fajin_here("demo", "arm", "--seconds", 0.1, "-o", "out/a.html", cwd=tmp_path).returncode == 0
    assert (tmp_path / "out" / "a.html").stat().st_size > 0


def test_scenes_are_copied_whole(tmp_path):
    """With the meshes, licences and commands that belong to them; never over what is there."""
    done = fajin_here("demo", "--scenes", "mine", cwd=tmp_path)
    assert done.stdout.startswith(f"wrote mine: {len(list(SCENES.glob('*.usda')))} scenes")
    left = filecmp.dircmp(SCENES, tmp_path / "mine", ignore=["__pycache__"])
    assert not [*left.left_only, *left.right_only, *left.diff_files]
    assert not [name for sub in left.subdirs.values() for name in (*sub.left_only, *sub.diff_files)]
    again = fajin_here("demo", "--scenes", "mine", cwd=tmp_path)
    assert (again.returncode, again.stderr) == (2, "fajin: --scenes mine: must be a new folder; choose another name\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("quadrupd",), "NAME = quadrupd: must be the name of a demo; did you mean 'quadruped'?"),
        (("zebra",), "NAME = zebra: must be the name of a demo; there are quadruped, arm, dominoes"),
        (("arm", "--seconds", "nan"), "--seconds nan: must be from 0.01 to 60; write 4"),
        (("arm", "-o", "a.gif"), "a.gif: must have a suffix of .html; rename it"),
    ],
)
def test_refusals_are_one_line(words, said, tmp_path):
    done = fajin_here("demo", *words, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, f"fajin: {said}\n")
    assert not list(tmp_path.iterdir())
