"""Delay of the commands of Newton's actuators, in whole steps."""

from collections.abc import Collection

from pxr import Sdf, Usd

from .change import Change

ACTUATOR, SCHEMA = "NewtonActuator", "NewtonActuatorDelayAPI"
TARGETS, DELAY = "newton:targets", "newton:delaySteps"


def delay(stage: Usd.Stage, steps: int, joints: Collection[str]) -> list[Change]:
    """Author the delay of actuators that drive these joints; drives of PhysX have none.

    Args:
        stage: an open stage; its edit target receives the opinions.
        steps: number of steps, from 0.
        joints: paths of joints.
    """
    changes = []
    for prim in stage.Traverse():
        if prim.GetTypeName() != ACTUATOR:
            continue
        driven = prim.GetRelationship(TARGETS).GetTargets() if prim.HasRelationship(TARGETS) else ()
        if not any(str(path) in joints for path in driven[:1]):
            continue
        prim.AddAppliedSchema(SCHEMA)
        attribute = prim.GetAttribute(DELAY) or prim.CreateAttribute(DELAY, Sdf.ValueTypeNames.Int, custom=False)
        before = attribute.Get()
        attribute.Set(steps)
        changes.append(Change(str(prim.GetPath()), DELAY, before, steps, "steps", before, steps, "steps"))
    return changes
