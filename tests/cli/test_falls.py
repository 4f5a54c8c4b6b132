"""What `fajin simulate` prints about robots that fall over, fall or fly off."""

from dataclasses import replace
from math import cos, radians, sin

import pytest

import fajin
from fajin.scene import WORLD, Articulation, Axis, Collider, Drive, Joint, JointType, Link, Scene, ShapeKind
from fajin.tools.falls import falls
from fajin.tools.simulate_messages import messages_after

UPRIGHT = (0.0, 0.0, 0.0, 1.0)
PLANE = Collider("/ground", WORLD, ShapeKind.PLANE, ((0.0, 0.0, 0.0), (0.0, -(0.5**0.5), 0.0, 0.5**0.5)))


def pole(lean: float = 0.0, speed: float = 0.0, ground: bool = True) -> Scene:
    """A pole of 1 m with a wheel in it, on its end."""
    turn = (0.0, sin(radians(lean) / 2.0), 0.0, cos(radians(lean) / 2.0))
    place = (0.0, 0.0, 0.5 * cos(radians(lean)) + 0.05 * abs(sin(radians(lean))))
    tensor = ((0.1, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, 0.01))
    body = Link("/pole", (place, turn), inertia=tensor, velocity=(0.0, 0.0, speed))
    wheel = Link("/pole/wheel", mass=0.1, inertia=tensor)
    joint = Joint("/pole/axle", JointType.REVOLUTE, "/pole", "/pole/wheel", axis="Z", axes=(Axis("rotZ"),))
    box = Collider("/pole/box", "/pole", ShapeKind.BOX, half_extents=(0.05, 0.05, 0.5))
    robot = Articulation("/pole", (body, wheel), (joint,))
    return Scene("pole", (robot,), colliders=(PLANE, box) if ground else (box,))


def sunk() -> Scene:
    """A pole without contacts that begins below the ground."""
    scene = pole()
    robot = scene.articulations[0]
    deep = replace(robot.links[0], pose=((0.0, 0.0, -3.0), UPRIGHT))
    return replace(scene, articulations=(replace(robot, links=(deep, robot.links[1])),), colliders=scene.colliders[:1])


def hung() -> Scene:
    """A pole that falls over about a hinge in the world."""
    scene = pole()
    robot = scene.articulations[0]
    place = (0.0, 0.0, -0.5), UPRIGHT
    hinge = Joint("/pole/hinge", JointType.REVOLUTE, WORLD, "/pole", ((0.0, 0.0, 0.0), UPRIGHT), place, axis="Y",
                  axes=(Axis("rotY", q=1.0),))  # fmt: skip
    robot = replace(robot, links=(replace(robot.links[0], pose=((0.5, 0.0, 0.3), UPRIGHT)), robot.links[1]))
    return replace(scene, articulations=(replace(robot, joints=(hinge, *robot.joints)),), colliders=scene.colliders[:1])


@pytest.mark.parametrize(
    ("scene", "words"),
    [
        (pole(), None),
        (pole(lean=30.0), "pole fell over at 0."),
        (pole(speed=9.0), "pole flew off at "),
        (pole(ground=False), "the base of pole fell "),
        (sunk(), None),
        (hung(), None),
    ],
)
def test_what_became_of_a_robot_is_printed(scene, words):
    recording = fajin.Simulation(replace(scene, sleeping=False), device="cpu").run(seconds=1.5, fps=30)
    found = list(falls(recording))
    assert len(found) == (words is not None)
    assert not words or found[0].startswith(words)


def below_world(scene: Scene, name: str) -> tuple[Articulation, Collider]:
    """The robot of a scene and its collider, below /World and with another name."""
    (robot,), box = scene.articulations, scene.colliders[-1]
    named = {link.path: link.path.replace("/pole", f"/World/{name}", 1) for link in robot.links}
    joints = [replace(j, path=f"/World/{name}/axle", body0=named[j.body0], body1=named[j.body1]) for j in robot.joints]
    links = tuple(replace(link, path=named[link.path]) for link in robot.links)
    path = named["/pole"]
    return Articulation(path, links, tuple(joints)), replace(box, path=f"{path}/box", body=path)


def test_of_several_robots_each_has_its_name():
    """Not that of the prim which holds them all."""
    (one, box), (two, other) = below_world(pole(lean=30.0), "left"), below_world(pole(speed=9.0), "right")
    scene = Scene("two", (one, two), colliders=(PLANE, box, other), sleeping=False)
    found = list(falls(fajin.Simulation(scene, device="cpu").run(seconds=1.5, fps=30)))
    assert [line.split()[0] for line in found] == ["left", "right"]


def test_a_robot_that_stands_on_the_ground_is_not_waved():
    """Swinging all its joints would throw it over."""
    scene = replace(pole(), sleeping=False)
    robot = scene.articulations[0]
    (axle,) = robot.joints
    held = replace(axle, axes=(replace(axle.axes[0], drive=Drive(stiffness=1.0)),))
    scene = replace(scene, articulations=(replace(robot, joints=(held,)),))
    (line,) = messages_after(fajin.Simulation(scene, device="cpu").run(seconds=0.2, fps=30), controls=False)
    assert line == "note: the robot stands still, as its targets hold it; fajin author drive --target moves a joint"
