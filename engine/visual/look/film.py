"""Films and pictures as files: PNG, numbered frames, APNG, GIF, WebP and MP4; complete, or not there at all."""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

from ...atomic_write import OutputError, commit, staging_directory
from .png import ApngEncoder, png_bytes

FILMS = (".gif", ".mp4", ".webp", ".apng")
PICTURES = (".png",)
CLEAR = (".png", ".apng", ".webp")  # suffixes of files that may be transparent
PALETTE = "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=bayer:bayer_scale=5:diff_mode=rectangle"

Add = Callable[[np.ndarray], None]


def is_film(path: Path) -> bool:
    """Return whether a path names a motion: a film, or a pattern of numbered frames such as frames/%04d.png."""
    return path.suffix in FILMS or "%" in path.name


def check_film(path: Path, transparent: bool = False) -> None:
    """Check before drawing that a picture or film can be written afterwards.

    Raises:
        OutputError: an unknown suffix, a missing encoder, or a folder that is not writable.
    """
    if path.suffix not in (*PICTURES, *FILMS):
        known = ", ".join((*PICTURES, *FILMS))
        raise OutputError(f"{path}: must have a suffix of {known}, or be a pattern such as frames/%04d.png; rename it")
    if transparent and path.suffix not in CLEAR:
        raise OutputError(f"{path}: must be {', '.join(CLEAR)} to be transparent; rename it")
    if "%" in path.name:
        frame_path(path, 0)
    if path.suffix == ".mp4" and not ffmpeg():
        raise OutputError(f"{path}: must have ffmpeg; install ffmpeg, or pip install imageio-ffmpeg, or write .apng")
    if path.suffix == ".gif" and not (ffmpeg() or has_pillow()):
        raise OutputError(f"{path}: must have ffmpeg or Pillow; pip install pillow, or write .apng")
    if path.suffix == ".webp" and not has_pillow():
        raise OutputError(f"{path}: must have Pillow; pip install pillow, or write .apng")
    parent = path.parent
    while "%" in path.name and not parent.exists():  # the folder of frames is made
        parent = parent.parent
    with staging_directory(parent / path.name.replace("%", "")):
        pass


def ffmpeg() -> str:
    """Return the program ffmpeg: that of the system, else that of imageio-ffmpeg; "" if there is none."""
    found = shutil.which("ffmpeg")
    if found:
        return found
    try:
        import imageio_ffmpeg
    except ImportError:
        return ""
    return str(imageio_ffmpeg.get_ffmpeg_exe())


def has_pillow() -> bool:
    """Return whether Pillow is installed."""
    try:
        import PIL.Image  # noqa: F401
    except ImportError:
        return False
    return True


def frame_path(path: Path, number: int) -> Path:
    """Return the path of a numbered frame.

    Raises:
        OutputError: the pattern does not have one number.
    """
    try:
        return path.with_name(path.name % number)
    except (TypeError, ValueError):
        raise OutputError(f"{path}: must have one number, as frames/%04d.png has; rename it") from None


@contextmanager
def open_film(path: Path, frames: int, fps: float) -> Iterator[Add]:
    """Yield a function that adds a picture (h, w, 3 | 4) uint8; the file is there once all frames were added.

    Raises:
        OutputError: the file cannot be written, or the encoder fails.
    """
    several = "%" in path.name
    home = path.parent
    absent = several and not home.exists()
    try:
        if several:
            home.mkdir(parents=True, exist_ok=True)
        with staging_directory(home / path.name.replace("%", "")) as staging:
            folder = staging / "frames"  # the staging directory has a file of its own
            folder.mkdir()
            with ENCODERS["%" if several else path.suffix](folder / path.name, frames, fps) as add:
                yield add
            for file in sorted(folder.iterdir()):
                commit(file, home / file.name)
    except OutputError:
        raise
    except EncoderError as error:
        fix = "free disk space, or write .apng"
        raise OutputError(f"{path}: ffmpeg cannot write it ({error}); {fix}") from None
    except OSError as error:
        raise OutputError.of(path, error) from None
    finally:
        if absent:
            with suppress(OSError):  # it has frames
                home.rmdir()


