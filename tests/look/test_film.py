"""Pictures and films as files, read back by another decoder."""

import struct
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from PIL import Image

from fajin.atomic_write import OutputError
from fajin.visual.look import film
from fajin.visual.look.film import check_film, ffmpeg, open_film
from fajin.visual.look.png import png_bytes


def frames(count: int = 5, channels: int = 3) -> list[np.ndarray]:
    """A square that moves over a still background; the last frame equals the one before."""
    found = []
    for i in range(count):
        picture = np.full((20, 31, channels), 200, np.uint8)
        if channels == 4:
            picture[:5, :, 3] = 0
        at = max(0, min(i, count - 2))
        picture[4:9, 3 * at : 3 * at + 6, :3] = (250, 10 * at, 30)
        found.append(picture)
    return found


def write(path, pictures, fps=10.0):
    with open_film(path, len(pictures), fps) as add:
        for picture in pictures:
            add(picture)


def decoded(path, channels: int = 3) -> list[np.ndarray]:
    """All frames of a file, by Pillow."""
    found = []
    with Image.open(path) as image:
        for i in range(getattr(image, "n_frames", 1)):
            image.seek(i)
            found.append(np.array(image.convert("RGB" if channels == 3 else "RGBA")))
    return found


@pytest.mark.parametrize("channels", [1, 3, 4])
def test_a_png_is_read_back_bit_for_bit(tmp_path, channels):
    picture = np.random.default_rng(0).integers(0, 256, (17, 23, channels), np.uint8)
    (tmp_path / "a.png").write_bytes(png_bytes(picture))
    with Image.open(tmp_path / "a.png") as image:
        np.testing.assert_array_equal(np.array(image).reshape(picture.shape), picture)


@pytest.mark.parametrize("channels", [3, 4])
def test_an_animated_png_is_read_back_bit_for_bit(tmp_path, channels):
    pictures = frames(channels=channels)
    write(tmp_path / "a.apng", pictures)
    found = decoded(tmp_path / "a.apng", channels)
    assert len(found) == len(pictures)
    for one, other in zip(found, pictures, strict=True):
        seen = other[..., 3:] > 0 if channels == 4 else np.ones((20, 31, 1), bool)
        np.testing.assert_array_equal(one * seen, other * seen)
    with Image.open(tmp_path / "a.apng") as image:
        assert image.info["duration"] == 100.0


def test_numbered_frames_are_pictures_in_a_new_folder(tmp_path):
    write(tmp_path / "new" / "%03d.png", frames())
    assert sorted(file.name for file in (tmp_path / "new").iterdir()) == [f"00{i}.png" for i in range(5)]
    np.testing.assert_array_equal(decoded(tmp_path / "new" / "002.png")[0], frames()[2])


@pytest.mark.parametrize("suffix", [".gif", ".webp"])
def test_films_of_pillow_have_the_frames_and_length(tmp_path, suffix, monkeypatch):
    monkeypatch.setattr(film, "ffmpeg", lambda: "")
    write(tmp_path / f"a{suffix}", frames(), fps=30.0)
    found = decoded(tmp_path / f"a{suffix}")
    assert np.abs(found[2].astype(int) - frames()[2]).mean() < 3.0
    durations = []
    with Image.open(tmp_path / f"a{suffix}") as image:
        for i in range(image.n_frames):
            image.seek(i)
            image.load()
            durations.append(image.info["duration"])
    assert sum(durations) == pytest.approx(5 / 30 * 1000, abs=10)


@pytest.mark.skipif(not ffmpeg(), reason="ffmpeg is not installed")
@pytest.mark.parametrize("suffix", [".gif", ".mp4"])
def test_films_of_ffmpeg_are_written(tmp_path, suffix):
    """Also with an odd width, which H.264 does not have."""
    write(tmp_path / f"a{suffix}", frames(9))
    content = (tmp_path / f"a{suffix}").read_bytes()
    assert (b"ftyp" in content[:16]) if suffix == ".mp4" else content.startswith(b"GIF89a")
    if suffix == ".gif":
        assert np.abs(decoded(tmp_path / "a.gif")[0].astype(int) - frames()[0]).mean() < 3.0


