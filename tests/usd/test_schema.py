"""Schemas: known to USD by registration or by one variable, each attribute with its text, its unit and its default."""

import json
import os
import subprocess
import sys
from importlib import import_module
from math import inf
from pathlib import Path

import numpy as np
import pytest
from pxr import Gf, Plug, Sdf, Usd, UsdPhysics

from fajin import usd_schema
from fajin.usd.attributes import TABLE, schema_hints
from fajin.usd.attributes.contact import LEAST_THICKNESS
from fajin.usd_schema import __main__ as usd_schema_command
from fajin.usd_schema.declared import declared, declared_type

FOLDERS = {name: folder for name, (_, folder) in usd_schema.PLUGINS.items() if folder}
LAYERS = {name: Sdf.Layer.FindOrOpen(str(folder / "generatedSchema.usda")) for name, folder in FOLDERS.items()}
APPLY = """
from pxr import Usd, UsdPhysics
stage = Usd.Stage.CreateInMemory()
prims = {kind: stage.DefinePrim(f"/{kind}", kind) for kind in ("PhysicsRevoluteJoint", "PhysicsScene", "Xform")}
prims["PhysicsDistanceJoint"] = stage.DefinePrim("/distance", "PhysicsDistanceJoint")
for name, kind, prim in SCHEMAS:
    arguments = (name, "rotX") if kind == "multipleApplyAPI" else (name,)
    assert prims[prim].CanApplyAPI(*arguments), name
    prims[prim].ApplyAPI(*arguments)
    assert name in " ".join(prims[prim].GetAppliedSchemas()), name
assert prims["PhysicsScene"].GetAttribute("fajinScene:duration").Get() == 5.0
assert prims["PhysicsRevoluteJoint"].GetAttribute("physxMimicJoint:rotX:gearing").Get() == 1.0
"""


def schemas(folder: Path) -> list[tuple[str, str, str]]:
    """Name, kind and a type of prim of every schema in a folder."""
    types = json.loads((folder / "plugInfo.json").read_text())["Plugins"][0]["Info"]["Types"].values()
    prims = {"PhysicsScene": "PhysicsScene", "PhysicsDistanceJoint": "PhysicsDistanceJoint"}
    only = [info.get("apiSchemaCanOnlyApplyTo", ["PhysicsRevoluteJoint"])[0] for info in types]
    places = [prims.get(prim, "PhysicsRevoluteJoint") for prim in only]
    return [(t["schemaIdentifier"], t["schemaKind"], place) for t, place in zip(types, places, strict=True)]


def run(text: str, *folders: str) -> None:
    """Run Python in a fresh process with that variable and nothing of fajin."""
    environment = {**os.environ, "PXR_PLUGINPATH_NAME": os.pathsep.join(folders)}
    subprocess.run([sys.executable, "-c", text], env=environment, check=True)


def test_the_variable_alone_makes_every_schema_known():
    """`PXR_PLUGINPATH_NAME=$(python -m fajin.usd_schema)` is all that another application needs."""
    command = [sys.executable, "-m", "fajin.usd_schema"]
    folders = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    names = [
        *(s for folder in FOLDERS.values() for s in schemas(folder)),
        ("NewtonMimicAPI", "", "PhysicsRevoluteJoint"),
    ]
    run(f"SCHEMAS = {names}\n{APPLY}", folders)
    own = subprocess.run([*command, "--own"], check=True, capture_output=True, text=True).stdout.strip()
    assert Path(own) == FOLDERS["fajinSchema"]


def test_ours_do_in_place_of_the_package_of_physx():
    """Where PhysX's package is not installed, the same schemas come from here."""
    names = [s for folder in FOLDERS.values() for s in schemas(folder)]
    run(f"SCHEMAS = {names}\n{APPLY}", *map(str, FOLDERS.values()))


