"""Scenes of many copies: equal numbers of robots with 9, 30 and 60 joints, side by side.

By reference, all robots of a size share one file. Written out, each robot has its own prims, as in a flattened stage.
"""

import time
from pathlib import Path

COPIED_CHAINS = (9, 30, 60)
HEAD = '#usda 1.0\n(\n    defaultPrim = "robot"\n    metersPerUnit = 1\n    upAxis = "Z"\n)\n'
LINK = """
        def Xform "link{i}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
        {{
            float physics:mass = 1
            float3 physics:diagonalInertia = (0.004, 0.004, 0.001)
            point3f physics:centerOfMass = (0, 0, -0.1)
            double3 xformOp:translate = (0, 0, {z})
            uniform token[] xformOpOrder = ["xformOp:translate"]
        }}
"""
FIXED = """
        def PhysicsFixedJoint "base"
        {{
            rel physics:body1 = <{root}/link0>
        }}
"""
HINGE = """
        def PhysicsRevoluteJoint "joint{i}" (prepend apiSchemas = ["PhysicsDriveAPI:angular"])
        {{
            uniform token physics:axis = "{axis}"
            rel physics:body0 = <{root}/link{above}>
            rel physics:body1 = <{root}/link{i}>
            point3f physics:localPos0 = (0, 0, -0.2)
            float physics:lowerLimit = -140
            float physics:upperLimit = 140
            float drive:angular:physics:stiffness = 2
            float drive:angular:physics:damping = 0.2
            float drive:angular:physics:targetPosition = {target}
        }}
"""
PLACE = """
        double3 xformOp:translate = ({x}, {y}, 0)
        uniform token[] xformOpOrder = ["xformOp:translate"]
"""


def parts(joints: int, root: str) -> str:
    """Return links and joints of a hanging chain below the prim `root`."""
    text = LINK.format(i=0, z=0) + FIXED.format(root=root)
    for i in range(1, joints + 1):
        text += LINK.format(i=i, z=round(-0.2 * i, 1))
        text += HINGE.format(i=i, above=i - 1, root=root, axis="XY"[i % 2], target=17 if i % 2 else -11)
    return text


def robot(joints: int) -> str:
    """Return the file of a chain."""
    schema = '(prepend apiSchemas = ["PhysicsArticulationRootAPI"])'
    return f'{HEAD}def Xform "robot" {schema}\n{{\n{parts(joints, "/robot")}\n}}\n'


def write_scenes(copies: int, folder: Path) -> tuple[Path, Path]:
    """Write a scene of robots by reference, and one with every robot written out; return both paths."""
    referenced, written = [], []
    for joints in COPIED_CHAINS:
        (folder / f"chain{joints}.usda").write_text(robot(joints))
    for i in range(copies):
        joints, name = COPIED_CHAINS[i % len(COPIED_CHAINS)], f"r{i}"
        place = PLACE.format(x=2 * (i % 32), y=2 * (i // 32))
        referenced.append(f'    def "{name}" (prepend references = @chain{joints}.usda@)\n    {{{place}    }}\n')
        schema = '(prepend apiSchemas = ["PhysicsArticulationRootAPI"])'
        body = place + parts(joints, f"/robot/{name}")
        written.append(f'    def Xform "{name}" {schema}\n    {{{body}    }}\n')
    scenes = folder / "copies.usda", folder / "each.usda"
    for scene, robots in zip(scenes, (referenced, written), strict=True):
        scene.write_text(f'{HEAD}def Xform "robot"\n{{\n{"".join(robots)}\n}}\n')
    return scenes


def seconds_to_read(scene: Path) -> float:
    """Return the processor time of reading a scene."""
    import fajin

    begin = time.process_time()
    fajin.read(scene, trusted=True)
    return time.process_time() - begin
