"""What PhysX says of the same states: mass matrix, efforts, Jacobian, centre of mass, centroidal momentum."""

from dataclasses import replace

import numpy as np
import pytest

import fajin
from fajin import dynamics
from fajin.scene import Scene

NAMES = ("f01_spherical", "f05_branch", "f05_branch_floating", "f05_branch_weightless", "h04_arm7_all_pgs4")
SINGLE = np.finfo(np.float32).eps


class Asked:
    """A recorded state, set in a simulation, and the order of its coordinates and links there.

    PhysX goes through the tree breadth first, fajin depth first; among siblings the order is the same.
    """

    def __init__(self, golden, name: str):
        arrays = np.load(golden / "dynamics.npz")
        self.said = {key.partition("/")[2]: arrays[key] for key in arrays.files if key.startswith(f"{name}/")}
        overrides = ()
        if name.endswith("_weightless"):
            name, overrides = name.removesuffix("_weightless"), ("/World/robot/l_lo.physxRigidBody:disableGravity=1",)
        scene = self.placed(fajin.read(golden / "scenes" / f"{name}.usda", overrides))
        self.sim = fajin.Simulation(scene, device="cpu", precision="f64", threads=1)
        joints = [dof.rpartition(":")[0] for dof in self.sim.dof]
        mine = [(joint, joints[:i].count(joint)) for i, joint in enumerate(joints)]
        theirs = list(zip(self.said["dof"].tolist(), self.said["axis"].tolist(), strict=True))
        places = [mine.index(pair) for pair in theirs]
        self.sim.q[:, places] = self.said["q"]
        self.sim.qd[:, places] = self.said["qd"]
        base = len(dynamics.coordinates(self.sim)) - len(mine)
        self.columns = [*range(base), *(base + place for place in places)]

    def placed(self, scene: Scene) -> Scene:
        """The scene with a floating root where and as fast as recorded."""
        (robot,) = scene.articulations
        if robot.fixed_base:
            return scene
        pose, speed = self.said["root_pose"].tolist(), self.said["root_velocity"].tolist()
        state = {"pose": (tuple(pose[:3]), tuple(pose[3:])), "velocity": tuple(speed[:3])}
        root = replace(robot.links[0], **state, angular_velocity=tuple(speed[3:]))
        return replace(scene, articulations=(replace(robot, links=(root, *robot.links[1:])),))

    def rows(self) -> list[int]:
        """Rows of our Jacobian, in PhysX's order of links."""
        (robot,) = self.sim.scene.articulations
        parent = {joint.body1: joint.body0 for joint in robot.joints}
        links = dynamics.links(self.sim)
        moving = links[1:] if robot.fixed_base else links

        def depth(path: str) -> int:
            return 1 + depth(parent[path]) if path in parent else 0

        order = sorted(range(len(moving)), key=lambda i: depth(moving[i]))
        return [6 * i + row for i in order for row in range(6)]

    def check(self, name: str, found: np.ndarray, size: float = 0.0) -> None:
        """Equal to single precision, relative to the largest element or `size`, through so many links."""
        said = self.said[name]
        assert found.shape == said.shape
        assert np.abs(found - said).max() <= SINGLE * said.size**0.5 * 8 * max(size, np.abs(said).max())


@pytest.fixture(params=NAMES)
def asked(request, golden) -> Asked:
    """One of the recorded states."""
    return Asked(golden, request.param)


def test_the_mass_matrix_is_that_of_physx(asked):
    """Base first, linear before angular, about the root's centre of mass; no armature."""
    asked.check("mass_matrix", dynamics.mass_matrix(asked.sim, physx=True)[0][np.ix_(asked.columns, asked.columns)])


def test_gravity_efforts_are_those_of_physx(asked):
    """Also of a link whose gravity is disabled."""
    asked.check("gravity", dynamics.gravity_compensation(asked.sim, physx=True)[0, asked.columns])


def test_coriolis_efforts_are_those_of_physx(asked):
    """Also where joints are above their speed limits."""
    asked.check("coriolis", dynamics.coriolis_compensation(asked.sim, physx=True)[0, asked.columns])


def test_the_jacobian_is_that_of_physx(asked):
    """Rows of centres of mass, linear before angular, without a fixed root."""
    asked.check("jacobian", dynamics.jacobian(asked.sim)[0][asked.rows()][:, asked.columns])


def test_the_centre_of_mass_is_that_of_physx(asked):
    """In the world, and from the root's centre of mass."""
    asked.check("com", dynamics.articulation_com(asked.sim)[0])
    world = np.abs(asked.said["com"]).max()  # which PhysX took the difference of
    asked.check("com_root", dynamics.articulation_com(asked.sim, root_frame=True)[0], world)


def test_centroidal_momentum_is_that_of_physx(golden):
    """Its matrix, and its bias as the last column."""
    asked = Asked(golden, "f05_branch_floating")
    A, bias = dynamics.centroidal_momentum_matrix(asked.sim)[0], dynamics.centroidal_momentum_bias(asked.sim)[0]
    asked.check("centroidal", np.column_stack([A[:, asked.columns], bias]))


def test_the_states_tell_the_textbook_from_physx(golden):
    """Armature, disabled gravity and the speed limit are in the recorded scenes."""
    armed, weightless = Asked(golden, "h04_arm7_all_pgs4").sim, Asked(golden, "f05_branch_weightless").sim
    for ask, sim in (
        (dynamics.mass_matrix, armed),
        (dynamics.coriolis_compensation, armed),
        (dynamics.gravity_compensation, weightless),
    ):
        assert np.abs(ask(sim) - ask(sim, physx=True)).max() > 1e-3
