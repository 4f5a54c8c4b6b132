"""Laws of contacts between moving things in double precision: grip, momentum of links, weight, and the broad phase."""

import numpy as np
import pytest
from bodies_on_ground import MU, G, H, ball, cube, ground, material

import fajin
from fajin.scene import WORLD, Articulation, Axis, Collider, Joint, JointType, Link, Scene, ShapeKind
from fajin.tables.topology import TABLES

MASS = 0.4
UNIT = ((0.01, 0.0, 0.0), (0.0, 0.01, 0.0), (0.0, 0.0, 0.01))
UPRIGHT = (0.0, 0.0, 0.0, 1.0)


def simulate(articulations, colliders, **scene) -> fajin.Simulation:
    """One world in double precision."""
    given = {"dt": H, "gravity": (0.0, 0.0, -G)} | scene
    made = Scene("pairs", tuple(articulations), colliders=tuple(colliders), **given)
    return fajin.Simulation(made, 1, "cpu", precision="f64", threads=1, sleeping=False, contact_slots=300)


def slider(name: str, x: float, mass: float = 1.0) -> tuple[Joint, Link, Collider]:
    """A finger on a slide along x, with a box as its tip."""
    path = f"/hand/{name}"
    link = Link(path, mass=mass, inertia=UNIT)
    joint = Joint(
        f"/hand/slide_{name}", JointType.PRISMATIC, "/hand/base", path, frame0=((x, 0.0, 0.0), UPRIGHT),
        axes=(Axis("transX"),),
    )  # fmt: skip
    return joint, link, Collider(path, path, ShapeKind.BOX, half_extents=(0.02, 0.05, 0.05), material=material())


def hand(*fingers) -> tuple[Articulation, list[Collider]]:
    """A fixed base with fingers."""
    joints, links, shapes = zip(*fingers, strict=True)
    base = Link("/hand/base", mass=1.0, inertia=UNIT)
    return Articulation("/hand", (base, *links), joints, fixed_base=True), list(shapes)


@pytest.mark.parametrize("share", [0.8, 1.25])
def test_a_gripper_holds_from_m_g_over_2_mu(share):
    """Two fingers that press with F hold m g if 2 μ F > m g; else the cube falls with a = g − 2 μ F/m."""
    robot, shapes = hand(slider("left", -0.0705), slider("right", 0.0705))
    body, box = cube("box", 0.05, MASS, (0.0, 0.0, 0.0))
    sim = simulate([robot, body], [*shapes, box])
    force = share * MASS * G / (2.0 * MU)
    begin = 0.0
    for step in range(60):
        sim.effort = np.array([[force, -force]])
        sim.step()
        if step == 20:
            begin = sim.link_velocity[0, sim.link.index("/World/box"), 2]
    velocity = sim.link_velocity[0, sim.link.index("/World/box"), 2]
    fallen = (begin - velocity) / (39 * H)
    if share > 1.0:
        assert abs(fallen) < 1e-3 * G
        assert abs(sim.link_pose[0, sim.link.index("/World/box"), 2]) < 0.02  # only before it was gripped
    else:
        assert fallen == pytest.approx(G * (1.0 - share), rel=0.02)


def test_momentum_is_conserved_when_links_collide():
    """Two sliders of a fixed base, without gravity: Σ m v along the slide stays, to round-off."""
    robot, shapes = hand(slider("left", -0.1, 2.0), slider("right", 0.1, 1.0))
    sim = simulate([robot], shapes, gravity=(0.0, 0.0, 0.0))
    sim.qd = np.array([[1.0, -0.5]])
    mass = np.array([2.0, 1.0])
    before = (mass * np.array(sim.qd)[0]).sum()
    sim.step(60)
    after = np.array(sim.qd)[0]
    assert after[0] == pytest.approx(after[1], abs=1e-3)  # restitution 0: they go on together
    assert (mass * after).sum() == pytest.approx(before, rel=1e-6)


def test_contact_forces_sum_to_the_weight():
    """Of a pile at rest, on the ground: Σ m g, to 1e-6."""
    stack = [cube(f"box{i}", 0.05, 1.0 + i, (0.0, 0.0, 0.05 + 0.1 * i)) for i in range(3)]
    sim = simulate([body for body, _ in stack], [ground(), *(shape for _, shape in stack)])
    sim.step(480)
    force = np.zeros(3)
    for name, each in zip(sim.pair, np.array(sim.pair_force)[0], strict=True):
        force += each if "ground" in name else 0.0
    assert force == pytest.approx((0.0, 0.0, 6.0 * G), abs=1e-3)


