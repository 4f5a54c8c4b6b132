"""The physics scene: gravity, time step, solver and recording settings."""

from collections.abc import Sequence
from math import hypot, inf

from pxr import Usd, UsdPhysics

from ..scene import InvalidScene
from ..usd.attributes import ARTICULATION, SCENE
from ..usd.stage.stage import schemas
from .attribute_writer import AttributeWriter
from .change import Change

STEP_TOLERANCE = 1e-6  # tolerance of 1/dt as a whole number, relative to one step
MAX_ITERATIONS = 255
SCENE_SCHEMAS = {"physics:": "", "physxScene:": "PhysxSceneAPI", "newton:": "", "fajinScene:": "FajinSceneAPI"}


def scene(  # one parameter an attribute
    stage: Usd.Stage,
    *,
    dt: float | None = None,
    solver: str | None = None,
    gravity: float | Sequence[float] | None = None,
    position_iterations: int | None = None,
    velocity_iterations: int | None = None,
    external_forces_every_iteration: bool | None = None,
    duration: float | None = None,
    fps: float | None = None,
    precision: str | None = None,
) -> list[Change]:
    """Author simulation settings of a stage; None leaves a setting unchanged. A stage without a physics scene gets one.

    Args:
        stage: an open stage.
        dt: time step [s]; 1/dt must be a whole number.
        solver: PGS | TGS.
        gravity: [m/s²] along the stage's down axis, or a vector.
        position_iterations: of every articulation, 1 … 255.
        velocity_iterations: of every articulation, 0 … 255.
        external_forces_every_iteration: gravity and efforts in each substep of TGS.
        duration: default duration of the motion [s].
        fps: default frames per second of the motion.
        precision: single | double, default precision.

    Raises:
        InvalidScene: a value breaks its rule, or iterations are set without an articulation.
    """
    iterations = {"position_iterations": position_iterations, "velocity_iterations": velocity_iterations}
    roots = [prim for prim in stage.Traverse() if "PhysicsArticulationRootAPI" in schemas(prim)]
    check_iterations(roots, iterations)
    values = {
        "rate": None if dt is None else steps_a_second(dt),
        "solver": None if solver is None else solver.upper(),
        "external_forces_every_iteration": external_forces_every_iteration,
        **of_gravity(gravity),
        "duration": duration,
        "fps": fps,
        "precision": precision,
    }
    said = {field for field, value in values.items() if value is not None}
    changes = []
    if said:
        prim, changes = physics_scene(stage)
        pen = AttributeWriter(prim)
        pen.check_all(SCENE, values)
        for head, schema in SCENE_SCHEMAS.items():
            rows = [row for row in SCENE if row.field in said and row.name.startswith(head)]
            changes += pen.write(rows, values, schema if rows else "")
    for prim in roots if any(value is not None for value in iterations.values()) else ():
        changes += AttributeWriter(prim).write(ARTICULATION, iterations, "PhysxArticulationAPI")
    return changes


def physics_scene(stage: Usd.Stage) -> tuple[Usd.Prim, list[Change]]:
    """Return the first physics scene of a stage, or a new one below the default prim."""
    found = next((prim for prim in stage.Traverse() if prim.GetTypeName() == "PhysicsScene"), None)
    if found:
        return found, []
    above = stage.GetDefaultPrim()
    path = f"{above.GetPath() if above else ''}/physicsScene"
    return UsdPhysics.Scene.Define(stage, path).GetPrim(), [Change(path, "", None, "PhysicsScene")]


def check_iterations(roots: list[Usd.Prim], iterations: dict[str, int | None]) -> None:
    """Raise InvalidScene for counts out of bounds, or if the stage has no articulation."""
    for field, least in (("position_iterations", 1), ("velocity_iterations", 0)):
        count = iterations[field]
        if count is not None and not least <= count <= MAX_ITERATIONS:
            raise InvalidScene("", field, count, f"{least} to {MAX_ITERATIONS}", "give such a number")
        if count is not None and not roots:
            raise InvalidScene(
                "", field, count, "set where a prim carries PhysicsArticulationRootAPI", "apply it to a robot first"
            )


def steps_a_second(dt: float) -> float:
    """Return the number of steps per second, a whole number."""
    rate = 1.0 / dt if 0.0 < dt < inf else 0.0
    if rate < 1.0 - STEP_TOLERANCE or abs(rate - round(rate)) > STEP_TOLERANCE * rate:
        raise InvalidScene(
            "",
            "dt",
            f"{dt:g}",
            "a time of which a second is a whole number of steps",
            "give 1/60, 1/120, 0.001 or the like",
        )
    return float(round(rate))


def of_gravity(gravity: float | Sequence[float] | None) -> dict:
    """Return the fields of a gravity [m/s²], down or along a vector."""
    if gravity is None:
        return {}
    if isinstance(gravity, int | float):
        if gravity < 0.0:
            raise InvalidScene(
                "", "gravity", f"{gravity:g}", "0 or more along the down axis", "give a vector to point up"
            )
        return {"magnitude": float(gravity), "direction": (0.0, 0.0, 0.0), "gravity_enabled": True}
    vector = tuple(float(x) for x in gravity)
    if len(vector) != 3:
        raise InvalidScene("", "gravity", vector, "a number or three", "give the components x, y, z")
    length = hypot(*vector)
    direction = tuple(x / length for x in vector) if length else (0.0, 0.0, 0.0)
    return {"magnitude": length, "direction": direction, "gravity_enabled": True}
