"""Read-outs: fields to the bit, quantities of roots, sums over steps, and contacts of every step."""

from dataclasses import replace

import numpy as np
import pytest
from bodies_on_ground import H, ball, cube, ground, scene
from paths import SCENES

import fajin
from fajin.quaternion import conjugate, rotate

ROUND = 16 * np.finfo(np.float32).eps
WORLDS = 20
DROPS = 120
"""Steps in which the ball bounces on the box, and all comes to rest."""


def robots() -> fajin.Simulation:
    """Quadrupeds that stand, and whose joints move as random targets have it."""
    found = fajin.read(SCENES / "quadruped_standing.usda")
    return fajin.Simulation(found, WORLDS, "cpu", threads=1, copies=False)


def targets(sim: fajin.Simulation, seed: int) -> np.ndarray:
    return sim.read("target_q") + np.random.default_rng(seed).normal(0.0, 0.3, (WORLDS, len(sim.dof)))


def bouncing() -> fajin.Simulation:
    """A box, a sled, and a ball that bounces on the box; they fall asleep. The third world's ball falls higher."""
    bodies = [cube("box", 0.1, 2.0, (0.0, 0.0, 0.1)), ball("ball", 0.05, 1.0, (0.0, 0.0, 0.3), 0.5)]
    first = replace(
        scene(),
        articulations=tuple(body for body, _ in bodies),
        colliders=(ground(), *(shape for _, shape in bodies)),
    )
    sim = fajin.Simulation(first, 3, "cpu", threads=1, copies=False)
    sim.root_pose[2, 1] = (0.0, 0.0, 0.35, 0.0, 0.0, 0.0, 1.0)
    return sim


def test_fields_are_those_of_the_simulation_to_the_bit():
    """All columns, and some in another order."""
    sim = robots()
    readout, order = fajin.Readout(sim), np.arange(len(sim.dof))[::-2]
    names = ("q", "qd", "qdd", "applied_effort", "root_velocity", "root_pose")
    rows = {name: readout.add(name) for name in names}
    backwards = readout.add("qd", order)
    sim.write("target_q", targets(sim, 0))
    sim.step(7)
    readout.update()
    for name in names:
        assert np.array_equal(readout.values[rows[name]].T, sim.read(name).reshape(WORLDS, -1))
    assert np.array_equal(readout.values[backwards].T, sim.read("qd")[:, order])


def test_velocity_and_gravity_are_in_axes_of_the_root():
    sim = robots()
    sim.root_velocity = np.random.default_rng(0).normal(size=(WORLDS, 1, 6))
    readout = fajin.Readout(sim)
    velocity, gravity = readout.add("root_velocity_b"), readout.add("projected_gravity_b")
    sim.step(20)
    readout.update()
    back = conjugate(sim.read("root_pose")[:, 0, 3:].astype(float))
    world = sim.read("root_velocity")[:, 0].astype(float)
    expected = np.concatenate([rotate(back, world[:, :3]), rotate(back, world[:, 3:])], 1)
    assert np.abs(readout.values[velocity].T - expected).max() <= ROUND * np.abs(expected).max()
    assert np.abs(readout.values[gravity].T - rotate(back, np.array([[0.0, 0.0, -1.0]]))).max() <= ROUND


def test_sums_are_over_the_steps_of_one_call():
    """Also where a value that holds for two steps splits the launch; what is monitored changes no bit of the motion."""
    sim, alone = robots(), robots()
    readout = fajin.Readout(sim)
    rows = [readout.add(name) for name in ("squared_effort", "absolute_power")]
    for call in range(3):
        expected = np.zeros((2, WORLDS, len(sim.dof)))
        for each in (sim, alone):
            each.write("target_q", targets(each, call))
            each.write("effort", np.full((WORLDS, len(sim.dof)), 0.5), steps=2)
        sim.step(5)
        for _ in range(5):
            alone.step()
            effort, qd = (alone.read(name).astype(float) for name in ("applied_effort", "qd"))
            expected += [effort**2, np.abs(effort * qd)]
        readout.update()
        for row, sums in zip(rows, expected, strict=True):
            assert np.abs(readout.values[row].T - sums).max() <= ROUND * sums.max()
        assert np.array_equal(sim.read("q"), alone.read("q"))


def net_forces(sim: fajin.Simulation, colliders: tuple[str, ...]) -> np.ndarray:
    """Net forces of the last step from those of the pairs, (W, C, 3)."""
    total, forces = np.zeros((sim.worlds, len(colliders), 3), np.float32), sim.read("pair_force")
    for k, pair in enumerate(sim.pair):
        for side, sign in zip(pair.split("|"), (1, -1), strict=True):
            if side in colliders:
                total[:, colliders.index(side)] += sign * forces[:, k]
    return total


def times_after(before: np.ndarray, touches: np.ndarray) -> np.ndarray:
    """Air time, last air time, contact time and last contact time after a step, each (W, C)."""
    air, last_air, contact, last_contact = before
    return np.stack([
        np.where(touches, 0.0, air + H), np.where(touches & (air > 0.0), air + H, last_air),
        np.where(touches, contact + H, 0.0), np.where(~touches & (contact > 0.0), contact + H, last_contact),
    ])  # fmt: skip


