"""Attribute types from the schema text, for prims on which no registered schema declares the attribute."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from fajin.usd_schema import PLUGINS

INSTANCE = "__INSTANCE_NAME__"


@cache
def declared() -> dict[str, dict[str, Any]]:
    """Return types of each attribute of PhysX, Newton and fajin, by schema; `INSTANCE` stands for instance names."""
    import newton_usd_schemas
    from pxr import Sdf

    own = [folder for _, folder in PLUGINS.values() if folder]
    types: dict[str, dict[str, Any]] = {}
    for folder in (*own, Path(newton_usd_schemas.__file__).parent):
        layer = Sdf.Layer.FindOrOpen(str(folder / "generatedSchema.usda"))
        for schema in layer.rootPrims:
            for spec in schema.attributes:
                types.setdefault(spec.name, {})[schema.name] = spec.typeName
    return types


def declared_type(name: str, applied: Iterable[str] = ()) -> Any:
    """Return the type of an attribute by its name, "physxTendon:cord:gearing"; None if no schema declares it.

    If several schemas declare the attribute, the type comes from the applied schema, or from the base of an applied
    schema.
    """
    head, _, rest = name.partition(":")
    known = declared().get(name) or declared().get(f"{head}:{INSTANCE}:{rest.partition(':')[2]}") or {}
    heads = tuple(applied)
    return next(
        (kind for schema, kind in known.items() if any(a.startswith(schema.removesuffix("API")) for a in heads)),
        next(iter(known.values()), None),
    )