@pytest.mark.parametrize("fps", [1e-3, 12.0, 30000 / 1001, 66.0, 240.0])
def test_an_animated_png_plays_at_its_rate(tmp_path, fps):
    """Delays are fractions of 16-bit numbers, which 1000 / (1000 fps) is only up to 65 frames per second."""
    write(tmp_path / "a.apng", frames()[:2], fps)
    data = (tmp_path / "a.apng").read_bytes()
    place = data.index(b"fcTL") + 4
    numerator, denominator = struct.unpack(">2H", data[place + 20 : place + 24])
    assert numerator / denominator == pytest.approx(1.0 / fps, rel=1e-6)


@pytest.mark.skipif(not ffmpeg(), reason="ffmpeg is not installed")
def test_ctrl_c_in_a_terminal_does_not_end_ffmpeg(tmp_path):
    """The terminal sends it to the whole group of processes; the one that draws decides."""
    code = """
        import os, signal
        import numpy as np
        from pathlib import Path
        from fajin.visual.look.film import open_film
        signal.signal(signal.SIGINT, lambda *_: None)
        with open_film(Path("a.mp4"), 40, 10.0) as add:
            for i in range(40):
                add(np.zeros((200, 300, 3), np.uint8))
                if i % 10 == 5:
                    os.killpg(0, signal.SIGINT)
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, start_new_session=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert b"ftyp" in (tmp_path / "a.mp4").read_bytes()[:16]


@pytest.mark.parametrize("name", ["a.png", "a.apng", "a.gif", "a.webp", "new/%d.png"])
def test_an_interrupted_film_leaves_no_file(tmp_path, name):
    def interrupted():
        with open_film(tmp_path / name, 5, 10.0) as add:
            add(frames()[0])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == []


@pytest.mark.skipif(not ffmpeg(), reason="ffmpeg is not installed")
def test_an_encoder_that_fails_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr(film, "PALETTE", "no_such_filter")
    with pytest.raises(OutputError, match=rf"^{tmp_path}/a.gif: ffmpeg cannot write it \(.*no_such_filter"):
        write(tmp_path / "a.gif", frames())
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_one_line(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(film, "png_bytes", full)
    with pytest.raises(OutputError, match=r"a.png: cannot be written \(No space left on device\); free disk space"):
        write(tmp_path / "a.png", frames(1))


@pytest.mark.parametrize(
    ("name", "missing", "said"),
    [
        ("a.mp4", ("ffmpeg",), "a.mp4: must have ffmpeg; install ffmpeg, or pip install imageio-ffmpeg"),
        ("a.gif", ("ffmpeg", "has_pillow"), "a.gif: must have ffmpeg or Pillow; pip install pillow"),
        ("a.webp", ("has_pillow",), "a.webp: must have Pillow; pip install pillow"),
        ("a.avi", (), "a.avi: must have a suffix of .png, .gif, .mp4"),
        ("%s%d.png", (), "must have one number, as frames/%04d.png has"),
        ("none/a.png", (), "cannot be written"),
    ],
)
def test_what_cannot_be_written_is_found_before_drawing(tmp_path, monkeypatch, name, missing, said):
    for function in missing:
        monkeypatch.setattr(film, function, lambda: "")
    with pytest.raises(OutputError) as error:
        check_film(tmp_path / name)
    assert said in str(error.value)


def test_only_some_files_may_be_transparent(tmp_path):
    with pytest.raises(OutputError, match=r"a.gif: must be .png, .apng, .webp to be transparent"):
        check_film(tmp_path / "a.gif", transparent=True)
    check_film(tmp_path / "a.png", transparent=True)
