"""Parameters of a step and of its iterations, which all rows share.

A step has position iterations, under TGS one per substep δ = h/n, and then velocity iterations.
"""

import taichi as ti

from .lanes import Float, UniformStruct

NO_GAP = -1e37  # below every gap: no limit is corrected


class StepParams(UniformStruct):
    """Lengths and multipliers of a step and its substeps, shared by all rows."""

    parts = (
        "h",  # the step [s]
        "delta",  # a substep: h under PGS, h / position iterations under TGS [s]
        "remaining",  # what is left of the step after its first substep, h − δ [s]
        "limit_bias",  # share of a violated limit, or of a hard mimic joint's error, that a substep corrects
        "baumgarte",  # share of the error of a maximal joint that a substep corrects, α
        "contact_bias",  # share of a penetration that a substep corrects, and of a friction row's velocity
        "substeps",  # number of position iterations
        "solver",  # as of `step_params`
        "tgs",  # 1 TGS, 0 PGS
        "forces_per_substep",  # 1 if gravity, user efforts and external forces act in every substep
    )


@ti.func
def step_params(n, h, solver):
    """Return the division of a step of h [s] with n position iterations.

    `solver`: 0 PGS, 1 TGS, 2 TGS with forces per substep.
    """
    delta, share, baumgarte = h, ti.cast(0.8, Float), ti.cast(1.0, Float)
    contact = ti.cast(0.8, Float)
    if solver > 0:
        delta = h / n  # ρ: implicit drives, eq. 40
        baumgarte = 1.0 / ti.sqrt(ti.cast(n, Float))  # α of TGS: 1D constraints, eqs. 10, 11
        contact = ti.min(0.8, 2.0 / ti.sqrt(ti.cast(n, Float)))
        share = ti.min(0.9, 2.0 / ti.sqrt(ti.cast(n, Float)))
    return StepParams(
        h=h,
        delta=delta,
        remaining=h - delta,
        limit_bias=share,
        baumgarte=baumgarte,
        contact_bias=contact,
        substeps=n,
        solver=solver,
        tgs=solver > 0,
        forces_per_substep=solver == 2,
    )


class IterationParams(UniformStruct):
    """Parameters that all rows share in one iteration."""

    parts = (
        "h",  # the step [s]
        "delta",  # time over which gaps close: the substep [s]
        "duration",  # time over which impulses add up [s]
        "elapsed",  # time since the start of the step [s]
        "impulse_multiplier",  # 1 if rows continue from their impulses, 0 if each substep starts from 0
        "inv_delta",  # 1/δ: velocity per gap that closes it in δ [1/s]
        "bias_rate",  # correction velocity per violation of a limit [1/s]
        "violation_floor",  # gap below which a violated limit is corrected: 0 in position iterations, else none
        "tgs",  # 1 TGS, 0 PGS
        "corrects_position",  # 1 in position iterations, which correct position errors
        "drive_acts",  # 0 where drives keep their impulse, within its bounds
        "substep_time",  # how long the forces per substep act before this iteration [s]
        "last",  # 1 in the last iteration
        "positions_left",  # position iterations from this one on
        "velocity_iterations_follow",  # 1 in position iterations with velocity iterations after them
    )


@ti.func
def iteration_params(i, iterations, params):
    """Return the parameters that all rows share in iteration i of `iterations`, position iterations first."""
    iteration = IterationParams(
        h=params.h,
        delta=params.delta,
        duration=params.h,
        elapsed=0.0,
        impulse_multiplier=1.0,
        inv_delta=1.0 / params.delta,
        bias_rate=params.limit_bias / params.delta,
        violation_floor=NO_GAP,
        tgs=params.tgs,
        corrects_position=0,
        drive_acts=1,
        substep_time=0.0,
        last=i == iterations - 1,
        positions_left=params.substeps - i,
        velocity_iterations_follow=0,
    )
    if i < params.substeps:
        iteration.violation_floor = 0.0
        iteration.corrects_position = 1
        iteration.velocity_iterations_follow = iterations > params.substeps
        if params.forces_per_substep:
            iteration.duration = params.delta
            iteration.impulse_multiplier = 0.0
            iteration.substep_time = params.delta
        if params.tgs:
            iteration.elapsed = i * params.delta  # i ρ, i from 0: implicit drives, eq. 41
    elif params.tgs:
        iteration.drive_acts = 0  # TGS freezes the drive impulse in velocity iterations
    return iteration
