"""Overrides: "PRIM.attribute=value" texts, authored on the session layer, above the file and never in the file."""

import re
from difflib import get_close_matches
from fnmatch import fnmatchcase

from pxr import Sdf, Tf, Usd

from ...scene import InvalidScene
from ...usd_schema.declared import declared_type
from ..attributes import TABLE
from ..attributes.attribute import Attribute
from .stage import schemas

FORM = re.compile(r"\s*(?P<prim>/[^.\s]*)\.(?P<name>[\w:]+)\s*=\s*(?P<value>.+?)\s*")
SCALAR_TYPES = {bool: Sdf.ValueTypeNames.Bool, int: Sdf.ValueTypeNames.Int, float: Sdf.ValueTypeNames.Float}
TUPLES = {0: Sdf.ValueTypeNames.DoubleArray, 3: Sdf.ValueTypeNames.Float3, 4: Sdf.ValueTypeNames.Quatf}


def apply_override(stage: Usd.Stage, text: str) -> None:
    """Author one override; for a drive, limit or state attribute, also apply the required schema.

    Raises:
        InvalidScene: the text has another form, the prim or attribute does not exist, or the value has another type.
    """
    form = FORM.fullmatch(text)
    if form is None:
        raise InvalidScene(
            "", "override", text, "PRIM.attribute=value", "write it as /robot/elbow.physics:upperLimit=90"
        )
    prim = stage.GetPrimAtPath(form["prim"])
    if not prim:
        raise InvalidScene(
            "", "override", text, f"for a prim of the stage, not {form['prim']}", "name a prim of the stage"
        )
    if prim.IsInstanceProxy():
        raise InvalidScene(
            "", "override", text, "for a prim outside instances", "override the prototype, or make the instance unique"
        )
    kind = attribute_type(prim, form["name"], text)
    value = parse(kind, form["value"], text)
    with Usd.EditContext(stage, stage.GetSessionLayer()):
        row = find(form["name"])
        needed = row.applied(form["name"].split(":")[1]) if row else ""
        if needed and needed not in schemas(prim):
            prim.AddAppliedSchema(needed)
        prim.CreateAttribute(form["name"], kind, custom=False).Set(value)


def find(name: str) -> Attribute | None:
    """Return the table's row for an attribute name."""
    return next((row for row in TABLE if fnmatchcase(name, row.name.replace("{axis}", "*"))), None)


def attribute_type(prim: Usd.Prim, name: str, text: str) -> Sdf.ValueTypeName:
    """Return the USD type of an attribute: the authored type, the schema's type, or the type of the table's default."""
    if prim.HasAttribute(name):
        return prim.GetAttribute(name).GetTypeName()
    if known := declared_type(name, schemas(prim)):
        return known
    row = find(name)
    if row is None:
        near = get_close_matches(name, [*prim.GetPropertyNames(), *(row.name for row in TABLE)], n=3)
        hint = f"did you mean {', '.join(near)}?" if near else "name an attribute of UsdPhysics, PhysX or Newton"
        raise InvalidScene("", "override", text, f"for an attribute of {prim.GetPath()}, not {name}", hint)
    if row.tokens is not None:
        return Sdf.ValueTypeNames.Token
    if isinstance(row.default, tuple):
        return TUPLES[len(row.default)]
    return SCALAR_TYPES[type(row.default)]


def parse(kind: Sdf.ValueTypeName, text: str, override_text: str) -> object:
    """Return a value of a USD type from its notation in a .usda file; tokens need no quotes."""
    quoted = f'"{text}"' if kind in (Sdf.ValueTypeNames.Token, Sdf.ValueTypeNames.String) else text
    layer = Sdf.Layer.CreateAnonymous(".usda")
    try:
        sound = layer.ImportFromString(f'#usda 1.0\nover "x"\n{{\n    {kind} x = {quoted}\n}}\n')
    except Tf.ErrorException:
        sound = False
    if not sound:
        raise InvalidScene(
            "", "override", override_text, f"a value of type {kind}, not {text}", "write it as in a .usda file"
        )
    return layer.GetAttributeAtPath("/x.x").default
