"""Robot descriptions as the converters read them: URDF from xacro, and visual meshes of glTF as OBJ.

Libraries do both: `xacrodoc` and `trimesh`, the extras `xacro` and `glb`.
"""

import importlib
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from ..input_file import UnreadableFile, read_lines
from ..scene import InvalidScene
from .converter import Say

XACRO = re.compile(r"<xacro:|\$\((find|arg|env|eval) ")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
OPTENV = re.compile(r"\$\(optenv ([^\s)]+)\s*([^)]*)\)")
"""A variable of the environment with its default, which files that xacro expanded may still hold."""
GLTF = (".glb", ".gltf")
ERROR_CLASS = re.compile(r"<class '[\w.]+'>: ")
TWICE = re.compile(r"^(.+) \1$")  # what xacro makes of an error without details

Find = Callable[[str], Path | None]
"""A function that returns the file that a URDF names."""


def prepare_description(robot: Path, folder: Path, packages: Sequence[str], say: Say) -> Path:
    """Return the description that a converter reads: the file itself, or a URDF in a folder that was made from it.

    Args:
        robot: a URDF, MJCF or xacro file.
        folder: for the URDF and its meshes.
        packages: "NAME=FOLDER" of ROS packages.
        say: called with a message about what was done, or what is left out and why.

    Raises:
        InvalidScene: xacro is needed and missing, or rejects the file.
    """
    found = _expanded(robot, folder, packages, say) if is_xacro(robot) else robot
    try:
        tree = ElementTree.parse(found)
    except (OSError, ElementTree.ParseError):
        return found  # the converter names the place
    if tree.getroot().tag != "robot":
        return found
    changed = substitute(tree.getroot())
    visuals = sum(_is_gltf(mesh) for mesh in tree.iterfind("link/visual/geometry/mesh"))
    trimesh = _library("trimesh") if visuals else None
    if visuals and not trimesh:
        say(f"{visuals} visuals in {GLTF[0]} are left out: pip install 'fajin[glb]' converts them")
    if not (trimesh or changed):
        return found
    count = _place_meshes(tree.getroot(), lambda name: locate(name, robot, packages), folder, trimesh)
    tree.write(folder / "description.urdf")
    if count:
        say(f"{count} meshes in {GLTF[0]} are converted to OBJ: shapes and colours, without textures")
    return folder / "description.urdf"


def _place_meshes(tree: ElementTree.Element, find: Find, folder: Path, trimesh: Any) -> int:
    """Name meshes of a URDF by their full paths; return how many visuals of glTF became OBJ in a folder."""
    visuals = list(tree.iterfind("link/visual/geometry/mesh"))
    known: dict[Path, Path] = {}
    for mesh in tree.iter("mesh"):
        path = find(mesh.get("filename", ""))
        if path and trimesh and _is_gltf(mesh) and mesh in visuals:
            known.setdefault(path, folder / f"visual_{len(known)}" / f"{path.stem}.obj")
            if not known[path].exists():
                write_obj(trimesh.load(path, force="scene"), known[path])
            path = known[path]
        if path:
            mesh.set("filename", str(path))
    return len(known)


def substitute(tree: ElementTree.Element) -> bool:
    """Replace variables of the environment that have a default in all attributes; return whether there are any."""
    found = False
    for element in tree.iter():
        for name, value in element.attrib.items():
            if OPTENV.search(value):
                found = True
                element.set(name, OPTENV.sub(lambda match: os.environ.get(match[1], match[2].strip()), value))
    return found


def is_xacro(robot: Path) -> bool:
    """Return whether a file uses xacro's macros, properties or substitutions."""
    if robot.suffix == ".xacro":
        return True
    try:
        return bool(XACRO.search(COMMENT.sub("", "".join(read_lines(robot)))))
    except UnreadableFile:
        return False  # the converter names the place


def _expanded(robot: Path, folder: Path, packages: Sequence[str], say: Say) -> Path:
    """Return the URDF of a xacro file."""
    xacrodoc = _library("xacrodoc")
    if xacrodoc is None:
        rule, mend = "URDF or MJCF, or xacro with the package xacrodoc", "pip install 'fajin[xacro]' expands it"
        raise InvalidScene(file=robot, rule=rule, fix=mend)
    target = folder / f"{robot.name.partition('.')[0]}.urdf"
    known = dict(package.split("=", 1) for package in packages if "=" in package)
    try:
        xacrodoc.packages.update_package_cache({name: str(Path(place).resolve()) for name, place in known.items()})
        text = xacrodoc.XacroDoc.from_file(str(robot)).to_urdf_string(use_protocols=False)
    except (Exception, SystemExit) as error:  # xacro raises errors of its own, of rospkg and of expressions
        text = " ".join(ERROR_CLASS.sub("", str(error)).split()) or type(error).__name__
        cause = TWICE.sub(r"\1", text)
        mend = "correct the file; --package NAME=FOLDER locates a package"
        raise InvalidScene(file=robot, rule=f"a file that xacro expands ({cause})", fix=mend) from None
    target.write_text(text)
    say(f"xacro has expanded {robot.name}")
    return target


def locate(name: str, robot: Path, packages: Sequence[str]) -> Path | None:
    """Return the file that a URDF names by a path or a ROS package; None if it is not found."""
    scheme, _, rest = name.rpartition("://")
    if scheme != "package":
        path = robot.parent / (rest or name)
        return path.resolve() if path.is_file() else None
    package, _, inside = rest.partition("/")
    known = dict(one.split("=", 1) for one in packages if "=" in one)
    above = list(robot.resolve().parents)
    places = [Path(known[package])] if package in known else [parent / package for parent in above] + above
    return next((place.resolve() / inside for place in places if (place / inside).is_file()), None)


def write_obj(scene: Any, path: Path) -> None:
    """Write the meshes of a trimesh scene as OBJ, one material each with its main colour."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines, colours, count = [f"mtllib {path.stem}.mtl"], [], 0
    for i, mesh in enumerate(scene.dump()):
        material = getattr(mesh.visual, "material", None)
        red, green, blue, alpha = (material.main_color if material else mesh.visual.main_color) / 255.0
        colours += [f"newmtl m{i}", f"Kd {red:.4f} {green:.4f} {blue:.4f}", f"d {alpha:.4f}"]
        lines += [f"o part{i}", f"usemtl m{i}"]
        lines += [f"v {x:.7g} {y:.7g} {z:.7g}" for x, y, z in mesh.vertices]
        lines += [f"f {a} {b} {c}" for a, b, c in mesh.faces + 1 + count]
        count += len(mesh.vertices)
    path.write_text("\n".join(lines) + "\n")
    path.with_suffix(".mtl").write_text("\n".join(colours) + "\n")


def _is_gltf(mesh: ElementTree.Element) -> bool:
    """Return whether a mesh element names a glTF file."""
    return mesh.get("filename", "").lower().endswith(GLTF)


def _library(name: str) -> Any:
    """Return an optional library; None if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None
