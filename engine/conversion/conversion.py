"""Conversion of URDF and MJCF to a USD scene: the converter's files, and a layer with drives over them."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..atomic_write import OutputError, commit, make_folder, staging_directory
from ..scene import InvalidScene, Scene
from .converter import Say, converter_for, endless_joints, find, held_in_world, run
from .description import prepare_description
from .layer_options import LayerOptions


@dataclass(frozen=True)
class Conversion:
    """Result of a conversion."""

    format: str
    path: Path  # the layer to simulate
    folder: Path  # the converter's files
    scene: Scene
    drives: tuple[Any, ...]  # `author.actuators.DriveResult` of every joint that moves
    root: str  # new place of the articulation root; "" if it did not move
    rooted: tuple[str, ...]  # bodies that got an articulation root that the converter did not author
    refs: dict[str, float]  # MuJoCo's ref of the joints whose limits were shifted to the file's pose [rad | m]
    endless: tuple[str, ...]  # revolute joints without limits in the file, which the converter locks
    joined: tuple[str, ...]  # joints of a URDF's root link without mass, which connect its children now
    shown: tuple[str, ...]  # materials without opacity, which are made opaque
    placed: dict[str, Any]  # on a ground: "fixed", the "height" of the base [m]; "fall": why no pose stands
    findings: tuple[Any, ...]  # `check.Finding`
    collide: bool | None = None  # whether links of the robot collide, if the conversion decided


def convert(  # one parameter an option
    robot: str | Path,
    output: str | Path | None = None,
    *,
    converter: Path | None = None,
    packages: Sequence[str] = (),
    natural_frequency: float = 20.0,
    damping_ratio: float = 1.0,
    drives: bool = True,
    fixed_base: bool | None = None,
    ground: bool = False,
    stand: bool = False,
    self_collisions: bool | None = None,
    cylinder_wheels: bool = False,
    colliders_from_visuals: bool = False,
    overwrite: bool = False,
    say: Say = lambda text: None,
) -> Conversion:
    """Convert a URDF or MJCF file with `urdf-usd-converter` or `mujoco-usd-converter`, and author drives on its joints.

    NAME.usda holds the drives and the moved articulation root; it is a layer over NAME.converted/, the converter's
    output.

    Args:
        robot: the URDF, MJCF or xacro file.
        output: NAME.usda; default: the robot's name, in the same folder.
        converter: the converter's program or environment; default: one that is found, or one installed in the user's
            cache folder.
        packages: "NAME=FOLDER" of ROS packages that a URDF refers to.
        natural_frequency: of joints with an effort limit and without gains [rad/s].
        damping_ratio: of joints with an effort limit and without gains.
        drives: False to author no drives; springs of MJCF are then omitted, too.
        fixed_base: True to fix the base to the world, False to free it; None: as the converter leaves it, and with a
            ground as the description has it.
        ground: True to author a ground plane, and a base whose lowest collider touches it.
        stand: True to begin in a pose in which the robot stands, on a ground.
        self_collisions: whether links of the robot collide that no joint connects; None: no on a ground, else as the
            converter leaves it.
        cylinder_wheels: True to let wheels on a ground roll on cylinders where the file has hulls of meshes.
        colliders_from_visuals: True to give links without colliders the shapes that are drawn, meshes as their hulls.
        overwrite: True to replace existing files.
        say: called with a message before each long operation.

    Raises:
        InvalidScene: the robot cannot be read, or its scene cannot be simulated.
        ConverterError: no converter is found, or it rejects the robot.
        OutputError: the output exists or cannot be written.
    """
    robot = Path(robot)
    kind = converter_for(robot)
    own = robot.with_name(robot.name.removesuffix(".xacro")).with_suffix(".usda")
    path = own if output is None else Path(output)
    folder = path.with_name(f"{path.stem}.converted")
    check_output(path, folder, overwrite)
    words = find(kind, converter, say)
    with staging_directory(path) as place:
        inside, made = place / folder.name, place / "description"
        inside.mkdir()
        made.mkdir()
        source = prepare_description(robot, made, packages, say)
        stage_file = run(words, source, inside, packages, say)
        say(f"{kind.package} has written {stage_file.name}")
        try:
            in_world, on_ground = held_in_world(source), ground or stand
            options = LayerOptions(
                gains=(natural_frequency, damping_ratio) if drives else None,
                fixed_base=in_world if on_ground and fixed_base is None else fixed_base,
                on_ground=on_ground,
                standing=stand,
                collide=bool(self_collisions) if on_ground else self_collisions,
                endless=tuple(endless_joints(source)),
                one_tree=in_world is False,
                cylinder_wheels=cylinder_wheels,
                from_visuals=colliders_from_visuals,
            )
            done = drive_over(stage_file, place / path.name, options)
        except InvalidScene as error:
            raise error.of_file(robot) from None  # the stage in memory has no name
        commit(inside, folder)
        commit(place / path.name, path)
    return read_conversion(kind.format, path, folder, done)


def check_output(path: Path, folder: Path, overwrite: bool) -> None:
    """Raise OutputError for a suffix that is not USD, and for existing files without `overwrite`."""
    if path.suffix not in (".usda", ".usdc", ".usd"):
        raise OutputError(f"{path}: a scene must be .usda, .usdc or .usd; choose one of these suffixes")
    for place in (path, folder):
        if place.exists() and not overwrite:
            raise OutputError(f"{place}: exists; choose another name with -o, or add --overwrite")
    make_folder(path)


def drive_over(source: Path, path: Path, options: LayerOptions) -> dict[str, Any]:
    """Write the layer over a converted stage, in a child process; return fields of `Conversion` that describe it.

    Args:
        source: the converter's stage.
        path: the layer.
        options: what the layer authors.
    """
    from ..author.actuators import DriveResult
    from ..author.confined_edits import write_layer
    from ..scene.serialization import from_plain

    written = write_layer(f"{__package__}.drive_layer:author_drives", source, path, asdict(options))
    drives = from_plain(tuple[DriveResult, ...], written["drives"])
    names = {name: tuple(written[name]) for name in ("rooted", "joined", "endless", "shown")}
    return {**written, "drives": drives, **names}


def read_conversion(kind: str, path: Path, folder: Path, done: dict[str, Any]) -> Conversion:
    """Return the result of a conversion, read from the files at their final paths."""
    from ..check import check
    from ..scene_file import read

    return Conversion(kind, path, folder, read(path), findings=check(path), **done)
