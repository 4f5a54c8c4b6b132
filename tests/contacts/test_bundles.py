"""Bundles: pairs of one world that no body shares are solved at once, with the bits of pairs solved one by one."""

import numpy as np
import pytest
from bodies_on_ground import cube, ground

import fajin
from fajin.compiler.machine_code import runs_machine_code
from fajin.device.contact_slots import ContactSlots
from fajin.scene import Scene, SolverType
from fajin.tables.bundles import BUNDLE_LANES, BUNDLE_NUMBERS, BUNDLE_SCRATCH, LEAST_PAIRS
from fajin.tables.topology import HEADER

pytestmark = pytest.mark.skipif(not runs_machine_code(), reason="bundles are machine code's")
SIDE, LAYERS, STEPS = 5, 3, 60


def stacks(solver: SolverType) -> Scene:
    """Stacks of cubes side by side, some of which stand askew and lean on the next one."""
    random = np.random.default_rng(7)
    bodies, shapes = [], [ground()]
    for number, (layer, row, column) in enumerate(np.ndindex(LAYERS, SIDE, SIDE)):
        shift = random.uniform(-0.01, 0.01, 2)
        place = (0.11 * column + shift[0], 0.11 * row + shift[1], 0.05 + 0.101 * layer)
        robot, shape = cube(f"b{number}", 0.05, 1.0, place)
        bodies.append(robot)
        shapes.append(shape)
    return Scene("", tuple(bodies), colliders=tuple(shapes), solver=solver)


def moved(scene: Scene) -> tuple[np.ndarray, fajin.Simulation]:
    """Return poses and contact forces after some steps, and the simulation."""
    sim = fajin.Simulation(scene, dt=1 / 240, sleeping=False)
    sim.step(STEPS)
    return np.concatenate([sim.root_pose.ravel(), sim.root_velocity.ravel()]), sim


def bundles_of(sim: fajin.Simulation) -> list[np.ndarray]:
    """Return the rows of the bundles of the last step, (rows, lanes)."""
    scratch, at = np.asarray(sim._state.array("scratch")).ravel(), sim._state.layout.header()[HEADER.index("BUNDLES")]
    found = []
    for number in range(sim._state.slots.bundles):
        rows = scratch[at + number * BUNDLE_NUMBERS :][:BUNDLE_NUMBERS].reshape(-1, BUNDLE_LANES)
        if rows[0, 0] < 0:
            break
        found.append(rows)
    return found


@pytest.mark.parametrize("solver", [SolverType.PGS, SolverType.TGS])
def test_bundles_have_the_bits_of_single_pairs(monkeypatch, solver):
    """The order of pairs without a common body does not matter, and lanes compute what numbers do."""
    together, sim = moved(stacks(solver))
    assert bundles_of(sim)
    whole = ContactSlots.__init__

    def without_bundles(slots, *args, **kwargs):
        whole(slots, *args, **kwargs)
        slots.bundles = 0

    monkeypatch.setattr(ContactSlots, "__init__", without_bundles)
    apart, sim = moved(stacks(solver))
    assert sim._state.slots.bundles == 0
    np.testing.assert_array_equal(together, apart)


def test_no_body_is_twice_in_a_bundle():
    """A bundle has at least three pairs, which share no body that moves, and follows the turns."""
    _, sim = moved(stacks(SolverType.PGS))
    turn, sizes = 0, []
    for rows in bundles_of(sim):
        first, end = int(rows[0, 0]), int(rows[1, 0])
        assert turn <= first
        assert LEAST_PAIRS <= end - first <= BUNDLE_LANES
        nodes = np.concatenate([rows[BUNDLE_SCRATCH[name][0], : end - first] for name in ("NODE0", "NODE1")])
        moving = nodes[nodes >= 0]
        assert len(np.unique(moving)) == len(moving)
        turn = end
        sizes.append(end - first)
    assert max(sizes) == BUNDLE_LANES
