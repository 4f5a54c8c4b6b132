"""Times of a fit of a Franka by `fajin.fit` and by `mujoco.sysid`: `python tests/fit/sysid_times.py`.

Needs `pip install 'mujoco[sysid]'`. Both fit the same 20 values, from 2.5 times the truth, to logs of 5 s at 500 Hz
that each engine makes itself, with white noise of 0.1 mrad by three seeds. One thread, processor time, interleaved.
fajin fits the starts of the logs, too; sysid is given them.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
from arm import fourier, record
from mujoco import rollout, sysid

import fajin
from fajin.fit import FitOptions, fit_logs
from fajin.scene import SolverType
from fajin.scene.overrides import with_iterations

ROBOTS = Path(__file__).parents[2] / "tools" / "bench" / "robots"
DT, SIGMA, WRONG = 1.0 / 500.0, 1e-4, 2.5
POSE = np.array([0.0, 0.0, 0.0, -1.6, 0.0, 2.0, 0.0, 0.02, 0.02])  # the last two are fingers [m]
SIZES = {
    "armature": (0.3, 0.3, 0.25, 0.25, 0.1, 0.1, 0.08),
    "viscous": (3.0, 3.0, 3.0, 3.0, 1.5, 1.5, 1.0),
    "coulomb": (3.0, 3.0, 2.0, 2.0, 1.0, 1.0),
}
TRUTH = {f"fr3_joint{i + 1}:{name}": value for name, values in SIZES.items() for i, value in enumerate(values)}
OF_MUJOCO = {"armature": "armature", "viscous": "damping", "coulomb": "frictionloss"}


def main() -> None:
    """Print processor time and largest relative error of both, for each seed."""
    motion = targets()
    fits = {"fajin": by_fajin(motion), "sysid": by_sysid(motion)}
    for seed in (1, 2, 3):
        for name, fit in fits.items():
            start = time.process_time()
            found = fit(seed)
            seconds = time.process_time() - start
            worst = max(abs(found[key] / value - 1.0) for key, value in TRUTH.items())
            print(f"{name}, seed {seed}: {seconds:.2f} s, largest error {100.0 * worst:.2f} %", flush=True)


def targets() -> tuple[np.ndarray, np.ndarray]:
    """Return times and targets (T, 9): Fourier series of 0.5 rad, and of 10 mm for the fingers."""
    times, moved = fourier(5.0, DT, joints=9)
    fingers = moved[:, 7:] - moved[:, 7:].mean(0)
    moved[:, 7:] = 0.01 * fingers / np.abs(fingers).max(0)
    return times, POSE + moved


def by_fajin(motion: tuple[np.ndarray, np.ndarray]) -> Callable[[int], dict[str, float]]:
    """Return a fit by fajin of a seed's log; the log is made beforehand."""
    scene = replace(fajin.read(ROBOTS / "franka.usda"), dt=DT, solver=SolverType.PGS)
    scene = with_iterations(scene, 4, 1)
    logs = {seed: record(scene, TRUTH, motion, SIGMA, seed) for seed in (1, 2, 3)}
    start = {key: WRONG * value for key, value in TRUTH.items()}
    options = FitOptions(hold_back=False, threads=1, start=start, starts=True)

    def fit(seed: int) -> dict[str, float]:
        found = fit_logs(scene, [logs[seed]], list(TRUTH), options=options)
        return {one.name: one.value for one in found.values}

    return fit


def by_sysid(motion: tuple[np.ndarray, np.ndarray]) -> Callable[[int], dict[str, float]]:
    """Return a fit by `mujoco.sysid` of a seed's log; the log is made beforehand."""
    spec, true = mujoco.MjSpec.from_string(description()), mujoco.MjSpec.from_string(description())
    for key, value in TRUTH.items():
        write(true, key, value)
    model = true.compile()
    data = mujoco.MjData(model)
    data.qpos[:] = motion[1][0]
    start = sysid.create_initial_state(model, data.qpos, data.qvel, data.act)
    state, clean = (np.squeeze(x, 0) for x in rollout.rollout(model, data, start, motion[1][:-1]))
    commands = sysid.TimeSeries(motion[0], motion[1])

    def fit(seed: int) -> dict[str, float]:
        noisy = clean + SIGMA * np.random.default_rng(seed).normal(size=clean.shape)
        measured = sysid.TimeSeries.from_names(state[:, 0], noisy, model)
        asked = sysid.ParameterDict()
        for key, value in TRUTH.items():
            bounds = {"min_value": 1e-4 * value, "max_value": 20.0 * value}
            asked.add(sysid.Parameter(key, nominal=value, modifier=modifier(key), **bounds))
            asked[key].value[:] = WRONG * value
        sequences = sysid.ModelSequences("franka", spec, "log", start, commands, measured)
        residual = sysid.build_residual_fn(models_sequences=[sequences], n_threads=1)
        found, _ = sysid.optimize(initial_params=asked, residual_fn=residual, optimizer="mujoco", verbose=False)
        return {key: float(found[key].value[0]) for key in TRUTH}

    return fit


def description() -> str:
    """Return the Franka of MuJoCo with the step of the fit and a sensor per joint."""
    names = [f"fr3_joint{i}" for i in range(1, 8)] + ["fr3_finger_joint1", "fr3_finger_joint2"]
    sensors = "".join(f'<jointpos name="p_{name}" joint="{name}"/>' for name in names)
    text = (ROBOTS / "franka.xml").read_text().replace('timestep="0.005"', f'timestep="{DT}"')
    return text.replace("</actuator>", f"</actuator><sensor>{sensors}</sensor>")


def modifier(key: str) -> Callable:
    """Return a function that writes a parameter of sysid."""
    return lambda spec, parameter: write(spec, key, float(parameter.value[0]))


def write(spec: mujoco.MjSpec, key: str, value: float) -> None:
    """Write a value such as "fr3_joint1:armature"; the damping of some versions is a polynomial."""
    name, _, quantity = key.partition(":")
    joint, attribute = spec.joint(name), OF_MUJOCO[quantity]
    old = getattr(joint, attribute)
    setattr(joint, attribute, np.array([value, *np.asarray(old)[1:]]) if np.ndim(old) else value)


if __name__ == "__main__":
    main()
