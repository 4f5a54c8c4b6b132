"""What `fajin check` and `fajin simulate` print on the scenes of this project: nothing that a user has to look into."""

import pytest
from paths import SCENES

import fajin
from fajin.check import Severity, check
from fajin.tools.simulate_messages import messages_before

NAMES = sorted(path.stem for path in SCENES.glob("*.usda"))
CONVERTED = {"unused-attribute"}  # what converters write beside the values that are simulated
NOTES = {  # scene: rules of its notes
    "anymal_c": CONVERTED,
    "anymal_c_trot": CONVERTED,
    "floating_chain": {"reversed-joint"},  # its root is the middle of three rods
    "go2_standing": CONVERTED,
    "ur10": {*CONVERTED, "hull-cut"},  # meshes of the real arm have more than 64 vertices
}


@pytest.mark.parametrize("name", NAMES)
def test_a_scene_has_no_warning_and_few_notes(name):
    """`simulate` prints nothing before it."""
    path = str(SCENES / f"{name}.usda")
    scene = fajin.read(path)
    assert list(messages_before(scene, (), False)) == []
    findings = check(path, scene=scene)
    assert [finding for finding in findings if finding.severity is not Severity.NOTE] == []
    assert {finding.rule for finding in findings} == NOTES.get(name, set())
