"""References of the topology: which words of a table name items of another one.

An island's items are those that its words name, by way of these references. `model.templates` numbers them anew.
"""

LINKS, DOFS, TENDON_PARAMETERS, COMMANDS, BOUND_POINTS = "L", "D", "T", "c", "p"
"""Items without a table, by the letter of `layout`."""

NAMES = {
    "NODES": {
        **dict.fromkeys(("PARENT", "PARENT_LAST", "LAST", "FIRST"), "NODES"),
        "LINK": LINKS, "DOF": DOFS, "BODY": "BODIES",
    },
    "ARTICULATIONS": {"JOINED": "ARTICULATIONS"},
    "ACTUATORS": {"NODE": "NODES"},
    "TERMS": {"NODE": "NODES"},
    "MEMBERS": {"ARTICULATION": "ARTICULATIONS"},
    "JOINTS": dict.fromkeys(("HELD", "HELD_TOO"), "ARTICULATIONS"),
    "SIDES": {"NODE": "NODES", "ROOT": "NODES"},
    "PATHS": {"NODE": "NODES"},
    "TENDONS": {"TENDON": TENDON_PARAMETERS, "START": "SIDES"},
    "STRANDS": {"NODE": "NODES", "SIDE": "SIDES", "PREVIOUS": "STRANDS"},
    "SEGMENTS": {"NEAR": "ATTACHMENTS", "FAR": "ATTACHMENTS"},
    "ATTACHMENTS": {"LINK": LINKS},
    "COLLIDERS": {
        "NODE": "NODES",
        "LINK": LINKS,
        "ARTICULATION": "ARTICULATIONS",
        **dict.fromkeys(("FIRST", "WHOLE"), "COLLIDERS"),
    },
    "BODIES": {"LINK": LINKS},
    "GROUPS": {"BODY0": "BODIES", "BODY1": "BODIES"},
    "PAIRS": {
        "COLLIDER_A": "COLLIDERS", "COLLIDER_B": "COLLIDERS", "SIDE0": "SIDES", "SIDE1": "SIDES",
        "OWNER0": "ARTICULATIONS", "OWNER1": "ARTICULATIONS",
    },
}  # fmt: skip
"""Words with the number of one item, -1 for none, by table."""

RANGES = {
    "NODES": {"WORLD_JOINT": ("JOINTS", "WORLD_JOINT_END")},
    "ARTICULATIONS": {
        "ROOT": ("NODES", "END"), "MIMIC": ("MIMICS", "MIMIC_END"), "TENDON": ("TENDONS", "TENDON_END"),
        "ACTUATOR": ("ACTUATORS", "ACTUATOR_END"),
    },
    "ACTUATORS": {"COMMAND": (COMMANDS, "COMMAND_END"), "POINT": (BOUND_POINTS, "POINT_END")},
    "MIMICS": {"TERM": ("TERMS", "TERM_END")},
    "ISLANDS": {
        "MEMBER": ("MEMBERS", "MEMBER_END"), "JOINT": ("JOINTS", "JOINT_END", "PAIR_JOINT_END"),
        "COLLIDER": ("COLLIDERS", "COLLIDER_END"), "BODY": ("BODIES", "BODY_END"),
        "GROUP": ("GROUPS", "GROUP_END", "EARLY_GROUP_END"), "PAIR": ("PAIRS", "PAIR_END", "EARLY_PAIR_END"),
        "SLOT": ("PAIRS", "SLOT_END"),
    },
    "JOINTS": {"CONSTRAINT": ("CONSTRAINTS", "CONSTRAINT_END")},
    "SIDES": {"PATH": ("PATHS", "PATH_END")},
    "TENDONS": {"STRAND": ("STRANDS", "STRAND_END"), "SEGMENT": ("SEGMENTS", "SEGMENT_END")},
    "BODIES": {"COLLIDER": ("COLLIDERS", "COLLIDER_END"), "GROUP": ("GROUPS", "GROUP_END")},
    "GROUPS": {"PAIR": ("PAIRS", "PAIR_END")},
}  # fmt: skip
"""Words with the first item of a range, by table: table of the items, and the words with the ends of its parts."""

SCENE_WIDE = (
    *("HULLS", "HULL_FACES", "HULL_CORNERS", "HULL_EDGES", "BOUNDS", "TRIANGLES"),
    *("ACTIVE", "SLOTS", "CONTACTS", "PATCHES", "ANCHORS", "CANDIDATES", "DIRECTIONS", "CORES", "SUPPORTS", "FACETS"),
    *("FACET_SIDES", "CROWD", "HELD", "PAIR_KINDS", "APART", "RECIPROCALS", "NORMAL_ROWS"),
)
"""Tables that islands share: vertices and faces of shapes, and room in scratch."""

OWNERS = {
    "N": "NODES", "L": LINKS, "D": DOFS, "A": "ARTICULATIONS", "M": "MIMICS", "K": "TERMS", "J": "JOINTS",
    "T": TENDON_PARAMETERS, "E": "TENDONS", "R": "STRANDS", "P": "SEGMENTS", "B": "ATTACHMENTS", "C": "COLLIDERS",
    "G": "PAIRS", "b": "BODIES", "I": "ISLANDS", "a": "ACTUATORS", "c": COMMANDS, "p": BOUND_POINTS,
}  # fmt: skip
"""Items with the rows of parameters by the letter of `layout`."""

SHARED_OWNERS = "SOVUQ"
"""Letters of parameters that islands share: those of the scene, and of the vertices and faces of shapes."""
