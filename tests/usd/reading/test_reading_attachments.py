"""Spatial tendons as files write them: points of links, the tree of attachments, and the order of its leaves."""

from math import inf

import numpy as np
import pytest
from tendon_scenes import CENTRED, chain, point, schemas
from usda import MASS, stage

import fajin
from fajin.scene import Attachment, SpatialTendon

CENTIMETRES = 'metersPerUnit = 0.01\n    kilogramsPerUnit = 0.1\n    upAxis = "Z"'


def tendons(scene) -> tuple[SpatialTendon, ...]:
    """The spatial tendons of the only articulation."""
    (articulation,) = scene.articulations
    return articulation.spatial_tendons


def told(scene) -> dict[str, str]:
    """What is reported of links, by prim and attribute."""
    return {f"{r.prim}.{r.attribute}": r.reason for r in scene.reports}


def test_a_spatial_tendon_is_read_in_its_units(tmp_path):
    """Lengths and points in cm, gains in 0.1 kg over time, gearings as they are."""
    gains = {"stiffness": 60, "damping": 2, "limitStiffness": 500, "offset": -3}
    lengths = {"restLength": 10, "lowerLimit": 5, "upperLimit": 20, "gearing": -2}
    links = (
        (point("r", localPos="(1, 2, 3)", **gains), schemas(r="Root")),
        (point("v", "a:r", localPos="(4, 5, 6)", gearing=0.5), schemas(v="")),
        (point("k", "b:v", **lengths), schemas(k="Leaf")),
    )
    near = pytest.approx
    scene = fajin.read(stage(tmp_path, chain(*links), metadata=CENTIMETRES))
    assert tendons(scene) == (
        SpatialTendon(
            "/robot/a:r",
            (
                Attachment("/robot/a", near((0.01, 0.02, 0.03))),
                Attachment("/robot/b", near((0.04, 0.05, 0.06)), 0, 0.5),
                Attachment("/robot/c", (0.0, 0.0, 0.0), 1, -2.0, True, near(0.1), near(0.05), near(0.2)),
            ),
            *(near(x) for x in (6.0, 0.2, 50.0, -0.03)),
        ),
    )
    assert told(scene) == {}


@pytest.mark.parametrize(("authored", "expected"), [("", 6.0), ("-0.5", 6.0), ("-inf", 6.0), ("0", 0.0), ("3", 3.0)])
def test_a_negative_rest_length_is_the_length_in_the_file(tmp_path, authored, expected):
    """Σ gearing |piece| between the points of the prims, not of their mass frames; so is one that is not authored."""
    rest = {"restLength": authored} if authored else {}
    turned = "quatf physics:principalAxes = (0.5, 0.5, 0.5, 0.5)\n"
    links = (
        (turned + point("r", localPos="(1, 2, 5)", offset=7), schemas(r="Root")),
        (point("k", "a:r", localPos="(0, 0, 3)", gearing=2, **rest), schemas(k="Leaf")),
    )
    ((tendon,),) = [tendons(fajin.read(stage(tmp_path, chain(*links))))]
    leaf = tendon.attachments[1]
    assert (leaf.rest_length, leaf.lower, leaf.upper) == (pytest.approx(expected), -inf, inf)


def test_a_point_is_one_of_the_mass_frame(tmp_path):
    """com + R(principalAxes) (scale · localPos), which is how PhysX takes localPos."""
    lines = """quatf physics:principalAxes = (0.5, 0.5, 0.5, 0.5)
        double3 xformOp:scale = (2, 2, 2)
        uniform token[] xformOpOrder = ["xformOp:scale"]
        """
    links = (lines + point("r", localPos="(1, 10, 100)"), schemas(r="Root")), (point("k", "a:r"), schemas(k="Leaf"))
    ((tendon,),) = [tendons(fajin.read(stage(tmp_path, chain(*links, mass=MASS + "\n"))))]
    com, turned = (0.2, 0.4, 0.6), (200, 2, 20)  # x → y → z → x
    assert tendon.attachments[0].position == pytest.approx(np.add(com, turned))


def test_axes_that_only_physx_knows_are_told(tmp_path):
    """Principal axes of a skew inertia without authored ones are PhysX's own choice."""
    skew = CENTRED.split("float3")[0] + "double[] newton:inertia = [1, 2, 3, 0.1, 0, 0]\n"
    links = (point("r"), schemas(r="Root")), (point("k", "a:r"), schemas(k="Leaf"))
    reasons = told(fajin.read(stage(tmp_path, chain(*links, mass=skew))))
    assert {"/robot/a.physxTendon:r:localPos", "/robot/b.physxTendon:k:localPos"} <= set(reasons)


