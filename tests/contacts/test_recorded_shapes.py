"""Colliders have the offsets and materials that PhysX reports."""

import json

import numpy as np
import pytest
from paths import RECORDINGS

import fajin

FOLDER = RECORDINGS / "contacts"
RECORDED = json.loads((FOLDER / "shapes.json").read_text())


def test_each_scene_has_its_recording():
    assert {path.stem for path in (FOLDER / "scenes").glob("*.usda")} == set(RECORDED)


@pytest.mark.parametrize("name", RECORDED)
def test_offsets_and_materials_are_those_of_physx(name):
    """Contact and rest offset, friction and restitution, of all shapes of a body or articulation."""
    scene = fajin.read(FOLDER / "scenes" / f"{name}.usda")
    for owner, said in RECORDED[name].items():
        bodies = {link.path for a in scene.articulations for link in a.links if owner in (a.path, link.path)}
        shapes = [collider for collider in scene.colliders if collider.body in bodies]
        recorded = zip(said["contact_offset"], said["rest_offset"], said["material"], strict=True)
        expected = sorted([contact, rest, *material] for contact, rest, material in recorded)
        found = sorted(row_of(scene, shape) for shape in shapes)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)


def row_of(scene, shape):
    """Offsets in stage units and the numbers of the material."""
    material = shape.material
    numbers = material.static_friction, material.dynamic_friction, material.restitution
    return [*(x / scene.meters_per_unit for x in (shape.contact_offset, shape.rest_offset)), *numbers]
