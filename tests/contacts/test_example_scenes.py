"""The example scenes of contacts show the laws that they say they show; nothing sinks, shivers or flies apart."""

from math import cos, radians, sin

import numpy as np
import pytest

import fajin
from fajin.quaternion import rotate

G, H = 9.81, 1.0 / 240.0


def start(scenes, name: str, converted: bool = False) -> fajin.Simulation:
    """A scene at its start; fajin has nothing to say about the file, unless a converter wrote it."""
    scene = fajin.read(scenes / f"{name}.usda")
    assert bool(scene.reports) == converted
    assert scene.dt == pytest.approx(H)
    return fajin.Simulation(scene, device="cpu")


def heights(recording: fajin.Recording, link: str) -> np.ndarray:
    """Height of a link over time [m]."""
    return np.asarray(recording.pose[:, 0, recording.link.index(f"/World/{link}"), 2], float)


def test_a_box_holds_below_its_friction_angle_and_slides_above(scenes):
    """a = g (sin 20° − 0.3 cos 20°); 0.4 > tan 20°. The discrete motion lags by half a step: a h t/2."""
    sim = start(scenes, "box_on_slope")
    before = np.asarray(sim.link_pose)[0, :, :3].astype(float)
    steps = 240
    forces = []
    for _ in range(steps):
        sim.step()
        forces.append(np.array(sim.contact_force)[0])
    force = np.mean(forces[10:], axis=0)  # of one step by a hundredth more or less, as in PhysX
    moved = np.linalg.norm(np.asarray(sim.link_pose)[0, :, :3] - before, axis=1)
    a = G * (sin(radians(20)) - 0.3 * cos(radians(20)))
    rough, smooth = (sim.link.index(f"/World/slope/{name}_box") for name in ("rough", "smooth"))
    assert moved[rough] < 1e-4
    assert moved[smooth] == pytest.approx(a / 2, abs=a * H)
    normal = np.array((sin(radians(20)), 0.0, cos(radians(20))))
    push = force @ normal
    assert push == pytest.approx(G * cos(radians(20)), rel=5e-3)
    rub = force - push[:, None] * normal
    assert np.linalg.norm(rub, axis=1)[[rough, smooth]] == pytest.approx(
        (G * sin(radians(20)), 0.3 * G * cos(radians(20))), rel=1e-2
    )


def test_balls_bounce_to_the_square_of_their_restitution(scenes):
    """Height after the first bounce = e² · 1 m, within the fall of one step at the impact: v h (1 + e)."""
    recording = start(scenes, "bouncing_ball").run(seconds=1.5)
    landed = round((2 / G) ** 0.5 / H) + 3
    for name, e in (("lively", 0.9), ("dull", 0.5), ("dead", 0.0)):
        z = heights(recording, f"ball_{name}") - 0.1
        assert z[landed:].max() == pytest.approx(e**2, abs=(2 * G) ** 0.5 * H * (1 + e))
        assert z.min() > -1e-3


def test_a_stack_of_five_rests(scenes):
    """Cube k carries (5 − k) m g; positions stay within the round-off of contacts, 1e-4 m; the gaps are closed."""
    sim = start(scenes, "stack_of_five")
    before = np.asarray(sim.link_pose)[0].astype(float)
    sim.step(480)
    assert np.abs(np.asarray(sim.link_pose)[0] - before).max() < 1e-4
    below = ["cube0|ground", *(f"cube{k}|cube{k + 1}" for k in range(4))]
    for k, name in enumerate(below):
        pair = name if name in names(sim) else "|".join(name.split("|")[::-1])
        assert abs(sim.pair_force[0, pair][2]) == pytest.approx((5 - k) * G, rel=5e-3)
    assert np.abs(sim.contacts.gap).max() < 1e-4
    assert sim.contacts.count.tolist() == [20]


def names(sim: fajin.Simulation) -> set[str]:
    """Names of the pairs without the paths."""
    return {"|".join(path.rpartition("/")[2] for path in pair.split("|")) for pair in sim.pair}


def test_dominoes_fall_in_turn(scenes):
    """Each passes 30° after the one before it; the first nine lean, the last lies flat; all weights on the ground."""
    sim = start(scenes, "dominoes")
    recording = sim.run(seconds=2.5)
    up = [upright(recording, f"domino{k}") for k in range(10)]
    fell = [int(np.argmax(z < cos(radians(30)))) for z in up]
    assert all(fell)
    assert all(np.diff(fell) > 0)
    lean = [z[-1] for z in up]
    assert all(0.05 < z < 0.5 for z in lean[:-1])
    assert lean[-1] == pytest.approx(0.0, abs=1e-2)
    assert sim.contact_force[0].sum(0)[2] == pytest.approx(10 * 0.1 * G, rel=2e-2)
    assert np.abs(np.asarray(sim.link_velocity)).max() < 1e-2
    assert heights(recording, "domino9")[-1] == pytest.approx(0.01, abs=1e-3)


def upright(recording: fajin.Recording, link: str) -> np.ndarray:
    """Vertical component of a link's z axis over time."""
    x, y = np.asarray(recording.pose[:, 0, recording.link.index(f"/World/{link}"), 3:5], float).T
    return 1.0 - 2.0 * (x**2 + y**2)


