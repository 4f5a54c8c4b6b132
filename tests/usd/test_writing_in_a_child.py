"""A child process writes motions: the same files, no others, and none by a file that has taken it over."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest
from motions import motion

import fajin
from fajin import animation_file
from fajin.animation_file import check_output, write, write_instances
from fajin.atomic_write import OutputError


def content(file: Path) -> bytes | list[bytes]:
    """Bytes of a file; of a text that is flattened, its lines without the numbers of prototypes."""
    text = file.read_bytes()
    return sorted(re.sub(rb"Prototype_\d+", b"", text).splitlines()) if b"Flattened_" in text else text


@pytest.mark.slow
@pytest.mark.parametrize(("suffix", "flatten"), [("usda", False), ("usdc", False), ("usda", True), ("usdz", True)])
def test_the_child_writes_what_this_process_writes(scenes, tmp_path, monkeypatch, suffix, flatten):
    """To the byte, but for the numbers of prototypes, which USD gives in any order."""
    written = []
    for folder in ("here", "there"):
        recording = motion(fajin.read(scenes / "anymal_c.usda"))
        (tmp_path / folder).mkdir()
        written.append(write(recording, tmp_path / folder / f"a.{suffix}", flatten=flatten))
        monkeypatch.delenv("FAJIN_LIMITS", raising=False)
    assert [file.name for file in written[0]] == [file.name for file in written[1]]
    for here, there in zip(*written, strict=True):
        assert suffix == "usdz" or content(here) == content(there)
        assert there.is_file()
    assert not [file for file in (tmp_path / "there").iterdir() if file not in written[1]]


def test_worlds_are_instanced_by_the_child(scenes, tmp_path, monkeypatch):
    """To the byte, too."""
    source = scenes / "anymal_c.usda"
    recording = motion(fajin.read(source))
    pose = np.repeat(np.asarray(recording.pose, "<f8"), 3, 1)
    pose.tofile(tmp_path / "poses.raw")
    crowd = {"links": list(recording.link), "worlds": 3, "spacing": None, "time": recording.time.tolist(), "dt": 1 / 30}
    files = []
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
        files.append(write_instances(source, tmp_path / name / "w.usdc", crowd, tmp_path / "poses.raw", pose.shape))
        monkeypatch.delenv("FAJIN_LIMITS", raising=False)
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.usefixtures("sandboxed")
def test_what_cannot_be_written_is_one_line(scenes, tmp_path):
    """Before and after a simulation."""
    source = tmp_path / "a.usda"
    source.write_bytes((scenes / "pendulum.usda").read_bytes())
    recording = motion(fajin.read(source))
    check_output(source, tmp_path / "b.usda")
    for act in (lambda: check_output(source, source), lambda: write(recording, source)):
        with pytest.raises(OutputError, match="must not be a layer of the source"):
            act()
    source.write_text("no USD")
    with pytest.raises(fajin.InvalidScene, match="must be a USD file"):
        write(recording, tmp_path / "b.usda")
    assert [file.name for file in tmp_path.iterdir()] == ["a.usda"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs symbolic links")
@pytest.mark.parametrize("names", [["other.usda"], ["../b.usda"], ["b.usda", "b.anim.usdc"], []])
def test_what_a_child_should_not_have_written_is_left_where_it_is(scenes, tmp_path, monkeypatch, names):
    """Other names, and links to files of others."""
    recording = motion(fajin.read(scenes / "pendulum.usda"))
    (tmp_path / "secret").write_text("x")

    def pretend(function, path, asked, folder, size):
        (folder / "b.usda").symlink_to(tmp_path / "secret")
        (folder / "b.anim.usdc").write_text("")
        return names

    monkeypatch.setattr(animation_file, "_ask", pretend)
    with pytest.raises(OutputError, match="was not written as it should be"):
        write(recording, tmp_path / "b.usda")
    assert [file.name for file in tmp_path.iterdir()] == ["secret"]
