"""Converters from URDF and MJCF to USD: third-party programs in environments of their own.

They install a second OpenUSD, which conflicts with usd-core in one process.
"""

import os
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

from ..scene import InvalidScene

FOREIGN = ("PYTHONPATH", "PYTHONHOME", "PXR_PLUGINPATH_NAME", "VIRTUAL_ENV")  # must not reach the other OpenUSD
WORLD_LINK = "world"  # root link of a URDF whose base does not move
UNREAD = re.compile(
    r"\[Warning\].*?(?:Invalid input_path|Failed to convert mesh|Unsupported mesh format): \"?([^\":\n]+)"
)
"""A file that a converter could not read."""
READY = "ready"  # marker file of a complete environment
Say = Callable[[str], None]


class ConverterError(OSError):
    """A converter that is missing or does not run; the message gives its name, the cause and the fix in one line."""


@dataclass(frozen=True)
class Converter:
    """A program that converts a robot description to USD."""

    format: str
    package: str
    versions: str

    @property
    def command(self) -> str:
        """Return the name of the program."""
        return self.package.replace("-", "_")

    @property
    def requirement(self) -> str:
        """Return the requirement specifier for a package installer."""
        return f"{self.package}{self.versions}"


CONVERTERS = {  # by the root element of the description
    "robot": Converter("URDF", "urdf-usd-converter", ">=0.3,<1"),
    "mujoco": Converter("MJCF", "mujoco-usd-converter", ">=0.8,<1"),
}


def converter_for(robot: Path) -> Converter:
    """Return the converter for a robot description, by its root element.

    Raises:
        InvalidScene: the file does not exist, or is neither URDF nor MJCF.
    """
    if not robot.is_file():
        raise InvalidScene(file=robot, rule="an existing file", fix="give the path of a URDF or MJCF file")
    try:
        _, root = next(ElementTree.iterparse(robot, events=("start",)))
    except (ElementTree.ParseError, StopIteration) as error:
        raise InvalidScene(file=robot, rule=f"XML ({error})", fix="give a URDF or MJCF file") from None
    if root.tag not in CONVERTERS:
        mend = "give a URDF or xacro (<robot>) or MJCF (<mujoco>) file"
        raise InvalidScene(
            file=robot, attribute="root element", value=f"<{root.tag}>", rule="<robot> or <mujoco>", fix=mend
        )
    return CONVERTERS[root.tag]


def held_in_world(robot: Path) -> bool | None:
    """Return whether a description fixes its base to the world; None for MJCF, whose bodies say it themselves.

    A URDF has no word for the world: its base is fixed if the root link is named "world".
    """
    tree = ElementTree.parse(robot).getroot()
    if tree.tag != "robot":
        return None
    children = {child.get("link") for child in tree.iterfind("joint/child")}
    return any(link.get("name") == WORLD_LINK and WORLD_LINK not in children for link in tree.iterfind("link"))


def endless_joints(robot: Path) -> list[str]:
    """Return the revolute joints of a URDF without a lower and an upper limit, which the converter locks at 0."""
    tree = ElementTree.parse(robot).getroot()
    if tree.tag != "robot":
        return []
    turning = [joint for joint in tree.iterfind("joint") if joint.get("type") == "revolute"]
    limits = [(joint, joint.find("limit")) for joint in turning]
    return [
        joint.get("name", "")
        for joint, limit in limits
        if limit is None or (limit.get("lower") is None and limit.get("upper") is None)
    ]


def find(converter: Converter, named: Path | None, say: Say) -> list[str]:
    """Return the command of a converter.

    It is the program passed, one on the PATH, one run by uv or pipx, or one installed in an environment of fajin.

    Args:
        converter: the converter.
        named: the program, or the folder of its environment.
        say: called with a message before each long operation.

    Raises:
        ConverterError: `named` is not a converter, or the converter cannot be installed.
    """
    if named is not None:
        places = [named, named / "bin" / converter.command, named / "Scripts" / f"{converter.command}.exe"]
        program = next((place for place in places if place.is_file() and os.access(place, os.X_OK)), None)
        if program is None:
            raise ConverterError(f"{named}: does not contain {converter.command}; give program or environment")
        return [str(program)]
    if program := shutil.which(converter.command):
        return [program]
    if uv := shutil.which("uv"):
        return [uv, "tool", "run", "--from", converter.requirement, converter.command]
    if pipx := shutil.which("pipx"):
        return [pipx, "run", "--spec", converter.requirement, converter.command]
    return [str(install(converter, cache() / converter.package, say))]


def cache() -> Path:
    """Return the user's cache folder."""
    known = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return Path(known or Path.home() / ".cache") / "fajin" / "converters"


def install(converter: Converter, folder: Path, say: Say) -> Path:
    """Install the program in an environment of its own if it is missing; return its path."""
    program = folder / ("Scripts" if os.name == "nt" else "bin") / converter.command
    if (folder / READY).exists():
        return program
    say(f"installing {converter.package} into {folder}, once")
    try:
        shutil.rmtree(folder, ignore_errors=True)
        own = find_spec("pip") is not None  # a second pip takes seconds to install
        venv.create(folder, with_pip=not own)
        target = str(program.parent / "python")
        pip = [sys.executable, "-m", "pip", "--python", target] if own else [target, "-m", "pip"]
        words = [*pip, "install", "--quiet", converter.requirement]
        subprocess.run(words, check=True, capture_output=True, text=True, env=environment())
        (folder / READY).touch()
    except subprocess.CalledProcessError as error:
        raise unavailable(converter, last_line(error.stderr)) from None
    except OSError as error:
        raise unavailable(converter, str(error)) from None
    return program


def unavailable(converter: Converter, cause: str) -> ConverterError:
    """Return the error for a converter that cannot be installed."""
    mend = "check the network, or install it in an environment of its own and give --converter PATH"
    return ConverterError(f"{converter.package} cannot be installed ({cause}); {mend}")


def run(words: Sequence[str], robot: Path, folder: Path, packages: Sequence[str] = (), say: Say | None = None) -> Path:
    """Convert a robot into a folder; return the stage that was written.

    Args:
        words: the converter's command.
        robot: the URDF or MJCF file.
        folder: the output folder.
        packages: "NAME=FOLDER" of ROS packages that a URDF refers to.
        say: called with what the converter could not convert, in a line.

    Raises:
        ConverterError: the converter does not run, or rejects the robot.
    """
    named = [word for package in packages for word in ("--package", package)]
    command = [*words, str(robot.resolve()), str(folder), *named]
    try:
        result = subprocess.run(command, capture_output=True, text=True, env=environment())
    except OSError as error:
        raise ConverterError(f"{words[0]}: does not run ({error.strerror}); give --converter PATH") from None
    written = sorted(folder.glob("*.usd*"))
    if result.returncode or not written:
        cause = last_line(result.stderr or result.stdout)
        raise ConverterError(f"{robot}: {Path(words[-1]).name} rejects the file ({cause}); correct the file")
    lost = list(dict.fromkeys(UNREAD.findall(result.stderr + result.stdout)))
    if lost and say:
        more = f" and {len(lost) - 1} more" if len(lost) > 1 else ""
        say(f"not converted: {lost[0]}{more}: not found, or not a mesh; --package NAME=FOLDER locates a ROS package")
    return written[0]


def environment() -> dict[str, str]:
    """Return the environment variables for a program with another OpenUSD, without fajin's own variables."""
    return {name: value for name, value in os.environ.items() if name not in FOREIGN}


def last_line(text: str) -> str:
    """Return the last line that is not empty."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no output"