def test_a_quadruped_stands_on_its_feet(scenes):
    """Forces of the feet = the weight; knees balance the moments on their shanks, to a convergence of 5 %."""
    sim = start(scenes, "quadruped_standing")
    sensor = fajin.ContactSensor(sim, ".*shank")
    for _ in range(36):
        sim.step(20)
        sensor.update()
    assert sensor.in_contact.all()
    assert sensor.net_forces_w[0, :, 2].min() > 10.0
    assert sensor.net_forces_w[0].sum(0) == pytest.approx((0.0, 0.0, 12.4 * G), abs=1.0)
    assert np.abs(np.asarray(sim.link_velocity)).max() < 1e-2
    for i, leg in enumerate(("front_left", "front_right", "hind_left", "hind_right")):
        pose = np.asarray(sim.link_pose[0, f"/World/quadruped/{leg}/shank"], float)
        down = -rotate(pose[3:], np.array((0.0, 0.0, 1.0)))
        foot, com = down * 0.22 - (0.0, 0.0, 0.03), down * 0.11
        moment = np.cross(foot, sensor.net_forces_w[0, i]) + np.cross(com, (0.0, 0.0, -0.2 * G))
        effort = sim.applied_effort[0, f"/World/quadruped/{leg}/knee"]
        assert effort == pytest.approx(-moment[1], rel=0.05)
    assert sim.link_pose[0, "trunk"][2] == pytest.approx(0.36, abs=0.02)
    assert sim.contacts.gap.min() > -1e-4


def test_a_gripper_lifts_a_cube(scenes):
    """The cube rises with the palm by 0.1 m; friction carries its weight; fingers squeeze it with 500 N/m · 25 mm."""
    sim = start(scenes, "gripper_lift")
    sim.step(720)
    cube, palm = (np.asarray(sim.link_pose[0, name], float) for name in ("cube", "palm"))
    assert cube[2] - 0.03 == pytest.approx(palm[2] - 0.12, abs=1e-3)
    assert cube[2] - 0.03 == pytest.approx(0.1, abs=1e-3)
    assert sim.contact_force[0, "cube"] == pytest.approx((0.0, 0.0, 0.2 * G), abs=0.02)
    for name in ("pad", "tip"):
        force = np.asarray(
            sim.pair_force[0, next(pair for pair in names(sim) if set(pair.split("|")) == {name, "cube"})]
        )
        assert abs(force[0]) == pytest.approx(12.5, rel=0.05)
        assert np.hypot(*force[1:]) < 0.8 * abs(force[0])
    assert not sim.pair_force[0, "cube|ground"].any()
    assert np.abs(np.asarray(sim.link_velocity)).max() < 1e-2


def test_a_go2_stands_on_its_feet(scenes):
    """Forces of the feet = the weight; nothing but the feet touches the ground."""
    sim = start(scenes, "go2_standing", converted=True)
    sim.step(480)
    assert sim.contacts.count.tolist() == [4]
    assert all(pair[0].rpartition("/")[2] in ("FL", "FR", "RL", "RR") for pair in sim.contacts.pair)
    assert np.asarray(sim.contact_force)[0].sum(0) == pytest.approx((0.0, 0.0, 15.2064 * G), abs=1.0)
    assert np.abs(np.asarray(sim.link_velocity)).max() < 2e-2
    assert sim.link_pose[0, "/go2_description/Geometry/base"][2] == pytest.approx(0.331, abs=0.02)
    assert sim.contacts.gap.min() > -1e-4


def test_an_anymal_trots(scenes):
    """A foot on the ground stays there: targets move it by 0.16 m in 0.275 s, by compliance ± 10 %.

    Mean force over whole periods = weight, as the momentum after a period is that before it. Two feet carry at least.
    """
    sim = start(scenes, "anymal_c_trot", converted=True)
    sensor = fajin.ContactSensor(sim, ".*FOOT")
    sim.step(300)  # it has walked for two periods
    trunk, forces, feet = [], [], []
    for _ in range(4 * 120):
        sim.step()
        sensor.update()
        trunk.append(np.asarray(sim.link_pose[0, "/anymal/Geometry/base"], float))
        forces.append(np.asarray(sim.contact_force[0], float).sum(0))
        feet.append(sensor.in_contact[0].sum())
    trunk = np.array(trunk)
    assert trunk[-1, 0] - trunk[0, 0] == pytest.approx(0.16 / 0.275 * 2.0, rel=0.1)
    assert np.abs(trunk[:, 1]).max() < 0.05
    assert np.ptp(trunk[:, 2]) < 0.03
    assert (1.0 - 2.0 * (trunk[:, 3] ** 2 + trunk[:, 4] ** 2)).min() > cos(radians(3.0))
    assert np.mean(forces, 0)[2] == pytest.approx(52.1348 * G, rel=0.01)
    assert np.median(feet) >= 2
    assert sim.contacts.gap.min() > -1e-3


def test_a_conveyor_moves_parcels_and_a_turntable_carries_one_around(scenes):
    """They have the speed of the surface, but for what iterations leave of a fall, g h; the rider circles at ω r."""
    sim = start(scenes, "conveyor")
    sim.step(480)
    parcels = ["first", "second", "third"]
    assert np.abs(sim.root_velocity[0, parcels, :3] - (0.5, 0.0, 0.0)).max() < 0.01 * G * H
    at = sim.link_pose[0, "rider", :2] - (0.0, 1.0)
    assert sim.root_velocity[0, "rider", :2] == pytest.approx(radians(90) * np.array((-at[1], at[0])), abs=0.02)
    assert np.abs(sim.link_pose[0, [*parcels, "rider"], 2] - 0.1).max() < 1e-3
