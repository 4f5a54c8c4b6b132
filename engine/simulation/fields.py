"""Everything of a simulation that has a name, declared.

W worlds, D degrees of freedom, L links, A articulations (free bodies among them), J joints outside the trees, T tendons
(or branches of them), in the order of `dof`, `link`, `articulation`, `maximal_joint` and `tendon`. SI units, radians,
world axes unless said otherwise; quaternions are (x, y, z, w).
"""

from . import bound_flags
from .field import Derived, Field
from .machine_fields import MachineFields

SEEN = "it follows from the joints; set q, root_pose or root_velocity"
DONE = "it is what the last step did"


class Fields(MachineFields):
    """The named quantities."""

    q = Field("Q", "Joint positions [rad | m], (W, D).")
    qd = Field("QD", "Joint speeds [rad/s | m/s], (W, D).")
    qdd = Field("QDD", "Joint accelerations of the last step [rad/s² | m/s²], (W, D).", readonly=DONE)
    applied_effort = Field(
        "APPLIED_EFFORT", "Efforts that drives and user gave in the last step [N·m | N], (W, D).", readonly=DONE
    )
    effort = Field("EFFORT", "User efforts, until overwritten [N·m | N], (W, D).")
    limit_effort = Field(
        "LIMIT_EFFORT", "Efforts of position limits in the last step, as of drives, (W, D).", readonly=DONE
    )
    friction_effort = Field(
        "FRICTION_EFFORT", "Efforts of joint friction in the last step, as of drives, (W, D).", readonly=DONE
    )
    velocity_limit_effort = Field(
        "VELOCITY_LIMIT_EFFORT", "Efforts of joint speed limits in the last step, as of drives, (W, D).", readonly=DONE
    )
    mimic_effort = Field(
        "MIMIC_EFFORT", "Efforts of mimic joints in the last step, as of drives, (W, D).", readonly=DONE
    )
    tendon_effort = Field("TENDON_EFFORT", "Efforts of tendons in the last step, as of drives, (W, D).", readonly=DONE)
    maximal_joint_effort = Field(
        "MAXIMAL_JOINT_EFFORT",
        "Efforts of joints outside the trees in the last step, as of drives, (W, D).",
        readonly=DONE,
    )
    tension = Field("TENSION", "Pull of tendons in the last step [N], (W, T).", "tendon", 1, DONE)
    maximal_joint_force = Field(
        "MAXIMAL_JOINT_FORCE",
        "What joints outside the trees exert on body 1 [N, N·m], (W, J, 6).",
        "maximal_joint",
        6,
        DONE,
    )
    target_q = Field("TARGET_Q", "Drive targets [rad | m], (W, D).")
    target_qd = Field("TARGET_QD", "Drive targets [rad/s | m/s], (W, D).")
    stiffness = Field("STIFFNESS", "Drive stiffness [N·m/rad | N/m | 1/s²], (W, D).")
    damping = Field("DAMPING", "Drive damping [N·m·s/rad | N·s/m | 1/s], (W, D).")
    max_force = Field("MAX_FORCE", "Bounds on drive and user effort together [N·m | N], (W, D).")
    lower = Field("LOWER", "Lower position limits [rad | m], (W, D).")
    upper = Field("UPPER", "Upper position limits [rad | m], (W, D).")
    maximal_target_q = Field(
        "MAXIMAL_JOINT_TARGET_Q", "Targets of drives outside the trees [rad | m], (W, X).", "maximal_dof"
    )
    maximal_target_qd = Field("MAXIMAL_JOINT_TARGET_QD", "The same of speeds [rad/s | m/s], (W, X).", "maximal_dof")
    maximal_stiffness = Field(
        "MAXIMAL_JOINT_STIFFNESS", "Their stiffness [N·m/rad | N/m | 1/s²], (W, X).", "maximal_dof"
    )
    maximal_damping = Field("MAXIMAL_JOINT_DAMPING", "Their damping [N·m·s/rad | N·s/m | 1/s], (W, X).", "maximal_dof")
    maximal_max_force = Field("MAXIMAL_JOINT_MAX_FORCE", "Bounds on their efforts [N·m | N], (W, X).", "maximal_dof")
    static_friction = Field("STATIC_FRICTION", "Efforts that start a joint [N·m | N], (W, D).")
    dynamic_friction = Field("DYNAMIC_FRICTION", "Efforts of a sliding joint [N·m | N], (W, D).")
    viscous_friction = Field("VISCOUS_FRICTION", "Efforts per joint speed [N·m·s/rad | N·s/m], (W, D).")
    armature = Field("ARMATURE", "Rotor inertias [kg·m² | kg], (W, D).")
    max_velocity = Field("MAX_VELOCITY", "Joint speed limits [rad/s | m/s], (W, D).")
    force = Field("FORCE", "External forces on links, until overwritten [N], (W, L, 3).", "link", 3)
    torque = Field("TORQUE", "External torques on links, until overwritten [N·m], (W, L, 3).", "link", 3)
    force_position = Field(
        "FORCE_POSITION", "Where a force acts, from the centre of mass, axes of the prim [m], (W, L, 3).", "link", 3
    )
    force_is_local = Field(
        "FORCE_IS_LOCAL", "1 where force and torque are along the axes of the prim, 0 of the world, (W, L).", "link"
    )
    link_pose = Field("LINK_POSE", "Positions [m] and orientations of the prims, (W, L, 7).", "link", 7, SEEN)
    link_com_pose = Field("POSE", "The same of the centres of mass, axes of the prims, (W, L, 7).", "link", 7, SEEN)
    link_velocity = Field(
        "LINK_VELOCITY", "Velocity of the centre of mass, angular velocity [m/s, rad/s], (W, L, 6).", "link", 6, SEEN
    )
    link_acceleration = Field(
        "ACCELERATION", "Their accelerations in the last step, classical [m/s², rad/s²], (W, L, 6).", "link", 6, DONE
    )
    link_incoming_force = Field(
        "INCOMING_FORCE",
        "Force and torque of the parent on a link through its joint in the last step, in the joint's frame on the "
        "link [N, N·m], (W, L, 6).",
        "link", 6, DONE,
    )  # fmt: skip
    saturated = Derived(
        bound_flags.saturated, "Whether drives gave all of max_force in the last step, and its sign, (W, D)."
    )
    at_limit = Derived(bound_flags.at_limit, "-1 at the lower position limit, 1 at the upper, 0 at none, (W, D).")
    on_envelope = Derived(
        bound_flags.on_envelope, "Whether drives are at an edge of their performance envelopes, (W, D)."
    )
    root_pose = Field("LINK_POSE", "Pose of the root link's prim; moves the robot, (W, A, 7).", "articulation", 7)
    root_velocity = Field("LINK_VELOCITY", "Velocity of the root link, as of a link, (W, A, 6).", "articulation", 6)
    root_acceleration = Field(
        "ACCELERATION", "Acceleration of the root link, as of a link, (W, A, 6).", "articulation", 6, DONE
    )

    @classmethod
    def quantity(cls, name: str) -> Field:
        """The quantity of that name.

        Raises:
            KeyError: there is none.
        """
        found = getattr(cls, name, None) if isinstance(name, str) else None
        if not isinstance(found, Field):
            raise KeyError(f"no quantity {name!r}; there are {', '.join(q.name for q in cls.quantities())}")
        return found

    @classmethod
    def quantities(cls) -> list[Field]:
        """All quantities."""
        return [value for base in cls.__mro__ for value in vars(base).values() if isinstance(value, Field)]
