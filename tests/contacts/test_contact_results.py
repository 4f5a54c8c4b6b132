"""Contacts as a user reads them: forces of links and pairs, contact points, statistics, snapshots."""

import numpy as np
import pytest
from bodies_on_ground import MU, G, H, simulation

import fajin
from fajin.simulation.statistics import Statistics

NAMES = ("/World/box|/World/ground", "/World/ball|/World/ground", "/World/sled|/World/ground")
WORLDS = 3
STEPS = 200
"""Steps after which everything rests: 0.83 s."""


@pytest.fixture(scope="module")
def rested() -> fajin.Simulation:
    """Three worlds at rest; in the last one the ball lies beside the box and not on it."""
    sim = simulation(WORLDS)
    poses = np.array(sim.root_pose)
    poses[2, 1, :3] = (0.5, 0.0, 0.05)
    sim.root_pose = poses
    sim.step(STEPS)
    return sim


def test_pairs_are_named_after_their_colliders(rested):
    """Every movable collider may touch every other one; the plane is second."""
    assert set(NAMES) <= set(rested.pair)
    assert len(rested.pair) == 6
    assert set(rested.collider) == {"/World/box", "/World/ball", "/World/sled", "/World/ground"}


def test_contact_forces_carry_the_weights(rested):
    """Net force on a body at rest = m g; the box also feels the ball on it: its own net force is its own weight."""
    net = np.asarray(rested.contact_force)
    assert net.shape == (WORLDS, 3, 3)
    assert net[..., 2] == pytest.approx(np.tile(G * np.array((2.0, 1.0, 3.0)), (WORLDS, 1)), rel=1e-3)
    assert rested.contact_force[:, "box"].shape == (WORLDS, 3)
    assert rested.contact_force[:, "b.*"].shape == (WORLDS, 2, 3)
    assert rested.pair_force[:, "box|ground"][:, 2] == pytest.approx(G * np.array((3.0, 3.0, 2.0)), rel=1e-3)
    assert rested.pair_force[:, NAMES[2]][:, 2] == pytest.approx(3.0 * G, rel=1e-3)
    assert np.abs(rested.pair_force[2, "ball.box|box.ball"]).max() == 0.0


def test_contact_points_lie_where_the_shapes_touch(rested):
    """Four corners of a box and one point of a ball; the impulses along the normals are the pair's force times h."""
    contacts = rested.contacts
    assert contacts.count.tolist() == [9, 9, 9]
    assert len(contacts) == 27
    assert np.abs(contacts.gap).max() < 1e-4
    assert np.linalg.norm(contacts.normal, axis=1) == pytest.approx(1.0, rel=1e-5)
    one = contacts[2]
    assert one.world.tolist() == [2] * 9
    assert one.worlds == (2,)
    mine = (one.pair == ("/World/box", "/World/ground")).all(1)
    assert sorted(map(tuple, one.point[mine].astype(float).round(3).tolist())) == [
        (-0.1, -0.1, 0.0), (-0.1, 0.1, 0.0), (0.1, -0.1, 0.0), (0.1, 0.1, 0.0)
    ]  # fmt: skip
    assert one.normal[mine] == pytest.approx(np.tile((0.0, 0.0, 1.0), (4, 1)), abs=1e-4)
    assert one.impulse[mine].sum() == pytest.approx(2.0 * G * H, rel=1e-3)
    assert len(contacts[[0, 2]]) == 18


def test_normals_point_from_the_second_collider_to_the_first(rested):
    """The ball lies above the box: a pair that begins with the ball has its normal up, else down."""
    one = rested.contacts[0]
    first = next(i for i, pair in enumerate(one.pair.tolist()) if set(pair) == {"/World/ball", "/World/box"})
    up = 1.0 if one.pair[first, 0] == "/World/ball" else -1.0
    assert one.normal[first, 2] == pytest.approx(up, abs=1e-4)
    force = rested.pair_force[0][one.index[first]]
    assert force[2] == pytest.approx(up * G, rel=1e-3)


def test_a_sleeping_body_keeps_the_forces_of_its_last_step(rested):
    """Everything falls asleep; forces and points stay as they were."""
    rested.step(400)
    assert rested.asleep.all()
    assert rested.contact_force[0, :, 2] == pytest.approx(G * np.array((2.0, 1.0, 3.0)), rel=1e-3)
    assert rested.contacts.count.tolist() == [9, 9, 9]


@pytest.mark.parametrize("worlds", [1, WORLDS])
def test_a_snapshot_in_contact_continues_with_equal_bits(worlds):
    """Steps after a snapshot, and steps after its restoration, in other worlds' company."""
    sim = simulation(worlds)
    sim.step(50)
    saved = sim.save()
    sim.step(50)
    before = sim.save()
    sim.load(saved)
    sim.step(50)
    after = sim.save()
    assert before.rows.keys() == after.rows.keys()
    for name, rows in before.rows.items():
        assert np.array_equal(rows, after.rows[name]), name
    sim.load(saved[0], worlds=[worlds - 1], parts=fajin.Part.ALL & ~fajin.Part.CLOCK)
    sim.step(50)
    assert np.array_equal(sim.link_pose[worlds - 1], np.asarray(before.rows["POSE"])[0].reshape(-1, 7)) or worlds == 1


def test_a_reset_forgets_contacts():
    """A simulation after a reset, in one world of three, steps with the bits of a new one."""
    sim, fresh = simulation(WORLDS), simulation(WORLDS)
    sim.step(60)
    sim.reset(worlds=[1])
    sim.step(60)
    fresh.step(60)
    assert np.array_equal(sim.link_pose[1], fresh.link_pose[1])
    assert np.array_equal(sim.pair_force[1], fresh.pair_force[1])


