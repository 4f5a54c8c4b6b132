"""Attributes of the scene and of articulations."""

from math import inf

from ...scene import Articulation, SolverType
from .attribute import Attribute
from .units import ACCELERATION, RATE, SECOND, SPEED_SQUARED

SCENE = (
    Attribute("physics:gravityDirection", "direction", (0.0, 0.0, 0.0)),
    Attribute("physics:gravityMagnitude", "magnitude", -inf, ACCELERATION, rule="bounded"),
    Attribute("newton:gravityEnabled", "gravity_enabled", True),
    Attribute("physxScene:timeStepsPerSecond", "rate", 60.0, RATE, rule="positive"),
    Attribute("newton:timeStepsPerSecond", "rate", 60.0, RATE, rule="positive"),
    Attribute("physxScene:solverType", "solver", SolverType.TGS, tokens={"PGS": SolverType.PGS, "TGS": SolverType.TGS}),
    Attribute("physxScene:enableExternalForcesEveryIteration", "external_forces_every_iteration", True),
    Attribute("physxScene:disableSleeping", "sleepless", False),
    Attribute("physxScene:enableCCD", "ccd", False),
    Attribute("physxScene:invertCollisionGroupFilter", "inverted_groups", False),
    Attribute("physxScene:minPositionIterationCount", "min_position_iterations", 1),
    Attribute("physxScene:maxPositionIterationCount", "max_position_iterations", 255),
    Attribute("physxScene:minVelocityIterationCount", "min_velocity_iterations", 0),
    Attribute("physxScene:maxVelocityIterationCount", "max_velocity_iterations", 255),
    Attribute("fajinScene:duration", "duration", 5.0, SECOND, rule="magnitude"),
    Attribute("fajinScene:framesPerSecond", "fps", 60.0, RATE, rule="positive"),
    Attribute("fajinScene:precision", "precision", "f32", tokens={"single": "f32", "double": "f64"}),
)

ARTICULATION = (
    Attribute("physxArticulation:articulationEnabled", "enabled", True),
    Attribute(
        "physxArticulation:solverPositionIterationCount", "position_iterations", Articulation.position_iterations
    ),
    Attribute(
        "physxArticulation:solverVelocityIterationCount", "velocity_iterations", Articulation.velocity_iterations
    ),
    Attribute("physxArticulation:sleepThreshold", "sleep_threshold", -1.0, SPEED_SQUARED, rule="magnitude"),
)
