"""Files of many boxes for `fajin bench robots --contacts`: a stack, stacks side by side, a wall, or a pile."""

import random
import tempfile
from functools import cache
from itertools import product
from pathlib import Path

HALF, GAP = 0.05, 0.02  # [m] half side of a box, and what lies between two stacks
HIGH = 10  # boxes of a stack among others: it stands, and a step costs the same per box however many there are
SCATTER = 0.03  # [m] by which boxes that fall into a pile begin off their lattice, whose cells leave room for it

BEFORE_BOXES = """#usda 1.0
(
    defaultPrim = "World"
    metersPerUnit = 1
    upAxis = "Z"
)

def Xform "World"
{
    def PhysicsScene "physics" (prepend apiSchemas = ["PhysxSceneAPI"])
    {
        uniform token physxScene:solverType = "PGS"
    }

    def Plane "ground" (prepend apiSchemas = ["PhysicsCollisionAPI"])
    {
        uniform token axis = "Z"
    }

    def Xform "envs"
    {
        def Xform "env0"
        {
"""
BOX = """            def Cube "box%d" (
                prepend apiSchemas = [
                    "PhysicsRigidBodyAPI", "PhysxRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMassAPI"
                ]
            )
            {
                float physics:mass = 1
                float physxRigidBody:angularDamping = 0
                float physxRigidBody:sleepThreshold = 0
                int physxRigidBody:solverPositionIterationCount = 4
                int physxRigidBody:solverVelocityIterationCount = 1
                double size = 0.1
                double3 xformOp:translate = (%.6g, %.6g, %.6g)
                uniform token[] xformOpOrder = ["xformOp:translate"]
            }
"""
PEER = """<mujoco model="boxes">
  <option timestep="0.005" integrator="implicitfast" />
  <default>
    <geom friction="0.5 0.005 0.0001" condim="3" />
  </default>
  <size memory="2G" />
  <worldbody>
    <geom type="plane" size="0 0 1" />
"""
PEER_BOX = '    <body pos="%.6g %.6g %.6g"><freejoint /><geom type="box" size="0.05 0.05 0.05" mass="1" /></body>\n'


def places(shape: str, count: int) -> list[tuple[float, float, float]]:
    """Return positions of boxes: a `stack`, `boxes` in stacks of ten, a `wall`, or a `pile` to be."""
    if shape == "pile":
        return _scattered(count)
    if shape == "wall":
        return _bonded(count)
    stacks = 1 if shape == "stack" else -(-count // HIGH)
    side, step = max(1, round(stacks**0.5)), 2 * HALF + GAP
    rising = ((number % stacks, HALF + 2.02 * HALF * (number // stacks)) for number in range(count))
    return [(step * (stack % side), step * (stack // side), height) for stack, height in rising]


def _bonded(count: int) -> list[tuple[float, float, float]]:
    """Return positions in courses, each half a box beside the one below, a fifth wider than high."""
    wide, step = max(1, round((1.2 * count) ** 0.5)), 2.04 * HALF
    return [(step * (i % wide + 0.5 * (i // wide % 2)), 0.0, HALF + 2.002 * HALF * (i // wide)) for i in range(count)]


def _lattice(side: int, count: int) -> list[tuple[int, int, int]]:
    """Return the cells of layers of `side` × `side`: layer, row and column of each."""
    return list(product(range(-(-count // side**2)), range(side), range(side)))[:count]


def _scattered(count: int) -> list[tuple[float, float, float]]:
    """Return positions off a lattice above the ground, four times as high as it is wide."""
    draw, step = random.Random(1), 2 * (HALF + SCATTER)
    cells = _lattice(max(2, round((count / 4) ** (1 / 3))), count)
    return [
        (
            step * i + draw.uniform(-SCATTER, SCATTER),
            step * j + draw.uniform(-SCATTER, SCATTER),
            HALF + step * (k + 0.5),
        )
        for k, j, i in cells
    ]


@cache
def boxes_file(shape: str, count: int) -> Path:
    """Write the scene of `count` boxes, and the same for MuJoCo beside it; return the path of the scene."""
    path = Path(tempfile.mkdtemp(prefix="fajin-bench-")) / f"{shape}{count}.usda"
    where = places(shape, count)
    lines = "".join(BOX % (number, *place) for number, place in enumerate(where))
    path.write_text(f"{BEFORE_BOXES}{lines}        }}\n    }}\n}}\n")
    peers = "".join(PEER_BOX % place for place in where)
    path.with_suffix(".xml").write_text(f"{PEER}{peers}  </worldbody>\n</mujoco>\n")
    return path
