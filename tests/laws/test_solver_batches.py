"""Islands of one batch make as many iterations as any of its members asks for: 16 articulations or 128 free bodies.

Under TGS with n position iterations a body falls g h² (n + 1)/(2 n) in its first step, so a fall tells n.
"""

from dataclasses import replace

import numpy as np
import pytest

import fajin
from fajin.scene import Articulation, Axis, Joint, JointType, Link, Mimic, Scene, SolverType
from fajin.tables.topology import TABLES

G, H = 10.0, 0.01  # [m/s²], [s]


def body(i: int, position: int, velocity: int = 1, free: bool = True) -> Articulation:
    """Body number i, as a free rigid body or as an articulation of one link."""
    path = f"/body{i:03}"
    counts = {"position_iterations": position, "velocity_iterations": velocity, "free": free}
    return Articulation(path, (Link(path),), (), **counts)


def scene(*bodies: Articulation, solver=SolverType.TGS) -> Scene:
    """They fall side by side; nothing ties them."""
    return Scene("bodies", bodies, (0.0, 0.0, -G), H, solver)


def counts(*bodies: Articulation) -> list[int]:
    """Position iterations of each, from how far it fell in a step."""
    fell = -fajin.Simulation(scene(*bodies), device="cpu", precision="f64").run(steps=1).pose[-1, 0, :, 2] / (G * H * H)
    return [int(n) for n in np.rint(1.0 / (2.0 * fell - 1.0))]


def velocity_counts(*bodies: Articulation, solver=SolverType.TGS) -> list[int]:
    """Velocity iterations of each."""
    islands = fajin.compile(scene(*bodies, solver=solver)).tables["ISLANDS"]
    return islands[:, TABLES["ISLANDS"]["VELOCITY_ITERATIONS"]].tolist()


@pytest.mark.parametrize("free", [(False, False), (True, True), (False, True)], ids=["robots", "bodies", "both"])
def test_neighbours_make_the_most_iterations_that_any_asks_for(free):
    """4 and 16 are 16 and 16, though nothing ties the two; velocity iterations likewise, whichever asks for them."""
    pair = body(0, 4, 3, free[0]), body(1, 16, 0, free[1])
    assert counts(*pair) == [16, 16]
    assert velocity_counts(*pair) == [3, 3]


@pytest.mark.parametrize(("free", "full"), [(False, 16), (True, 128)], ids=["robots", "bodies"])
def test_a_batch_is_full(free, full):
    """With one more than a batch holds, the first path is alone, and so is what it asks for."""
    many = [body(i, 2, free=free) for i in range(1, full)]
    assert counts(body(0, 7, free=free), *many, body(full, 5, free=free)) == [7, *[5] * full]
    assert counts(body(0, 7, free=free), *many) == [7] * full


def test_each_physics_scene_has_its_own_batches():
    """4 and 16 stay 4 and 16 if two scenes simulate them."""
    first, second = body(0, 4), body(1, 16)
    assert counts(replace(first, simulation_owner="/a"), replace(second, simulation_owner="/b")) == [4, 16]
    assert counts(replace(first, simulation_owner="/b"), replace(second, simulation_owner="/b")) == [16, 16]


def test_what_an_island_needs_of_itself_is_its_own():
    """The velocity iteration that keeps meeting mimic joints from ringing is not asked of neighbours; PGS' one is."""
    links = tuple(Link(f"/hand/{name}") for name in ("palm", "a", "b", "c"))
    joints = tuple(finger(i, i > 0) for i in range(3))
    hand = Articulation("/hand", links, joints, fixed_base=True, velocity_iterations=0)
    assert velocity_counts(body(0, 4, 0), hand) == [0, 1]
    assert velocity_counts(body(0, 4, 0), body(1, 4, 0), solver=SolverType.PGS) == [1, 1]


def finger(i: int, follows: bool) -> Joint:
    """A finger of the hand; followers all follow the first."""
    mimic = Mimic((("/hand/joint0:rotZ", -1.0),)) if follows else None
    axis = Axis("rotZ", lower=-1.0, upper=1.0, mimic=mimic)
    return Joint(f"/hand/joint{i}", JointType.REVOLUTE, "/hand/palm", f"/hand/{'abc'[i]}", axis="Z", axes=(axis,))
