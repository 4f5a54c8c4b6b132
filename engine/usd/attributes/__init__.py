"""The one table of USD attributes: name, scene field, unit, and why an attribute is not used.

Degrees, metersPerUnit and kilogramsPerUnit end here. Rows that fill the same field stand in order of precedence: PhysX
before Newton.
"""

from .body import BODY, FREE_BODY, INERTIA_TENSOR, LINK, MASS_PROPERTIES, MATERIAL, ROOT_LINK
from .joint import AXIS, AXIS_LIMIT, CONE, DISTANCE, DRIVE, ENVELOPE, FRICTION, JOINT, LIMIT, LIMIT_SPRING, STATE
from .mimic import MIMIC, MIMIC_OF_MANY, NEWTON_MIMIC
from .scene import ARTICULATION, SCENE
from .tendon import ATTACHMENT, LENGTHS, TENDON, TENDON_AXIS

TABLES = (
    *(SCENE, ARTICULATION),
    *(BODY, LINK, FREE_BODY, ROOT_LINK, MASS_PROPERTIES, INERTIA_TENSOR, MATERIAL),
    *(JOINT, LIMIT, CONE, AXIS_LIMIT, AXIS, FRICTION, DRIVE, ENVELOPE, STATE),
    *(MIMIC, MIMIC_OF_MANY, NEWTON_MIMIC),
    *(LIMIT_SPRING, DISTANCE),
    *(TENDON, LENGTHS, TENDON_AXIS, ATTACHMENT),
)
TABLE = tuple(row for table in TABLES for row in table)
