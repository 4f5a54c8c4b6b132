"""Partners of bodies that are kept while all are within their rooms: what is kept changes no motion."""

import numpy as np
from bodies_on_ground import cube, ground

import fajin
from fajin.scene import Scene
from fajin.tables.contact_scratch import CROWD_SCRATCH
from fajin.tables.scratch import rows_of
from fajin.tables.topology import HEADER

SIDE, STEPS = 5, 300


def thrown() -> Scene:
    """Cubes that fall onto each other and slide apart: some fast, some slow."""
    random = np.random.default_rng(5)
    bodies, shapes = [], [ground()]
    for number, cell in enumerate(np.ndindex(SIDE, SIDE, 4)):
        place = 0.13 * np.array(cell) + (0.0, 0.0, 0.08) + random.uniform(-0.01, 0.01, 3)
        thrown_by = random.normal(size=3) * (0.5 if number % 3 == 0 else 0.05)
        body, shape = cube(f"b{number}", 0.05, 1.0, tuple(place), velocity=tuple(thrown_by))
        bodies.append(body)
        shapes.append(shape)
    return Scene("", tuple(bodies), colliders=tuple(shapes))


def crowd_of(sim: fajin.Simulation, name: str) -> np.ndarray:
    """Return a row of the crowd of the last step, per body."""
    row, kind, _ = CROWD_SCRATCH[name]
    at = sim._state.layout.header()[HEADER.index("CROWD_SCRATCH")]
    rows = np.asarray(sim._state.array("scratch")).ravel()[at:][: rows_of("CROWD") * (SIDE * SIDE * 4 + 1)]
    return rows.reshape(-1, rows_of("CROWD"))[:, row : row + (3 if kind == "vector" else 1)]


def test_a_launch_that_keeps_partners_moves_as_launches_that_begin_anew():
    """Every launch sorts in its first step, so launches of one step keep nothing."""
    kept, anew = (fajin.Simulation(thrown(), dt=1 / 240, sleeping=False) for _ in range(2))
    kept.step(STEPS)
    for _ in range(STEPS):
        anew.step(1)
    assert np.array_equal(kept.link_pose, anew.link_pose)
    assert np.array_equal(kept.link_velocity, anew.link_velocity)
    low, room = crowd_of(kept, "LOW"), crowd_of(kept, "ROOM_LOW")
    assert (room <= low).all()
    assert (crowd_of(kept, "HIGH") <= crowd_of(kept, "ROOM_HIGH")).all()
    assert not np.array_equal(room, crowd_of(anew, "ROOM_LOW"))  # of another step: partners were kept
