"""What a parent exerts on a link through their joint: by Newton and Euler, and as recorded from PhysX (ovphysx 0.7)."""

from dataclasses import replace

import numpy as np
import pytest
from planar_arm import simulation
from random_tree import edited, random_tree

import fajin
from fajin.quaternion import conjugate, multiply, rotate
from fajin.scene import Drive, SolverType

EPS, EPS32 = (float(np.finfo(kind).eps) for kind in (np.float64, np.float32))
RECORDED = (
    *("a01_pendulum", "b03_rev_gravity_pgs", "c08_maxvel_tgs", "d10_gripper_hard_pgs", "f01_spherical"),
    *("f02_spherical_cone", "f05_branch_floating", "f06_float_two", "g01_zup_cm", "h03_arm7_stiff_tgs32"),
    *("h04_arm7_all_pgs4", "s09_float_tgs", "t08_float_tgs", "t13_mixed_pgs", "x11_link_world_float_tgs"),
    "x12_fourbar_tgs4",
)
TURNED = {"f05_branch_floating": "head"}  # hangs on a spherical joint about Z, whose frame PhysX turns
SEEDS = pytest.mark.parametrize("seed", range(4))
BASES = pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])


def joint_frames(scene) -> dict[str, tuple]:
    """By link: the frame on it of the joint to its parent, the last one of a stack, and its parent."""
    (robot,) = scene.articulations
    links = [link.path for link in robot.links]
    found, placed = {}, {"" if any("" in (j.body0, j.body1) for j in robot.joints) else links[0]}
    while len(placed) <= len(links) - ("" not in placed):
        for joint in robot.joints:
            ends = {joint.body0: joint.frame0, joint.body1: joint.frame1}
            for child, parent in (tuple(ends), tuple(ends)[::-1]):
                if parent in placed and (child not in placed or found.get(child, ((), ""))[1] == parent):
                    found[child] = ends[child], parent
                    placed.add(child)
    return found


def on_links(sim, scene) -> dict[str, np.ndarray]:
    """Force and torque of the parent on every link about its centre of mass, in world axes, (6,)."""
    frames, coms = joint_frames(scene), {link.path: np.array(link.com) for link in scene.articulations[0].links}
    told = {}
    for path, (((position, turn), _)) in frames.items():
        at = sim.link.index(path)
        force, torque = sim.link_incoming_force[0, at].reshape(2, 3)
        turn = multiply(sim.link_pose[0, at, 3:], np.array(turn))
        lever = rotate(sim.link_pose[0, at, 3:], np.array(position) - coms[path])
        force, torque = rotate(turn, force), rotate(turn, torque)
        told[path] = np.concatenate([force, torque + np.cross(lever, force)])
    return told


def driven(seed: int, floating: bool, solver: SolverType):
    """A tree with a drive on every axis, on which forces act."""
    drive = Drive(stiffness=20.0, damping=1.0, max_force=30.0, target_q=0.3)
    tree = edited(random_tree(seed, floating=floating), axes=lambda axis: replace(axis, drive=drive, armature=0.1))
    return replace(tree, solver=solver)


@pytest.mark.parametrize("name", RECORDED)
def test_joints_transmit_what_they_do_in_physx(golden, name):
    """Force and torque in the frame of the joint on the child, in every step, under rows of every kind."""
    recorded = np.load(golden / "incoming.npz")
    scene = fajin.read(golden / "scenes" / f"{name}.usda")
    sim = fajin.Simulation(scene, device="cpu", threads=1, dt=1 / 60)
    names = [path.rpartition("/")[2] for path in sim.link]
    compared = [i for i, link in enumerate(recorded[f"{name}/link"]) if link != TURNED.get(name)]
    columns = [names.index(recorded[f"{name}/link"][i]) for i in compared]
    forces = recorded[f"{name}/force"][:, compared] * np.repeat((scene.meters_per_unit, scene.meters_per_unit**2), 3)
    iterations = scene.articulations[0].position_iterations
    for force in forces:
        sim.step()
        size = np.abs(forces).max() + sum(link.mass for link in scene.articulations[0].links) * 9.81
        assert np.abs(sim.link_incoming_force[0, columns] - force).max() <= 64 * iterations * EPS32 * size


