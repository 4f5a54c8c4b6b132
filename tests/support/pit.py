"""A box in a shallow pit of four triangles, each of which it meets at up to seven points."""

from pathlib import Path

from usda import METRES, prim, stage

PIT = """point3f[] points = [(-2, -2, .06), (2, -2, .06), (2, 2, .06), (-2, 2, .06), (0, 0, 0)]
    int[] faceVertexCounts = [3, 3, 3, 3]
    int[] faceVertexIndices = [0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4]
    uniform token physics:approximation = "none" """
BOX = """double size = 0.2
    double3 xformOp:translate = (0.1, 0.05, 0.1)
    float3 xformOp:rotateXYZ = (2, 3, 10)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateXYZ"]
    float physics:mass = 1"""


def box_in_a_pit(folder: Path) -> Path:
    """Write the stage, 240 steps per second; returns its path."""
    ground = prim("Mesh", "ground", PIT, "PhysicsCollisionAPI PhysicsMeshCollisionAPI")
    box = prim("Cube", "box", BOX, "PhysicsRigidBodyAPI PhysicsCollisionAPI PhysicsMassAPI")
    return stage(folder, ground, box, metadata=METRES, scene="uint physxScene:timeStepsPerSecond = 240")
