"""Times and bits of one scene's kernels in Taichi, in machine code from Taichi's text, and in Quadrants, Taichi's fork.

    python tests/kernels/compiler_times.py taichi|machine-code|quadrants SCENE WORLDS STEPS

Quadrants stands in for Taichi under Taichi's name, with the changes of `stand_in` and `hide_dataclasses`: a trial of
what a port takes. Prints processor time of the first step, which compiles where no file has the code, processor time
per step of all worlds on one thread, in the fastest of several launches of STEPS steps, and a checksum of the state.
"""

import contextlib
import hashlib
import importlib
import importlib.abc
import importlib.util
import os
import sys
import time
from dataclasses import asdict

COMPILERS = ("taichi", "machine-code", "quadrants")
ROUNDS = 25  # launches, of which the fastest counts: other programs slow the rest
MOVING = 100  # steps after which robots still move, so that their bits are those of many operations


class QuadrantsAsTaichi(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """An importer that finds Quadrants' modules under Taichi's names."""

    def find_spec(self, name, path=None, target=None):
        """Return the spec of a module of Taichi, None of any other."""
        known = name == "taichi" or name.startswith("taichi.")
        return importlib.util.spec_from_loader(name, self) if known else None

    def create_module(self, spec):
        """Return Quadrants' module."""
        return importlib.import_module("quadrants" + spec.name.removeprefix("taichi"))

    def exec_module(self, module):
        """Leave the module as it is."""


def stand_in() -> None:
    """Let Quadrants be imported as Taichi, without the patches of Taichi's tracing, and with two of Taichi's names."""
    sys.meta_path.insert(0, QuadrantsAsTaichi())
    from quadrants.lang import impl

    kernel = importlib.import_module("quadrants.lang.kernel")  # the package's own `kernel` is a decorator
    type(impl.get_runtime()).prog = property(lambda runtime: runtime._prog)  # None before the start, as Taichi's
    kernel.Kernel.arguments = property(lambda traced: traced.arg_metas)
    from fajin.compiler import taichi_runtime
    from fajin.tables import schedule

    schedule.SCHEDULE_HEADER = Words(schedule.SCHEDULE_HEADER)
    for name in ("fast_imports", "fast_tracing"):
        setattr(taichi_runtime, name, contextlib.nullcontext)
    taichi_runtime.patches_apply = lambda: False


class Words(dict):
    """Words of a table, of which views take their attributes: Quadrants asks each value for attributes of its own."""

    def __missing__(self, name):
        raise AttributeError(name)


class PlainFeatures:
    """Features of a kernel that are no dataclass: Quadrants passes each field of such a template as an argument."""

    def __init__(self, features):
        vars(self).update(asdict(features))
        self._key = tuple(sorted(asdict(features).items()))

    def __hash__(self):
        return hash(self._key)

    def __eq__(self, other):
        return isinstance(other, PlainFeatures) and self._key == other._key


def hide_dataclasses() -> None:
    """Give kernels features that Quadrants takes as one object."""
    from fajin.device.state import State

    features = State._features
    State._features = lambda state: PlainFeatures(features(state))


def measure(scene: str, worlds: int, steps: int) -> str:
    """Return times [s, µs] of a simulation that never sleeps, on one thread, and the checksum of its moving state."""
    import fajin

    sim = fajin.Simulation(fajin.read(scene), worlds=worlds, device="cpu", threads=1, sleeping=False)
    began = time.process_time()
    sim.step(1)
    compiled = time.process_time() - began
    sim.step(MOVING)
    rows = sim.save().rows
    checksum = hashlib.sha256(b"".join(rows[name].tobytes() for name in sorted(rows))).hexdigest()[:16]
    rounds = []
    for _ in range(ROUNDS):
        began = time.process_time()
        sim.step(steps)
        rounds.append(time.process_time() - began)
    return f"first step {compiled:.1f} s, {min(rounds) / steps * 1e6:.2f} µs per step, {checksum}"


def main(compiler: str, scene: str, worlds: str, steps: str) -> None:
    """Print the measurement of a compiler."""
    if compiler not in COMPILERS:
        raise SystemExit(f"{compiler}: must be {', '.join(COMPILERS)}")
    os.environ["FAJIN_MACHINE_CODE"] = str(int(compiler == "machine-code"))
    if compiler == "quadrants":
        stand_in()
        hide_dataclasses()
    print(f"{compiler}, {scene}, {worlds} worlds: {measure(scene, int(worlds), int(steps))}")


if __name__ == "__main__":
    main(*sys.argv[1:])