def test_links_accelerate_as_in_physx_where_joints_are_slowed_before_a_step(golden):
    """What a joint is above its speed limit is taken before the step, and no acceleration."""
    recorded, name = np.load(golden / "incoming.npz"), "h04_arm7_all_pgs4"
    sim = fajin.Simulation(fajin.read(golden / "scenes" / f"{name}.usda"), device="cpu", threads=1, dt=1 / 60)
    names, slowed = [path.rpartition("/")[2] for path in sim.link], False
    columns = [names.index(link) for link in recorded[f"{name}/link"]]
    for acceleration in recorded[f"{name}/acc"]:
        slowed |= (np.abs(sim.qd[:]) > sim.max_velocity[:]).any()
        sim.step()
        bound = 16 * EPS32 * np.abs(recorded[f"{name}/acc"]).max()
        assert np.abs(sim.link_acceleration[0, columns] - acceleration).max() <= bound
    assert slowed


@SEEDS
@BASES
@pytest.mark.parametrize("solver", list(SolverType), ids=lambda solver: solver.name)
def test_forces_on_a_link_add_up_to_its_acceleration(seed, floating, solver):
    """F − Σ F of its children + f + m g = m a, an external force f and gravity among them."""
    scene = driven(seed, floating, solver)
    sim, frames = simulation(scene), joint_frames(scene)
    pushed, force = sim.link[-1], np.array((3.0, -2.0, 1.0))
    sim.force[:, pushed] = force
    for _ in range(3):
        sim.step()
        told = {path: wrench[:3] for path, wrench in on_links(sim, scene).items()}
        size = max(np.abs(f).max() for f in told.values()) + 100.0
        for link in scene.articulations[0].links:
            if link.path in told:
                children = [other for other, (_, parent) in frames.items() if parent == link.path]
                net = told[link.path] - sum(told[child] for child in children) + link.mass * np.array(scene.gravity)
                net = net + force * (link.path == pushed)
                a = sim.link_acceleration[0, sim.link.index(link.path), :3]
                assert np.abs(net - link.mass * a).max() <= 1e3 * EPS * size


@SEEDS
@BASES
@pytest.mark.parametrize("solver", list(SolverType), ids=lambda solver: solver.name)
def test_along_an_axis_a_joint_transmits_its_efforts(seed, floating, solver):
    """S · F = drive and user − armature q̈, S where the step started."""
    scene = driven(seed, floating, solver)
    sim, frames = simulation(scene), joint_frames(scene)
    for _ in range(3):
        start = sim.link_pose[0]
        sim.step()
        told = on_links(sim, scene)
        size = max(np.abs(f).max() for f in told.values()) + 100.0
        for joint in scene.articulations[0].joints:
            child = joint.body0 if frames.get(joint.body0, ("", None))[1] == joint.body1 else joint.body1
            if "stacked" in joint.path and joint.path.endswith("a"):
                continue  # of two joints between the same links only the last one's force is told
            (position, turn), at = frames[child][0], sim.link.index(child)
            com = next(np.array(link.com) for link in scene.articulations[0].links if link.path == child)
            lever = rotate(start[at, 3:], np.array(position) - com)
            torque = told[child][3:] - np.cross(lever, told[child][:3])
            for axis in joint.axes:
                dof = sim.dof.index(f"{joint.path}:{axis.token}")
                along = rotate(multiply(start[at, 3:], np.array(turn)), np.eye(3)["XYZ".index(axis.token[-1])])
                felt = along @ (torque if axis.rotational else told[child][:3])
                effort = sim.applied_effort[0, dof] - 0.1 * sim.qdd[0, dof]
                assert felt * (-1.0 if child == joint.body0 else 1.0) == pytest.approx(effort, abs=1e3 * EPS * size)