def test_contacts_are_those_of_every_step():
    """Forces, their largest, and times of calls of five steps are those of a twin's single steps.

    What falls asleep keeps the force of the step before.
    """
    sim, twin = bouncing(), bouncing()
    readout = fajin.Readout(sim, force_threshold=0.5)
    names = ("current_air_time", "last_air_time", "current_contact_time", "last_contact_time")
    net, peak, *times = (readout.add(name) for name in ("net_force", "peak_force", *names))
    assert readout.collider == ("/World/box", "/World/ball")
    expected, forces, bounced = np.zeros((4, 3, 2)), np.zeros((3, 2, 3), np.float32), False
    for _ in range(DROPS):
        largest = np.zeros((3, 2))
        for _ in range(5):
            twin.step()
            forces = np.where(twin.asleep[..., None], forces, net_forces(twin, readout.collider))
            sizes = np.linalg.norm(forces, axis=-1)
            largest = np.maximum(largest, sizes)
            expected = times_after(expected, sizes > 0.5)
        sim.step(5)
        readout.update()
        found = readout.values
        assert np.abs(found[net].T.reshape(forces.shape) - forces).max() <= ROUND * max(1.0, np.abs(forces).max())
        assert np.abs(found[peak].T - largest).max() <= ROUND * max(1.0, largest.max())
        for rows, time in zip(times, expected, strict=True):
            assert np.abs(found[rows].T - time).max() <= sim.steps * np.finfo(np.float32).eps * sim.time
        bounced |= bool((largest > 4.0 * sizes.max()).any())
    assert bounced
    assert sim.asleep.all()
    assert (expected[2] > 0.5).all()


def test_parts_of_a_prim_are_one_collider():
    """A cube of two halves that lie beside each other carries its weight with both."""
    body, whole = cube("box", 0.1, 2.0, (0.0, 0.0, 0.1))
    halves = [replace(whole, half_extents=(0.05, 0.1, 0.1), pose=((x, 0.0, 0.0), whole.pose[1])) for x in (-0.05, 0.05)]
    sim = fajin.Simulation(replace(scene(), articulations=(body,), colliders=(ground(), *halves)), 3, "cpu", threads=1)
    readout = fajin.Readout(sim)
    force = readout.add("net_force", readout.colliders("box"))
    sim.step(60)
    readout.update()
    assert readout.values[force, 2] == pytest.approx([0.0, 0.0, 2.0 * 9.81], abs=2e-3 * 2.0 * 9.81)


def test_a_world_that_is_not_finite_is_named_and_others_go_on():
    sim = robots()
    readout = fajin.Readout(sim)
    finite, q = readout.add("finite"), readout.add("q")
    force = sim.read("force")
    force[7] = 1e38
    sim.write("force", force)
    sim.step(20)
    readout.update()
    assert np.flatnonzero(readout.values[finite][0] == 0.0).tolist() == [7]
    assert np.isfinite(np.delete(readout.values[q], 7, 1)).all()
    sim.write("force", np.zeros_like(force))
    sim.reset([7])
    readout.reset([7])
    sim.step()
    readout.update([7])
    assert (readout.values[finite] == 1.0).all()


def test_a_reset_and_an_update_of_some_worlds_leave_the_others():
    """An update reads what lies in one pack with these worlds, too; that has not changed."""
    sim = robots()
    readout = fajin.Readout(sim)
    q, power = readout.add("q"), readout.add("absolute_power")
    sim.write("target_q", targets(sim, 0))
    sim.step(10)
    readout.update()
    before = readout.values.copy()
    sim.reset([3, 18])
    readout.reset([3, 18])
    readout.update([3, 18])
    others = np.delete(np.arange(WORLDS), [3, 18])
    assert np.array_equal(readout.values[:, others], before[:, others])
    assert np.array_equal(readout.values[q, 3], robots().read("q")[3])
    assert not readout.values[power][:, [3, 18]].any()


def test_wrong_names_are_refused_in_one_line():
    sim = robots()
    readout = fajin.Readout(sim)
    for action, error, word in (
        (lambda: readout.add("qq"), KeyError, "must be one of q, qd"),
        (lambda: readout.add("q", np.array([99])), IndexError, "99"),
        (lambda: readout.colliders("hand"), KeyError, "must match a collider of a body: "),
        (lambda: readout.colliders("("), ValueError, "must be a regular expression"),
        (lambda: readout.update([WORLDS]), IndexError, str(WORLDS)),
        (lambda: fajin.Readout(sim, -1.0), ValueError, "force_threshold = -1.0: must be finite and not negative"),
    ):
        with pytest.raises(error) as found:
            action()
        assert word in str(found.value)
        assert "\n" not in str(found.value)


def test_copies_in_lanes_are_refused():
    """The message names the option that helps."""
    many = fajin.replicate(fajin.read(SCENES / "pendulum.usda"), 40)
    with pytest.raises(ValueError, match="pass copies=False"):
        fajin.Readout(fajin.Simulation(many, 1, "cpu", threads=1))
    fajin.Readout(fajin.Simulation(many, 1, "cpu", threads=1, copies=False)).add("q")
