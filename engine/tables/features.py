"""Features of a kernel: laws that a scene does not need and nobody asked for are not compiled."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Features:
    """Optional parts of a kernel."""

    floats: bool = True  # roots that move
    dense: bool = False  # articulations solved with their inverse mass matrix
    mimics: bool = False
    actuators: bool = False  # efforts that are computed at the start of a step
    joints: bool = False  # maximal joints
    breaks: bool = False  # maximal joints that break
    gears: bool = False  # gear joints, racks and pinions
    tendons: bool = False
    contacts: bool = False
    slots: bool = False  # pairs of colliders share slots
    crowds: bool = False  # many bodies, whose near pairs are found along an axis
    kinematics: bool = False  # bodies that move as they are told
    surfaces: bool = False  # contacts with surface velocities
    slops: bool = False  # contacts with a slop
    impulse_limits: bool = False  # contacts with a largest impulse
    speculation: bool = False  # contact distances that grow with the speed of bodies
    continuous: bool = False  # free bodies that are swept
    locks: bool = False  # free bodies with locked axes
    planes: bool = False  # contacts of spheres, capsules and boxes with planes
    boxes: bool = False  # contacts of two boxes
    rounds: bool = False  # contacts of cylinders and cones with planes
    cores: bool = False  # contacts of cylinders and cones with convex shapes
    hulls: bool = False  # contacts of hulls with planes
    convexes: bool = False  # nearest points of two convex shapes
    capsules: bool = False  # contacts of capsules with boxes and hulls
    polyhedra: bool = False  # contacts of hulls with boxes and hulls
    meshes: bool = False  # contacts with triangle meshes, in several directions
    kept_on_meshes: bool = False  # those of spheres, capsules, boxes and hulls
    cores_on_meshes: bool = False  # those of cylinders and cones
    sleeps: bool = False  # whether something may fall asleep
    schedule: bool = False  # parameters that follow a table, `tables.schedule`
    linked: bool = False  # `contact_function` is the code of another process
    results: bool = True  # results of a step, `layout.STEP_RESULTS`, beside the accelerations of joints
    statistics: bool = False  # statistics over the steps, `layout.STATISTICS`
    monitors: bool = False  # efforts and contacts over the steps of a launch, `monitors.MONITORS`

    def of_contacts(self) -> "Features":
        """Return the features of detection and preparation of contacts, with other laws as by default."""
        return replace(self, **{law: getattr(Features, law) for law in OTHER_LAWS})


OTHER_LAWS = (
    "floats",
    "dense",
    "continuous",
    "locks",
    "mimics",
    "actuators",
    "joints",
    "gears",
    "breaks",
    "tendons",
    "linked",
    "schedule",
    "results",
    "statistics",
    "monitors",
)
"""Features on which detection and preparation of contacts do not depend."""
