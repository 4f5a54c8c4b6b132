"""Collision groups keep apart the colliders that the rule for two groups keeps apart, in any scene."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from pxr import Sdf, Usd, UsdGeom, UsdPhysics

import fajin
from fajin.model.collision_pairs import collision_pairs
from fajin.scene import Articulation, Collider, CollisionGroup, Link, Scene
from fajin.usd_schema import register


def random_scene(seed: int, inverted: bool) -> Scene:
    """Forty free bodies with one collider each, in none, one or several of six groups, which list each other."""
    rng = np.random.default_rng(seed)
    paths = [f"/b{i}" for i in range(40)]
    names = [f"/g{i}" for i in range(6)]
    groups = tuple(
        CollisionGroup(
            name,
            tuple(f"{path}/shape" for path in paths if rng.random() < 0.25),
            tuple(other for other in (*names, "/missing") if rng.random() < 0.3),
        )
        for name in names
    )
    bodies = tuple(Articulation(path, (Link(path),), (), free=True) for path in paths)
    colliders = tuple(Collider(f"{path}/shape", path) for path in paths)
    return Scene("", bodies, colliders=colliders, collision_groups=groups, inverted_groups=inverted)


@pytest.mark.parametrize("inverted", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_pairs_are_those_that_no_two_groups_keep_apart(seed, inverted):
    scene = random_scene(seed, inverted)
    groups = scene.collision_groups
    inside = [[g for g in groups if collider.path in g.members] for collider in scene.colliders]

    def apart(one, other):
        listed = one.path in other.filtered or other.path in one.filtered
        return listed != inverted

    wanted = [
        (i, j)
        for i, j in combinations(range(len(inside)), 2)
        if not any(apart(one, other) for one in inside[i] for other in inside[j])
    ]
    assert 0 < len(wanted) < 40 * 39 / 2
    assert list(map(tuple, collision_pairs(scene).tolist())) == wanted


def group(stage: Usd.Stage, name: str) -> UsdPhysics.CollisionGroup:
    """A collision group of the stage."""
    return UsdPhysics.CollisionGroup.Define(stage, f"/groups/{name}")


def test_members_are_found_below_included_paths_without_excluded_ones_and_by_expression(tmp_path: Path):
    """Of several groups a collider is in the first by path."""
    register()
    stage = Usd.Stage.CreateNew(str(tmp_path / "groups.usda"))
    UsdPhysics.Scene.Define(stage, "/scene")
    for path in ("/a", "/a/b", "/c", "/d", "/e"):
        UsdGeom.Xform.Define(stage, path)
        if path != "/a":
            ball = UsdGeom.Sphere.Define(stage, f"{path}/ball").GetPrim()
            UsdPhysics.RigidBodyAPI.Apply(ball)
            UsdPhysics.CollisionAPI.Apply(ball)
    under = group(stage, "under").GetCollidersCollectionAPI()
    under.CreateIncludesRel().SetTargets([Sdf.Path("/a"), Sdf.Path("/c")])
    under.CreateExcludesRel().SetTargets([Sdf.Path("/c/ball")])
    matched = group(stage, "matched").GetCollidersCollectionAPI()
    matched.CreateMembershipExpressionAttr().Set(Sdf.PathExpression("/d//"))
    group(stage, "z_all").GetCollidersCollectionAPI().CreateIncludeRootAttr().Set(True)
    stage.Save()
    members = {g.path: g.members for g in fajin.read(str(tmp_path / "groups.usda")).collision_groups}
    assert members == {
        "/groups/under": ("/a/b/ball",),
        "/groups/matched": ("/d/ball",),
        "/groups/z_all": ("/c/ball", "/e/ball"),
    }


def test_a_copy_is_in_the_first_of_several_groups_as_its_original_is(tmp_path: Path):
    """Two references to one ball, each in two groups."""
    register()
    stage = Usd.Stage.CreateNew(str(tmp_path / "copies.usda"))
    UsdPhysics.Scene.Define(stage, "/scene")
    ball = UsdGeom.Sphere.Define(stage, "/ball").GetPrim()
    UsdPhysics.RigidBodyAPI.Apply(ball)
    UsdPhysics.CollisionAPI.Apply(ball)
    for path in ("/copies/a", "/copies/b"):
        copy = UsdGeom.Xform.Define(stage, path).GetPrim()
        stage.OverridePrim(f"{path}/ball").GetReferences().AddInternalReference("/ball")
        assert copy.IsValid()
    for name in ("y", "x"):
        group(stage, name).GetCollidersCollectionAPI().CreateIncludesRel().SetTargets([Sdf.Path("/copies")])
    stage.Save()
    members = {g.path: g.members for g in fajin.read(str(tmp_path / "copies.usda")).collision_groups}
    assert members == {"/groups/x": ("/copies/a/ball", "/copies/b/ball"), "/groups/y": ()}
