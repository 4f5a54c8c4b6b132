"""Fits of a scene's parameters to logs: start, windows, Levenberg–Marquardt, profiles of kinked parameters."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..errors import InputError
from ..model.model import Model, compile
from ..scene import Scene
from ..scene.overrides import with_gains, without_contacts
from ..selection import short_names
from .detection import inspect_log
from .fit_options import BadLog, FitOptions, NotIdentifiable
from .identifiability import exact_pairs
from .log_finding import LogFinding, merge_findings
from .motion_log import MotionLog
from .parameters import FitParameter, parse_parameters
from .piece import whole_log
from .random_search import check_search
from .result import Fit
from .rollout import Rollout
from .stages import Fitting
from .start_values import regress_start

HOLDS = "zero", "linear"
TRAIN = 2.0 / 3.0  # of a single log


def fit_logs(
    scene: Scene,
    logs: Sequence[MotionLog],
    parameters: Sequence[str],
    hold_back: Sequence[MotionLog] = (),
    options: FitOptions | None = None,
) -> Fit:
    """Fit parameters of a scene to logs.

    Args:
        scene: the scene; its step and solver are those of the fit.
        logs: logs to fit.
        parameters: texts such as "armature", "elbow:coulomb", "link3:mass", "delay".
        hold_back: logs that are only compared. Default: the last log, or the last third of a single one.
        options: settings.

    Raises:
        BadLog: a log has faults.
        NotIdentifiable: parameters change nothing, or only together.
        InputError: a parameter or joint does not exist.
    """
    options = options or FitOptions()
    if options.hold not in HOLDS:
        raise InputError(f"hold = {options.hold!r}: must be one of {', '.join(HOLDS)}; choose one")
    if options.polish:
        check_search()
    model = compile(replace(without_contacts(_with_gains(scene, logs, options)), signals=()))
    findings = check_logs(model, [*logs, *hold_back], any(text.endswith("bias") for text in parameters))
    logs, held = _split(logs, hold_back, options.hold_back)
    regressed, said = regress_start(model, logs, options.threads) if options.effort else ({}, [])
    wanted = _started(parse_parameters(model, logs, parameters, options.joint), options, regressed)
    still = all(log.target_qd is None or not log.target_qd.any() for log in logs)
    if pairs := exact_pairs([(p.name, p.quantity, p.column) for p in wanted], still):
        text = "; ".join(f"{a} and {b} are one number where targets have no speed" for a, b in pairs)
        raise NotIdentifiable(f"{text}: fit one of each pair")
    linear, open_loop = options.hold == "linear", logs[0].target_q is None
    rollout = Rollout(model, wanted, options.fixed, options.threads, linear, open_loop)
    return Fitting(rollout, logs, held, options).run((*findings, *said, *_falling(model)))


def check_logs(model: Model, logs: Sequence[MotionLog], biased: bool) -> list[LogFinding]:
    """Return what is found in logs.

    Raises:
        BadLog: a log has faults.
    """
    findings: list[LogFinding] = []
    for log in logs:
        columns = list(log.column)
        limits = tuple(model.parameters[name][columns] for name in ("LOWER", "UPPER"))
        limits = tuple(np.where(np.abs(x) > 1e9, np.copysign(np.inf, x), x) for x in limits)
        found = inspect_log(log, limits, biased)  # pyright: ignore[reportArgumentType]
        if [item.code for item in found if item.fault] and all(i.code == "offset" for i in found if i.fault):
            q, _ = Rollout(model, []).simulate(None, [whole_log(log, model.scene.dt)])
            found = inspect_log(log, limits, biased, q[0, 0][:, columns])  # pyright: ignore[reportArgumentType]
        short = dict(zip(model.dof, short_names(model.dof), strict=True)) | {"": ""}
        findings += merge_findings(replace(item, log=log.name, dof=short[item.dof]) for item in found)
    if faults := [str(item) for item in findings if item.fault]:
        raise BadLog("; ".join(faults))
    lacking = [log for log in logs if log.target_q is None]
    if lacking and (len(lacking) < len(logs) or any(log.effort is None for log in lacking)):
        raise BadLog(
            f"{lacking[0].name}: must have target_q, the commanded positions, or all logs efforts instead; record them"
        )
    return findings


def _falling(model: Model) -> list[LogFinding]:
    """Return a finding for every robot whose base is not fixed: no contact supports it in a fit."""
    if not any(model.scene.gravity):
        return []
    text = "its base is not fixed and falls freely, without contacts; hang the robot up and fix its base to the world"
    return [
        LogFinding("falls", "", f"{robot.path}: {text}")
        for robot in model.scene.articulations
        if not robot.fixed_base and robot.joints
    ]


def _with_gains(scene: Scene, logs: Sequence[MotionLog], options: FitOptions) -> Scene:
    """Return the scene with the gains of the options on all joints of the logs."""
    if options.gains is None:
        return scene
    gains = dict(zip(("stiffness", "damping"), options.gains, strict=True))
    return with_gains(scene, {name: dict(gains) for log in logs for name in log.dof})


def _split(
    logs: Sequence[MotionLog], held: Sequence[MotionLog], by_itself: bool
) -> tuple[list[MotionLog], list[MotionLog]]:
    """Return the logs to fit, and those that are held back."""
    if held or not by_itself:
        return list(logs), list(held)
    if len(logs) > 1:
        return list(logs[:-1]), [logs[-1]]
    (log,) = logs
    row = int(len(log) * TRAIN)
    return [log.rows(slice(0, row), " (first part)")], [log.rows(slice(row, None), " (rest)")]


def _started(
    parameters: list[FitParameter], options: FitOptions, regressed: Mapping[tuple[str, int], float]
) -> list[FitParameter]:
    """Return parameters with the starts and priors of the options; starts of a regression replace the scene's."""
    parameters = [replace(p, start=regressed.get((p.quantity, p.column), p.start)) for p in parameters]
    known = {p.name for p in parameters}
    for option, given in (("--prior", options.priors), ("start", options.start)):
        if unknown := set(given) - known:
            raise InputError(f"{option} {min(unknown)}: must be a fitted parameter, one of {', '.join(sorted(known))}")
    return [replace(p, prior=options.priors.get(p.name), start=options.start.get(p.name, p.start)) for p in parameters]
