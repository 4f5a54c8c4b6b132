"""A type of constraint is one entry: prepared before an iteration, solved in each, reported after the last."""

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

PENDULUM = Path(__file__).parents[1] / "recorded" / "joints" / "scenes" / "a05_pendulum_paxes.usda"
PROGRAM = """
import sys
from dataclasses import replace

import taichi as ti

import fajin
from fajin import compiler
from fajin import device as devices
from fajin.scene import SolverType

devices.start_device.runs_machine_code = lambda: False  # compiled here, where the types are changed
place = devices.start("cpu", "f32", threads=1, worlds=1)
types = compiler.load_physics(place, "constraint_types")


@ti.func
def prepare(w: ti.template(), a, params):
    w.node[1].mimic_impulse = 1.0  # a row that no mimic joint uses here


@ti.func
def solve(w: ti.template(), a, iteration):
    w.node[1].mimic_impulse += 1.0


@ti.func
def report(w: ti.template(), a, params):
    w.results.mimic_effort[0] = w.node[1].mimic_impulse


counts = types.ConstraintType(None, prepare, solve, report)
island, step = (compiler.load_physics(place, file) for file in ("island", "step"))
island.ARTICULATION_TYPES = step.ARTICULATION_TYPES = (counts, *types.ARTICULATION_TYPES)

scene = replace(fajin.read(sys.argv[1]), solver=SolverType.PGS)
articulations = [replace(a, position_iterations=5, velocity_iterations=2) for a in scene.articulations]
sim = fajin.Simulation(replace(scene, articulations=tuple(articulations)), device="cpu", threads=1, sleeping=False)
q = float(sim.q[0, 0])
sim.step(3)
print(float(sim.mimic_effort[0, 0]), float(sim.q[0, 0]) != q)
"""


@pytest.mark.slow
def test_a_type_is_prepared_solved_and_reported(tmp_path, monkeypatch):
    """Once per step, once per iteration (5 + 2) and once in the step that writes results: 1 + 7."""
    monkeypatch.delenv("PYTHONPATH")  # the small kernel of this scene instead of a shared one
    program = tmp_path / "counts.py"  # a file: Taichi reads the source of what it compiles
    program.write_text(dedent(PROGRAM))
    done = subprocess.run([sys.executable, str(program), str(PENDULUM)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[-2:] == ["8.0", "True"]
