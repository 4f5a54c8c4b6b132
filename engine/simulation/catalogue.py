"""Everything of a simulation that has a name, declared.

W worlds, D degrees of freedom, L links, A articulations (free bodies among them), J joints outside the trees, T tendons
(or branches of them), in the order of `dof`, `link`, `articulation`, `outer_joint` and `tendon`. SI units, radians,
world axes unless said otherwise; quaternions are (x, y, z, w).
"""

from . import flags
from .quantity import Derived, Quantity
from .settings import Settings

SEEN = "it follows from the joints; set q, root_pose or root_velocity"
DONE = "it is what the last step did"


class Catalogue(Settings):
    """The named quantities."""

    q = Quantity("Q", "Joint positions [rad | m], (W, D).")
    qd = Quantity("QD", "Joint speeds [rad/s | m/s], (W, D).")
    qdd = Quantity("QDD", "Joint accelerations of the last step [rad/s² | m/s²], (W, D).", readonly=DONE)
    driven = Quantity("DRIVEN", "Efforts that drives and user gave in the last step [N·m | N], (W, D).", readonly=DONE)
    effort = Quantity("EFFORT", "User efforts, until overwritten [N·m | N], (W, D).")
    limit_effort = Quantity(
        "LIMIT_EFFORT", "Efforts of position limits in the last step, as of drives, (W, D).", readonly=DONE
    )
    friction_effort = Quantity(
        "FRICTION_EFFORT", "Efforts of joint friction in the last step, as of drives, (W, D).", readonly=DONE
    )
    speed_limit_effort = Quantity(
        "SPEED_LIMIT_EFFORT", "Efforts of joint speed limits in the last step, as of drives, (W, D).", readonly=DONE
    )
    mimic_effort = Quantity(
        "MIMIC_EFFORT", "Efforts of mimic joints in the last step, as of drives, (W, D).", readonly=DONE
    )
    tendon_effort = Quantity(
        "TENDON_EFFORT", "Efforts of tendons in the last step, as of drives, (W, D).", readonly=DONE
    )
    outer_joint_effort = Quantity(
        "JOINT_EFFORT", "Efforts of joints outside the trees in the last step, as of drives, (W, D).", readonly=DONE
    )
    tension = Quantity("TENSION", "Pull of tendons in the last step [N], (W, T).", "tendon", 1, DONE)
    outer_joint_force = Quantity(
        "JOINT_FORCE", "What joints outside the trees exert on body 1 [N, N·m], (W, J, 6).", "outer_joint", 6, DONE
    )
    target_q = Quantity("TARGET_Q", "Drive targets [rad | m], (W, D).")
    target_qd = Quantity("TARGET_QD", "Drive targets [rad/s | m/s], (W, D).")
    stiffness = Quantity("STIFFNESS", "Drive stiffness [N·m/rad | N/m | 1/s²], (W, D).")
    damping = Quantity("DAMPING", "Drive damping [N·m·s/rad | N·s/m | 1/s], (W, D).")
    max_force = Quantity("MAX_FORCE", "Bounds on drive and user effort together [N·m | N], (W, D).")
    lower = Quantity("LOWER", "Lower position limits [rad | m], (W, D).")
    upper = Quantity("UPPER", "Upper position limits [rad | m], (W, D).")
    outer_target_q = Quantity("JOINT_TARGET_Q", "Targets of drives outside the trees [rad | m], (W, X).", "outer_dof")
    outer_target_qd = Quantity("JOINT_TARGET_QD", "The same of speeds [rad/s | m/s], (W, X).", "outer_dof")
    outer_stiffness = Quantity("JOINT_STIFFNESS", "Their stiffness [N·m/rad | N/m | 1/s²], (W, X).", "outer_dof")
    outer_damping = Quantity("JOINT_DAMPING", "Their damping [N·m·s/rad | N·s/m | 1/s], (W, X).", "outer_dof")
    outer_max_force = Quantity("JOINT_MAX_FORCE", "Bounds on their efforts [N·m | N], (W, X).", "outer_dof")
    static_friction = Quantity("STATIC_FRICTION", "Efforts that start a joint [N·m | N], (W, D).")
    dynamic_friction = Quantity("DYNAMIC_FRICTION", "Efforts of a sliding joint [N·m | N], (W, D).")
    viscous_friction = Quantity("VISCOUS_FRICTION", "Efforts per joint speed [N·m·s/rad | N·s/m], (W, D).")
    armature = Quantity("ARMATURE", "Rotor inertias [kg·m² | kg], (W, D).")
    max_velocity = Quantity("MAX_VELOCITY", "Joint speed limits [rad/s | m/s], (W, D).")
    force = Quantity("FORCE", "External forces on links, until overwritten [N], (W, L, 3).", "link", 3)
    torque = Quantity("TORQUE", "External torques on links, until overwritten [N·m], (W, L, 3).", "link", 3)
    force_point = Quantity(
        "FORCE_POINT", "Where a force acts, from the centre of mass, axes of the prim [m], (W, L, 3).", "link", 3
    )
    force_turns = Quantity(
        "FORCE_TURNS", "1 where force and torque are along the axes of the prim, 0 of the world, (W, L).", "link"
    )
    link_pose = Quantity("LINK_POSE", "Positions [m] and orientations of the prims, (W, L, 7).", "link", 7, SEEN)
    link_com_pose = Quantity("POSE", "The same of the centres of mass, axes of the prims, (W, L, 7).", "link", 7, SEEN)
    link_velocity = Quantity(
        "LINK_VELOCITY", "Velocity of the centre of mass, angular velocity [m/s, rad/s], (W, L, 6).", "link", 6, SEEN
    )
    link_acceleration = Quantity(
        "ACCELERATION", "Their accelerations in the last step, classical [m/s², rad/s²], (W, L, 6).", "link", 6, DONE
    )
    link_incoming_force = Quantity(
        "INCOMING_FORCE",
        "Force and torque of the parent on a link through its joint in the last step, in the joint's frame on the "
        "link [N, N·m], (W, L, 6).",
        "link", 6, DONE,
    )  # fmt: skip
    saturated = Derived(flags.saturated, "Whether drives gave all of max_force in the last step, and its sign, (W, D).")
    at_limit = Derived(flags.at_limit, "-1 at the lower position limit, 1 at the upper, 0 at none, (W, D).")
    on_envelope = Derived(flags.on_envelope, "Whether drives are at an edge of their performance envelopes, (W, D).")
    root_pose = Quantity("LINK_POSE", "Pose of the root link's prim; moves the robot, (W, A, 7).", "articulation", 7)
    root_velocity = Quantity("LINK_VELOCITY", "Velocity of the root link, as of a link, (W, A, 6).", "articulation", 6)
    root_acceleration = Quantity(
        "ACCELERATION", "Acceleration of the root link, as of a link, (W, A, 6).", "articulation", 6, DONE
    )

    @classmethod
    def quantity(cls, name: str) -> Quantity:
        """The quantity of that name.

        Raises:
            KeyError: there is none.
        """
        found = getattr(cls, name, None) if isinstance(name, str) else None
        if not isinstance(found, Quantity):
            raise KeyError(f"no quantity {name!r}; there are {', '.join(q.name for q in cls.quantities())}")
        return found

    @classmethod
    def quantities(cls) -> list[Quantity]:
        """All quantities."""
        return [value for base in cls.__mro__ for value in vars(base).values() if isinstance(value, Quantity)]
