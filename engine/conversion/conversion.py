"""Conversion of URDF and MJCF to a USD scene: the converter's files, and a layer with drives over them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..atomic_write import OutputError, commit, make_folder, staging_directory
from ..scene import WORLD, InvalidScene, JointType, Scene
from .converter import Say, converter_for, find, run

ROOT_RULE = "root-on-wrong-prim"


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
    findings: tuple[Any, ...]  # `check.Finding`


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
    overwrite: bool = False,
    say: Say = lambda text: None,
) -> Conversion:
    """Convert a URDF or MJCF file with `urdf-usd-converter` or `mujoco-usd-converter`, and author drives on its joints.

    NAME.usda holds the drives and the moved articulation root; it is a layer over NAME.converted/, the converter's
    output.

    Args:
        robot: the URDF or MJCF file.
        output: NAME.usda; default: the robot's name, in the same folder.
        converter: the converter's program or environment; default: one that is found, or one installed in the user's
            cache folder.
        packages: "NAME=FOLDER" of ROS packages that a URDF refers to.
        natural_frequency: of joints with an effort limit and without gains [rad/s].
        damping_ratio: of joints with an effort limit and without gains.
        drives: False to author no drives; springs of MJCF are then omitted, too.
        fixed_base: True to fix the base to the world, False to free it; None: as the converter leaves it.
        overwrite: True to replace existing files.
        say: called with a message before each long operation.

    Raises:
        InvalidScene: the robot cannot be read, or its scene cannot be simulated.
        ConverterError: no converter is found, or it rejects the robot.
        OutputError: the output exists or cannot be written.
    """
    robot = Path(robot)
    kind = converter_for(robot)
    path = Path(output) if output is not None else robot.with_suffix(".usda")
    folder = path.with_name(f"{path.stem}.converted")
    check_output(path, folder, overwrite)
    words = find(kind, converter, say)
    with staging_directory(path) as place:
        inside = place / folder.name
        inside.mkdir()
        stage_file = run(words, robot, inside, packages)
        say(f"{kind.package} has written {stage_file.name}")
        gains = (natural_frequency, damping_ratio) if drives else ()
        try:
            done = drive_over(stage_file, place / path.name, gains, fixed_base)
        except InvalidScene as error:
            raise error.of_file(robot) from None  # the stage in memory has no name
        commit(inside, folder)
        commit(place / path.name, path)
    return told(kind.format, path, folder, done)


def check_output(path: Path, folder: Path, overwrite: bool) -> None:
    """Raise OutputError for a suffix that is not USD, and for existing files without `overwrite`."""
    if path.suffix not in (".usda", ".usdc", ".usd"):
        raise OutputError(f"{path}: a scene must be .usda, .usdc or .usd; choose one of these suffixes")
    for place in (path, folder):
        if place.exists() and not overwrite:
            raise OutputError(f"{place}: exists; choose another name with -o, or add --overwrite")
    make_folder(path)


def drive_over(source: Path, path: Path, gains: tuple[float, ...], fixed_base: bool | None = None) -> dict[str, Any]:
    """Write the layer over a converted stage; return the fields of `Conversion` that describe it."""
    from ..author import base, layer
    from ..author.actuators import add_drives, move_limits
    from ..check import check_stage
    from ..check.fixes import author

    root = ""
    with layer(source, path) as stage:
        rooted = tuple(rootless(stage))
        for edit in (edit for body in rooted for edit in root_edits(body)):
            author(stage, edit)
        for finding in (finding for finding in check_stage(stage) if finding.rule == ROOT_RULE):
            root = next(edit.prim for edit in finding.edits if edit.kind == "apply")
            for edit in finding.edits:
                author(stage, edit)
        if fixed_base is not None:
            base(stage, fixed_base)
            root = root if fixed_base else ""
        refs = move_limits(stage)
        outcomes = tuple(add_drives(stage, *gains)) if gains else ()
    return {"drives": outcomes, "root": root, "rooted": rooted, "refs": refs}


def rootless(stage: Any) -> Iterator[str]:
    """Yield one root body for each group of bodies connected by joints with axes and without an articulation root.

    The MJCF converter authors a root only on bodies with children.
    """
    from ..usd.read.articulation_tree import distances, find_trees, neighbours
    from ..usd.read.joint_prims import find_bodies, find_edges
    from ..usd.stage.stage import StageReader

    source = StageReader(stage)
    bodies = find_bodies(source)
    edges = [edge for edge in find_edges(source, bodies) if edge.may_be_in_tree]
    met = {body for tree in find_trees(source, bodies, edges) for body in tree.bodies}
    graph = neighbours(bodies, edges)
    for body in bodies:
        if body not in met:
            group = distances(body, graph)
            met |= set(group)
            touching = [edge for edge in edges if {*edge.bodies} & {*group}]
            held = [edge.other(WORLD) for edge in touching if WORLD in edge.bodies]
            if any(edge.type is not JointType.FIXED for edge in touching):
                yield (held or [body])[0]


def root_edits(body: str) -> list[Any]:
    """Return edits that author an articulation root on a body, as the MJCF converter does."""
    from ..check import Edit

    schemas = ("PhysicsArticulationRootAPI", "NewtonArticulationRootAPI")
    return [
        *(Edit("apply", body, schema) for schema in schemas),
        Edit("attribute", body, "newton:jointsAddMobility", True),
    ]


def told(kind: str, path: Path, folder: Path, done: dict[str, Any]) -> Conversion:
    """Return the result of a conversion, read from the files at their final paths."""
    from ..check import check
    from ..usd.read.reader import read

    return Conversion(kind, path, folder, read(path), findings=check(path), **done)
