"""`fajin.author.surface`: surface velocities and slops in any units, and what is not a body."""

import pytest
from pxr import Usd
from usda import stage

import fajin
from fajin.scene import InvalidScene

BELT = """def Cube "belt" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])
{
    bool physics:kinematicEnabled = 1
    float3 xformOp:scale = (4, 2, 1)
    uniform token[] xformOpOrder = ["xformOp:scale"]
}"""
BOX = 'def Cube "box" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])\n{\n}'


@pytest.mark.parametrize("local", [True, False])
def test_what_is_authored_is_what_is_read(tmp_path, local):
    """In metres and radians, whatever the units and the scale of the file."""
    path = stage(tmp_path, BELT, BOX, metadata="metersPerUnit = 0.01")
    with fajin.author.layer(path, tmp_path / "moving.usda") as opened:
        for prim in fajin.author.select_bodies(opened, "belt"):
            changes = fajin.author.surface(
                prim, linear=(0.5, 1.0, 0.0), angular=(0.0, 0.0, 2.0), local=local, contact_slop=0.02
            )
        (box,) = fajin.author.select_bodies(opened, "box")
        fajin.author.surface(box, speculative_ccd=True)
    assert [change.attribute for change in changes if change.attribute != "apiSchemas"]
    links = {link.path: link for a in fajin.read(tmp_path / "moving.usda").articulations for link in a.links}
    surface = links["/belt"].surface_velocity
    assert surface.linear == pytest.approx((0.5, 1.0, 0.0))
    assert surface.angular == pytest.approx((0.0, 0.0, 2.0))
    assert surface.local == local
    assert links["/belt"].contact_slop == pytest.approx(0.02)
    assert links["/box"].surface_velocity is None
    assert [links[path].speculative_ccd for path in ("/belt", "/box")] == [False, True]


def test_a_static_collider_has_no_surface_velocity(tmp_path):
    opened = Usd.Stage.Open(str(stage(tmp_path, BELT.replace('"PhysicsRigidBodyAPI", ', ""))))
    with pytest.raises(InvalidScene, match=r"/belt.*must be a rigid body; apply it"):
        fajin.author.surface(opened.GetPrimAtPath("/belt"), linear=(1.0, 0.0, 0.0))


def test_a_negative_slop_is_refused_and_nothing_is_written(tmp_path):
    opened = Usd.Stage.Open(str(stage(tmp_path, BELT)))
    prim = opened.GetPrimAtPath("/belt")
    with pytest.raises(InvalidScene, match="contactSlopCoefficient"):
        fajin.author.surface(prim, linear=(1.0, 0.0, 0.0), contact_slop=-1.0)
    assert "PhysxSurfaceVelocityAPI" not in prim.GetAppliedSchemas()
