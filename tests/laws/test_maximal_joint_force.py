"""What tendons and joints outside the trees exert: at rest they carry weights; moving, they change momenta. float64."""

from dataclasses import replace

import numpy as np
import pytest
from free_bodies import EPS, H, body, joint
from one_joint import slider

import fajin
from fajin.quaternion import rotate
from fajin.scene import (
    WORLD,
    Articulation,
    Attachment,
    Axis,
    FixedTendon,
    JointType,
    Scene,
    SolverType,
    SpatialTendon,
    TendonAxis,
)

SOLVERS = pytest.mark.parametrize("solver", list(SolverType), ids=lambda solver: solver.name)
G, MASS = 9.81, 2.0
SPRING = {"stiffness": 500.0, "damping": 60.0}


def simulate(robot: Articulation, solver: SolverType, **scene) -> fajin.Simulation:
    """In the gravity of the earth."""
    scene = {"gravity": (0.0, 0.0, -G), "dt": H, "solver": solver} | scene
    return fajin.Simulation(Scene("scene", (robot,), **scene), device="cpu", precision="f64", threads=1)


def bodies(links, joints, solver) -> fajin.Simulation:
    """Free bodies and joints between them."""
    free = tuple(Articulation(link.path, (link,), (), free=True) for link in links)
    scene = Scene("scene", free, (0.0, 0.0, -G), H, solver, joints=joints)
    return fajin.Simulation(scene, device="cpu", precision="f64", threads=1)


@SOLVERS
@pytest.mark.parametrize("gearing", [1.0, -2.0])
def test_a_fixed_tendon_pulls_where_it_is_too_long(solver, gearing):
    """At rest its tension T is k (ℓ − rest); the joint feels −gearing T, which is the weight of the slider."""
    tendon = FixedTendon("/m/joint:t", (TendonAxis("/m/joint:transZ", gearing, gearing),), **SPRING)
    sim = simulate(replace(slider(MASS), fixed_tendons=(tendon,)), solver)
    sim.step(2000)
    assert sim.tendon == ("/m/joint:t",)
    tension = sim.tension[0, "joint:t"]
    assert sim.tendon_effort[0, 0] == pytest.approx(MASS * G, rel=1e-9)
    assert tension * -gearing == pytest.approx(MASS * G, rel=1e-9)


@SOLVERS
@pytest.mark.parametrize("shares", [(1.0, 1.0), (0.0, 1.0), (2.0, -0.5)])
def test_the_tension_is_that_of_the_spring_whatever_its_joints_get_of_it(solver, shares):
    """T = k (ℓ − rest) of a soft one, of which joint j feels −f_j T/N; velocity iterations would add to both."""
    lower, soft = slider(MASS, q=0.3), 1e-3
    upper = replace(lower.joints[0], path="/m/second", body0="/m/link", body1="/m/other")
    links = (*lower.links, replace(lower.links[1], path="/m/other"))
    axes = zip(("/m/joint:transZ", "/m/second:transZ"), (1.0, 2.0), shares, strict=True)
    tendon = FixedTendon("/m/joint:t", tuple(TendonAxis(*axis) for axis in axes), stiffness=soft, rest_length=0.1)
    robot = Articulation("/m", links, (*lower.joints, upper), True, 4, 0, fixed_tendons=(tendon,))
    sim = simulate(robot, solver, gravity=(0.0, 0.0, 0.0), dt=1e-4)
    sim.step()
    tension = soft * (0.3 + 2.0 * 0.3 - 0.1)
    assert sim.tension[0, 0] == pytest.approx(tension, rel=1e-6)
    assert sim.tendon_effort[0, 1] == pytest.approx(-shares[1] * tension / 2.0, rel=1e-6)


