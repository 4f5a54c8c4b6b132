"""Bundles: pairs of one world that no body shares are solved at once, with the bits of pairs solved one by one."""

from dataclasses import replace

import numpy as np
import pytest
from bodies_on_ground import cube, ground

import fajin
from fajin.compiler.machine_code import runs_machine_code
from fajin.device.contact_slots import ContactSlots
from fajin.scene import IDENTITY, Articulation, Axis, Joint, JointType, Scene, ShapeKind, SolverType, SurfaceVelocity
from fajin.simulation.statistics import Statistics
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


def among_all_laws(solver: SolverType) -> Scene:
    """The stacks with balls, springs, torsional friction, largest impulses and belts among them; robots on top."""
    scene = stacks(solver)
    bodies, shapes = list(scene.articulations), list(scene.colliders)
    for i, (body, shape) in enumerate(zip(bodies, shapes[1:], strict=True)):
        link, found = body.links[0], shape
        if i % 4 == 1:
            found = replace(found, kind=ShapeKind.SPHERE, radius=0.05)
        if i % 5 == 2:
            spring = replace(found.material, stiffness=2000.0, damping=20.0)
            found = replace(found, material=spring)
        if i % 6 == 3:
            found = replace(found, torsional_patch_radius=0.02)
        if i % 7 == 4:
            link = replace(link, max_contact_impulse=0.02)
        if i % 11 == 5:
            link = replace(link, surface_velocity=SurfaceVelocity((0.2, 0.0, 0.0)))
        bodies[i], shapes[1 + i] = replace(body, links=(link,)), found
    robots = []
    for row in range(4):
        path, places = f"/World/robot{row}", [(0.2 * i + 0.05, 0.14 * row, 0.353) for i in range(2)]
        parts = [cube(f"robot{row}/{end}", 0.05, 1.0, place) for end, place in zip("ab", places, strict=True)]
        one, two = (body.path for body, _ in parts)
        between = (0.2, 0.0, 0.0), IDENTITY[1]
        hinge = Joint(f"{path}/hinge", JointType.REVOLUTE, one, two, between, axis="Y", axes=(Axis("rotY"),))
        robots.append(Articulation(path, tuple(body.links[0] for body, _ in parts), (hinge,)))
        shapes += [shape for _, shape in parts[row % 2 :]]  # of some robots the root touches nothing
    return replace(scene, articulations=(*robots, *bodies), colliders=tuple(shapes))


def moved(scene: Scene, sleeping: bool = False) -> tuple[np.ndarray, fajin.Simulation]:
    """Return poses, velocities, forces and slip of contacts after some steps, and the simulation."""
    sim = fajin.Simulation(scene, dt=1 / 240, sleeping=sleeping)
    counted = Statistics(sim)
    sim.step(STEPS)
    contacts = sim.pair_force, counted["SLIP_DISTANCE"], counted["PEAK_CONTACT_FORCE"]
    numbers = sim.link_pose, sim.link_velocity, *contacts
    return np.concatenate([np.asarray(x).ravel() for x in numbers]), sim


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
    compare_with_single_pairs(monkeypatch, stacks(solver))


@pytest.mark.slow
@pytest.mark.parametrize("solver", [SolverType.PGS, SolverType.TGS])
@pytest.mark.parametrize("sleeping", [False, True])
def test_bundles_have_the_bits_of_single_pairs_among_all_laws(monkeypatch, own_kernels, solver, sleeping):
    """In the kernel of a user: those that tests share have meshes, which exclude bundles, or fewer laws."""
    compare_with_single_pairs(monkeypatch, among_all_laws(solver), sleeping)


def compare_with_single_pairs(monkeypatch, scene: Scene, sleeping: bool = False) -> None:
    """Assert that bundles are there, and that without room for them all bits are as before."""
    together, sim = moved(scene, sleeping)
    assert bundles_of(sim)
    assert np.isfinite(together).all()
    whole = ContactSlots.__init__

    def without_bundles(slots, *args, **kwargs):
        whole(slots, *args, **kwargs)
        slots.bundles = 0

    monkeypatch.setattr(ContactSlots, "__init__", without_bundles)
    apart, sim = moved(scene, sleeping)
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


@pytest.mark.slow
def test_read_outs_have_the_forces_of_every_step(own_kernels):
    """Impulses of bundles are read back where something reads them: net forces, and their largest in many steps."""
    sim, twin = (fajin.Simulation(stacks(SolverType.PGS), dt=1 / 240, sleeping=False) for _ in range(2))
    readout = fajin.Readout(sim)
    net, peak = readout.add("net_force"), readout.add("peak_force")
    sim.step(STEPS)
    readout.update()
    assert bundles_of(sim)
    place = {path: i for i, path in enumerate(readout.collider)}
    total, largest = np.zeros((len(place), 3)), np.zeros(len(place))
    for _ in range(STEPS):
        twin.step()
        total[:] = 0.0
        for pair, force in zip(twin.pair, twin.pair_force[0], strict=True):
            for side, sign in zip(pair.split("|"), (1.0, -1.0), strict=True):
                if side in place:
                    total[place[side]] += sign * force
        largest = np.maximum(largest, np.linalg.norm(total, axis=1))
    values = np.asarray(readout.values)
    assert values[net].reshape(-1, 3) == pytest.approx(total, abs=1e-4 * largest.max())
    assert values[peak].ravel() == pytest.approx(largest, abs=1e-4 * largest.max())
