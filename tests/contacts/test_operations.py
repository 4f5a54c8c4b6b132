"""Heights of contact points are PhysX's to the bit: they follow its operations in single precision.

Which of equally deep points comes first, and how a flat shape tips, is decided by the last bit of these heights.
"""

import numpy as np
import pytest
from usda import METRES, prim, stage

import fajin
from fajin.quaternion import rounded

F = np.float32
HALF = np.array((0.12, 0.18, 0.11), F)
HEIGHT = {"Y": (0.02435, 0.1901, 0.0049), "Z": (0.0049, 0.02435, 0.1201)}
BODY = """double3 xformOp:translate = ({:.9g}, {:.9g}, {:.9g})
    quatf xformOp:orient = ({:.9g}, {:.9g}, {:.9g}, {:.9g})
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]
    def Cube "cube" (prepend apiSchemas = ["PhysicsCollisionAPI"])
    {{
        double size = 2
        float3 xformOp:scale = (0.12, 0.18, 0.11)
        uniform token[] xformOpOrder = ["xformOp:scale"]
    }}"""


def dot(a, b):
    """Sum as PhysX's SIMD code: the second component last."""
    return F(F(a[0] * b[0] + a[2] * b[2]) + a[1] * b[1])


def unrotated(q, v):
    """v in the frame of q."""
    u, w = q[:3], q[3]
    return F(2.0) * ((v * F(w * w - F(0.5)) - np.cross(u, v) * w) + u * dot(u, v))


def within(q, base):
    """Rotation q in the frame of `base`."""
    u, w = -base[:3], base[3]
    return np.array([*((u * q[3] + q[:3] * w) + np.cross(u, q[:3])), F(w * q[3]) - dot(u, q[:3])], F)


def x_of_axes(q):
    """First components of the three axes of a rotation: q_i 2 q + (2 w w - 1, ...)."""
    x, y, z, w = q
    two = F(2.0)
    first = x * F(x * two) + (F(F(w * two) * w) - F(1.0))
    return np.array((first, x * F(y * two) - F(z * two) * w, x * F(z * two) + F(y * two) * w), F)


def heights(position, orientation, plane):
    """Heights of the corners of the box over a plane, whose normal is the x axis of its frame."""
    x, y, z = x_of_axes(within(orientation, plane)) * HALF
    base = unrotated(plane, position)[0]
    return [F(F(F(c * z) + F(F(a * x) + F(b * y))) + base) for a in F([1, -1]) for b in F([1, -1]) for c in F([1, -1])]


def test_a_quarter_turn_is_rounded_up():
    """q ← q / |q| in single precision."""
    turn = np.array((0.0, 0.0, 0.5**0.5, 0.5**0.5))
    assert rounded(turn, np.float32).tolist() == [0.0, 0.0, *2 * [float(F(0.70710683))]]
    assert rounded(turn, np.float64) == pytest.approx(turn, abs=1e-16)


@pytest.mark.parametrize("axis", ["Y", "Z"])
@pytest.mark.parametrize("turn", [-0.0467, 0.3, 1.1])
def test_corners_on_a_plane(tmp_path, axis, turn):
    """h = (± z + (± x ± y)) + p, of the box's axes in the frame of the plane."""
    up = np.array((0.0, 1.0, 0.0) if axis == "Y" else (0.0, 0.0, 1.0))
    q = np.array((*(np.sin(turn / 2.0) * up), np.cos(turn / 2.0)))
    box = prim("Xform", "box", BODY.format(*HEIGHT[axis], q[3], *q[:3]), "PhysicsRigidBodyAPI")
    plane = prim("Plane", "plane", f'uniform token axis = "{axis}"', "PhysicsCollisionAPI")
    metadata = METRES.replace('upAxis = "Z"', f'upAxis = "{axis}"')
    sim = fajin.Simulation(fajin.read(stage(tmp_path, box, plane, metadata=metadata)), device="cpu", threads=1)
    pose = np.array(sim.link_pose[0, 0], F)
    sim.step()
    frame = rounded(np.array((0.0, 0.0, 0.5**0.5, 0.5**0.5) if axis == "Y" else (0.0, -(0.5**0.5), 0.0, 0.5**0.5)), F)
    wanted = [h for h in heights(pose[:3], pose[3:], frame) if h < 0.03]
    assert len(wanted) == 4
    assert np.asarray(sim.contacts[0].gap, F).tolist() == wanted
