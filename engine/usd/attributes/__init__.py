"""The table of USD attributes: name, scene field, unit, and the reason why an attribute is not used.

Values in degrees, metersPerUnit and kilogramsPerUnit are converted here. Rows for one scene field are in order of
precedence: PhysX before Newton.
"""

from fnmatch import fnmatchcase
from functools import cache

from .attribute import Attribute
from .body import BODY, FREE_BODY, INERTIA_TENSOR, LINK, MASS_PROPERTIES, MATERIAL, ROOT_LINK
from .contact import (
    BODY_COLLIDERS,
    BODY_CONTACT,
    COLLIDER,
    CONTACT_MATERIAL,
    CONTACT_SCENE,
    JOINT_CONTACT,
    MESH_COLLISION,
    PATCH,
    SELF_COLLISION,
)
from .force import FORCES
from .joint import (
    ACTUATOR,
    ACTUATOR_LAW,
    AXIS,
    AXIS_LIMIT,
    BREAK,
    CONE,
    DISTANCE,
    DRIVE,
    ENVELOPE,
    FRICTION,
    JOINT,
    LIMIT,
    LIMIT_SPRING,
    STATE,
)
from .mimic import MIMIC, MIMIC_OF_MANY, NEWTON_MIMIC
from .scene import ARTICULATION, SCENE
from .surface import SURFACE
from .tendon import ATTACHMENT, LENGTHS, TENDON, TENDON_AXIS

TABLES = (
    *(SCENE, ARTICULATION),
    *(BODY, LINK, FREE_BODY, ROOT_LINK, MASS_PROPERTIES, INERTIA_TENSOR, MATERIAL),
    *(FORCES, SURFACE),
    *(JOINT, BREAK, LIMIT, CONE, AXIS_LIMIT, AXIS, FRICTION, DRIVE, ENVELOPE, ACTUATOR, ACTUATOR_LAW, STATE),
    *(MIMIC, MIMIC_OF_MANY, NEWTON_MIMIC),
    *(LIMIT_SPRING, DISTANCE),
    *(CONTACT_SCENE, COLLIDER, PATCH, MESH_COLLISION, CONTACT_MATERIAL, BODY_CONTACT, BODY_COLLIDERS),
    *(SELF_COLLISION, JOINT_CONTACT),
    *(TENDON, LENGTHS, TENDON_AXIS, ATTACHMENT),
)
TABLE = tuple(row for table in TABLES for row in table)


@cache
def rows_named(name: str) -> tuple[Attribute, ...]:
    """Return the rows of the table with this name, on any axis."""
    return tuple(row for row in TABLE if fnmatchcase(name, row.name.replace("{axis}", "*")))
