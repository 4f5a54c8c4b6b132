"""Declarations of the named fields of a simulation.

W worlds, D degrees of freedom, L links, A articulations (including free bodies), J maximal joints, X axes of maximal
joints with drives, T tendons (or branches of tendons), P pairs of colliders. Columns are in the order of `dof`, `link`,
`articulation`, `maximal_joint`, `maximal_dof`, `actuator`, `bound_point`, `tendon` and `pair`. SI units, radians and
world axes unless stated otherwise; quaternions are (x, y, z, w).
"""

from ..selection import suggestion
from . import bound_flags, contacts
from .field import Derived, Field
from .parameter_fields import ParameterFields

SEEN = "it is computed from the joints; set q, root_pose or root_velocity"
DONE = "it is a result of the last step"


class Fields(ParameterFields):
    """The named fields of parameters, state and results."""

    q = Field("Q", "Joint positions [rad | m], (W, D).")
    qd = Field("QD", "Joint speeds [rad/s | m/s], (W, D).")
    qdd = Field("QDD", "Joint accelerations of the last step [rad/s² | m/s²], (W, D).", readonly=DONE)
    applied_effort = Field(
        "APPLIED_EFFORT", "Efforts of drives and user in the last step [N·m | N], (W, D).", readonly=DONE
    )
    limit_effort = Field(
        "LIMIT_EFFORT", "Efforts of position limits in the last step, units of the drives, (W, D).", readonly=DONE
    )
    friction_effort = Field(
        "FRICTION_EFFORT", "Efforts of joint friction in the last step, units of the drives, (W, D).", readonly=DONE
    )
    velocity_limit_effort = Field(
        "VELOCITY_LIMIT_EFFORT",
        "Efforts of joint speed limits in the last step, units of the drives, (W, D).",
        readonly=DONE,
    )
    mimic_effort = Field(
        "MIMIC_EFFORT", "Efforts of mimic joints in the last step, units of the drives, (W, D).", readonly=DONE
    )
    tendon_effort = Field(
        "TENDON_EFFORT", "Efforts of tendons in the last step, units of the drives, (W, D).", readonly=DONE
    )
    maximal_joint_effort = Field(
        "MAXIMAL_JOINT_EFFORT",
        "Efforts of maximal joints in the last step, units of the drives, (W, D).",
        readonly=DONE,
    )
    tension = Field("TENSION", "Pull of tendons in the last step [N], (W, T).", "tendon", 1, DONE)
    maximal_joint_force = Field(
        "MAXIMAL_JOINT_FORCE",
        "Force and torque of maximal joints on body 1 [N, N·m], (W, J, 6).",
        "maximal_joint",
        6,
        DONE,
    )
    joint_broken = Field("JOINT_BROKEN", "1 for maximal joints that broke, else 0, (W, J).", "maximal_joint", 1, DONE)
    link_pose = Field("LINK_POSE", "Positions [m] and quaternions of the link prims, (W, L, 7).", "link", 7, SEEN)
    link_com_pose = Field(
        "POSE", "Positions [m] of the centres of mass and quaternions of the link prims, (W, L, 7).", "link", 7, SEEN
    )
    link_velocity = Field(
        "LINK_VELOCITY",
        "Velocities of the centres of mass and angular velocities [m/s, rad/s], (W, L, 6).",
        "link",
        6,
        SEEN,
    )
    link_acceleration = Field(
        "ACCELERATION",
        "Accelerations of the centres of mass and angular accelerations in the last step, classical [m/s², rad/s²], "
        "(W, L, 6).",
        "link",
        6,
        DONE,
    )
    link_incoming_force = Field(
        "INCOMING_FORCE",
        "Force and torque of the parent on a link through its joint in the last step, in the joint's frame on the "
        "link [N, N·m], (W, L, 6).",
        "link", 6, DONE,
    )  # fmt: skip
    pair_force = Derived(
        contacts.pair_force,
        "Force of the contacts of pairs of colliders on the first collider in the last step, friction included, world "
        "axes [N], (W, P, 3).",
        "pair", 3,
    )  # fmt: skip
    contact_force = Derived(
        contacts.link_contact_force,
        "Net force of all contacts of a link in the last step, friction included, world axes [N], (W, L, 3).",
        "link",
        3,
    )
    saturated = Derived(
        bound_flags.saturated, "Sign of efforts that were max_force through all of the last step, else 0, (W, D)."
    )
    at_limit = Derived(bound_flags.at_limit, "-1 at the lower position limit, 1 at the upper, else 0, (W, D).")
    on_envelope = Derived(
        bound_flags.on_envelope, "1 for drives at an edge of their performance envelopes, else 0, (W, D)."
    )
    root_pose = Field(
        "LINK_POSE", "Poses of the root links' prims; writing moves the robots, (W, A, 7).", "articulation", 7
    )
    root_velocity = Field(
        "LINK_VELOCITY", "Velocities of the root links, as `link_velocity`, (W, A, 6).", "articulation", 6
    )
    root_acceleration = Field(
        "ACCELERATION", "Accelerations of the root links, as `link_acceleration`, (W, A, 6).", "articulation", 6, DONE
    )

    @classmethod
    def quantity(cls, name: str) -> Field:
        """Return the field of that name.

        Raises:
            KeyError: no such field.
        """
        found = getattr(cls, name, None) if isinstance(name, str) else None
        if not isinstance(found, Field):
            names = [quantity.name for quantity in cls.quantities()]
            near = suggestion(str(name), names) or f"; must be one of {', '.join(names)}"
            raise KeyError(f"no field {name!r}{near}")
        return found

    @classmethod
    def quantities(cls) -> list[Field]:
        """Return all fields."""
        return [value for base in cls.__mro__ for value in vars(base).values() if isinstance(value, Field)]
