"""PhysX's trajectories, to float32 round-off: parity.compare states the tolerances."""

import re

import numpy as np
import pytest
from paths import RECORDINGS, ROOT
from pxr import Usd, UsdPhysics
from recorded import Recorded, recordings

import fajin
from parity import Motion, compare, simulate

FOLDERS = ("joints", "mixed", "odd", "robots")
RECORDED = {name: one for folder in FOLDERS for name, one in recordings(RECORDINGS / folder).items()}

# Scenes whose motion is another one, and why; docs/differences-from-physx.md says more about each.
DIFFERENT = {
    "f02_spherical_cone": "PhysX's own noise: a rotation vector near π",
    "f11_root_on_base_fixedjoint": "PhysX does not do what the file says",
    "h01_arm7_free_tgs4": "PhysX's own noise: against its limits, where 1e-16 of a joint's frame decides",
    "x09_d6_swing_limit_pgs": "PhysX's own noise: along a limit, where round-off decides in which step it acts",
    "x11_link_world_fixed_tgs": "PhysX's own noise: six rows on three hinges, first met to an ulp of the frames",
    "x16_pyramid_pgs": "PhysX's own noise: against a second limit, where round-off decides in which step it acts",
}


def _cases():
    for name, recorded in RECORDED.items():
        marks = [pytest.mark.xfail(reason=DIFFERENT[name], strict=True)] if name in DIFFERENT else []
        yield pytest.param(recorded, id=name, marks=marks)


def _failures(recorded, motion) -> str:
    return "; ".join(str(check) for check in compare(recorded, motion) if not check.holds)


@pytest.mark.parametrize("recorded", list(_cases()))
def test_motion_and_masses_are_those_of_physx(recorded):
    """|q - q_physx| ≤ tolerance at every step, and so for qd and link poses; links weigh what they weigh in PhysX."""
    scene = fajin.read(str(recorded.scene))
    if recorded.name not in DIFFERENT:
        check_masses(scene, recorded)
    assert not _failures(recorded, simulate(recorded, scene=scene))


def check_masses(scene: fajin.Scene, recorded: Recorded) -> None:
    """Mass, centre of mass and inertia tensor about it, in the axes of the link, to float32 precision of each."""
    links = {link.path: link for articulation in scene.articulations for link in articulation.links}
    length, weight = scene.meters_per_unit, scene.kilograms_per_unit
    for path, physx in zip(recorded.link, recorded.mass, strict=True):
        inertia = np.reshape(physx["inertia"], (3, 3)) * weight * length**2
        assert links[path].mass == pytest.approx(physx["mass"] * weight, rel=1e-6), path
        assert np.allclose(links[path].com, np.array(physx["com"][:3]) * length, atol=1e-6), path
        assert np.allclose(links[path].inertia, inertia, atol=4e-6 * np.abs(inertia).max()), path


def test_a_base_fixed_to_the_world_is_a_fixed_base():
    """With the articulation root on the base or on the joint that fixes it: the same pendulum."""
    assert not _failures(RECORDED["f11_root_on_joint"], simulate(RECORDED["f11_root_on_base_fixedjoint"]))


def test_a_base_on_a_joint_outside_the_articulation_moves_as_in_physx(tmp_path):
    """The motion of the base that PhysX lets float: with the joint that holds it outside the articulation."""
    recorded = RECORDED["f11_root_on_base_fixedjoint"]
    stage = Usd.Stage.Open(str(recorded.scene))
    joints = [prim for prim in stage.Traverse() if prim.IsA(UsdPhysics.FixedJoint)]
    UsdPhysics.Joint(joints[0]).CreateExcludeFromArticulationAttr(True)
    stage.Export(str(tmp_path / "outside.usda"))
    assert not _failures(recorded, simulate(recorded, scene=fajin.read(tmp_path / "outside.usda")))


def test_noise_is_measured_of_all_scenes_of_a_group():
    """Not only of those that need it: every one with tendons or joints outside the trees, at the last step too."""
    groups = {name: recorded for name, recorded in RECORDED.items() if re.match(r"[tsx]\d\d_|n\d|f1[34]_", name)}
    assert len(groups) > 170
    assert {name for name, recorded in RECORDED.items() if recorded.noise} == set(groups)
    assert all(recorded.noise[-1][0] == recorded.steps for recorded in groups.values())


def test_noise_widens_no_more_than_its_own_bound():
    """bound = max(fixed, 20 noise) of the same quantity up to the same step; in the first step mostly fixed."""
    alone = 0
    for recorded in filter(lambda recorded: recorded.noise, RECORDED.values()):
        still = Motion(recorded.q, recorded.qd, recorded.pose, recorded.flight)
        checks = {(check.quantity, check.step): check for check in compare(recorded, still)}
        assert not any(check.error for check in checks.values())
        for step, *noise in recorded.noise:
            for quantity, most in zip(("q", "qd", "pose", "twist"), noise, strict=True):
                check = checks[quantity, step]
                assert check.bound == max(check.fixed, 20 * most)
                alone += step == 1 and check.bound == check.fixed
    assert alone > 0.95 * 4 * sum(bool(recorded.noise) for recorded in RECORDED.values())


def test_at_least_97_percent_agree():
    """The table of differences stays short, not counting where PhysX does not do what the file says."""
    assert set(DIFFERENT) <= set(RECORDED)
    counted = [name for name, reason in DIFFERENT.items() if reason != "PhysX does not do what the file says"]
    assert len(counted) <= 0.03 * (len(RECORDED) - len(DIFFERENT) + len(counted))


def test_every_difference_is_documented():
    """Each scene of the table stands in docs/differences-from-physx.md with its cause."""
    text = (ROOT / "docs" / "differences-from-physx.md").read_text()
    assert not [name for name in DIFFERENT if name not in text]