def test_a_copy_of_the_state_continues_with_equal_bits():
    """Contacts are part of the copied state of a simulation with the same pairs; nothing sleeps before 0.4 s."""
    sim, other = simulation(), simulation(WORLDS)
    sim.step(60)
    assert not other.copy_state_from(sim).gone
    sim.step(20)
    other.step(20)
    assert np.array_equal(other.link_pose[1], sim.link_pose[0])


def test_a_sensor_measures_times_in_the_air_and_in_contact():
    """The ball falls 0.2 m on the box: √(2 · 0.2 m / g) = 0.202 s in the air; the box is in contact all the time."""
    sim = simulation()
    sensor = fajin.ContactSensor(sim, "ball|box", force_threshold=0.5)
    assert sensor.links == ("/World/box", "/World/ball")
    landed = None
    for step in range(1, 101):
        sim.step()
        sensor.update()
        if sensor.compute_first_contact(H)[0, 1]:
            landed = step * H
    fall = (2 * 0.2 / G) ** 0.5
    assert landed == pytest.approx(fall, abs=2.5 * H)
    assert sensor.last_air_time[0, 1] == pytest.approx(landed, abs=1e-9)
    assert sensor.current_contact_time[0, 1] == pytest.approx(100 * H - landed + H, abs=1e-9)
    assert sensor.current_contact_time[0, 0] == pytest.approx(100 * H, abs=1e-9)
    assert not sensor.current_air_time.any()
    assert sensor.net_forces_w[0, :, 2] == pytest.approx((2 * G, G), rel=1e-2)
    sim.root_pose[0, 1, 2] = 1.0
    sim.step()
    sensor.update()
    assert sensor.compute_first_air(H)[0].tolist() == [False, True]
    assert sensor.last_contact_time[0, 1] == pytest.approx(100 * H - landed + 2 * H, abs=1e-9)
    sensor.reset()
    assert not sensor.current_contact_time.any()


def test_a_sensor_refuses_a_negative_threshold():
    """A force threshold is finite and not negative."""
    with pytest.raises(ValueError, match=r"force_threshold = -1.0: must be finite and not negative"):
        fajin.ContactSensor(simulation(), force_threshold=-1.0)


def test_a_sensor_needs_a_collider():
    """Without one its forces would be 0 for ever."""
    sim = simulation()
    assert repr(fajin.ContactSensor(sim, "ball")) == "<ContactSensor of 1 link in 1 world, force_threshold 1 N>"
    bare = fajin.Simulation(sim._state.model.scene, contacts=False)
    with pytest.raises(ValueError, match="must have a collider"):
        fajin.ContactSensor(bare, "ball")


def test_statistics_count_contacts_of_links():
    """Slip of the sled: v²/(2 μ g); time in contact; peak force of the ball's impact; what sleeps stays in contact."""
    sim = simulation(WORLDS)
    counted = Statistics(sim)
    sim.step(STEPS)
    steps, slip, peak, depth = (
        counted[name] for name in ("CONTACT_STEPS", "SLIP_DISTANCE", "PEAK_CONTACT_FORCE", "PENETRATION")
    )
    assert steps[0, [0, 2]].tolist() == [STEPS, STEPS]
    near = 0.2 - 0.04  # [m] a contact exists from the sum of the contact offsets on
    assert steps[0, 1] == pytest.approx(STEPS - (2 * near / G) ** 0.5 / H, abs=2)
    assert slip[0, 2] == pytest.approx(1.0 / (2 * MU * G), abs=1.5 * H)
    assert slip[0, :2].max() < 1e-3
    assert peak[0, 1] > (2 * G * 0.2) ** 0.5 / H * 0.5
    assert peak[0, 2] == pytest.approx(3 * G * (1 + MU**2) ** 0.5, rel=1e-2)
    assert depth.max() < 1e-2
    assert np.array_equal(steps[0], steps[2])


def test_bodies_fall_through_the_ground_without_contacts():
    """z = z0 - g t²/2, to the order of the step."""
    sim = simulation(contacts=False)
    sim.step(48)
    assert sim.pair == ()
    assert len(sim.contacts) == 0
    assert sim.contacts.count.tolist() == [0]
    assert not np.asarray(sim.contact_force).any()
    assert np.asarray(sim.contact_force).shape == (1, 3, 3)
    assert sim.link_pose[0, 0, 2] == pytest.approx(0.1 - G * 0.2**2 / 2, abs=G * 0.2 * H)


def test_events_have_begin_end_and_peak_force():
    """A ball that falls h lands after √(2 h/g) and presses most at its landing; what stands touches always."""
    sim = simulation(2)
    events = fajin.ContactEvents(sim)
    for _ in range(120):
        sim.step()
        events.update()
    table, (landed,) = events.table, [k for k, name in enumerate(sim.pair) if "ball" in name and "box" in name]
    mine = table[(table["pair"] == landed) & (table["world"] == 1)]
    near, there = np.sqrt(2.0 * (0.2 - 0.05) / G), np.sqrt(2.0 * 0.2 / G)  # points exist within the contact offsets
    assert near < mine["begin"][0] < there + H
    assert mine["peak_force"][0] > 5.0 * G
    assert ((table["begin"] == table["begin"][0]) & table["lasts"]).sum() == 2 * 2  # box and sled stand, in two worlds
    assert (np.diff(table["begin"]) >= 0.0).all()
    events.reset([1])
    assert set(events.table["world"]) == {0}


def test_events_need_a_pair():
    with pytest.raises(ValueError, match="must have a pair of colliders"):
        fajin.ContactEvents(simulation(contacts=False))
