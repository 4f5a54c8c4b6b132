"""Articulations that equal an earlier one get its rows: a model has the bits of one that appends each by itself."""

from dataclasses import replace
from itertools import zip_longest

import pytest
from paths import SCENES

import fajin
from fajin.model.repetition import Repetition
from fajin.scene import Actuator, Axis, Joint, JointType, Link, Scene
from fajin.scene.articulation import Articulation
from fajin.scene.renaming import Renaming

ROBOTS = ("arm7", "gripper_mimic", "tendon_finger", "four_bar", "spherical", "floating_chain", "quadruped_standing")
COPIES = 4


def robots_of(name: str) -> Scene:
    """Copies of a robot below a prim of their own."""
    scene = fajin.replicate(fajin.read(SCENES / f"{name}.usda"), COPIES, 2.0, filtered=name != "quadruped_standing")
    below = Renaming(lambda text: ["", text] if text.startswith("/") else [text])
    parts = ("articulations", "joints", "colliders")
    return replace(scene, **{part: below.renamed(getattr(scene, part), f"/{name}") for part in parts})


def with_axes(robot: Articulation, change) -> Articulation:
    """The robot with changed axes."""
    joints = (replace(joint, axes=tuple(map(change, joint.axes))) for joint in robot.joints)
    return replace(robot, joints=tuple(joints))


def with_link(robot: Articulation, **values) -> Articulation:
    """The robot with other values of its last link."""
    return replace(robot, links=(*robot.links[:-1], replace(robot.links[-1], **values)))


def motor(delay: int) -> Actuator:
    """An actuator that holds commands, with bounds by position."""
    return Actuator(integral_gain=0.5, delay=delay, bound_positions=(-1.0, 1.0), bound_efforts=(9.0, 20.0))


def stacked(i: int) -> Articulation:
    """A robot whose two links have two joints between them."""
    path, turned = f"/stacked/r{i}", Axis("rotZ", max_velocity=2.0)
    links = (Link(f"{path}/base"), Link(f"{path}/arm", ((1.0 + i, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))))
    ends = (links[0].path, links[1].path)
    slide = Joint(f"{path}/slide", JointType.PRISMATIC, *ends, axes=(Axis("transX"),))
    turn = Joint(f"{path}/turn", JointType.REVOLUTE, *ends, axes=(turned,))
    return Articulation(path, links, (slide, turn), fixed_base=i % 2 == 0)


@pytest.fixture(scope="module")
def mixed() -> Scene:
    """Copies of several robots in turns; some differ in gains, mass, the sign of a zero, actuators or places."""
    parts = [robots_of(name) for name in ROBOTS]
    kinds = [list(part.articulations) for part in parts]
    arms = kinds[0]
    arms[1] = with_axes(arms[1], lambda axis: replace(axis, drive=replace(axis.drive, stiffness=7.0)))
    arms[2] = with_link(arms[2], mass=2.5)
    arms[3] = with_link(arms[3], pose=((9.0, -0.0, 1.0), (0.0, 0.0, 0.6, 0.8)), com=arms[0].links[-1].com)
    kinds[1][2] = with_axes(kinds[1][2], lambda axis: replace(axis, qd=-0.0))
    motors = [Renaming.below(arms[0].path).renamed(arms[0], f"/motors/r{i}") for i in range(COPIES)]
    kinds.append(
        [
            with_axes(each, lambda axis, i=i: replace(axis, drive=replace(axis.drive, actuator=motor(2 + i // 3))))
            for i, each in enumerate(motors)
        ]
    )
    kinds.append([stacked(i) for i in range(COPIES)])
    robots = tuple(robot for turn in zip_longest(*kinds) for robot in turn if robot)
    joints, colliders = (tuple(x for part in parts for x in getattr(part, name)) for name in ("joints", "colliders"))
    return replace(parts[0], articulations=robots, joints=joints, colliders=colliders, collision_groups=())


def paths_of(scene: Scene) -> list[str]:
    """The paths of the articulations of a scene."""
    return [articulation.path for articulation in scene.articulations]


def repeated(scene: Scene, monkeypatch) -> tuple[fajin.Model, list[str]]:
    """The model of a scene, and the paths of the articulations that were repeated."""
    found, repeat = [], Repetition.repeat

    def noted(self, articulation):
        done = repeat(self, articulation)
        found.extend([articulation.path] * done)
        return done

    with monkeypatch.context() as patch:
        patch.setattr(Repetition, "repeat", noted)
        return fajin.compile(scene), found


def test_a_model_has_the_bits_of_one_without_repetition(mixed, monkeypatch):
    """Of mimic joints, tendons, loops, spherical and stacked joints, actuators, floating and fixed bases, overrides."""
    model, found = repeated(mixed, monkeypatch)
    monkeypatch.setattr(Repetition, "repeat", lambda *_: False)
    single = fajin.compile(mixed)
    for name, wanted in single.arrays().items():
        assert model.arrays()[name].tobytes() == wanted.tobytes(), name
    assert model.fingerprint == single.fingerprint
    own = {"arm7": 3, "gripper_mimic": 3, "tendon_finger": 2, "motors": 2, "stacked": 2}  # kinds, and what differs
    for name in (*ROBOTS, "motors", "stacked"):
        every, mine = ([p for p in paths if p.startswith(f"/{name}/")] for paths in (paths_of(mixed), found))
        assert len(mine) == len(every) - own.get(name, 1), name


def test_what_sorts_otherwise_is_appended_by_itself(monkeypatch):
    """Siblings are sorted by the paths of joints: a joint outside of the robot's prim may come first in one."""
    robots = []
    for i in (1, 5):
        path = f"/r{i}"
        links = tuple(Link(f"{path}/{name}", mass=mass) for name, mass in (("base", 1.0), ("a", 2.0), ("b", 3.0)))
        base, a, b = (link.path for link in links)
        inner = Joint(f"{path}/joint", JointType.REVOLUTE, base, a, axes=(Axis("rotX"),))
        outer = Joint("/r3", JointType.REVOLUTE, base, b, axes=(Axis("rotX"),))
        robots.append(Articulation(path, links, (inner, outer)))
    scene = replace(fajin.read(SCENES / "arm7.usda"), articulations=tuple(robots), joints=(), signals=(), colliders=())
    model, found = repeated(scene, monkeypatch)
    assert not found
    assert model.link == ("/r1/base", "/r1/a", "/r1/b", "/r5/base", "/r5/b", "/r5/a")
