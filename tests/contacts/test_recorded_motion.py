"""Motion with contacts is PhysX's, to float32 round-off or what round-off does to PhysX itself."""

import numpy as np
import pytest
from recorded_contacts import GOLDEN, JOINTS, differences, read_scene, recorded_contacts

import fajin

RECORDED = recorded_contacts()
RECORDED_JOINTS = recorded_contacts(JOINTS)


@pytest.mark.parametrize("recorded", [pytest.param(recorded, id=name) for name, recorded in RECORDED.items()])
def test_motion_is_that_of_physx(recorded):
    """|difference| ≤ max(2e-5, 20 × PhysX's noise) of joint and body positions, up to the horizon."""
    assert_motion_is_that_of_physx(recorded, read_scene(recorded.name))


@pytest.mark.parametrize("recorded", [pytest.param(recorded, id=name) for name, recorded in RECORDED_JOINTS.items()])
def test_joints_take_turns_with_contacts_as_in_physx(recorded):
    """Positions and orientations of bodies that touch while maximal joints hold them, by the same rule."""
    assert_motion_is_that_of_physx(recorded, read_scene(recorded.name, JOINTS))


def assert_motion_is_that_of_physx(recorded, scene):
    """Compare with a recording up to its horizon."""
    sim = fajin.Simulation(scene, device="cpu", dt=recorded.dt, threads=1)
    error, length = differences(recorded, sim), 1.0 / sim.scene.meters_per_unit
    for step in recorded.noise:
        if step <= min(recorded.horizon, len(error) - 1) or step == 1:
            assert error[: step + 1].max() <= recorded.tolerance(step, length), (step, error[: step + 1].max())


def test_a_tumbling_box_turns_as_in_physx_to_the_bit():
    """Positions and quaternions of 60 steps, with gyroscopic torque and damping."""
    recorded = RECORDED["o07_tumbling_tgs"]
    sim = fajin.Simulation(read_scene(recorded.name), device="cpu", dt=recorded.dt, threads=1)
    assert (differences(recorded, sim) == 0.0).all()


@pytest.mark.parametrize("name", ["u04_fall_0_tgs", "u05_fall_1_tgs"])
def test_a_fall_in_centimetres_rounds_where_physx_does(name):
    """Within two ulps of the largest position in ten steps of a fall; positions in metres would round elsewhere."""
    recorded = RECORDED[name]
    sim = fajin.Simulation(read_scene(name), device="cpu", dt=recorded.dt, threads=1)
    ulp = np.spacing(np.float32(np.abs(recorded.position[:11]).max()))
    assert differences(recorded, sim)[:11].max() <= 2.0 * ulp


@pytest.mark.parametrize(
    "name",
    [
        *("a02_quad_tilt_pgs", "s01_stack2_tgs", "d02_cube_on_hull_0_pgs", "m01_hull_on_mesh_pgs"),
        *("y02_cylinder_on_cylinder_tgs", "y07_mesh_cone_pgs", "o06_spinning_tgs", "j06_colours_pgs"),
    ],
)
def test_bits_do_not_depend_on_the_batch(name):
    """A world moves to the same bits alone, beside others that touch at other times, and on two threads."""
    scene, worlds, steps = read_scene(name, GOLDEN if name in RECORDED else JOINTS), 20, 40
    heights = np.linspace(0.0, 0.03, worlds)
    motions = []
    for chosen, threads in ((range(worlds), 1), (range(worlds), 2), ([0], 1), ([7], 1)):
        sim = fajin.Simulation(scene, len(chosen), device="cpu", threads=threads)
        pose = np.array(sim.root_pose)
        pose[:, :, 2] += heights[list(chosen)][:, None]
        sim.root_pose = pose
        sim.step(steps)
        motions.append(np.array(sim.link_pose))
    assert np.ptp(motions[0][:, 0, 2] - heights) > 1e-3  # the worlds did touch at other times
    assert (motions[0] == motions[1]).all()
    assert (motions[0][0] == motions[2][0]).all()
    assert (motions[0][7] == motions[3][0]).all()
