"""Explicit actuators against their law in NumPy: efforts of every step, from the state at its start."""

from collections import deque
from dataclasses import replace

import numpy as np
import pytest
from one_joint import simulate, slider, wheel

import fajin
from fajin.scene import Actuator, Drive, InvalidScene, Scene, SolverType

H = 0.01
EPS = np.finfo(np.float64).eps
MOTOR = Actuator(saturation_effort=8.0, max_motor_effort=5.0, no_load_speed=3.0)
LAWS = {
    "pd": Actuator(),
    "pid": Actuator(integral_gain=30.0),
    "anti-windup": Actuator(integral_gain=30.0, integral_max=0.004),
    "constant": Actuator(constant_effort=1.5),
    "dc-motor": MOTOR,
    "by-position": Actuator(bound_positions=(-0.2, 0.1, 0.3, 0.5), bound_efforts=(1.0, 6.0, 3.0, 0.5)),
    "delay-1": Actuator(delay=1),
    "delay-7": Actuator(delay=7, integral_gain=5.0),
    "all": replace(MOTOR, integral_gain=20.0, delay=3, bound_positions=(0.0, 1.0), bound_efforts=(2.0, 7.0)),
}


class Twin:
    """The law of an actuator of one world."""

    def __init__(self, drive: Drive):
        self.drive, self.law, self.integral = drive, drive.actuator, 0.0
        self.held: deque = deque(maxlen=self.law.delay or 1)

    def effort(self, q: float, qd: float, command: tuple[float, float, float]) -> float:
        """Return the effort of a step; `command` has target position, target velocity and user effort."""
        used = self.held[0] if self.held and self.law.delay else command
        self.held.append(command)
        error, law = used[0] - q, self.law
        self.integral = float(np.clip(self.integral + error * H, -law.integral_max, law.integral_max))
        effort = law.constant_effort + used[2] + self.drive.stiffness * error
        effort += law.integral_gain * self.integral + self.drive.damping * (used[1] - qd)
        if np.isfinite(law.no_load_speed):
            corner = law.no_load_speed * (1.0 + law.max_motor_effort / law.saturation_effort)
            speed = np.clip(qd, -corner, corner) / law.no_load_speed
            low = max(law.saturation_effort * (-1.0 - speed), -law.max_motor_effort)
            effort = np.clip(effort, low, min(law.saturation_effort * (1.0 - speed), law.max_motor_effort))
        if law.bound_positions:
            bound = np.interp(q, law.bound_positions, law.bound_efforts)
            effort = np.clip(effort, -bound, bound)
        return float(np.clip(effort, -self.drive.max_force, self.drive.max_force))


def commands(steps: int, worlds: int) -> np.ndarray:
    """Random targets that change every third step, and user efforts: (steps, worlds, 3)."""
    rng = np.random.default_rng(7)
    return np.repeat(rng.normal(size=(-(-steps // 3), worlds, 3)) * (0.6, 1.0, 2.0), 3, 0)[:steps]


def compare(sim: fajin.Simulation, drive: Drive, given: np.ndarray, tolerance: float) -> None:
    """Check the efforts of every step of every world against the law."""
    twins = [Twin(drive) for _ in range(sim.worlds)]
    for targets in given:
        q, qd = sim.q[:, 0], sim.qd[:, 0]
        sim.target_q, sim.target_qd, sim.effort = (targets[:, [i]] for i in range(3))
        wanted = [twin.effort(q[w], qd[w], tuple(targets[w])) for w, twin in enumerate(twins)]
        sim.step()
        np.testing.assert_allclose(sim.applied_effort[:, 0], wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("solver", list(SolverType), ids=lambda solver: solver.name)
@pytest.mark.parametrize("law", LAWS)
def test_efforts_equal_the_law(law, solver):
    """The sums and products of the law differ by some tens of roundings of numbers below 100."""
    drive = Drive(stiffness=40.0, damping=3.0, max_force=9.0, actuator=LAWS[law])
    machine = (slider if law != "pid" else wheel)(0.7, drive=drive, q=0.05, qd=2.5)
    compare(simulate(machine, solver=solver, dt=H), drive, commands(40, 1), 100 * 100 * EPS)


def test_worlds_of_a_pack_have_their_own_integrals_and_commands():
    drive = Drive(stiffness=40.0, damping=3.0, max_force=9.0, actuator=LAWS["all"])
    scene = Scene("machine", (slider(0.7, drive=drive),), gravity=(0.0, 0.0, 0.0), dt=H)
    sim = fajin.Simulation(scene, worlds=20, device="cpu", threads=1)
    compare(sim, drive, commands(30, 20), 100 * 100 * np.finfo(np.float32).eps)


def test_an_undelayed_pd_actuator_tends_to_its_drive():
    """Explicit and implicit laws differ by O(h): half the step, half the difference."""

    def difference(h: float) -> float:
        ends = []
        for actuator in (None, Actuator()):
            drive = Drive(stiffness=40.0, damping=3.0, target_q=0.5, actuator=actuator)
            sim = simulate(slider(drive=drive), dt=h, solver=SolverType.TGS)
            sim.step(round(0.4 / h))
            ends.append(sim.q[0, 0])
        return abs(ends[1] - ends[0])

    assert difference(0.001) / difference(0.0005) == pytest.approx(2.0, rel=0.1)


def test_reset_forgets_integrals_and_held_commands():
    drive = Drive(stiffness=40.0, target_q=1.0, actuator=LAWS["delay-7"])
    sim = simulate(slider(drive=drive), dt=H)
    first = sim.run(20 * H).q
    sim.reset()
    np.testing.assert_array_equal(sim.run(20 * H).q, first)


def test_a_snapshot_continues_to_the_bit():
    drive = Drive(stiffness=40.0, target_q=1.0, actuator=LAWS["all"])
    sim = simulate(slider(drive=drive), dt=H)
    sim.step(10)
    saved = sim.save()
    after = sim.run(20 * H).q
    sim.load(saved)
    np.testing.assert_array_equal(sim.run(20 * H).q, after)


@pytest.mark.parametrize(
    ("actuator", "field"),
    [
        (Actuator(delay=-1), "delay"),
        (Actuator(integral_gain=-1.0), "integral_gain"),
        (Actuator(constant_effort=np.inf), "constant_effort"),
        (Actuator(no_load_speed=-1.0), "no_load_speed"),
        (Actuator(bound_positions=(1.0, 0.0), bound_efforts=(1.0, 1.0)), "bound_positions"),
        (Actuator(bound_positions=(0.0,), bound_efforts=(-1.0,)), "bound_efforts"),
        (Actuator(bound_positions=(0.0,)), "bound_efforts"),
    ],
)
def test_an_undefined_law_is_refused(actuator, field):
    with pytest.raises(InvalidScene, match=f"drive.actuator.{field}"):
        simulate(slider(drive=Drive(actuator=actuator)))
