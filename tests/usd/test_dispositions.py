"""Every schema, prim type and attribute of the installed schema packages has a disposition."""

from importlib.resources import files
from pathlib import Path

import pytest
from pxr import Plug, Sdf

from fajin.usd.attributes import TABLE, rows_named
from fajin.usd.dispositions import READ, SCHEMAS, names, row_of
from fajin.usd.stage.diagnostic_codes import CODES

PLACES = {  # the schemas of a package: the module that is installed with them, and their files
    "usd": ("pxr", ()),
    "newton": ("newton_usd_schemas", ("generatedSchema.usda",)),
    "physx": (
        "physx_usd_schemas",
        (
            "PhysxSchema/resources/generatedSchema.usda",
            "OmniUsdPhysicsDeformableSchema/resources/generatedSchema.usda",
        ),
    ),
}
OF_USD = {  # what every prim that is drawn has
    *("proxyPrim", "purpose", "visibility", "doubleSided", "extent", "orientation", "xformOpOrder"),
    *("primvars:displayColor", "primvars:displayOpacity"),
}


def layers(package: str) -> list[Sdf.Layer]:
    """The generated schemas of a package."""
    module, places = PLACES[package]
    if package == "usd":
        paths = [Path(Plug.Registry().GetPluginWithName("usdPhysics").resourcePath) / "generatedSchema.usda"]
    else:
        pytest.importorskip(module)
        paths = [Path(str(files(module))) / place for place in places]
    return [Sdf.Layer.FindOrOpen(str(path)) for path in paths]


def disposition(name: str) -> str:
    """`acts`, or the code of the row."""
    acting = rows_named(name.replace("*", "x")) or name in READ
    found = row_of(name)
    return "acts" if acting else found.code if found else ""


@pytest.mark.parametrize("package", PLACES)
def test_every_schema_and_attribute_of_a_package_has_a_disposition(package):
    """A new version of the package that adds a name turns this test red."""
    missing = []
    kept = layers(package)
    for layer in kept:
        for schema in layer.rootPrims:
            own = {spec.name.replace("__INSTANCE_NAME__", "*") for spec in schema.properties} - OF_USD
            listed = {row.name for row in SCHEMAS[schema.name].rows} if schema.name in SCHEMAS else set()
            missing += [schema.name] * (schema.name not in SCHEMAS)
            missing += [f"{schema.name}.{name}" for name in own - listed if not (":" in name and disposition(name))]
    assert len(kept)
    assert missing == []


def test_a_row_states_one_disposition():
    """A name that acts has no reason for not acting, and each code says whether the motion is that of PhysX."""
    codes = {row.code for schema in SCHEMAS.values() for row in schema.rows}
    codes |= {schema.code for schema in SCHEMAS.values()}
    assert codes - {"", "part"} <= set(CODES)
    acting = {row.name.replace("{axis}", "*") for row in TABLE}
    assert not acting & {row.name for schema in SCHEMAS.values() for row in schema.rows if row.code != "part"}
    assert len(set(names())) == len(names())
    assert not [code for code, row in CODES.items() if row.harmless and row.missing]
