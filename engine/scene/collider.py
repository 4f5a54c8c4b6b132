"""Colliders: shapes of links and of the world that contacts act on."""

from dataclasses import dataclass
from enum import IntEnum

from .contact_material import NO_MATERIAL, ContactMaterial
from .frame import IDENTITY, Pose, Vector
from .joint import WORLD


class ShapeKind(IntEnum):
    """Kinds of shapes, in the order in which PhysX ranks the two sides of a pair."""

    SPHERE = 0
    PLANE = 1
    CAPSULE = 2
    BOX = 3
    CYLINDER = 4
    CONE = 5
    CONVEX_HULL = 6
    TRIANGLE_MESH = 7


@dataclass(frozen=True)
class Collider:
    """A shape with its material. Scale is contained in its sizes.

    Capsules, cylinders and cones extend along the x axis of the shape's frame, and the tip of a cone is at +x. The
    frame of a capsule has its first end at +x. A plane is unbounded; x is its normal, and the solid lies below it.

    The vertices of a hull are in the order of PhysX's convex hull, as are its faces and the first vertex of each face.
    Faces of hulls and meshes are counterclockwise, seen from outside; those of a mesh are triangles.
    """

    path: str
    body: str = WORLD  # path of its link; `WORLD` if it does not move
    kind: ShapeKind = ShapeKind.SPHERE
    pose: Pose = IDENTITY  # frame of the shape in the authored frame of its body, or in the world
    radius: float = 0.0  # [m] of a sphere, capsule, cylinder or cone
    half_height: float = 0.0  # [m] of a capsule (without its ends), cylinder or cone
    half_extents: Vector = (0.0, 0.0, 0.0)  # [m] of a box
    points: tuple[Vector, ...] = ()  # [m] vertices of a hull or mesh
    faces: tuple[tuple[int, ...], ...] = ()  # indices of the vertices of each face
    vertex_scale: Vector = (1.0, 1.0, 1.0)  # of a hull or mesh: scale of the vertices
    contact_offset: float = 0.02  # [m] contacts exist closer than the sum of two contact offsets
    rest_offset: float = 0.0  # [m] shapes come to rest at the sum of two rest offsets
    material: ContactMaterial = NO_MATERIAL
    torsional_patch_radius: float = 0.0  # [m]
    min_torsional_patch_radius: float = 0.0  # [m]
    standing: str = ""  # path by which a joint's end in the world names what it stands still with, if one does
    still_body: str = ""  # path of its rigid body, if that is a part of the world; "" if it has none
    simulations: tuple[str, ...] = ()  # physics scenes that simulate it, by path; two colliders touch in a common one
    container: str = ""  # path of the parent whose PhysicsCollisionAPI makes it a shape; "" if it has its own

    @property
    def named(self) -> str:
        """Return the path by which groups and filtered pairs name it: that of the prim with PhysicsCollisionAPI."""
        return self.container or self.path