def test_ours_are_registered_where_the_package_of_physx_is_missing():
    """`register` alone, without the variable."""
    names = [s for folder in FOLDERS.values() for s in schemas(folder)]
    missing = "import sys\nsys.modules['physx_usd_schemas'] = None\n"
    known = f"from fajin.usd_schema import register\nassert register() == {tuple(usd_schema.PLUGINS)}\n"
    run(f"{missing}{known}SCHEMAS = {names}\n{APPLY}")


def test_registering_twice_or_after_the_application_is_harmless():
    """Whoever came first is left alone; a second copy would be an error."""
    twice = "from fajin.usd_schema import register\nassert register() == register() == "
    run(f"{twice}{tuple(usd_schema.PLUGINS)}")
    run(f"{twice}{tuple(usd_schema.PLUGINS)}", *map(str, FOLDERS.values()))


def test_registering_too_late_is_told():
    """USD has built its registry by then: a warning names the schemas and the way out."""
    late = (
        "import warnings\nfrom pxr import Usd\nUsd.Stage.CreateInMemory().DefinePrim('/a', 'Xform')\n"
        "Usd.SchemaRegistry()\nfrom fajin.usd_schema import register\n"
        "with warnings.catch_warnings(record=True) as said:\n    register()\n"
        "assert len(said) == 1 and 'fajinSchema' in str(said[0].message), said\n"
        "with warnings.catch_warnings(record=True) as said:\n    register()\nassert not said\n"
    )
    run(late)


@pytest.mark.parametrize("name", FOLDERS)
def test_every_attribute_says_what_it_is_and_in_which_unit(name):
    """A sentence, and for a number its range; every number but a count or a ratio has a unit."""
    for schema in LAYERS[name].rootPrims:
        assert schema.documentation
        for spec in schema.properties:
            assert spec.documentation.strip().endswith("."), spec.path
            if isinstance(spec, Sdf.AttributeSpec) and str(spec.typeName) in ("float", "double", "uint", "int"):
                assert "Range: " in spec.documentation, spec.path


HINTS = """
from pxr import Usd, UsdUI
stage = Usd.Stage.CreateInMemory()
prim = stage.DefinePrim("/joint", "PhysicsRevoluteJoint")
registry = Usd.SchemaRegistry()
for name, kind, _ in SCHEMAS:
    definition = registry.FindAppliedAPIPrimDefinition(name)
    for template in definition.GetPropertyNames():
        prim.AddAppliedSchema(f"{name}:rotX" if kind == "multipleApplyAPI" else name)
        attribute = prim.GetAttribute(template.replace("__INSTANCE_NAME__", "rotX"))
        if not attribute:
            assert prim.GetRelationship(template.replace("__INSTANCE_NAME__", "rotX")), template
            continue
        hints = UsdUI.AttributeHints(attribute)
        assert hints.GetDisplayName() and hints.GetDisplayGroup() and attribute.GetDocumentation(), template
    prim.RemoveAppliedSchema(f"{name}:rotX" if kind == "multipleApplyAPI" else name)
prim.AddAppliedSchema("PhysxJointAxisAPI:rotX")
armature = prim.GetAttribute("physxJointAxis:rotX:armature")
assert UsdUI.AttributeHints(armature).GetDisplayName() == "Armature [mass·length² | mass]"
assert armature.GetHardLimits().GetMinimum() == 0.0 and armature.GetHardLimits().GetMaximum() is None
prim.AddAppliedSchema("PhysxArticulationAPI")
iterations = prim.GetAttribute("physxArticulation:solverPositionIterationCount").GetHardLimits()
assert (iterations.GetMinimum(), iterations.GetMaximum()) == (1, 255)
"""


def test_property_panels_get_name_unit_group_range_and_text():
    """As `UsdUI.AttributeHints` and `GetHardLimits` return them, in an application that loads these schemas only."""
    names = [s for folder in FOLDERS.values() for s in schemas(folder)]
    run(f"SCHEMAS = {names}\n{HINTS}", *map(str, FOLDERS.values()))


