"""Content of a scene file in SI units and radians: frozen dataclasses that are independent of USD and Taichi.

Positions [m], quaternions (x, y, z, w), angles [rad], masses [kg], time [s]. Frames: `pose` is the rigid world frame of
a prim (scale removed); `frame0` and `frame1` are the joint frame in the frames of its two bodies.
"""

from .articulation import Articulation
from .axis import Axis, Friction, LimitSpring, Mimic
from .collider import Collider, ShapeKind
from .collision_filter import CollisionGroup
from .contact_material import CombineMode, ContactMaterial
from .contact_settings import ContactSettings
from .drive import Actuator, Drive, DriveType, Envelope
from .external_force import ExternalForce
from .fit_record import FitRecord, FittedParameter
from .frame import IDENTITY, Pose, Quaternion, Vector
from .invalid_scene import InvalidScene, invalid_pattern, nothing_moves, place
from .joint import WORLD, Distance, Joint, JointType, physx_sort_key
from .link import Link
from .scene import BodyMotion, Diagnostic, Scene, SolverType, TimeSamples
from .surface_velocity import SurfaceVelocity
from .tendon import Attachment, FixedTendon, SpatialTendon, TendonAxis

__all__ = [
    "IDENTITY",
    "WORLD",
    "Actuator",
    "Articulation",
    "Attachment",
    "Axis",
    "BodyMotion",
    "Collider",
    "CollisionGroup",
    "CombineMode",
    "ContactMaterial",
    "ContactSettings",
    "Diagnostic",
    "Distance",
    "Drive",
    "DriveType",
    "Envelope",
    "ExternalForce",
    "FitRecord",
    "FittedParameter",
    "FixedTendon",
    "Friction",
    "InvalidScene",
    "Joint",
    "JointType",
    "LimitSpring",
    "Link",
    "Mimic",
    "Pose",
    "Quaternion",
    "Scene",
    "ShapeKind",
    "SolverType",
    "SpatialTendon",
    "SurfaceVelocity",
    "TendonAxis",
    "TimeSamples",
    "Vector",
    "invalid_pattern",
    "nothing_moves",
    "physx_sort_key",
    "place",
]
