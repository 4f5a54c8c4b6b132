"""Mass, centre of mass and inertia of bodies as PhysX used them, whatever a file says of bodies and of colliders."""

import json

import numpy as np
import pytest
from paths import RECORDINGS

import fajin

FOLDER = RECORDINGS / "mass"
RECORDED = json.loads((FOLDER / "mass.json").read_text())
ROUND_OFF = 4e-6  # of the largest of its kind, in single precision


@pytest.mark.parametrize("name", RECORDED)
def test_mass_properties_are_those_of_physx(name):
    """To single precision, in stage units."""
    scene = fajin.read(FOLDER / "scenes" / f"{name}.usda")
    links = {link.path: link for articulation in scene.articulations for link in articulation.links}
    metres = scene.meters_per_unit
    wrong = {}
    for path, expected in RECORDED[name].items():
        link = links[path]
        inertia = np.array(link.inertia)[np.triu_indices(3)] / metres**2
        errors = (
            abs(link.mass / expected["mass"] - 1.0),
            np.abs(np.array(link.com) / metres - expected["com"]).max() / max(1.0, np.abs(expected["com"]).max()),
            np.abs(inertia - expected["inertia"]).max() / np.abs(expected["inertia"]).max(),
        )
        if max(errors) > ROUND_OFF:
            wrong[path] = errors
    assert wrong == {}
