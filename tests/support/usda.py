"""Small USD scenes as text: a base and a link, a joint between them, and whatever a test adds."""

from pathlib import Path

METRES = 'metersPerUnit = 1\n    kilogramsPerUnit = 1\n    upAxis = "Z"'
MASS = """float physics:mass = 2
            point3f physics:centerOfMass = (0.1, 0.2, 0.3)
            float3 physics:diagonalInertia = (0.1, 0.2, 0.3)"""
ANCHOR = """def PhysicsFixedJoint "anchor"
        {
            rel physics:body1 = </robot/base>
        }"""
ROOT = "PhysicsArticulationRootAPI"
BODY = "PhysicsRigidBodyAPI"


def prim(kind: str, name: str, lines: str = "", apis: str = "") -> str:
    """A prim with its attributes and children; `apis` are the names of applied schemas, separated by spaces."""
    applied = ", ".join(f'"{api}"' for api in apis.split())
    metadata = f" (\n    prepend apiSchemas = [{applied}]\n)" if applied else ""
    return f'def {kind} "{name}"{metadata}\n{{\n    {lines}\n}}\n'


def body(name: str, lines: str = MASS, apis: str = "") -> str:
    """A rigid body with authored mass properties."""
    return prim("Xform", name, lines, f"{BODY} PhysicsMassAPI {apis}")


def joint(name: str, kind: str, body0: str, body1: str, lines: str = "", apis: str = "") -> str:
    """A joint; an empty body is the world."""
    ends = [f"rel physics:body{i} = <{path}>" for i, path in enumerate((body0, body1)) if path]
    return prim(kind, name, "\n    ".join([*ends, lines]), apis)


def aside(y: float) -> str:
    """Both frames of a joint moved along y."""
    return "\n".join(f"point3f physics:localPos{i} = (0, {y}, 0)" for i in (0, 1))


def arm(
    lines: str = "",
    apis: str = "",
    kind: str = "PhysicsRevoluteJoint",
    link: str = MASS,
    extra: str = "",
    root: str = "",
) -> str:
    """Everything inside /robot: a base held by the world and a link on joint "elbow" with `lines` and `apis`."""
    parts = (
        body("base"),
        body("link", link),
        ANCHOR,
        joint("elbow", kind, "/robot/base", "/robot/link", lines, apis),
        extra,
    )
    return prim("Xform", "robot", root + "\n".join(parts), f"{ROOT} PhysxArticulationAPI")


def stage(folder: Path, *prims: str, metadata: str = METRES, scene: str = "", schemas: str = "PhysxSceneAPI") -> Path:
    """Write a stage with a physics scene, its lines and schemas, and the prims given; returns its path."""
    path = folder / "scene.usda"
    text = f"#usda 1.0\n(\n    {metadata}\n)\n{prim('PhysicsScene', 'physics', scene, schemas)}" + "\n".join(prims)
    path.write_text(text)
    return path