@SOLVERS
def test_a_spatial_tendon_carries_what_hangs_on_it(solver):
    """At rest T = m g, along the line; the joint that only guides transmits nothing along its axis."""
    points = (Attachment("/m/base", (0.0, 0.0, 2.0)), Attachment("/m/link", parent=0, leaf=True, rest_length=1.5))
    sim = simulate(replace(slider(MASS), spatial_tendons=(SpatialTendon("/m/base:t", points, **SPRING),)), solver)
    sim.step(2000)
    assert sim.tension.shape == (1, 1)
    assert sim.tension[0, "base:t"] == pytest.approx(MASS * G, rel=1e-9)
    assert sim.tendon_effort[0, 0] == pytest.approx(MASS * G, rel=1e-9)
    assert np.abs(sim.link_incoming_force[0, "link"]).max() <= 1e-9 * MASS * G


@SOLVERS
def test_branches_of_a_tendon_have_names_and_tensions_of_their_own(solver):
    """Two leaves on one body share its weight."""
    leaves = (Attachment("/m/link", (x, 0.0, 0.0), 0, leaf=True, rest_length=1.5) for x in (-0.1, 0.1))
    points = (Attachment("/m/base", (0.0, 0.0, 2.0)), *leaves)
    sim = simulate(replace(slider(MASS), spatial_tendons=(SpatialTendon("/m/base:t", points, **SPRING),)), solver)
    sim.step(2000)
    assert sim.tendon == ("/m/base:t:0", "/m/base:t:1")
    left, right = sim.tension[0]
    assert sim.tension[0, "base:t:1"] == right
    assert (left + right) * 2.0 / np.hypot(2.0, 0.1) == pytest.approx(MASS * G, rel=0.05)  # it hangs 0 to 0.1 m low


@SOLVERS
@pytest.mark.parametrize("first", [False, True], ids=["body 1", "body 0"])
def test_a_joint_to_the_world_carries_a_body(solver, first):
    """On body 1, which is it or the world, act ± m g at the joint and the moment of the lever to the mass."""
    link = body("/b", mass=MASS, com=(0.3, 0.0, 0.0), angular_damping=0.05)
    ends = ("/b", WORLD) if first else (WORLD, "/b")
    sim = bodies((link,), (joint(JointType.FIXED, {"/b": link}, ends),), solver)
    sim.step(600)
    sign = -1.0 if first else 1.0
    expected = sign * np.array((0.0, 0.0, MASS * G, 0.0, -0.3 * MASS * G, 0.0))
    assert sim.maximal_joint == ("/joint",)
    assert np.abs(sim.maximal_joint_force[0, "joint"] - expected).max() <= 1e-3 * MASS * G


@SOLVERS
@pytest.mark.parametrize("seed", range(3))
def test_the_force_of_a_joint_changes_the_momenta_of_its_bodies(seed, solver):
    """m Δv = (F + m g) h of body 1 and (−F + m g) h of body 0, F in the frame of the joint on body 1 as it is then."""
    rng = np.random.default_rng(seed)
    links = {path: body(path, rng) for path in ("/a", "/b")}
    hold = joint(JointType.SPHERICAL, links, ("/a", "/b"), axes=tuple(map(Axis, ("rotX", "rotY", "rotZ"))))
    sim = bodies(links.values(), (hold,), solver)
    for _ in range(3):
        before = sim.link_velocity[0, :, :3]
        sim.step()
        force = rotate(np.array(hold.frame1[1]), sim.maximal_joint_force[0, 0, :3])
        force = rotate(sim.link_pose[0, "b", 3:], force)
        size = np.abs(force).max() + MASS * G
        assert np.abs(force).max() > 0.1
        for path, sign in (("/a", -1.0), ("/b", 1.0)):
            at, link = sim.link.index(path), links[path]
            change = link.mass * ((sim.link_velocity[0, at, :3] - before[at]) / H + (0.0, 0.0, G))
            assert np.abs(change - sign * force).max() <= 1e3 * EPS / H * size


def test_a_scene_without_any_has_no_columns():
    """Nor does anything pull at its joints."""
    sim = simulate(slider(MASS), SolverType.PGS)
    sim.step()
    assert sim.tension.shape == (1, 0)
    assert sim.tension[:].shape == (1, 0)
    assert sim.maximal_joint_force[:].shape == (1, 0, 6)
    assert (sim.tendon_effort[:] == 0.0).all()
    assert (sim.maximal_joint_effort[:] == 0.0).all()
