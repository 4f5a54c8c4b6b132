"""Stages with several islands in one world: parts that lie in one place and do not collide with each other."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent / "support"))
from usda import METRES, prim, stage  # noqa: E402 (beside this folder)

SCENES = HERE.parent.parent / "scenes"
SHAPE, BODY = "PhysicsCollisionAPI", "PhysicsRigidBodyAPI PhysicsCollisionAPI PhysicsMassAPI"
CORNERS = "point3f[] points = [(-.2, -.2, 0), (.2, -.2, 0), (0, .2, 0), (0, 0, .3)]"
TETRAHEDRON = f"""{CORNERS}
    int[] faceVertexCounts = [3, 3, 3, 3]
    int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3]
    uniform token physics:approximation = "convexHull" """
SQUARE = """point3f[] points = [(-2, -2, .06), (2, -2, .06), (2, 2, .06), (-2, 2, .06), (0, 0, 0)]
    int[] faceVertexCounts = [3, 3, 3, 3]
    int[] faceVertexIndices = [0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4]
    uniform token physics:approximation = "none" """
GROUND = prim("Plane", "ground", 'uniform token axis = "Z"', SHAPE)
"""The plane z = 0, which is not in any part: all of them touch it."""
MESH = prim("Mesh", "ground", SQUARE, "PhysicsCollisionAPI PhysicsMeshCollisionAPI")
"""A shallow pit of four triangles, whose middle is at z = 0."""
TABLE = prim("Cube", "table", "double size = 4\n    double3 xformOp:translate = (0, 0, -2)\n"
             '    uniform token[] xformOpOrder = ["xformOp:translate"]', SHAPE)  # fmt: skip
"""A box whose upper side is at z = 0."""


def shape(kind: str, name: str, z: float, sizes: str, apis: str = BODY, mass: float = 1.0) -> str:
    """A free body of one shape, at a height, turned a little so that it does not lie flat."""
    place = f"""double3 xformOp:translate = (0.1, 0.05, {z})
    float3 xformOp:rotateXYZ = (2, 3, 10)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateXYZ"]"""
    return prim(kind, name, f"{sizes}\n    {place}\n    float physics:mass = {mass}", apis)


def box(name: str = "box", z: float = 0.1, apis: str = BODY) -> str:
    """A cube of 0.2 m."""
    return shape("Cube", name, z, "double size = 0.2", apis)


def ball(z: float = 0.1) -> str:
    """A ball of radius 0.1 m."""
    return shape("Sphere", "ball", z, "double radius = 0.1")


def round_body(kind: str, z: float = 0.15) -> str:
    """An upright capsule, cylinder or cone."""
    high = 0.1 if kind == "Capsule" else 0.3
    sizes = f'double radius = 0.1\n    double height = {high}\n    uniform token axis = "Z"'
    return shape(kind, kind.lower(), z, sizes)


def hull() -> str:
    """A tetrahedron on one of its sides."""
    return shape("Mesh", "hull", 0.0, TETRAHEDRON, f"{BODY} PhysicsMeshCollisionAPI")


def example(name: str) -> str:
    """A scene of the folder `scenes`."""
    return f'def Xform "example" (references = @{SCENES / name}.usda@)\n{{\n}}\n'


def apart(folder: Path, *parts: str, around: str = "") -> Path:
    """Write a stage of parts, each in a collision group that collides with none of the others, and what is around."""
    names = [f"part{i}" for i in range(len(parts))]
    text = []
    for name, part in zip(names, parts, strict=True):
        others = ", ".join(f"</group_{other}>" for other in names if other != name)
        targets = f"rel collection:colliders:includes = </{name}>\n    rel physics:filteredGroups = [{others}]"
        text += [prim("Xform", name, part), prim("PhysicsCollisionGroup", f"group_{name}", targets)]
    scene = "uint physxScene:timeStepsPerSecond = 240"
    return stage(folder, around, *text, metadata=METRES, scene=scene)


def two_boxes(folder: Path) -> Path:
    """Write `box_on_slope` with boxes that do not collide with each other, but with one ramp."""
    head = f'#usda 1.0\n(\n    {METRES}\n    defaultPrim = "World"\n)\n'
    filtered = """over "slope"
    {
        over "rough_box" (prepend apiSchemas = ["PhysicsFilteredPairsAPI"])
        {
            rel physics:filteredPairs = </World/slope/smooth_box>
        }
    }"""
    world = f'def Xform "World" (references = @{SCENES / "box_on_slope.usda"}@)\n{{\n    {filtered}\n}}\n'
    path = folder / "scene.usda"
    path.write_text(head + world)
    return path


LOOSE = "PhysicsRigidBodyAPI PhysicsMassAPI"
STAGES = {
    "two boxes": two_boxes,
    "boxes": lambda folder: apart(folder, *[box(z=0.1 - 0.003 * i) for i in range(5)], around=GROUND),
    "boxes on a box": lambda folder: apart(folder, box(), box() + ball(0.31), box(z=0.098), around=TABLE),
    "robot and boxes": lambda folder: apart(folder, example("quadruped_standing"), box(), ball(), around=GROUND),
    "robots": lambda folder: apart(folder, *[example("quadruped_standing")] * 2),
    "stacks of several sizes": lambda folder: apart(
        folder, example("stack_of_five"), example("dominoes"), example("bouncing_ball"), box() + ball(0.31),
        around=GROUND,
    ),
    "round shapes": lambda folder: apart(
        folder, ball(), *[round_body(kind) for kind in ("Capsule", "Cylinder", "Cone")], around=GROUND
    ),
    "round shapes on a box": lambda folder: apart(
        folder, round_body("Cylinder"), round_body("Cone"), round_body("Capsule"), box(), around=TABLE
    ),
    "hulls": lambda folder: apart(folder, hull(), hull(), ball(), around=GROUND),
    "hulls on a box": lambda folder: apart(folder, hull(), box(), hull(), around=TABLE),
    "mesh": lambda folder: apart(folder, ball(), box(), round_body("Capsule"), hull(), around=MESH),
    "loose bodies": lambda folder: apart(
        folder, box("loose", apis=LOOSE), box(), example("floating_chain"), ball(), box("later", 3.0, LOOSE),
        around=GROUND,
    ),
}  # fmt: skip
"""What writes each stage to a folder."""
