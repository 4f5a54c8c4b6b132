"""`fajin author copies`: a stage of copies by reference is the scene that `fajin.replicate` makes of what it copies."""

from dataclasses import replace

import numpy as np
import pytest
from paths import SCENES
from pxr import Usd, UsdPhysics
from usda import arm, stage

import fajin
from fajin.atomic_write import OutputError
from fajin.scene import InvalidScene, Scene

COPIES = 5
STOOD = ("arm7", "quadruped_standing", "stack_of_five", "four_bar")


def without_history(scene: Scene) -> Scene:
    """A scene without its file, reports and order of members, which need not be equal."""
    groups = tuple(replace(group, members=tuple(sorted(group.members))) for group in scene.collision_groups)
    return replace(scene, source="", reports=(), collision_groups=groups)


@pytest.mark.parametrize("filtered", [True, False])
@pytest.mark.parametrize("name", STOOD)
def test_the_stage_reads_as_the_scene_of_copies(tmp_path, name, filtered):
    """Names, groups and settings are equal; places are those of USD's doubles."""
    out = tmp_path / "folder" / "many.usda"
    fajin.author.copies(SCENES / f"{name}.usda", out, COPIES, 1.5, filtered)
    read, made = (
        without_history(scene)
        for scene in (fajin.read(out), fajin.replicate(fajin.read(SCENES / f"{name}.usda"), COPIES, 1.5, filtered))
    )
    assert [a.path for a in read.articulations] == [a.path for a in made.articulations]
    assert [c.path for c in read.colliders] == [c.path for c in made.colliders]
    assert read.collision_groups == made.collision_groups
    places = [np.array([link.pose[0] for a in scene.articulations for link in a.links]) for scene in (read, made)]
    np.testing.assert_allclose(*places, atol=1e-12 * (1.0 + 1.5 * COPIES))
    kept = ("gravity", "dt", "solver", "inverted_groups", "filtered_pairs", "duration", "sleeping", "contacts")
    assert all(getattr(read, each) == getattr(made, each) for each in kept)
    assert [replace(a, links=(), joints=()) for a in read.articulations] == [
        replace(a, links=(), joints=()) for a in made.articulations
    ]


def test_the_copies_move_as_those_of_replicate(tmp_path):
    """Robots on a ground: equal trajectories to the round-off of their places."""
    out, source = tmp_path / "many.usda", SCENES / "quadruped_standing.usda"
    fajin.author.copies(source, out, 2, 2.0)
    sims = [fajin.Simulation(s, threads=1) for s in (fajin.read(out), fajin.replicate(fajin.read(source), 2, 2.0))]
    for sim in sims:
        sim.step(5)
    assert sims[0].dof == sims[1].dof
    np.testing.assert_allclose(sims[0].q, sims[1].q, atol=5 * np.finfo(np.float32).eps)


def test_copies_are_read_once_with_one_plane_and_one_scene(tmp_path):
    """USD's reader finds the copies; scene and ground stand once, and the file refers to the source by a short path."""
    source, out = tmp_path / "robot.usda", tmp_path / "out" / "many.usda"
    source.write_text((SCENES / "quadruped_standing.usda").read_text())
    fajin.author.copies(source, out, COPIES)
    opened = Usd.Stage.Open(str(out))
    from fajin.usd.stage.instance_detection import find_copies

    assert len(find_copies(opened)) == COPIES - 1
    types = [prim.GetTypeName() for prim in opened.Traverse()]
    assert types.count("PhysicsScene") == 1
    assert types.count("Plane") == 1
    assert "@../robot.usda@" in out.read_text()
    groups = [UsdPhysics.CollisionGroup(prim) for prim in opened.Traverse() if prim.GetTypeName() == types[-1]]
    assert len(groups) == COPIES + 1


def test_places_are_level_in_units_of_the_stage(tmp_path):
    """With Y up in centimetres, rows lie along x and z."""
    text = (SCENES / "arm7.usda").read_text()
    source = tmp_path / "arm.usda"
    source.write_text(text.replace('upAxis = "Z"', 'upAxis = "Y"').replace("metersPerUnit = 1", "metersPerUnit = 0.01"))
    fajin.author.copies(source, tmp_path / "many.usda", 4, 0.5)
    opened = Usd.Stage.Open(str(tmp_path / "many.usda"))
    places = [opened.GetPrimAtPath(f"/World/envs/env_{i}").GetAttribute("xformOp:translate").Get() for i in range(4)]
    assert [tuple(place) for place in places] == [(0, 0, 0), (50, 0, 0), (0, 0, 50), (50, 0, 50)]
    made = fajin.replicate(fajin.read(source), 4, 0.5)
    read = fajin.read(tmp_path / "many.usda")
    for one, other in zip(read.articulations, made.articulations, strict=True):
        np.testing.assert_allclose(one.links[0].pose[0], other.links[0].pose[0], atol=1e-12)


