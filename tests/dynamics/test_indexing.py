"""PhysX's order of links and axes, and its maximal coordinates, by the examples of NVIDIA's articulation guide."""

import numpy as np
import pytest
from planar_arm import simulation
from random_tree import random_tree

from fajin.scene import Articulation, Axis, Joint, JointType, Link, Scene


def robot(joints: tuple[tuple[str, str, JointType, tuple[str, ...]], ...], **fields) -> Scene:
    """A robot of joints (parent, child, type, axes); the first parent is its root."""
    names = dict.fromkeys(name for joint in joints for name in joint[:2])
    links = tuple(Link(f"/r/{name}") for name in names)
    made = tuple(
        Joint(f"/r/to_{child}", type, f"/r/{parent}", f"/r/{child}", axes=tuple(map(Axis, axes)))
        for parent, child, type, axes in joints
    )
    return Scene("robot", (Articulation("/r", links, made, **{"fixed_base": True} | fields),))


def indexing(scene: Scene):
    """The indexing of a scene's only robot, and the simulation."""
    sim = simulation(scene)
    (order,) = sim.indexing.values()
    return order, sim


def test_the_axes_of_the_guide():
    """Low-level link 2 is on a spherical joint with SWING1 and SWING2: its axes have the indices 1 and 2."""
    chain = (
        ("a", "b", JointType.REVOLUTE, ("rotX",)),
        ("b", "c", JointType.D6, ("rotY", "rotZ")),
        ("c", "d", JointType.REVOLUTE, ("rotZ",)),
    )
    order, sim = indexing(robot(chain))
    assert order.dof_starts.tolist() == [0, 0, 1, 3]
    assert order.inbound.tolist() == [1, 2, 2, 3]
    second_swing = 1
    sim.q[:, order.dofs[order.dof_starts[2] + second_swing]] = 0.5
    assert sim.q[0, "to_c:rotZ"] == 0.5


def test_a_reduced_position_unpacks_to_the_second_swing():
    """The guide's pendulum: q = 0.5 of a revolute joint about z is 0.5 at SWING2, zero elsewhere, and back."""
    order, _ = indexing(robot((("base", "bob", JointType.REVOLUTE, ("rotZ",)),)))
    maximal = order.unpack([0.5])
    assert np.array_equal(maximal, [[0.0, 0.0, 0.5, 0.0, 0.0, 0.0]])
    assert np.array_equal(order.pack(maximal), [0.5])


def test_links_go_breadth_first():
    """Level by level, siblings as here (by joint type, then path); columns lead back to the simulation's order."""
    tree = (
        ("root", "z", JointType.REVOLUTE, ("rotX",)),
        ("z", "z1", JointType.PRISMATIC, ("transY",)),
        ("z1", "z2", JointType.FIXED, ()),
        ("root", "a", JointType.SPHERICAL, ("rotX", "rotY", "rotZ")),
        ("a", "a1", JointType.REVOLUTE, ("rotY",)),
    )
    order, sim = indexing(robot(tree, fixed_base=False))
    assert [path[3:] for path in order.link] == ["root", "z", "a", "z1", "a1", "z2"]
    assert [sim.link[column] for column in order.links] == list(order.link)
    assert [sim.dof[column] for column in order.dofs] == list(order.dof)
    assert [name.rpartition("/")[2] for name in order.dof] == [
        "to_z:rotX", "to_a:rotX", "to_a:rotY", "to_a:rotZ", "to_z1:transY", "to_a1:rotY",
    ]  # fmt: skip
    assert order.dof_starts.tolist() == [0, 0, 1, 4, 5, 6]
    assert order.axis.tolist() == [0, 0, 1, 2, 4, 1]


@pytest.mark.parametrize("seed", range(8))
def test_maximal_coordinates_hold_the_reduced_ones(seed):
    """pack(unpack(q)) = q over any worlds; every link but the root has a row of six; nothing is lost or added."""
    order, sim = indexing(random_tree(seed))
    q = sim.q[:, order.dofs]
    maximal = order.unpack(q)
    assert maximal.shape == (1, len(order.link) - 1, 6)
    assert np.array_equal(order.pack(maximal), q)
    assert maximal.sum() == pytest.approx(q.sum(), abs=1e-12)
    assert sorted(order.dofs) == list(range(len(sim.dof)))
    hangs = "" in order.link
    assert hangs == (seed % 2 == 1)
    assert sorted(order.links) == list(range(-hangs, len(sim.link)))


def test_another_number_is_refused():
    """With what is expected."""
    order, _ = indexing(robot((("base", "bob", JointType.REVOLUTE, ("rotZ",)),)))
    with pytest.raises(ValueError, match=r"unpack shape = \(2,\): must be \(\.\.\., 1\)"):
        order.unpack([1.0, 2.0])
    with pytest.raises(ValueError, match=r"pack shape = \(6,\): must be \(\.\.\., 1, 6\)"):
        order.pack(np.zeros(6))


def test_two_joints_along_one_axis_have_no_maximal_coordinates():
    """Between the same links, both would have the same place: here two hinges side by side."""
    beside = (0.0, 1.0, 0.0), (0.0, 0.0, 0.0, 1.0)
    joints = (
        Joint("/r/one", JointType.REVOLUTE, "/r/a", "/r/b", axes=(Axis("rotX"),)),
        Joint("/r/two", JointType.REVOLUTE, "/r/a", "/r/b", beside, beside, axes=(Axis("rotX"),)),
    )
    order, _ = indexing(Scene("s", (Articulation("/r", (Link("/r/a"), Link("/r/b")), joints, fixed_base=True),)))
    assert order.inbound.tolist() == [1, 1]
    with pytest.raises(ValueError, match="/r/two:rotX and /r/one:rotX share axis and link"):
        order.unpack([1.0, 2.0])