def subtree(scene, path: str) -> list[str]:
    """A link and all that hang on it."""
    below = [path]
    for other in below:
        below += [child for child, (_, parent) in joint_frames(scene).items() if parent == other]
    return below


def momentum(sim, scene, paths) -> np.ndarray:
    """Linear momentum of links, and angular about the world's origin, (6,)."""
    total = np.zeros(6)
    for link in scene.articulations[0].links:
        if link.path in paths:
            at = sim.link.index(link.path)
            x, turn = sim.link_com_pose[0, at, :3], sim.link_com_pose[0, at, 3:]
            v, w = sim.link_velocity[0, at].reshape(2, 3)
            own = rotate(turn, np.array(link.inertia) @ rotate(conjugate(turn), w))
            total += np.concatenate([link.mass * v, own + np.cross(x, link.mass * v)])
    return total


@SEEDS
@BASES
def test_what_a_joint_transmits_is_the_rate_of_momentum_of_all_below_it(seed, floating):
    """F + Σ m g = dP/dt, and its moment dL/dt, as h → 0."""
    scene = driven(seed, floating, SolverType.PGS)
    sim = simulation(scene, dt=1e-6)
    paths = {path: subtree(scene, path) for path in joint_frames(scene)}
    before = {path: momentum(sim, scene, below) for path, below in paths.items()}
    places = {path: sim.link_com_pose[0, sim.link.index(path), :3] for path in sim.link}
    sim.step()
    told, size = on_links(sim, scene), 0.0
    mass = {link.path: link.mass for link in scene.articulations[0].links}
    for path, below in paths.items():
        rate = (momentum(sim, scene, below) - before[path]) / sim.dt
        weights = {link: mass[link] * np.array(scene.gravity) for link in below}
        force = told[path][:3] + sum(weights.values())
        moment = told[path][3:] + np.cross(places[path], told[path][:3])
        moment = moment + sum(np.cross(places[link], weight) for link, weight in weights.items())
        size = max(size, np.abs(rate).max())
        assert np.abs(np.concatenate([force, moment]) - rate).max() <= 1e2 * (sim.dt + EPS / sim.dt) * (1.0 + size) ** 2
    assert size > 10.0


def test_a_hanging_pendulum_carries_its_weight(golden):
    """At rest F = m g along the vertical, and no torque; the base, which hangs on nothing, is told 0."""
    scene = fajin.read(golden / "scenes" / "a01_pendulum.usda")
    sim = simulation(edited(scene, lambda link: replace(link, angular_damping=0.0)))
    sim.q = np.pi / 2
    sim.step()
    force = sim.link_incoming_force[0]
    assert (force[0] == 0.0).all()
    assert np.abs(on_links(sim, scene)[sim.link[1]] - (0.0, 0.0, 9.81, 0.0, 0.0, 0.0)).max() <= 1e-6
    assert np.allclose(np.linalg.norm(force[1, :3]), 9.81, 1e-6)


@pytest.mark.parametrize("device", ["cpu", pytest.param("cpu-lanes", marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["t13_mixed_pgs", "x12_fourbar_tgs4", "s06_chain_tgs16"])
def test_what_a_step_told_is_the_same_in_packs_and_alone(golden, name, device):
    """To the bit: forces of joints, tendons and loops, in any batch, packed or one by one."""
    scene = fajin.read(golden / "scenes" / f"{name}.usda")
    rows = (
        "link_incoming_force",
        "maximal_joint_force",
        "tension",
        "tendon_effort",
        "maximal_joint_effort",
        "applied_effort",
    )
    told = []
    for worlds, place in ((1, "cpu"), (19, device)):
        sim = fajin.Simulation(scene, worlds, device=place, threads=1)
        sim.effort[-1] = 0.5
        sim.step(3)
        told.append([sim.read(row)[-1] for row in rows])
    assert all(np.array_equal(a, b) for a, b in zip(*told, strict=True))
