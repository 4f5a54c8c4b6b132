"""Contact points of a pair of colliders."""

import taichi as ti

from ..kinds import compiles, has_law
from ..pose import collider_pose
from .capsule import capsule_on_capsule
from .convex_core.core_contacts import core_on_core
from .mesh.core_on_mesh import core_on_mesh
from .mesh.shape_on_mesh import shape_on_mesh
from .mesh.sphere_on_mesh import sphere_on_mesh
from .persistent_manifold import KEPT, generate_kept_points
from .plane import round_on_plane
from .sphere import sphere_on_box, sphere_on_capsule, sphere_on_sphere

GENERATORS = (
    (sphere_on_sphere, ("SPHERE_ON_SPHERE",)),
    (sphere_on_capsule, ("SPHERE_ON_CAPSULE",)),
    (sphere_on_box, ("SPHERE_ON_BOX",)),
    (capsule_on_capsule, ("CAPSULE_ON_CAPSULE",)),
    (generate_kept_points, KEPT),
    (round_on_plane, ("ROUND_ON_PLANE",)),
    (core_on_core, ("CORE_ON_CORE",)),
    (sphere_on_mesh, ("SPHERE_ON_MESH",)),
    (shape_on_mesh, ("SHAPE_ON_MESH",)),
    (core_on_mesh, ("CORE_ON_MESH",)),
)
"""Functions that add the points of a pair, and their laws in `tables.collision_table`.

`points_on_plane` has the laws of all lanes at once.
"""


@ti.func
def update_pair(w: ti.template(), g):
    """Compute the points of pair g in this step; a pair whose boxes part forgets what it kept."""
    if w.slot[g].near:
        generate_points(w, g)
    elif w.slot[g].manifold >= 0:
        w.contacts.manifold_count[w.slot[g].manifold] = 0
        w.contacts.manifold_made[w.slot[g].manifold] = False
        w.contacts.simplex_count[w.slot[g].manifold] = 0


@ti.func
def generate_points(w: ti.template(), g):
    """Add the contact points of pair g, by its law."""
    one, two = collider_pose(w, w.slot[g].collider_a), collider_pose(w, w.slot[g].collider_b)
    for generate, laws in ti.static(GENERATORS):
        if ti.static(compiles(w, *laws)):
            if has_law(w, g, *laws):
                generate(w, g, one, two)