@pytest.mark.parametrize("name", FOLDERS)
def test_hints_are_those_of_the_table(name):
    """After a change of the table: python -m fajin.usd.attributes.schema_hints."""
    file = FOLDERS[name] / schema_hints.FILE
    assert schema_hints.with_hints(file) == file.read_text(encoding="utf-8")


def test_tokens_of_a_schema_are_those_of_the_table():
    """So a panel offers nothing that the reader refuses; PhysX's schema offers rotations alone as axes."""
    specs = [spec for layer in LAYERS.values() for schema in layer.rootPrims for spec in schema.attributes]
    offered = [(set(spec.allowedTokens), row) for spec in specs if (row := schema_hints.row_of(spec)) and row.tokens]
    assert len(offered) > 5
    assert all(tokens <= set(row.tokens) for tokens, row in offered)


def test_hints_of_physx_and_newton_stay_theirs():
    """Where their packages are installed, their schemas are registered, with all their metadata."""
    pytest.importorskip("physx_usd_schemas")
    read = (
        "from pathlib import Path\nfrom fajin.usd_schema import register\nregister()\n"
        "import newton_usd_schemas, physx_usd_schemas\nfrom pxr import Sdf, Usd\n"
        "physx = Path(physx_usd_schemas.__file__).parent / 'PhysxSchema' / 'resources'\n"
        "for folder in (physx, Path(newton_usd_schemas.__file__).parent):\n"
        "    layer = Sdf.Layer.FindOrOpen(str(folder / 'generatedSchema.usda'))\n"
        "    for schema in layer.rootPrims:\n"
        "        known = Usd.SchemaRegistry().FindAppliedAPIPrimDefinition(schema.name)\n"
        "        for spec in schema.attributes if known else ():\n"
        "            told = known.GetAttributeDefinition(spec.name)\n"
        "            for key in {*told.ListMetadataFields(), *spec.ListInfoKeys()} - {'customData'}:\n"
        "                assert str(told.GetMetadata(key)) == str(spec.GetInfo(key)), (spec.path, key)\n"
    )
    run(read)


@pytest.mark.parametrize(("tool", "own"), [("kit", True), ("houdini", False), ("usdview", False), ("blender", False)])
def test_the_command_prints_what_a_tool_needs(tool, own, capsys):
    """One line for a shell; Kit brings PhysX's and Newton's schemas itself."""
    assert usd_schema_command.main(["--for", tool]) == 0
    note, line = capsys.readouterr().out.splitlines()
    folders = [FOLDERS["fajinSchema"]] if own else usd_schema.folders()
    assert note.startswith("# ")
    assert line.endswith(f" PXR_PLUGINPATH_NAME={os.pathsep.join(map(str, folders))}")
    assert usd_schema_command.main(["--for", "maya"]) == 2
    assert usd_schema_command.main(["--help"]) == 0
    assert tool in capsys.readouterr().out


def test_the_fallback_is_what_physx_says():
    """Names, types, defaults, variability and tokens are those of PhysX's own package."""
    package = Path(pytest.importorskip("physx_usd_schemas").__file__).parent
    theirs = Sdf.Layer.FindOrOpen(str(package / "PhysxSchema" / "resources" / "generatedSchema.usda"))
    for schema in LAYERS["physxSchema"].rootPrims:
        for mine in schema.properties:
            other = theirs.GetPropertyAtPath(mine.path)
            assert other, mine.path
            if isinstance(mine, Sdf.AttributeSpec):
                assert (mine.typeName, mine.variability) == (other.typeName, other.variability), mine.path
                assert mine.default == other.default, mine.path
                assert list(mine.allowedTokens or []) == list(other.allowedTokens or []), mine.path


