"""What the schemas' own text says of an attribute, for prims on which no registered schema declares it."""

from functools import cache
from pathlib import Path
from typing import Any

from fajin.usd_schema import PLUGINS

INSTANCE = "__INSTANCE_NAME__"


@cache
def declared() -> dict[str, Any]:
    """Type of each attribute of PhysX, Newton and fajin, an instance's name in it as `INSTANCE`."""
    import newton_usd_schemas
    from pxr import Sdf

    own = [folder for _, folder in PLUGINS.values() if folder]
    types = {}
    for folder in (*own, Path(newton_usd_schemas.__file__).parent):
        layer = Sdf.Layer.FindOrOpen(str(folder / "generatedSchema.usda"))
        for schema in layer.rootPrims:
            types |= {spec.name: spec.typeName for spec in schema.attributes}
    return types


def declared_type(name: str) -> Any:
    """Type of an attribute by its name, "physxTendon:cord:gearing"; None if no schema declares it."""
    head, _, rest = name.partition(":")
    patterns = (name, f"{head}:{INSTANCE}:{rest.partition(':')[2]}")
    return next((declared()[pattern] for pattern in patterns if pattern in declared()), None)
