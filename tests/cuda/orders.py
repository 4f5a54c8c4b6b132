"""Motions of scenes with threads side by side in many orders: python orders.py '{"paths": …, "orders": …}' OUT.npz

$FAKE_CUDA_ORDER seeds the first order; every launch has another one.
"""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from motion import refuse_warnings

READ = ("q", "qd", "link_pose", "link_velocity", "lost_pairs")


def motions(sim, orders: int, steps: int) -> dict[str, np.ndarray]:
    """State after each of three launches of so many steps, (orders, launches, …) by the name of the quantity.

    Each world begins with speeds of its own, of joints and of roots that are not fixed, from which it starts so many
    times.
    """
    random = np.random.default_rng(0)
    speeds = random.normal(0.0, 0.2, np.array(sim.root_velocity).shape) * sim._fields.columns.floats[:, None]
    rates = random.normal(0.0, 0.2, np.array(sim.qd).shape)
    numbers: dict[str, list] = {name: [] for name in READ}
    for _ in range(orders):
        sim.reset()
        sim.root_velocity, sim.qd = speeds, rates
        for _ in range(3):
            sim.step(steps)
            for name in READ:
                numbers[name].append(np.array(getattr(sim, name)))
    return {name: np.array(rows).reshape(orders, 3, *rows[0].shape) for name, rows in numbers.items()}


def on_cuda(paths: list[str], worlds: int, orders: int, steps: int, laws: list[str], slots: int | None = None) -> dict:
    """The motions on CUDA by the number of a scene and the quantity.

    Scenes share a kernel, which has more laws than each needs.
    """
    import fajin
    from fajin.device.state import State

    refuse_warnings()
    own = State._features
    State._features = lambda state: replace(own(state), **dict.fromkeys(laws, True))
    numbers = {}
    for i, path in enumerate(paths):
        print(f"scene {path}", file=sys.stderr, flush=True)  # in which a race ends this process
        sim = fajin.Simulation(fajin.read(path), worlds, "cuda", contact_slots=slots)
        assert sim._state.sleeps or "sleeps" not in laws  # else its scratch has no copy of the state
        numbers |= {f"{i} {name}": rows for name, rows in motions(sim, orders, steps).items()}
    return numbers


def motions_apart(out: Path, env: dict[str, str], **arguments) -> dict[str, np.ndarray]:
    """`on_cuda` in a process with that environment."""
    command = [sys.executable, __file__, json.dumps(arguments), str(out)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{command}: exit code {done.returncode}: {done.stderr[-2000:]}")
    return dict(np.load(out))


if __name__ == "__main__":
    np.savez(sys.argv[2], **on_cuda(**json.loads(sys.argv[1])))
