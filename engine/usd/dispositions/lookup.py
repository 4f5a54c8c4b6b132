"""Search of the dispositions by name, and the nearest known name for a misspelt one."""

from collections.abc import Iterable
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cache

from ..attributes import TABLE
from .bodies import BODIES, COLLIDERS
from .deformables import NEWTON_DEFORMABLES, PHYSX_DEFORMABLES, RETIRED_DEFORMABLES
from .disposition import INSTANCE, PART, Row, Schema
from .joints import JOINTS
from .newton import NEWTON_SCHEMAS
from .other_tools import FREE, PATTERNS
from .particles import PARTICLE_SCHEMAS
from .scene import SCENES
from .vehicles import CAMERAS, CHARACTERS, VEHICLES

SCHEMAS = {
    schema.name: schema
    for schema in (
        *(*SCENES, *BODIES, *COLLIDERS, *JOINTS, *NEWTON_SCHEMAS, *VEHICLES, *CHARACTERS, *CAMERAS),
        *(*PARTICLE_SCHEMAS, *PHYSX_DEFORMABLES, *RETIRED_DEFORMABLES, *NEWTON_DEFORMABLES, FREE),
    )
}
READ = (  # relationships and attributes that the reader follows, beside the attribute table
    *("physics:body0", "physics:body1", "physics:filteredPairs", "physics:filteredGroups"),
    *(f"physics:{name}" for name in ("gearRatio", "hinge0", "hinge1", "hinge", "prismatic", "ratio")),
    *(f"physxTendon:*:{name}" for name in ("jointAxis", "parentAttachment", "parentLink")),
    *("physxMimicJoint:*:referenceJoint", "fajinMimic:*:references", "newton:mimicJoint"),
)
TAIL, WHOLE = 0.6, 0.8  # least similarity of the last part of a name in its namespace, and of a whole name


@cache
def by_name() -> dict[str, Row]:
    """Return the row of each name; `INSTANCE` stands for the instance."""
    return {row.name: row for schema in reversed(SCHEMAS.values()) for row in reversed(schema.rows)}


@cache
def row_of(name: str) -> Row | None:
    """Return the row of an attribute; None if the table has neither its name nor a pattern for it."""
    code = next((code for pattern, code in PATTERNS.items() if fnmatchcase(name, pattern)), "")
    return by_name().get(name) or by_name().get(generic(name)) or (Row(name, code) if code else None)


@cache
def schemas_with(name: str) -> tuple[Schema, ...]:
    """Return the schemas with a row for an attribute."""
    own = {name, generic(name)}
    return tuple(schema for schema in SCHEMAS.values() if own & {row.name for row in schema.rows})


def generic(name: str) -> str:
    """Return a name with `INSTANCE` for its second part, as of a multiple-apply schema."""
    head, _, rest = name.partition(":")
    return f"{head}:{INSTANCE}:{rest.partition(':')[2]}"


@cache
def names() -> tuple[str, ...]:
    """Return every name of an attribute or relationship that acts or has a row; `INSTANCE` stands for the instance."""
    acting = (row.name.replace("{axis}", INSTANCE) for row in TABLE)
    return tuple(dict.fromkeys([*acting, *READ, *(name for name in by_name() if ":" in name)]))


@cache
def is_known(name: str) -> bool:
    """Return whether a schema, or a pattern of another tool, has an attribute or relationship of this name."""
    return {name, generic(name)} & set(names()) != set() or row_of(name) is not None


@cache
def suggested(name: str) -> str:
    """Return the known name that is nearest to an unknown one: of its namespace first; "" if none is near."""
    parts = name.split(":")
    instance = parts[1] if len(parts) > 2 else INSTANCE
    known = [own.replace(INSTANCE, instance) for own in names()]
    head, _, tail = name.rpartition(":")
    simulated = {own: own for own in reversed(known) if own not in by_name() or by_name()[own].code != PART}
    for names_of in (simulated, known):
        tails = {own.rpartition(":")[2]: own for own in names_of if own.rpartition(":")[0] == head}
        if near := get_close_matches(tail, tails, 1, TAIL):
            return tails[near[0]]
    ends = {":".join(own.split(":")[-len(parts) :]): own for own in simulated}
    near = get_close_matches(name, {**ends, **simulated}, 1, WHOLE)
    return {**ends, **simulated}[near[0]] if near else ""


def suggested_schema(name: str, others: Iterable[str] = ()) -> str:
    """Return the known schema or prim type that is nearest to an unknown one; "" if none is near."""
    base, _, instance = name.partition(":")
    near = get_close_matches(base, [*filter(None, SCHEMAS), *others], 1, WHOLE)
    return near[0] + (f":{instance}" if instance else "") if near else ""