def test_leaves_come_from_the_last_link_to_the_first_and_by_name(tmp_path):
    """The order in which PhysX solves them; tendons likewise. Breadth first from the root, b in the middle: b, a, c."""
    both = point("z", "a:r") + point("k", "a:r") + point("q", localPos="(1, 0, 0)")
    links = (
        (point("r") + point("s"), schemas(s="Root", r="Root")),
        (both, schemas(z="Leaf", k="Leaf", q="Root")),
        (point("m", "a:r") + point("n", "b:q") + point("o", "a:s"), schemas(o="Leaf", n="Leaf", m="Leaf")),
    )
    found = tendons(fajin.read(stage(tmp_path, chain(*links))))
    assert [tendon.path for tendon in found] == ["/robot/a:r", "/robot/a:s", "/robot/b:q"]
    assert [attachment.link[-1] for attachment in found[0].attachments] == ["a", "c", "b", "b"]
    names = {"k": (0.0, 0.0, 1.0), "z": (0.0, 0.0, 2.0)}
    placed = both
    for name, place in names.items():
        placed += f"point3f physxTendon:{name}:localPos = {place}\n"
    links = links[0], (placed, links[1][1]), links[2]
    (tendon, _, _) = tendons(fajin.read(stage(tmp_path, chain(*links))))
    assert [attachment.position for attachment in tendon.attachments[2:]] == list(names.values())


def test_leaves_of_a_nearer_attachment_come_first(tmp_path):
    """Level by level from the root."""
    links = (
        (point("r"), schemas(r="Root")),
        (point("near", "a:r"), schemas(near="Leaf")),
        (point("v", "a:r"), schemas(v="")),
        (point("far", "c:v"), schemas(far="Leaf")),
    )
    (tendon,) = tendons(fajin.read(stage(tmp_path, chain(*links))))
    assert [(a.link[-1], a.parent, a.leaf) for a in tendon.attachments] == [
        ("a", -1, False),
        ("c", 0, False),
        ("b", 0, True),
        ("d", 1, True),
    ]


def test_the_gearing_of_a_root_is_one(tmp_path):
    """PhysX ignores it; it is reported."""
    links = (point("r", gearing=3), schemas(r="Root")), (point("k", "a:r"), schemas(k="Leaf"))
    scene = fajin.read(stage(tmp_path, chain(*links)))
    assert tendons(scene)[0].attachments[0].gearing == 1.0
    assert "root" in told(scene)["/robot/a.physxTendon:r:gearing"]


def test_a_switched_off_tendon_is_not_made(tmp_path):
    """It is reported once."""
    off = point("r", stiffness=3) + "bool physxTendon:r:tendonEnabled = 0\n"
    links = (off, schemas(r="Root")), (point("k", "a:r", gearing=2, restLength=3), schemas(k="Leaf"))
    scene = fajin.read(stage(tmp_path, chain(*links)))
    assert tendons(scene) == ()
    assert told(scene) == {"/robot/a.physxTendon:r:tendonEnabled": "the tendon is disabled"}


def test_what_no_leaf_lies_behind_is_told(tmp_path):
    """A root without leaves makes no tendon, an attachment without leaves does nothing."""
    alone = fajin.read(stage(tmp_path, chain((point("r", stiffness=3), schemas(r="Root")), ("", ""))))
    assert tendons(alone) == ()
    assert "/robot/a.physxTendon:r:stiffness" in told(alone)
    links = (
        (point("r") + point("dead", "a:r", gearing=2), schemas(r="Root", dead="")),
        (point("k", "a:r"), schemas(k="Leaf")),
    )
    scene = fajin.read(stage(tmp_path, chain(*links)))
    assert len(tendons(scene)) == 1
    assert any("dead" in attribute for attribute in told(scene))


def test_the_stiffness_of_a_limit_needs_a_limit_on_a_leaf(tmp_path):
    """Else it is reported."""
    for lengths, idle in (({}, True), ({"upperLimit": 3}, False)):
        root = point("r", limitStiffness=2), schemas(r="Root")
        scene = fajin.read(stage(tmp_path, chain(root, (point("k", "a:r", **lengths), schemas(k="Leaf")))))
        assert ("/robot/a.physxTendon:r:limitStiffness" in told(scene)) == idle


@pytest.mark.parametrize("kind", ["Root", "Leaf"])
@pytest.mark.parametrize("first", [True, False])
def test_a_root_or_a_leaf_is_an_attachment_as_well(tmp_path, kind, first):
    """Their schemas build in that of an attachment; a file that applies both says the same, as in PhysX."""
    links = (point("r"), schemas(r="Root")), (point("k", "a:r", gearing=2), schemas(k="Leaf"))
    plain = tendons(fajin.read(stage(tmp_path, chain(*links))))
    name = "r" if kind == "Root" else "k"
    built_in = f"PhysxTendonAttachmentAPI:{name}"
    both = [(lines, f"{built_in} {apis}" if first else f"{apis} {built_in}") for lines, apis in links]
    doubled = (both[0], links[1]) if kind == "Root" else (links[0], both[1])
    scene = fajin.read(stage(tmp_path, chain(*doubled)))
    assert tendons(scene) == plain
    assert not [r for r in scene.reports if "endon" in str(r)]


def test_a_root_that_is_a_leaf_too_is_a_root(tmp_path):
    """As in PhysX, which says that one of the two is too many."""
    links = (point("r"), schemas(r="Root") + " " + schemas(r="Leaf")), (point("k", "a:r"), schemas(k="Leaf"))
    scene = fajin.read(stage(tmp_path, chain(*links)))
    assert [len(tendon.attachments) for tendon in tendons(scene)] == [2]
    assert "PhysxTendonAttachmentRootAPI:r takes precedence" in told(scene)["/robot/a.PhysxTendonAttachmentLeafAPI:r"]