@contextmanager
def _frames(path: Path, frames: int, fps: float) -> Iterator[Add]:
    """Write each picture as a PNG file; `path` may be a pattern."""
    number = 0

    def add(picture: np.ndarray) -> None:
        nonlocal number
        (frame_path(path, number) if "%" in path.name else path).write_bytes(png_bytes(picture))
        number += 1

    yield add


@contextmanager
def _apng(path: Path, frames: int, fps: float) -> Iterator[Add]:
    """Write an animated PNG."""
    encoder = ApngEncoder(frames, fps)
    with path.open("wb") as file:

        def add(picture: np.ndarray) -> None:
            for part in encoder.encode(picture):
                file.write(part)

        yield add
        file.write(encoder.end())


@contextmanager
def _gif(path: Path, frames: int, fps: float) -> Iterator[Add]:
    """Write a GIF by ffmpeg, else by Pillow with the colours of the first frame."""
    if ffmpeg():
        with _piped(path, fps, ["-vf", PALETTE, "-loop", "0"]) as add:
            yield add
        return
    from PIL import Image

    kept: list[Image.Image] = []

    def add_picture(picture: np.ndarray) -> None:
        image = Image.fromarray(np.ascontiguousarray(picture[..., :3]))
        palette = kept[0] if kept else image.quantize(256, dither=Image.Dither.NONE)
        kept.append(image.quantize(palette=palette, dither=Image.Dither.NONE) if kept else palette)

    yield add_picture
    ends = np.round(100.0 * np.arange(frames + 1) / fps)  # GIF counts in hundredths of a second
    duration = (10.0 * np.diff(ends)).astype(int).tolist()[: len(kept)]
    kept[0].save(path, save_all=True, append_images=kept[1:], duration=duration, loop=0, optimize=False)


@contextmanager
def _webp(path: Path, frames: int, fps: float) -> Iterator[Add]:
    """Write a WebP by Pillow."""
    from PIL import Image

    kept: list[Image.Image] = []
    yield lambda picture: kept.append(Image.fromarray(np.ascontiguousarray(picture)))
    duration = round(1000.0 / fps)
    kept[0].save(path, save_all=True, append_images=kept[1:], duration=duration, loop=0, quality=80, method=2)


@contextmanager
def _mp4(path: Path, frames: int, fps: float) -> Iterator[Add]:
    """Write an MP4 that players everywhere show."""
    even = "pad=ceil(iw/2)*2:ceil(ih/2)*2"
    options = ["-vf", even, "-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "20", "-movflags", "+faststart"]
    with _piped(path, fps, options) as add:
        yield add


@contextmanager
def _piped(path: Path, fps: float, options: list[str]) -> Iterator[Add]:
    """Pipe pictures to ffmpeg."""
    process: subprocess.Popen | None = None

    def begin(picture: np.ndarray) -> subprocess.Popen:
        """Start ffmpeg for pictures of this size."""
        size = f"{picture.shape[1]}x{picture.shape[0]}"
        source = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", size, "-r", f"{fps:g}", "-i", "-"]
        strict = ["-xerror"]  # else older ones report success when the disk fills up at the end of a GIF
        command = [ffmpeg(), "-y", "-nostdin", "-loglevel", "error", *strict, *source, *options, str(path)]
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C in a terminal interrupts this process alone, which ends the encoder
        )

    def add(picture: np.ndarray) -> None:
        """Pipe a picture (h, w, 3 or 4) uint8 to ffmpeg."""
        nonlocal process
        process = process or begin(picture)
        assert process.stdin is not None  # it is a pipe
        try:
            process.stdin.write(np.ascontiguousarray(picture[..., :3]).tobytes())
        except BrokenPipeError:
            raise _failure(process) from None

    try:
        yield add
        if process:
            _, said = process.communicate()
            if process.returncode:
                raise _failure(process, said)
    except BaseException:
        if process and process.poll() is None:
            process.kill()
            process.wait()
        raise


class EncoderError(Exception):
    """Error of an encoder; the text is its message."""


def _failure(process: subprocess.Popen, said: bytes | None = None) -> EncoderError:
    """Return the error of an encoder that ended."""
    if said is None:
        _, said = process.communicate()
    text = " ".join((said or b"").decode(errors="replace").split()) or f"exit code {process.returncode}"
    return EncoderError(text)


ENCODERS = {"%": _frames, ".png": _frames, ".apng": _apng, ".gif": _gif, ".webp": _webp, ".mp4": _mp4}