@pytest.mark.parametrize("sorts", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_the_broad_phase_misses_no_pair(seed, sorts, monkeypatch):
    """All pairs of shapes whose bounding boxes overlap are near, and no others: random places, turns and sizes.

    `sorts`: found group by group, or by sorting the bodies.
    """
    monkeypatch.setattr("fajin.model.contacts.CROWD", 0 if sorts else 500)
    random = np.random.default_rng(seed)
    bodies = []
    for i in range(24):
        body, shape = (cube, ball)[i % 2](f"b{i}", random.uniform(0.03, 0.15), 1.0, tuple(random.uniform(-0.5, 0.5, 3)))
        bodies.append((body, shape))
    sim = simulate([body for body, _ in bodies], [ground(), *(shape for _, shape in bodies)], gravity=(0.0, 0.0, 0.0))
    poses = np.array(sim.root_pose)
    turns = random.normal(size=(24, 4))
    poses[0, :, 3:] = turns / np.linalg.norm(turns, axis=1, keepdims=True)
    sim.root_pose = poses
    low, high = boxes(sim, poses[0])
    assert bool(sim._state.model.tables["ISLANDS"][0, TABLES["ISLANDS"]["SORTS_BODIES"]]) == sorts
    sim.step()
    buffer, rows = sim._state.layout.places["CONTACT_ID"]
    near = sim._state.buffer(buffer).read(rows)[0] > 0.0
    places = {collider.path: i for i, collider in enumerate(sim.scene.colliders)}
    ends = np.array([[places[path] for path in name.split("|")] for name in sim.pair])
    meet = ((low[ends[:, 0]] <= high[ends[:, 1]]) & (low[ends[:, 1]] <= high[ends[:, 0]])).all(1)
    assert 20 < meet.sum() < len(meet)
    assert (near == meet).all()


@pytest.mark.parametrize("filters", [False, True])
def test_sorting_the_bodies_changes_no_bit(filters, monkeypatch):
    """A pile that falls on itself moves to the same bits whether its near pairs are found by groups or by sorting."""
    worlds, random, motions = 20, np.random.default_rng(4), []
    bodies = [
        ball(f"b{i}", 0.05, 1.0, tuple(random.uniform((-0.15, -0.15, 0.15), (0.15, 0.15, 0.45)))) for i in range(24)
    ]
    shapes = ground(), *(shape for _, shape in bodies)
    paths = [body.links[0].path for body, _ in bodies]
    filtered = tuple((paths[i], paths[j]) for i in range(24) for j in range(i) if random.random() < 0.3) * filters
    scene = Scene("pile", tuple(body for body, _ in bodies), dt=H, colliders=shapes, filtered_pairs=filtered)
    for crowd in (0, 500):
        monkeypatch.setattr("fajin.model.contacts.CROWD", crowd)
        sim = fajin.Simulation(scene, worlds, "cpu")  # shares its kernel with the tests of slots
        pose = np.array(sim.root_pose)
        pose[:, :, 0] += np.linspace(0.0, 0.02, worlds)[:, None] * np.arange(24)
        sim.root_pose = pose
        sim.step(60)
        motions.append(np.array(sim.link_pose))
    assert (motions[0] == motions[1]).all()


def boxes(sim: fajin.Simulation, poses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Corners of the bounding boxes of all colliders, grown by their contact offsets; the ground is a half space."""
    low, high = np.full((2, len(sim.scene.colliders), 3), (-1e30, -1e30, -1e30))
    high[:] = 1e30
    for i, collider in enumerate(sim.scene.colliders):
        if collider.body == WORLD:
            high[i, 2] = collider.contact_offset
            continue
        x, y, z, s = poses[sim.articulation.index(collider.body)][3:]
        turn = np.array([
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * s), 2 * (x * z + y * s)],
            [2 * (x * y + z * s), 1 - 2 * (x * x + z * z), 2 * (y * z - x * s)],
            [2 * (x * z - y * s), 2 * (y * z + x * s), 1 - 2 * (x * x + y * y)],
        ])  # fmt: skip
        half = np.abs(turn) @ collider.half_extents if collider.kind is ShapeKind.BOX else np.full(3, collider.radius)
        centre = poses[sim.articulation.index(collider.body)][:3]
        low[i], high[i] = centre - half - collider.contact_offset, centre + half + collider.contact_offset
    return low, high
