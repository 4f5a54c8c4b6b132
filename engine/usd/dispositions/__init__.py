"""Dispositions: what becomes of every schema and attribute of USD, PhysX and Newton that the attribute table lacks.

An attribute acts (the attribute table or `READ` has it), does not matter (its code is harmless), or changes PhysX's
motion and is not simulated yet (its code is missing). Names that no schema has are unknown and get a suggestion.
"""

from .disposition import INSTANCE, PART, Row, Schema
from .lookup import READ, SCHEMAS, is_known, names, row_of, schemas_with, suggested, suggested_schema
from .other_tools import FOREIGN, MUJOCO

__all__ = [
    "FOREIGN",
    "INSTANCE",
    "MUJOCO",
    "PART",
    "READ",
    "SCHEMAS",
    "Row",
    "Schema",
    "is_known",
    "names",
    "row_of",
    "schemas_with",
    "suggested",
    "suggested_schema",
]
