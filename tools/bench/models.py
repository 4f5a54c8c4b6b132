"""Models of `fajin bench`: four robots from files, and chains and trees of any number of degrees of freedom."""

import re
from dataclasses import replace
from pathlib import Path

from fajin.scene import WORLD, Articulation, Axis, Drive, Joint, JointType, Link, Scene, SolverType

from .boxes import boxes_file
from .crowd import crowd_file

DATA = Path(__file__).parent / "robots"
"""Folder of the robots."""

STANDING = ("quadruped", "ant_standing", "g1_standing")
"""Robots on the ground, with colliders."""
ROBOTS = ("franka", "g1", "cartpole", "ant", *STANDING)
LENGTH = 0.2  # [m] length of a link of a generated robot
SINK = (0.0, 0.0, -LENGTH)


def path_of(robot: str) -> str:
    """Return the file of a robot by its bare name, of `pile500` or `crowd100` in any size, or the name itself."""
    many = re.fullmatch(r"(stack|boxes|wall|pile|crowd)(\d+)", robot)
    if many:
        count = int(many[2])
        return str(crowd_file(count) if many[1] == "crowd" else boxes_file(many[1], count))
    return str(DATA / f"{robot}.usda") if robot in ROBOTS else robot


def load(robot: str, solver: str, iterations: tuple[int, int], dt: float) -> Scene:
    """Return the scene of a robot: a file, or generated hinges in a chain (`chain30`) or binary tree (`tree30`)."""
    made = re.fullmatch(r"(chain|tree)(\d+)", robot)
    if made:
        scene = _made(made[1], int(made[2]))
    else:
        import fajin

        scene = fajin.read(robot)
    return solved(scene, solver, iterations, dt)


def solved(scene: Scene, solver: str, iterations: tuple[int, int], dt: float) -> Scene:
    """Return the scene with this solver, iterations of every articulation, and step [s]."""
    position, velocity = iterations
    articulations = tuple(
        replace(articulation, position_iterations=position, velocity_iterations=velocity)
        for articulation in scene.articulations
    )
    return replace(scene, articulations=articulations, solver=SolverType[solver.upper()], dt=dt)


def joints(scene: Scene) -> dict[str, tuple[float, float]]:
    """Return initial position and drive target of each joint with one axis, by name [rad | m]."""
    found = (joint for articulation in scene.articulations for joint in articulation.joints if len(joint.axes) == 1)
    return {
        joint.path.rpartition("/")[2]: (joint.axes[0].q, joint.axes[0].drive.target_q if joint.axes[0].drive else 0.0)
        for joint in found
    }


def dofs(scene: Scene) -> int:
    """Return the number of degrees of freedom: joint axes, and six per floating base."""
    count = 0
    for articulation in scene.articulations:
        fixed = articulation.fixed_base or any(WORLD in (joint.body0, joint.body1) for joint in articulation.joints)
        count += sum(len(joint.axes) for joint in articulation.joints) + (0 if fixed else 6)
    return count


def _made(shape: str, dofs: int) -> Scene:
    """Return a hanging robot with a fixed base: hinges about x and y in turn, with drives, limits and armature."""
    inertia = ((4e-3, 0.0, 0.0), (0.0, 4e-3, 0.0), (0.0, 0.0, 1e-3))
    rod = Link("/robot/rod", com=(0.0, 0.0, -LENGTH / 2), inertia=inertia, angular_damping=0.0)
    links = tuple(replace(rod, path=f"/robot/link{index}") for index in range(dofs + 1))
    hinges = tuple(_hinge(links, _parent(shape, index), index) for index in range(1, dofs + 1))
    return Scene("", (Articulation("/robot", links, hinges, fixed_base=True),))


def _parent(shape: str, index: int) -> int:
    return index - 1 if shape == "chain" else (index - 1) // 2


def _hinge(links: tuple, parent: int, child: int) -> Joint:
    drive = Drive(stiffness=100.0, damping=10.0, max_force=1e4, target_q=0.3 if child % 2 else -0.2)
    axis = Axis("rotX", lower=-2.5, upper=2.5, drive=drive, armature=0.1)
    turn = (0.0, 0.0, 0.0, 1.0) if child % 2 else (0.0, 0.0, 0.5**0.5, 0.5**0.5)
    return Joint(
        path=f"/robot/joint{child}",
        type=JointType.REVOLUTE,
        body0=links[parent].path,
        body1=links[child].path,
        frame0=(SINK, turn),
        frame1=((0.0, 0.0, 0.0), turn),
        axes=(axis,),
    )
