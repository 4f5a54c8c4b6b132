"""Fits of a scene's parameters to recorded motions of a real robot: armature, friction, masses, delay, gains.

    import fajin
    from fajin.fit import FitOptions, fit_logs, read_motion_log

    scene = fajin.read("robot.usda")
    dof = fajin.Simulation(scene).dof
    logs = [read_motion_log(path, dof) for path in ("run1.csv", "run2.csv")]
    fit = fit_logs(scene, logs, ["armature", "coulomb", "viscous", "delay"])
    for one in fit.values:
        print(one.name, one.value, one.interval)

Numbers belong to a step and a solver: simulate with those of the fit.
"""

from .detection import inspect_log
from .fit_options import BadLog, FitOptions, NotIdentifiable
from .fitting import fit_logs
from .identifiability import Identifiability, identify
from .log_finding import LogFinding
from .motion_log import MotionLog, read_motion_log
from .parameters import FitParameter
from .result import Fit, FittedValue, LogError

__all__ = [
    "BadLog",
    "Fit",
    "FitOptions",
    "FitParameter",
    "FittedValue",
    "Identifiability",
    "LogError",
    "LogFinding",
    "MotionLog",
    "NotIdentifiable",
    "fit_logs",
    "identify",
    "inspect_log",
    "read_motion_log",
]
