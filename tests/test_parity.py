"""PhysX's trajectories, to float32 round-off: parity.compare states the tolerances."""

from pathlib import Path

import numpy as np
import pytest
from recorded import recordings

import fajin
from parity import compare, simulate

HERE = Path(__file__).parent
RECORDED = {**recordings(HERE / "golden"), **recordings(HERE / "robots")}

# Scenes whose motion is another one, and why; docs/differences-from-physx.md says more about each.
DIFFERENT = {
    "f02_spherical_cone": "PhysX's own noise: a rotation vector near π",
    "f11_root_on_base_fixedjoint": "PhysX does not do what the file says",
    "h01_arm7_free_tgs4": "PhysX's own noise: a free arm against its limits",
    "x16_pyramid_pgs": "PhysX's own noise: a body at its limit",
}


def _cases():
    for name, recorded in RECORDED.items():
        marks = [pytest.mark.xfail(reason=DIFFERENT[name], strict=True)] if name in DIFFERENT else []
        yield pytest.param(recorded, id=name, marks=marks)


def _failures(recorded, motion) -> str:
    return "; ".join(str(check) for check in compare(recorded, motion) if not check.holds)


@pytest.mark.parametrize("recorded", list(_cases()))
def test_motion_is_that_of_physx(recorded):
    """|q - q_physx| ≤ tolerance at every step, and so for qd and link poses."""
    assert not _failures(recorded, simulate(recorded))


@pytest.mark.parametrize("name", [name for name in RECORDED if name not in DIFFERENT])
def test_links_weigh_what_they_weigh_in_physx(name):
    """Mass, centre of mass and inertia tensor about it, in the axes of the link, to float32 precision of each."""
    scene = fajin.read(str(RECORDED[name].scene))
    links = {link.path: link for articulation in scene.articulations for link in articulation.links}
    length = scene.meters_per_unit
    for path, physx in zip(RECORDED[name].link, RECORDED[name].mass, strict=True):
        inertia = np.reshape(physx["inertia"], (3, 3)) * length**2
        assert links[path].mass == pytest.approx(physx["mass"], rel=1e-6), path
        assert np.allclose(links[path].com, np.array(physx["com"][:3]) * length, atol=1e-6), path
        assert np.allclose(links[path].inertia, inertia, atol=4e-6 * np.abs(inertia).max()), path


def test_a_base_fixed_to_the_world_is_a_fixed_base():
    """With the articulation root on the base or on the joint that fixes it: the same pendulum."""
    assert not _failures(RECORDED["f11_root_on_joint"], simulate(RECORDED["f11_root_on_base_fixedjoint"]))


def test_at_least_97_percent_agree():
    """The table of differences stays short, not counting where PhysX does not do what the file says."""
    assert set(DIFFERENT) <= set(RECORDED)
    counted = [name for name, reason in DIFFERENT.items() if reason != "PhysX does not do what the file says"]
    assert len(counted) <= 0.03 * (len(RECORDED) - len(DIFFERENT) + len(counted))


def test_every_difference_is_documented():
    """Each scene of the table stands in docs/differences-from-physx.md with its cause."""
    text = (HERE.parent / "docs" / "differences-from-physx.md").read_text()
    assert not [name for name in DIFFERENT if name not in text]
