"""What a joint has to move: an effort on it changes its speed in a step by h τ/I, what the other joints do included."""

from dataclasses import replace

import numpy as np
import pytest
from one_joint import FREE, SLIDER_LEAK, slider
from planar_arm import arm, simulation

from fajin.scene import Articulation, Axis, InvalidScene, Joint, JointType, Link, Mimic, Scene
from fajin.scene.overrides import with_dt, with_gains, with_iterations, with_solver
from fajin.tuning.effective_inertia import InertiaProbe
from fajin.tuning.worst_pose import extreme_poses

STIFF = {"stiffness": 1e7, "damping": 1e5}  # of what is held
EPS = np.finfo(np.float64).eps


def pushed(scene: Scene, name: str, held: bool, speed: float = 0.0) -> float:
    """Speed of a degree of freedom after a step from that speed, or under an effort of 1 if it rests."""
    others = [
        f"{joint.path}:{axis.token}" for robot in scene.articulations for joint in robot.joints for axis in joint.axes
    ]
    others = [other for other in others if other != name]
    scene = with_iterations(with_solver(replace(scene, gravity=(0.0, 0.0, 0.0)), "pgs"), 255, 1)
    scene = with_gains(scene, {other: STIFF if held else {"stiffness": 0.0, "damping": 0.0} for other in others})
    sim = simulation(with_dt(scene, 1e-3))
    sim.target_q, sim.target_qd = np.array(sim.q), 0.0
    sim.qd[0, name] = speed
    sim.effort[0, name] = 1.0 if speed == 0.0 else 0.0
    sim.step()
    return float(sim.qd[0, name])


@pytest.fixture(scope="module")
def robots(scenes) -> dict[str, Scene]:
    """A bent arm of two hinges and a slider; one on a base that floats."""
    bent = arm()
    joints = tuple(
        replace(joint, axes=(replace(joint.axes[0], q=q),))
        for joint, q in zip(bent.articulations[0].joints, (0.4, 0.9, 0.2), strict=True)
    )
    damped = tuple(replace(link, linear_damping=0.3, angular_damping=0.7) for link in bent.articulations[0].links)
    fixed = replace(bent.articulations[0], joints=joints, links=damped)
    floating = replace(fixed, fixed_base=False)
    return {
        "fixed": replace(bent, articulations=(fixed,)),
        "floating": replace(bent, articulations=(floating,)),
    }


JOINTS = pytest.mark.parametrize("joint", ["/arm/shoulder:rotZ", "/arm/elbow:rotZ", "/arm/finger:transX"])


@JOINTS
@pytest.mark.parametrize("held", [True, False], ids=["held", "free"])
@pytest.mark.parametrize("base", ["fixed", "floating"])
def test_an_effort_meets_the_inertia(robots, base, held, joint):
    """Δq̇ = h τ/I. Stiff drives hold the others to I h/(stiffness h²)."""
    load = InertiaProbe(robots[base], "/arm", held=held).weigh([joint]).at((0, 0))
    inertia = 1e-3 / pushed(robots[base], joint, held)
    assert inertia == pytest.approx(load.inertia, rel=10 / (STIFF["stiffness"] * 1e-6 + STIFF["damping"] * 1e-3))
    assert load.free_inertia <= load.inertia * (1 + 1e-12)
    if not held:
        assert load.free_inertia == pytest.approx(load.inertia, rel=1e-12)


@JOINTS
def test_damping_of_the_links_slows_the_joint(robots, joint):
    """q̇' = (1 - h c/I) q̇ with c = Σ Jᵀ (m c ; I c') J, the others held, to h² of the velocity products."""
    load = InertiaProbe(robots["fixed"], "/arm").weigh([joint]).at((0, 0))
    drop = 1.0 - pushed(robots["fixed"], joint, held=True, speed=1e-3) / 1e-3
    assert drop == pytest.approx(1e-3 * load.drag / load.inertia, rel=2e-2)


