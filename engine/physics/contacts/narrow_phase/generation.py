"""Contact points of a pair of colliders."""

import taichi as ti

from ..kinds import BOX, CAPSULE, CONE, CYLINDER, MESH, PLANE, SPHERE
from ..pose import collider_pose
from .capsule import capsule_on_capsule
from .convex_core.core_contacts import core_on_core
from .mesh.core_on_mesh import core_on_mesh
from .mesh.mesh import shape_on_mesh
from .mesh.sphere_on_mesh import sphere_on_mesh
from .persistent_manifold import generate_kept_points
from .round_shapes import round_on_plane
from .sphere import sphere_on_box, sphere_on_capsule, sphere_on_sphere


@ti.func
def update_pair(w: ti.template(), g):
    """Compute the points of pair g in this step; a pair whose boxes part forgets what it kept."""
    if w.slot[g].near > 0.0:
        generate_points(w, g)
    elif w.slot[g].manifold >= 0:
        w.contacts.manifold_count[w.slot[g].manifold] = 0.0
        w.contacts.manifold_made[w.slot[g].manifold] = 0.0
        w.contacts.simplex_count[w.slot[g].manifold] = 0.0


@ti.func
def generate_points(w: ti.template(), g):
    """Add the contact points of pair g, by the kinds of its shapes."""
    a, b = w.slot[g].collider_a, w.slot[g].collider_b
    one, two = collider_pose(w, a), collider_pose(w, b)
    kind, other = w.collider[a].shape, w.collider[b].shape
    if other == MESH:
        if kind == CYLINDER or kind == CONE:
            if ti.static(w.features.cores_on_meshes):
                core_on_mesh(w, g)
        elif ti.static(w.features.kept_on_meshes):
            if kind == SPHERE:
                sphere_on_mesh(w, g, one, two)
            else:
                shape_on_mesh(w, g, one, two)
    elif w.slot[g].manifold >= 0:
        generate_kept_points(w, g, one, two)
    elif other == PLANE:
        if ti.static(w.features.rounds):
            round_on_plane(w, g, two)
    elif kind == CYLINDER or kind == CONE or other == CYLINDER or other == CONE:
        if ti.static(w.features.cores):
            core_on_core(w, g)
    elif kind == SPHERE:
        if other == SPHERE:
            sphere_on_sphere(w, g, one, two)
        elif other == CAPSULE:
            sphere_on_capsule(w, g, one, two)
        elif other == BOX:
            sphere_on_box(w, g, one, two)
    elif kind == CAPSULE and other == CAPSULE:
        capsule_on_capsule(w, g, one, two)