def defaults(name: str) -> list:
    """The defaults that the schemas of UsdPhysics, Newton, PhysX and fajin declare under a name."""
    physics = Path(Plug.Registry().GetPluginWithName("usdPhysics").resourcePath)
    newton = Path(import_module("newton_usd_schemas").__file__).parent
    layers = [*LAYERS.values(), *(Sdf.Layer.FindOrOpen(str(f / "generatedSchema.usda")) for f in (physics, newton))]
    schemas = [schema for layer in layers for schema in layer.rootPrims]
    found = [schema.attributes[name].default for schema in schemas if name in schema.attributes]
    return [(*d.imaginary, d.real) if isinstance(d, Gf.Quatf) else d for d in found]


OTHERWISE = {  # what PhysX does in place of a schema's default
    "newton:timeStepsPerSecond": "60, whoever names the rate",
    "newton:maxHullVertices": "64: the schema's -1 means not authored",
    "physxArticulation:sleepThreshold": "its own threshold, in metres, where the schema is not applied",
    "physxRigidBody:sleepThreshold": "likewise",
}
ROWS = [row for row in TABLE if row.name not in OTHERWISE]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.name} of {row.field}")
def test_defaults_of_the_table_are_those_of_the_schemas(row):
    """What the reader takes where nothing is authored is what a schema declares, in the file's units."""
    declared = defaults(row.name.format(axis="__INSTANCE_NAME__"))
    scale = row.measure().scale(1.0, 1.0)
    assert declared
    if row.default == ():  # one number, or none
        assert any(default is None or list(default) in ([], [1.0]) for default in declared)
    elif row.field == "rest_length":  # PhysX's of a joint's tendon is 0, and so is what fajin makes of -inf there
        assert sorted(declared) == [-inf, 0.0]
    elif row.field.startswith("cone"):  # unlimited, whatever the number
        assert row.default < 0.0
        assert max(declared) < 0.0
    elif row.field == "min_thickness":  # of stage units, whatever their length
        assert row.default < 0.0
        assert declared == pytest.approx([LEAST_THICKNESS])
    else:
        known = [row.convert(default, scale) for default in declared if default is not None]
        assert any(
            np.allclose(value, row.default, rtol=1e-6) if numeric(row) else value == row.default for value in known
        )


def numeric(row) -> bool:
    """Whether the values of a row are numbers."""
    return row.tokens is None


def test_types_are_known_without_registration():
    """Every PhysX, Newton or fajin attribute of the table is declared somewhere."""
    names = {row.name.format(axis="angular") for row in TABLE}
    assert all(declared_type(name) for name in names if name.startswith(("physx", "newton", "fajin")))
    for schema, kind in (("AxisRoot", Sdf.ValueTypeNames.FloatArray), ("AttachmentLeaf", Sdf.ValueTypeNames.Float)):
        assert declared_type("physxTendon:cord:gearing", [f"PhysxTendon{schema}API:cord"]) == kind
    assert len(declared()) > len(names) / 2
    assert declared_type("drive:angular:physics:stiffness") is None


def test_files_are_valid_without_the_schemas(tmp_path):
    """A scene with fajin's own attributes opens and keeps them in a process that knows none of them."""
    stage = Usd.Stage.CreateNew(str(tmp_path / "own.usda"))
    scene = UsdPhysics.Scene.Define(stage, "/physics").GetPrim()
    usd_schema.register()
    scene.AddAppliedSchema("FajinSceneAPI")
    scene.CreateAttribute("fajinScene:duration", Sdf.ValueTypeNames.Double, custom=False).Set(2.0)
    stage.Save()
    read = (
        "from pxr import Usd, UsdValidation as V\n"
        f"stage = Usd.Stage.Open({str(tmp_path / 'own.usda')!r})\nprim = stage.GetPrimAtPath('/physics')\n"
        "assert prim.GetAttribute('fajinScene:duration').Get() == 2.0\n"
        "assert prim.GetPrimTypeInfo().GetAppliedAPISchemas() == ['FajinSceneAPI']\n"
    )
    run(read)