def test_a_slider_is_soft():
    """r/(r + cfm) = 1/(1 + 0.025)."""
    load = InertiaProbe(Scene("rail", (slider(3.0),)), "/m").weigh(["/m/joint:transZ"]).at((0, 0))
    assert load.inertia == load.free_inertia == pytest.approx(3.0)
    assert load.softness == pytest.approx(1.0 - SLIDER_LEAK)


@pytest.fixture(scope="module")
def gripper() -> Scene:
    """Three sliders on a base: the second follows the first, the third both."""
    follows = {
        "b": Mimic((("/g/a:transX", -2.0),), offset=0.1),
        "c": Mimic((("/g/a:transX", 1.0), ("/g/b:transX", 0.5))),
    }
    start = {"a": 0.0, "b": -0.1, "c": 0.05}
    axes = {name: Axis("transX", -1.0, 1.0, mimic=follows.get(name), q=q) for name, q in start.items()}
    joints = [Joint(f"/g/{n}", JointType.PRISMATIC, "/g/base", f"/g/{n}link", axes=(axis,)) for n, axis in axes.items()]
    links = [Link(f"/g/{n}link", mass=mass, **FREE) for n, mass in zip("abc", (1.0, 2.0, 4.0), strict=True)]
    robot = Articulation("/g", (Link("/g/base"), *links), tuple(joints), fixed_base=True)
    return Scene("gripper", (robot,), gravity=(0.0, 0.0, 0.0))


def test_a_joint_moves_what_follows_it(gripper):
    """I = Σ m (∂q/∂q_a)²: b goes 2, c goes -(1 + 0.5·2) = -2 times as far as a."""
    scales = InertiaProbe(gripper, "/g")
    load = scales.weigh(["/g/a:transX"], np.array([[0.2, 0.0, 0.0]])).at((0, 0))
    assert load.inertia == pytest.approx(1.0 + 2.0 * 2.0**2 + 4.0 * 2.0**2)
    assert load.free_inertia == pytest.approx(1.0)
    assert np.asarray(scales.sim.q)[0] == pytest.approx((0.2, 0.3, -0.35))
    assert 1e-3 / pushed(gripper, "/g/a:transX", held=False) == pytest.approx(25.0, rel=1e-6)
    with pytest.raises(InvalidScene, match="/g/c:transX: must be no mimic follower; tune /g/a:transX"):
        scales.weigh(["/g/c:transX"])


def test_the_extremes_are_those_of_the_whole_range():
    """Of a shoulder, I(q₂, s) is largest with the arm stretched as far as limits let it, and least folded."""
    scene = arm()
    limits = {"/arm/shoulder": (-1.0, 1.0), "/arm/elbow": (0.3, 2.8), "/arm/finger": (-0.2, 0.5)}
    joints = tuple(
        replace(joint, axes=(replace(joint.axes[0], lower=limits[joint.path][0], upper=limits[joint.path][1], q=0.4),))
        for joint in scene.articulations[0].joints
    )
    robot = replace(scene.articulations[0], joints=joints)
    scales = InertiaProbe(replace(scene, articulations=(robot,)), "/arm", poses=128)
    light, heavy = extreme_poses(scales, ["/arm/shoulder:rotZ"])
    assert heavy[0, 1:] == pytest.approx((0.3, 0.5), abs=1e-9)
    grid = np.array([(0.0, q, s) for q in np.linspace(0.3, 2.8, 21) for s in np.linspace(-0.2, 0.5, 6)])
    inertia = scales.inertias(["/arm/shoulder:rotZ"], grid)
    least, most = (float(scales.inertias(["/arm/shoulder:rotZ"], pose)[0, 0]) for pose in (light, heavy))
    assert least <= inertia.min() * (1 + 1e-12)
    assert most >= inertia.max() * (1 - 1e-12)


def test_a_joint_without_limits_turns_and_a_slider_without_stays(scenes):
    """The range of a hinge without limits is a turn; nothing is known of a slider's."""
    scales = InertiaProbe(arm(), "/arm", poses=128)
    _, heavy = extreme_poses(scales, ["/arm/shoulder:rotZ"])
    assert np.abs(heavy[0, 1:]).max() <= 2e-2 * np.pi
    assert heavy[0, 2] == 0.0
