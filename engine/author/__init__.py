"""Authoring of drives, mimic joints, motor limits, friction, tendons and initial states on joints.

Arguments are in SI units and radians; the file gets degrees and its own units:

    import fajin

    with fajin.author.layer("arm.usda", "arm.drives.usda") as stage:  # arm.usda is untouched
        for at in fajin.author.select(stage, "joint[1-4]"):
            for change in fajin.author.drive(at.prim, stiffness=100.0, damping=10.0, axis=at.token):
                print(change)

Every function takes a joint (or scene) prim of an open stage, writes to the stage's edit target and returns a list of
`Change`: prim, attribute, before, after, unit, si_before, si_after, si_unit; `str(change)` is one line in both units.
Arguments that are None leave their attributes unchanged. Invalid values raise `fajin.InvalidScene` before the call
authors anything.

select(stage, pattern, axis=None) -> list[JointAxis]: prim, token ("rotZ"), instance ("angular"), name, rotational.
select_bodies(stage, pattern) -> list[Usd.Prim]: rigid bodies, for `surface`.
layer(scene, output=None) -> context manager that yields a stage. It writes `output`, a layer over the scene, atomically
when the block ends, and nothing if the block raises. Without output it writes the scene itself.
copies(scene, output, count, spacing, filtered): writes a stage of copies of a scene, by reference.
"""

from .actuator import actuator, actuator_from_drive, drive_from_actuator
from .armature import armature
from .attribute import attribute
from .axis import JointAxis
from .base import base
from .base_pose import base_pose
from .change import Change
from .copies import copies
from .delay import delay
from .drive import drive, inertias
from .envelope import envelope
from .fit_record import fit_record
from .friction import friction
from .ground import ground
from .layer import layer
from .limit import cone, limit
from .mimic import mimic
from .remove import remove, remove_tendon
from .scene import scene
from .select import select, select_bodies
from .self_collisions import self_collisions
from .spatial_tendon import spatial_tendon
from .state import state
from .surface import surface
from .target_samples import target_samples
from .tendon import tendon
from .terrain import terrain
from .values import values

__all__ = [
    "Change",
    "JointAxis",
    "actuator",
    "actuator_from_drive",
    "armature",
    "attribute",
    "base",
    "base_pose",
    "cone",
    "copies",
    "delay",
    "drive",
    "drive_from_actuator",
    "envelope",
    "fit_record",
    "friction",
    "ground",
    "inertias",
    "layer",
    "limit",
    "mimic",
    "remove",
    "remove_tendon",
    "scene",
    "select",
    "select_bodies",
    "self_collisions",
    "spatial_tendon",
    "state",
    "surface",
    "target_samples",
    "tendon",
    "terrain",
    "values",
]
