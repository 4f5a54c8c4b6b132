"""Rules on the authored stage: attribute values, joint bodies, ignored opinions and gravity. They need no scene."""

from collections.abc import Iterator

from pxr import Sdf, Usd

from ..scene import WORLD, InvalidScene
from ..usd.attributes import INERTIA_TENSOR, JOINT, SCENE, rows_named
from ..usd.read.joint_prims import ENDS, JOINT_TYPES, body_above, find_bodies
from ..usd.stage.near_path import near_path
from ..usd.stage.stage import StageReader, schemas
from .context import CheckContext
from .finding import Edit, Finding, Severity
from .rules import found

EARTH = (9.7, 9.9)  # [m/s²] usual values for the Earth's gravity


def finding_from_error(rule: str, error: InvalidScene) -> Finding:
    """Return a finding for an error, with its fields."""
    return found(rule, error.prim or "/", error.attribute, f"must be {error.rule}", value=error.value, fix=error.fix)


def invalid_values(case: CheckContext) -> Iterator[Finding]:
    """Yield a finding for every authored value that breaks the rule of its attribute, if its schema is applied."""
    for prim in case.source.prims:
        for name in prim.GetAuthoredPropertyNames():
            for row in rows_named(name)[:1]:
                if row in INERTIA_TENSOR or row.applied(name.split(":")[1]) not in ("", *schemas(prim)):
                    continue  # an invalid tensor is ignored
                value = case.source.authored(prim, name)
                try:
                    if value is not None:
                        row.check(value, prim.GetPath(), name)
                except InvalidScene as error:
                    yield finding_from_error("invalid-value", error)


def joints_to_nowhere(case: CheckContext) -> Iterator[Finding]:
    """Yield a finding for each joint that does not join two different bodies of which at least one moves."""
    source = StageReader(case.stage)  # a separate reader: these reads must not mark attributes as used
    bodies = find_bodies(source)
    switch = next(row for row in JOINT if row.field == "enabled")
    for prim in source.prims:
        if prim.GetTypeName() in JOINT_TYPES and case.source.authored(prim, switch.name) is not False:
            yield from nowhere(source, prim, bodies)


def nowhere(source: StageReader, prim: Usd.Prim, bodies: dict[str, Usd.Prim]) -> Iterator[Finding]:
    """Yield findings for the bodies of a joint."""
    path, targets = str(prim.GetPath()), [source.target(prim, name) for name in ENDS]
    lost = [(name, end) for name, end in zip(ENDS, targets, strict=True) if end and not alive(source.stage, end)]
    for name, end in lost:
        same = [body for body in bodies if Sdf.Path(body).name == end.name]
        edits = (Edit("target", path, name, same[0]),) if len(same) == 1 else ()
        near = near_path(source.stage, end)
        fix = f"name {same[0]}, which has its name" if edits else f"did you mean {near}?" if near else ""
        yield found("joint-to-nowhere", path, name, "the prim does not exist", value=end, edits=edits, fix=fix)
    if lost:
        return
    ends = [body_above(source.stage.GetPrimAtPath(end), bodies) if end else WORLD for end in targets]
    if targets == [None, None]:
        yield found("joint-to-nowhere", path, ", ".join(ENDS), "both are empty")
    elif ends[0] == ends[1] != WORLD:
        yield found("joint-to-nowhere", path, ", ".join(ENDS), f"both are the body {ends[0]}", value=targets[1])
    elif ends == [WORLD, WORLD]:
        shown = ", ".join(str(end or "–") for end in targets)
        reason = "neither is a rigid body that moves, or inside one: the joint holds nothing"
        yield found("joint-to-nowhere", path, ", ".join(ENDS), reason, value=shown, severity=Severity.WARNING)


def alive(stage: Usd.Stage, path: Sdf.Path) -> bool:
    """Return whether there is an active prim at a path."""
    prim = stage.GetPrimAtPath(path)
    return bool(prim) and prim.IsActive()


def overrides_in_instances(case: CheckContext) -> Iterator[Finding]:
    """Yield a finding for each instance with ignored opinions in the scene's own layers."""
    layers = case.stage.GetLayerStack(includeSessionLayers=False)
    for prim in (prim for prim in case.stage.Traverse() if prim.IsInstance()):
        specs = [layer.GetPrimAtPath(prim.GetPath()) for layer in layers]
        ignored = sorted({name for spec in specs if spec for name in opinions(spec)})
        if ignored:
            more = f" and {len(ignored) - 3} more" if len(ignored) > 3 else ""
            message = f"USD ignores what is authored below this instance: {', '.join(ignored[:3])}{more}"
            edit = Edit("instanceable", str(prim.GetPath()), "instanceable", False)
            yield found("override-in-instance", str(prim.GetPath()), "instanceable", message, value=True, edits=(edit,))


def opinions(spec: Sdf.PrimSpec) -> Iterator[str]:
    """Return paths of the attributes, schemas and prims authored below a prim."""
    for child in spec.nameChildren:
        yield from (str(item.path) for item in child.properties)
        if child.specifier != Sdf.SpecifierOver or child.HasInfo("apiSchemas"):
            yield str(child.path)
        yield from opinions(child)


def gravity_unit(case: CheckContext) -> Iterator[Finding]:
    """Yield a finding for a gravity that is the Earth's in a length unit other than the stage's."""
    row = next(row for row in SCENE if row.field == "magnitude")
    metres = case.source.metres
    for prim in (prim for prim in case.source.prims if prim.GetTypeName() == "PhysicsScene"):
        value = case.source.authored(prim, row.name)
        unit = next((unit for unit in (1.0, 0.01) if value and EARTH[0] <= value * unit <= EARTH[1]), metres)
        if abs(unit / metres - 1.0) > 0.1:
            message = f"is {value * metres:.4g} m/s² where the unit is {metres:g} m; looks like {value * unit:.4g} m/s²"
            edit = Edit("attribute", str(prim.GetPath()), row.name, value * unit / metres)
            fix = f"author {edit.value:.6g}"
            yield found("gravity-unit", str(prim.GetPath()), row.name, message, value=value, edits=(edit,), fix=fix)