def test_filtered_copies_at_one_place_move_as_one_alone(tmp_path):
    """To the bit, on their feet: copies do not touch each other."""
    out = tmp_path / "many.usda"
    fajin.author.copies(SCENES / "quadruped_standing.usda", out, 3, 0.0)
    one, many = (fajin.Simulation(fajin.read(path)) for path in (SCENES / "quadruped_standing.usda", out))
    for sim in (one, many):
        sim.step(40)
    assert np.abs(one.qd).max() > 0.0
    np.testing.assert_array_equal(many.q.reshape(3, -1), np.repeat(np.asarray(one.q), 3, 0))


def test_the_command_says_that_copies_overlap(workshop, author):
    """The spacing is compared with the extent of the colliders; wider copies are not mentioned."""
    (workshop / "quadruped.usda").write_text((SCENES / "quadruped_standing.usda").read_text())
    code, out, err = author("copies quadruped.usda -o many.usda --count 4 --spacing 0.1")
    assert (code, out.strip()) == (0, "wrote many.usda: 4 copies of quadruped.usda, 0.1 m apart, filtered")
    assert "copies overlap" in err
    code, out, err = author("copies quadruped.usda -o many.usda --count 4 --spacing 3 --no-filter")
    assert (code, err) == (0, "")
    assert len(fajin.read("many.usda").articulations) == 4


REFUSED = {
    "copies arm.usda -o m.usda --count 1000000": "copies = 1,000,000: must be at most ",
    "copies arm.usda -o m.usda --count 0": "--count",
    "copies arm.usda -o m.usda --count 4 --spacing -1": "spacing = -1.0: must be finite and at least 0 [m]",
    "copies arm.usda -o m.usda --count 4 --spacing 0 --no-filter": "spacing = 0.0: must be finite and above 0 [m]",
    "copies arm.usda -o m.txt --count 4": "suffix",
    "copies arm.usda -o arm.usda --count 4": "must not be a layer of the source",
}


@pytest.mark.parametrize("line", REFUSED)
def test_bad_input_is_one_line_with_nothing_written(workshop, author, line):
    before = sorted(path.name for path in workshop.iterdir())
    code, out, err = author(line)
    assert (code, out) == (2, "")
    assert REFUSED[line] in err
    assert sorted(path.name for path in workshop.iterdir()) == before


def test_a_relationship_between_root_prims_is_refused(tmp_path):
    """References drop targets beyond their prim, so a joint would lose its body."""
    tie = 'def PhysicsFixedJoint "tie"\n{\n    rel physics:body0 = </robot/link>\n}\n'
    path = stage(tmp_path, arm(), tie)
    with pytest.raises(InvalidScene, match=r"/tie.physics:body0 = /robot/link: must be .*; move both below one prim"):
        fajin.author.copies(path, tmp_path / "many.usda", 3)


def test_a_broken_override_of_one_copy_is_named(tmp_path):
    """The line has the prim of that copy, the value and the rule."""
    out = tmp_path / "many.usda"
    fajin.author.copies(SCENES / "arm7.usda", out, COPIES)
    link = fajin.read(out).articulations[3].links[2].path
    assert "/env_3/" in link
    with pytest.raises(InvalidScene, match=rf"^{link}.physics:mass = nan: must be "):
        fajin.read(out, [f"{link}.physics:mass=nan"])


def test_groups_of_the_scene_are_kept_only_without_a_filter(tmp_path):
    group = 'def PhysicsCollisionGroup "g"\n{\n    rel physics:filteredGroups = </robot/g>\n}\n'
    path = stage(tmp_path, arm(extra=group))
    with pytest.raises(InvalidScene, match="without collision groups that filter"):
        fajin.author.copies(path, tmp_path / "many.usda", 3)
    fajin.author.copies(path, tmp_path / "many.usda", 3, filtered=False)
    assert len(fajin.read(tmp_path / "many.usda").collision_groups) == 3


def test_an_existing_file_that_is_no_stage_of_copies_is_kept(tmp_path):
    out = tmp_path / "mine.usda"
    for text in ('#usda 1.0\ndef "mine"\n{\n}\n', "mine, not USD"):
        out.write_text(text)
        with pytest.raises(OutputError, match="exists"):
            fajin.author.copies(SCENES / "arm7.usda", out, 3)
        assert out.read_text() == text
    out.unlink()
    for count in (3, 2):
        fajin.author.copies(SCENES / "arm7.usda", out, count)
        assert len(fajin.read(out).articulations) == count
