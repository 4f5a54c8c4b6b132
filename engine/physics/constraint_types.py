"""Types of constraints, in the order in which an iteration solves them.

    prepare(w, owner, params)      computes the rows at the start of a step
    solve(w, owner, iteration)     solves every row once
    report(w, owner, params)       writes forces and efforts of the step

The owner is an island or an articulation. Rows are prepared in the opposite order. A new type is one file with these
three functions, and one entry here; a new law on one degree of freedom is a call in `dof_rows`.
"""

from collections.abc import Callable
from dataclasses import dataclass

import taichi as ti

from . import contact_function
from .contacts.pipeline import solve_contacts, write_contact_forces
from .dof_rows import prepare_joint_rows, write_joint_efforts
from .external_reactions import write_maximal_joint_forces, write_tendon_tensions
from .gauss_seidel import solve_joints
from .lanes import traced
from .maximal_joint import prepare_maximal_joints, solve_maximal_joints
from .mimic import prepare_mimics, solve_mimics, solve_runaway_mimics, write_mimic_efforts
from .tendon import prepare_tendons, solve_tendons


@dataclass(frozen=True)
class ConstraintType:
    """Constraints of one kind."""

    feature: str | None  # of `tables.features`, without which the type is not compiled; None: always
    prepare: Callable
    solve: Callable
    report: Callable
    correct: Callable | None = None  # (w, owner, iteration): solves rows again after those of all types

    @traced
    def compiles(self, features) -> bool:
        """Return whether kernels with these features contain the type."""
        return self.feature is None or getattr(features, self.feature)

    @traced
    def corrects(self, features) -> bool:
        """Return whether kernels with these features solve rows of the type again after all types."""
        return self.correct is not None and self.compiles(features)


ISLAND_TYPES = (
    ConstraintType("joints", prepare_maximal_joints, solve_maximal_joints, write_maximal_joint_forces),
    ConstraintType("contacts", contact_function.prepare, solve_contacts, write_contact_forces),
)
ARTICULATION_TYPES = (
    ConstraintType("tendons", prepare_tendons, solve_tendons, write_tendon_tensions),
    ConstraintType("mimics", prepare_mimics, solve_mimics, write_mimic_efforts, solve_runaway_mimics),
    ConstraintType(None, prepare_joint_rows, solve_joints, write_joint_efforts),
)


@ti.func
def prepare_constraints(types: ti.template(), w: ti.template(), owner, params):
    """Compute the rows of these types of an island or articulation, the last type first."""
    for kind in ti.static(types[::-1]):
        if ti.static(kind.compiles(w.features)):
            kind.prepare(w, owner, params)


@ti.func
def solve_constraints(types: ti.template(), w: ti.template(), owner, iteration):
    """Solve every row of these types of an island or articulation once."""
    for kind in ti.static(types):
        if ti.static(kind.compiles(w.features)):
            kind.solve(w, owner, iteration)
    for kind in ti.static(types):
        if ti.static(kind.corrects(w.features)):
            kind.correct(w, owner, iteration)


@ti.func
def report_constraints(types: ti.template(), w: ti.template(), owner, params):
    """Write forces and efforts of these types of an island or articulation."""
    for kind in ti.static(types):
        if ti.static(kind.compiles(w.features)):
            kind.report(w, owner, params)
