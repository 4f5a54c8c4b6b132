"""What the README tells a reader to do works as it stands there."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from commands import fajin_here, working_folder
from paths import ROOT

TEXT = (ROOT / "README.md").read_text()


@pytest.mark.parametrize("snippet", re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL))
def test_python_of_the_readme_runs(snippet, tmp_path):
    """In a fresh process, with nothing at hand but the scenes."""
    (tmp_path / "scenes").symlink_to(ROOT / "scenes")
    subprocess.run([sys.executable, "-c", snippet], cwd=tmp_path, check=True)
    written = re.findall(r'fajin\.write\(\w+, "(.*?)"', snippet)
    assert written
    assert all((tmp_path / name).stat().st_size > 0 for name in written)


@pytest.mark.parametrize(
    ("name", "count"),
    [("quickstart", 3), ("viewing", 1), ("dynamics", 1), ("state", 4), ("python", 5), ("rendering", 1)],
)
def test_python_of_a_page_runs(name, count, tmp_path):
    """Its snippets follow each other; what they write is there."""
    (tmp_path / "scenes").symlink_to(ROOT / "scenes")
    snippets = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / f"{name}.md").read_text(), re.DOTALL)
    assert len(snippets) >= count
    code = "\n".join(snippets)
    with working_folder(tmp_path):
        exec(code, {"__name__": "__main__"})
    assert all((tmp_path / name).stat().st_size > 0 for name in re.findall(r'fajin\.write\(\w+, "(.*?)"', code))


@pytest.mark.slow
def test_commands_and_python_of_the_page_on_batches_run(tmp_path):
    """The sweep it begins with, and its snippets one after the other."""
    (tmp_path / "scenes").symlink_to(ROOT / "scenes")
    page = (ROOT / "docs" / "batch.md").read_text()
    command = shlex.split(re.search(r"```\nfajin (batch scenes.*?)```", page, re.DOTALL)[1].replace("\\\n", ""))
    assert command == shlex.split(re.search(r"```\nfajin (batch.*?)```", TEXT, re.DOTALL)[1].replace("\\\n", ""))
    assert fajin_here(*command, cwd=tmp_path).returncode == 0
    assert list((tmp_path / "sweep" / "metrics").iterdir())
    snippets = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(snippets) == 3
    subprocess.run([sys.executable, "-c", "\n".join(snippets)], cwd=tmp_path, check=True)
    assert len(list((tmp_path / "any-executor" / "metrics").iterdir())) == 4


def test_commands_and_python_of_the_page_on_authoring_run(tmp_path):
    """All of its commands in their order, each on what the ones before have written; then its Python."""
    (tmp_path / "scenes").symlink_to(ROOT / "scenes")
    page = (ROOT / "docs" / "authoring.md").read_text()
    commands = re.findall(r"^fajin ((?:author|simulate) .*)", page, re.MULTILINE)
    assert len(commands) == 7
    for command in commands:
        assert fajin_here(*shlex.split(command), cwd=tmp_path).returncode == 0
    assert (tmp_path / "arm.anim.usda").stat().st_size > 0
    (snippet,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    with working_folder(tmp_path):
        exec(snippet, {"__name__": "__main__"})


def test_python_of_the_page_on_speed_runs(tmp_path, capsys):
    """The number of worlds that fit, and the refusal of too many."""
    (tmp_path / "scenes").symlink_to(ROOT / "scenes")
    *_, snippet = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "speed.md").read_text(), re.DOTALL)
    with working_folder(tmp_path):
        exec(snippet, {"__name__": "__main__"})
    most, refusal = capsys.readouterr().out.splitlines()
    assert int(most.removesuffix(" worlds").replace(",", "")) > 0
    assert refusal.startswith("worlds = 10,000,000,000: ")


def test_commands_of_the_readme_run(tmp_path):
    """Every `fajin simulate` on a scene of the checkout, in the README and in scenes/README.md, is one that exists."""
    pages = TEXT + (ROOT / "scenes" / "README.md").read_text()
    commands = re.findall(r"fajin (simulate scenes/\S+(?: -\S+ \S+?)*)[\n`]", pages)
    assert len(commands) >= 11
    for command in {command.split()[1]: command for command in commands}.values():
        assert (ROOT / command.split()[1]).exists(), command

    (tmp_path / "scenes").symlink_to(ROOT / "scenes")
    first = shlex.split(re.search(r"^fajin (simulate .*)", TEXT, re.MULTILINE)[1], comments=True)
    assert fajin_here(*first, "--steps", "30", cwd=tmp_path).returncode == 0
    assert (tmp_path / first[first.index("-o") + 1]).stat().st_size > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [pytest.param("docs/rendering.md", marks=pytest.mark.slow), "docs/contacts.md", "README.md"]
)
def test_commands_that_draw_a_page_s_pictures_run(page, tmp_path):
    """Each on what the ones before have written; small, and a tenth of a second long."""
    (tmp_path / "scenes").symlink_to(ROOT / "scenes")
    (tmp_path / "docs").mkdir()
    shutil.copy(ROOT / "docs" / "pup.urdf", tmp_path / "robot.urdf")
    text = (ROOT / page).read_text().replace("&& fajin", "\nfajin")
    commands = re.findall(r"^fajin ((?:convert|simulate|render) .*)", text, re.MULTILINE)
    assert [command for command in commands if command.startswith("render")]
    for command in commands:
        words = shlex.split(command, comments=True)
        small = {"simulate": ("--steps", 30), "render": ("--size", "240x180", "--fps", 20), "convert": ()}[words[0]]
        for option in ("--seconds", "--time", "--to"):  # times after the end of this motion
            words = [word for i, word in enumerate(words) if option not in words[max(0, i - 1) : i + 1]]
        done = fajin_here(*words, *small, cwd=tmp_path)
        if words[0] == "convert" and "converter" in done.stderr and done.returncode:
            pytest.skip(done.stderr)  # it cannot be installed
        assert done.returncode == 0, done.stderr
        ending = {"simulate": ".anim.usda"}.get(words[0], ".usda")
        written = words[words.index("-o") + 1] if "-o" in words else Path(words[1]).with_suffix(ending).name
        assert (tmp_path / written).stat().st_size > 0


def test_pictures_of_the_documents_are_small_and_there():
    """Each picture that a page shows exists, and none is larger than 2 MB."""
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for name in re.findall(r"!\[.*?\]\((.*?)\)", page.read_text()):
            assert 0 < (page.parent / name).stat().st_size < 2e6, name


def test_the_readme_is_short():
    assert len(TEXT.splitlines()) <= 110


def test_the_readme_names_every_command():
    """The table of commands is that of `fajin --help`."""
    commands = set(re.findall(r"^  ([a-z]+)  ", fajin_here("--help").stdout.partition("Commands:")[2], re.MULTILINE))
    assert commands == set(re.findall(r"^\| `fajin ([a-z]+)", TEXT, re.MULTILINE))


def test_links_and_pictures_of_the_readme_exist():
    """Relative links lead somewhere."""
    links = re.findall(r"\]\(([^)#:]+)\)", TEXT)
    assert links
    assert not [link for link in links if not (ROOT / link).exists()]
