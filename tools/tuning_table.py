"""`python -m fajin.tools.tuning_table`: motion of a drive in the simulation, with tuned and with textbook gains.

A flywheel of 1 kg·m² with a force drive under PGS, in double precision; frequency and ratio are measured from the
motion. Under TGS with n position iterations the table is that of a step n times as long.
"""

from itertools import product
from typing import Any

STEPS = (60, 240, 1000)  # per second
FREQUENCIES = (5.0, 20.0, 60.0)  # [rad/s]
RATIOS = (0.2, 0.7)
TARGET = 1.0  # [rad]


def tuning_table() -> Any:
    """Return one row per step and natural frequency: relative errors of the measured motion in percent."""
    from rich.box import MARKDOWN
    from rich.table import Table

    result = Table(box=MARKDOWN)
    columns = ("textbook: ω", "ζ", "tuned: both")
    for column in ("step [s]", "ω [rad/s]", *(f"ζ = {ratio}, {name}" for ratio in RATIOS for name in columns)):
        result.add_column(column, justify="right")
    for rate, frequency in product(STEPS, FREQUENCIES):
        cells = [cell for ratio in RATIOS for cell in both(1.0 / rate, frequency, ratio)]
        result.add_row(f"1/{rate}", f"{frequency:g}", *cells)
    return result


def both(dt: float, frequency: float, ratio: float) -> list[str]:
    """Return the errors of textbook gains in frequency and ratio, and the larger error of tuned gains."""
    from fajin.tuning.gains import Untunable, continuous_gains, gains, largest_step
    from fajin.tuning.plant import Plant

    plant, wanted = Plant(dt, 1.0), (frequency, ratio)
    cells = [f"{x:+.1%}" for x in off(plant, continuous_gains(plant, *wanted), wanted)]
    try:
        worse = max(abs(x) for x in off(plant, gains(plant, *wanted), wanted))
    except Untunable:
        return [*cells, f"dt ≤ {largest_step(plant, *wanted):.3g}"]
    return [*cells, f"{100.0 * worse:.0e} %"]


def off(plant: Any, gains: Any, wanted: tuple[float, float]) -> list[float]:
    """Return the relative errors of frequency and ratio in the simulation."""
    from fajin.tuning.step_response import measured

    q, qd = moved(plant, gains, int(min(10.0 / (wanted[0] * min(wanted[1], 1.0) * plant.dt), 500.0)))
    return [found / wish - 1.0 for found, wish in zip(measured(q - TARGET, qd, plant.dt), wanted, strict=True)]


def moved(plant: Any, gains: Any, steps: int) -> tuple[Any, Any]:
    """Return position and speed after each step."""
    import fajin
    from fajin.scene import Articulation, Axis, Drive, Joint, JointType, Link, Scene

    drive = Drive(plant.type, gains.stiffness, gains.damping, target_q=TARGET)
    joint = Joint("/m/axle", JointType.REVOLUTE, "/m/base", "/m/wheel", axis="Z", axes=(Axis("rotZ", drive=drive),))
    wheel = Link("/m/wheel", angular_damping=0.0, max_angular_velocity=float("inf"))
    machine = Articulation("/m", (Link("/m/base"), wheel), (joint,), fixed_base=True)
    scene = Scene("flywheel", (machine,), (0.0, 0.0, 0.0), plant.dt, plant.solver)
    sim = fajin.Simulation(scene, device="cpu", precision="f64", threads=1, sleeping=False)
    recording = sim.run(steps=max(steps, 10))
    return recording.q[:, 0, 0], recording.qd[:, 0, 0]


if __name__ == "__main__":
    from rich.console import Console

    Console(width=110).print(tuning_table())
