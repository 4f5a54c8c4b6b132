"""The collision table: one law for every two kinds of shapes that may meet, of features that a kernel has."""

import ast
from dataclasses import fields
from pathlib import Path

import numpy as np

import fajin
from fajin.model.collider_pairs import reverses
from fajin.scene import ShapeKind
from fajin.tables.collision_table import COLLISIONS, PAIR_FEATURES
from fajin.tables.contacts import MANIFOLDS_ON_MESH, SHAPES
from fajin.tables.features import Features

STATIC = {"PLANE", "TRIANGLE_MESH"}
ROUND = {"CYLINDER", "CONE"}
KINDS = {"SPHERE", "PLANE", "CAPSULE", "BOX", "CYLINDER", "CONE", "HULL", "MESH"}
"""Names of the kinds of shapes in kernels."""
ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def test_every_two_kinds_have_one_law():
    """But two that are static; cylinders and cones have it in both orders, which are the file's."""
    for a in SHAPES:
        for b in SHAPES:
            orders = ((a, b) in COLLISIONS) + ((b, a) in COLLISIONS and a != b)
            assert orders == (0 if {a, b} <= STATIC else 2 if {a, b} == ROUND else 1), (a, b)


def test_features_of_laws_are_features_of_kernels():
    assert set(PAIR_FEATURES) <= {field.name for field in fields(Features)}


def test_a_law_has_room_for_its_points():
    """A manifold keeps four points; on a mesh manifolds are the room for all points of a pair."""
    for kinds, law in COLLISIONS.items():
        assert law.manifolds in (0, 1, MANIFOLDS_ON_MESH), kinds
        assert law.points <= 4 * max(1, law.manifolds, MANIFOLDS_ON_MESH * ("TRIANGLE_MESH" in kinds)), kinds
        assert not (law.is_core and law.manifolds), kinds


def test_the_order_of_shapes_means_nothing():
    """Kernels compare kinds of shapes for equality only."""
    found = []
    for file in (Path(fajin.__file__).parent / "physics" / "contacts").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Compare) and any(isinstance(op, ORDER) for op in node.ops):
                words = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
                found += [f"{file.name}:{node.lineno}"] * bool(words & KINDS)
    assert found == []


def test_a_pair_in_the_other_order_is_turned_around():
    kinds = [(ShapeKind[a], ShapeKind[b]) for a, b in COLLISIONS]
    a, b = np.array(kinds).T
    assert not reverses(a, b).any()
    assert (reverses(b, a) == [(b, a) not in COLLISIONS for a, b in COLLISIONS]).all()
