"""Rays against static colliders equal brute force: every triangle and every shape of every ray, by other formulas."""

import numpy as np
import pytest
from one_joint import slider

import fajin
from fajin.errors import InputError
from fajin.model.shapes import hull_of
from fajin.quaternion import conjugate, from_rotation_vector, rotate
from fajin.scene import Articulation, Collider, Link, Scene, ShapeKind

RAYS = 100_000
REACH = 8.0
"""[m] Largest coordinate of the scene."""
SIZES = {"radius": 0.7, "half_height": 0.9}
INF = np.inf


def hills(cells: int = 10) -> Collider:
    """A height field of triangles, 12 m wide."""
    x, y = np.meshgrid(np.linspace(-6.0, 6.0, cells + 1), np.linspace(-6.0, 6.0, cells + 1), indexing="ij")
    points = np.stack([x, y, 0.3 * np.sin(1.7 * x) * np.cos(1.3 * y) - 1.0], -1).reshape(-1, 3)
    corner = (np.arange(cells)[:, None] * (cells + 1) + np.arange(cells)).ravel()
    faces = [[corner, corner + cells + 1, corner + 1], [corner + 1, corner + cells + 1, corner + cells + 2]]
    faces = np.concatenate([np.stack(face, 1) for face in faces])
    return mesh("/hills", points, faces)


def mesh(path: str, points: np.ndarray, faces: np.ndarray) -> Collider:
    return Collider(
        path, kind=ShapeKind.TRIANGLE_MESH, points=tuple(map(tuple, points.tolist())), faces=tuple(map(tuple, faces))
    )


def shape(kind: ShapeKind, place: tuple, turn: tuple, **sizes) -> Collider:
    pose = place, tuple(from_rotation_vector(np.array(turn)).tolist())
    return Collider(f"/{kind.name.lower()}", kind=kind, pose=pose, **sizes)


COLLIDERS = (
    hills(),
    shape(ShapeKind.BOX, (2.0, 1.0, 2.0), (0.3, 0.2, 0.1), half_extents=(0.5, 0.8, 0.3)),
    shape(ShapeKind.SPHERE, (-2.0, 1.0, 2.0), (0.0, 0.0, 0.0), radius=0.7),
    shape(ShapeKind.CAPSULE, (0.0, -2.0, 2.0), (0.3, 0.9, 0.1), **SIZES),
    shape(ShapeKind.CYLINDER, (3.0, -2.0, 1.0), (0.1, -0.4, 1.0), **SIZES),
    shape(ShapeKind.CONE, (-3.0, -2.0, 1.0), (0.5, -0.4, 0.2), **SIZES),
    shape(ShapeKind.PLANE, (0.0, 0.0, -3.0), (0.0, -1.5, 0.1)),
)


def scene(*colliders: Collider) -> Scene:
    """Static colliders, and a link in the origin without one."""
    return Scene("rays", (slider(),), colliders=colliders, gravity=(0.0, 0.0, 0.0))


def unit(rays: np.ndarray) -> np.ndarray:
    """Directions of length 1."""
    return rays[:, 3:] / np.linalg.norm(rays[:, 3:], axis=1, keepdims=True)


def random_rays(count: int, around: tuple = (0.0, 0.0, 0.0)) -> np.ndarray:
    """Starts within the reach, and directions along the axes or to points around a place, (count, 6)."""
    random = np.random.default_rng(7)
    starts = random.uniform(-REACH, REACH, (count, 3))
    ways = np.array(around) + random.normal(size=(count, 3)) - starts
    along = np.eye(3)[random.integers(3, size=count)] * random.choice((-1, 1), (count, 1))
    return np.concatenate([starts, np.where(np.arange(count)[:, None] % 10, ways, along)], 1)


