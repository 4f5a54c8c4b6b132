"""Bodies of the broad phase: the cube around a link contains its colliders, and pairs of two bodies lie together."""

import numpy as np
import pytest
from paths import ROOT

import fajin
from fajin.model import Model
from fajin.model.contact_bodies import reach_of
from fajin.scene import Collider, ShapeKind
from fajin.tables.topology import TABLES

RANDOM = np.random.default_rng(3)


def surface(collider: Collider) -> np.ndarray:
    """Points of the surface of a shape, of its box for what is round about its axis, in its frame."""
    u = RANDOM.normal(size=(2000, 3))
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    half, r, h = np.array(collider.half_extents), collider.radius, collider.half_height
    if collider.kind == ShapeKind.BOX:
        return np.sign(u) * half
    if collider.kind == ShapeKind.SPHERE:
        return r * u
    if collider.kind == ShapeKind.CAPSULE:
        return r * u + np.sign(u[:, :1]) * (h, 0.0, 0.0)
    rim = u[:, 1:] / np.linalg.norm(u[:, 1:], axis=1, keepdims=True) * r
    return np.concatenate([np.sign(u[:, :1]) * h, rim], axis=1)


@pytest.mark.parametrize("kind", ["BOX", "SPHERE", "CAPSULE", "CYLINDER", "CONE"])
def test_a_link_reaches_as_far_as_its_colliders(kind):
    """No point of a shape, plus its contact offset, is farther from the centre of mass than the reach."""
    for _ in range(20):
        position, com = RANDOM.normal(size=(2, 3))
        shape = Collider(
            "/a", "/a", ShapeKind[kind], pose=(tuple(position), (0.0, 0.0, 0.0, 1.0)), contact_offset=0.02,
            half_extents=tuple(RANDOM.uniform(0.1, 1.0, 3)), radius=RANDOM.uniform(0.1, 1.0),
            half_height=RANDOM.uniform(0.1, 1.0),
        )  # fmt: skip
        farthest = np.linalg.norm(surface(shape) + position - com, axis=1).max() + 0.02
        assert reach_of(shape, com) >= farthest * (1 - 1e-12)


@pytest.mark.parametrize("name", ["gripper_lift", "quadruped_standing", "dominoes"])
def test_groups_are_the_pairs_of_two_bodies(name):
    """Groups follow each other, have all pairs of two bodies, and no two groups have the same bodies."""
    model = fajin.compile(fajin.read(ROOT / f"scenes/{name}.usda"))
    groups, pair, bodies = model.tables["GROUPS"], TABLES["PAIRS"], model.tables["BODIES"]
    starts, ends = groups[:, TABLES["GROUPS"]["PAIR"]], groups[:, TABLES["GROUPS"]["PAIR_END"]]
    assert starts[0] == 0
    assert (starts[1:] == ends[:-1]).all()
    assert ends[-1] == len(model.pair)
    found = {tuple(sorted(row)) for row in groups[:, :2].tolist()}
    assert len(found) == len(groups)
    owner = np.repeat(np.arange(len(bodies)), bodies[:, 2] - bodies[:, 1])
    for one, two, start, end in groups:
        colliders = model.tables["PAIRS"][start:end][:, [pair["COLLIDER_A"], pair["COLLIDER_B"]]]
        assert {tuple(sorted(row)) for row in owner[colliders].tolist()} == {tuple(sorted((one, two)))}


def test_pairs_share_sides():
    """Sides of contacts are one per link, not two per pair."""
    model: Model = fajin.compile(fajin.read(ROOT / "scenes/dominoes.usda"))
    assert len(model.tables["SIDES"]) <= len(model.link) + 1