def interval_of_square(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where a t² + 2 b t + c ≤ 0 for a > 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        root = np.sqrt(b * b - a * c)
        return np.where(b * b >= a * c, (-b - root) / a, INF), np.where(b * b >= a * c, (-b + root) / a, -INF)


def overlap(one: tuple, other: tuple) -> tuple[np.ndarray, np.ndarray]:
    return np.maximum(one[0], other[0]), np.minimum(one[1], other[1])


def slab(x: np.ndarray, dx: np.ndarray, low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
    with np.errstate(divide="ignore"):
        ends = (low - x) / dx, (high - x) / dx
    return np.minimum(*ends), np.maximum(*ends)


def inside_of(collider: Collider, o: np.ndarray, d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """From when to when a ray is in a convex shape, in its frame; a union of convex ranges that meet is one."""
    h, r = collider.half_height, collider.radius
    square = (d[:, 1:] ** 2).sum(1), (o[:, 1:] * d[:, 1:]).sum(1), (o[:, 1:] ** 2).sum(1)
    tube = overlap(interval_of_square(square[0], square[1], square[2] - r * r), slab(o[:, 0], d[:, 0], -h, h))
    if collider.kind == ShapeKind.CYLINDER:
        return tube
    parts = [tube if h else (np.full(len(o), INF), np.full(len(o), -INF))]
    for centre in (-h, h):
        away = o - np.array([centre, 0.0, 0.0])
        parts.append(interval_of_square(np.ones(len(o)), (away * d).sum(1), (away**2).sum(1) - r * r))
    parts = [np.where(np.less_equal(*part), part, np.array([[INF], [-INF]])) for part in parts]
    return np.min([part[0] for part in parts], 0), np.max([part[1] for part in parts], 0)


def brute_force_triangles(corners: np.ndarray, o: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Nearest hit of every ray among all triangles, by Möller and Trumbore; infinite for none."""
    best = np.full(len(o), INF)
    for a, b, c in corners:
        one, two = b - a, c - a
        across = np.cross(d, two)
        whole = across @ one
        with np.errstate(divide="ignore", invalid="ignore"):
            u = ((o - a) * across).sum(1) / whole
            other = np.cross(o - a, one)
            v, t = (d * other).sum(1) / whole, other @ two / whole
        hit = (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (t >= 0.0) & (t < best)
        best[hit] = t[hit]
    return best


def brute_force(collider: Collider, o: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Nearest hit of every ray with a collider."""
    place, turn = (np.array(part) for part in collider.pose)
    o, d = rotate(conjugate(turn), o - place), rotate(conjugate(turn), d)
    if collider.kind == ShapeKind.PLANE:
        with np.errstate(divide="ignore"):
            t = -o[:, 0] / d[:, 0]
        return np.where(t >= 0.0, t, INF)
    if collider.kind in (ShapeKind.BOX, ShapeKind.TRIANGLE_MESH):
        boxes = collider.kind == ShapeKind.BOX
        points, faces = hull_of(collider) if boxes else (np.array(collider.points), collider.faces)
        fans = [(face[0], *face[i : i + 2]) for face in faces for i in range(1, len(face) - 1)]
        return brute_force_triangles(points[np.array(fans)], o, d)
    enters, leaves = inside_of(collider, o, d)
    first = np.where(enters >= 0.0, enters, leaves)
    return np.where((enters <= leaves) & (first >= 0.0), first, INF)


def cast(precision: str, rays: np.ndarray, *colliders: Collider, **options) -> fajin.RaySensor:
    """Rays from the origin of the world."""
    sim = fajin.Simulation(scene(*colliders), device="cpu", threads=1, precision=precision)
    sensor = fajin.RaySensor(sim, "link", rays, "world", **options)
    sensor.update()
    return sensor


@pytest.mark.parametrize("collider", [c for c in COLLIDERS if c.kind != ShapeKind.CONE], ids=lambda c: c.path)
def test_rays_equal_brute_force(collider):
    """Roundings of coordinates move a hit by 64 ε REACH across a surface, and more along a ray that grazes it.

    The distance along a ray at a slope s to the surface has 1/s of it; fewer than 1 % of the rays have s < 0.01.
    """
    rays = random_rays(RAYS, collider.pose[0])
    wanted = brute_force(collider, rays[:, :3], unit(rays))
    found = cast("f64", rays, collider).ray_distance[0]
    assert 0.05 < np.isfinite(wanted).mean() < 0.95
    assert (np.isfinite(found) == np.isfinite(wanted)).all()
    hit = np.isfinite(wanted)
    apart = np.abs(found[hit] - wanted[hit])
    eps = np.finfo(np.float64).eps
    assert np.quantile(apart, 0.99) <= 6400.0 * eps * REACH
    assert apart.max() <= np.sqrt(64.0 * eps) * REACH  # of a chord that a ray just touches


def test_single_precision_differs_by_its_round_off():
    """Of all shapes at once; 1 of 1,000 rays may pass an edge on its other side."""
    rays = random_rays(RAYS)
    one, other = (cast(precision, rays, *COLLIDERS).ray_distance[0] for precision in ("f32", "f64"))
    hit = np.isfinite(one) & np.isfinite(other)
    assert hit.mean() > 0.5
    assert (hit == (np.isfinite(one) | np.isfinite(other))).mean() >= 1.0 - 1e-3
    assert np.quantile(np.abs(one[hit] - other[hit]), 0.99) <= 6400.0 * np.finfo(np.float32).eps * REACH


def test_a_large_mesh_equals_brute_force():
    """3,200 triangles: every branch of the tree is visited."""
    rays = random_rays(2_000)
    wanted = brute_force(hills(40), rays[:, :3], unit(rays))
    found = cast("f64", rays, hills(40)).ray_distance[0]
    assert (np.isfinite(found) == np.isfinite(wanted)).all()
    np.testing.assert_allclose(found, wanted, rtol=0.0, atol=1e-9)


def soup(count: int = 300) -> Collider:
    """Triangles of all sizes and slopes, long and thin ones among them."""
    random = np.random.default_rng(3)
    long = 10.0 ** random.uniform(-2.0, 0.8, (count, 1, 1))
    points = random.uniform(-6.0, 6.0, (count, 1, 3)) + long * random.normal(size=(count, 3, 3)) * (1.0, 0.2, 0.5)
    return mesh("/soup", points.reshape(-1, 3), np.arange(3 * count).reshape(-1, 3))


@pytest.mark.parametrize("collider", [hills(), hills(40), soup()], ids=("hills", "fine", "soup"))
def test_vertical_rays_equal_brute_force(collider):
    """Up and down: those of a grid's cell are all that such a ray meets; on its rim and beyond it, too."""
    rays = random_rays(RAYS if len(collider.faces) < 1000 else 2_000)
    rays[:, 3:] = np.where(np.arange(len(rays))[:, None] % 2, (0.0, 0.0, 1.0), (0.0, 0.0, -1.0))
    wanted = brute_force(collider, rays[:, :3], unit(rays))
    found = cast("f64", rays, collider).ray_distance[0]
    assert 0.02 < np.isfinite(wanted).mean() < 0.95
    assert (np.isfinite(found) == np.isfinite(wanted)).all()
    hit = np.isfinite(wanted)
    apart = np.abs(found[hit] - wanted[hit])
    assert np.quantile(apart, 0.99) <= 6400.0 * np.finfo(np.float64).eps * REACH


@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_vertical_rays_have_the_bits_of_the_tree(precision):
    """A slope too small for a difference takes the tree; on edges, which two triangles share, the bits round off."""
    rays, count = random_rays(RAYS // 5), RAYS // 10
    rays[:, 3:] = 0.0, 0.0, -1.0
    rays[:count, :2] = np.round(rays[:count, :2] / 0.3) * 0.3  # edges of the hills, and rims of cells
    inclined = rays.copy()
    inclined[:, 3] = 1e-30
    upright, other = (cast(precision, each, hills(40), soup()).ray_distance[0] for each in (rays, inclined))
    assert 0.3 < np.isfinite(upright).mean() < 0.95
    assert np.array_equal(upright[count:], other[count:])
    room = 64.0 * np.finfo({"f32": np.float32, "f64": np.float64}[precision]).eps * REACH
    inside = np.isfinite(other) & (np.abs(rays[:, :2]).max(1) < 5.9)  # on the rim the tree may pass by
    assert (np.abs(upright[inside] - other[inside]) <= room).all()


def test_rays_meet_a_cone_where_they_first_cross_its_surface():
    """A hit is on the surface, and the ray before it all inside or all outside."""
    cone = next(c for c in COLLIDERS if c.kind == ShapeKind.CONE)
    rays = random_rays(RAYS // 10, cone.pose[0])
    found = cast("f64", rays, cone).ray_distance[0]
    place, turn = (np.array(part) for part in cone.pose)
    o, d = rotate(conjugate(turn), rays[:, :3] - place), rotate(conjugate(turn), unit(rays))
    hit = np.isfinite(found)
    assert 0.05 < hit.mean() < 0.95
    on = depth_in_cone(cone, o[hit] + found[hit, None] * d[hit])
    assert np.abs(on).max() <= np.sqrt(64.0 * np.finfo(float).eps) * REACH
    ends = np.where(hit, found, 4.0 * REACH)
    for share in np.linspace(0.0, 0.999, 300):
        inside = depth_in_cone(cone, o + share * ends[:, None] * d) > 1e-9
        if share == 0.0:
            first = inside
        assert (inside == first).all()


def depth_in_cone(cone: Collider, points: np.ndarray) -> np.ndarray:
    """Least distance to side and base [m], positive inside; the side's is measured across the axis."""
    wide = cone.radius * (cone.half_height - points[:, 0]) / (2.0 * cone.half_height)
    return np.minimum(wide - np.hypot(points[:, 1], points[:, 2]), points[:, 0] + cone.half_height)


def test_rays_through_edges_and_corners_of_a_grid_hit_it():
    """A height scan whose rays meet the edges exactly: none passes between two triangles."""
    x, y = np.meshgrid(np.linspace(-4.8, 4.8, 97), np.linspace(-4.8, 4.8, 97))
    starts = np.stack([x.ravel(), y.ravel(), np.full(x.size, 5.0)], 1)
    for tilt in ((0.0, 0.0, -1.0), (1e-9, 1e-8, -1.0)):
        sensor = cast("f32", np.concatenate([starts, np.broadcast_to(tilt, starts.shape)], 1), hills())
        assert np.isfinite(sensor.ray_distance).all()


def test_rays_beside_the_rim_of_a_cell_hit_what_is_there():
    """At x = 0 two triangles meet, and two of 34 cells; single precision puts a ray 0.2 µm beside it in either."""
    beside, y = np.meshgrid([-3e-7, -2e-7, 0.0, 2e-7, 3e-7], np.linspace(-5.9, 5.9, 1001))
    rays = np.stack([beside.ravel(), y.ravel(), *np.broadcast_to([[5.0], [0.0], [0.0], [-1.0]], (4, y.size))], 1)
    for turn in ((0, 1, 2), (1, 0, 2)):
        rays[:, :3] = rays[:, turn]
        assert np.isfinite(cast("f32", rays, hills(6)).ray_distance).all()


@pytest.mark.parametrize("alignment", ["base", "yaw", "world"])
def test_rays_turn_with_the_link_as_their_alignment_says(alignment):
    """A body that rolls, pitches and yaws above a plane, beside the turns of its axes."""
    ground = shape(ShapeKind.PLANE, (0.0, 0.0, 0.0), (0.0, -np.pi / 2.0, 0.0))
    free = Articulation("/eye", (Link("/eye"),), ())
    sim = fajin.Simulation(Scene("eye", (free,), colliders=(ground,)), worlds=2, device="cpu", precision="f64")
    turn = from_rotation_vector(np.array([0.3, -0.2, 0.9]))
    sim.root_pose = (1.0, 2.0, 3.0, *turn)
    pattern = fajin.grid_pattern(0.5, (1.0, 0.5), (0.1, 0.0, -1.0))
    sensor = fajin.RaySensor(sim, "eye", pattern, alignment, position=(0.0, 0.1, 0.2))
    sensor.update([1])
    x, y, z = rotate(turn, np.eye(3))
    yaw = np.arctan2(x[1], x[0])
    level = np.array([[np.cos(yaw), -np.sin(yaw), 0.0], [np.sin(yaw), np.cos(yaw), 0.0], [0.0, 0.0, 1.0]])
    whole = np.stack([x, y, z], 1)
    starts, ways = {"base": (whole, whole), "yaw": (level, np.eye(3)), "world": (np.eye(3), np.eye(3))}[alignment]
    o = (1.0, 2.0, 3.0) + (pattern[:, :3] + (0.0, 0.1, 0.2)) @ starts.T
    d = unit(pattern) @ ways.T
    wanted = o - d * (o[:, 2:] / d[:, 2:])
    np.testing.assert_allclose(sensor.ray_hits_w[1], wanted, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(sensor.ray_distance[1], np.linalg.norm(wanted - o, axis=1), rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(sensor.pos_w[1], (1.0, 2.0, 3.0), rtol=0.0, atol=1e-12)
    assert np.isinf(sensor.ray_hits_w[0]).all()


def test_a_grid_has_rays_on_its_rim_and_x_runs_first():
    pattern = fajin.grid_pattern(0.1, (1.6, 1.0))
    assert pattern.shape == (17 * 11, 6)
    np.testing.assert_allclose(pattern[[0, 1, 17, -1], :2], [(-0.8, -0.5), (-0.7, -0.5), (-0.8, -0.4), (0.8, 0.5)])
    assert (pattern[:, 2:] == (0.0, 0.0, 0.0, -1.0)).all()


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"colliders": "/nothing"}, "colliders = '/nothing': must match a static collider: /hills"),
        ({"colliders": "("}, r"colliders = '\(': must be a regular expression"),
        ({"max_distance": 0.0}, "max_distance = 0.0: must be above 0 and finite"),
        ({"position": (0.0, 1.0)}, r"position = \(2,\): must be \(3,\)"),
    ],
)
def test_what_is_against_its_rule_is_one_line(options, line):
    with pytest.raises(InputError, match=line):
        cast("f64", random_rays(4), hills(), **options)


def test_rays_against_their_rule_are_refused():
    sim = fajin.Simulation(scene(hills()), device="cpu")
    for pattern, line in ((np.zeros((3, 6)), "directions not 0"), (np.ones((3, 5)), r"must be \(R, 6\)")):
        with pytest.raises(InputError, match=line):
            fajin.RaySensor(sim, "link", pattern)
    with pytest.raises(InputError, match="ray_alignment = 'up': must be one of base, yaw, world"):
        fajin.RaySensor(sim, "link", random_rays(3), "up")
    with pytest.raises(KeyError):
        fajin.RaySensor(sim, "wheel", random_rays(3))


def test_nothing_beyond_the_largest_distance_is_met():
    rays = np.array([[0.0, 0.0, 1.0, 0.0, 0.0, -1.0]])
    far = cast("f64", rays, hills()).ray_distance[0, 0]
    assert np.isinf(cast("f64", rays, hills(), max_distance=far - 1e-6).ray_distance[0, 0])
    assert cast("f64", rays, hills(), max_distance=far + 1e-6).ray_distance[0, 0] == far
