"""Record of a fit in a scene: which values were fitted to which logs, how well they are known, at which step."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class FittedParameter:
    """A fitted number with its 95 % interval, in SI units and radians."""

    name: str  # "elbow:armature"
    prim: str  # prim and attributes that hold the value; "" for a value that has none, as a delay
    owner: str  # degree of freedom or link, "/robot/elbow:rotX"; "" for the log
    quantity: str  # armature | coulomb | viscous | static_ratio | stiffness | … | mass | payload | delay | bias
    value: float
    deviation: float  # standard deviation; 0 at a bound
    unit: str
    at_bound: bool = False
    base: float = 0.0  # mass to which a payload adds [kg]


@dataclass(frozen=True)
class FitRecord:
    """A fit: its parameters, their covariance, and the step and solver to which the numbers belong."""

    dt: float  # [s]
    solver: str  # PGS | TGS
    position_iterations: int
    velocity_iterations: int
    parameters: tuple[FittedParameter, ...]
    covariance: tuple[float, ...]  # (P · P) in SI units, row by row
    logs: tuple[str, ...] = ()  # "name SHA-256"
    held_back: tuple[str, ...] = ()
    chi_squared: float = 0.0
    error: float = 0.0  # rms of the fitted logs [rad | m]
    held_back_error: float = 0.0  # of the held-back logs; 0 without one
    version: str = ""  # of fajin

    def differences(self, scene: Any) -> str:
        """Return in words what of a scene's step and solver is not that of the fit; "" if all are."""
        robots = [a for a in scene.articulations if not a.free] or list(scene.articulations)
        here = robots[0].position_iterations, robots[0].velocity_iterations
        fitted = self.position_iterations, self.velocity_iterations
        said = []
        if abs(scene.dt - self.dt) > 1e-6 * self.dt:
            said.append(f"{1.0 / self.dt:.6g} steps/s, not {1.0 / scene.dt:.6g}")
        if scene.solver.name != self.solver:
            said.append(f"{self.solver}, not {scene.solver.name}")
        if fitted != here:
            said.append(f"{fitted[0]} + {fitted[1]} iterations, not {here[0]} + {here[1]}")
        return "; ".join(said)

    def of(self, owner: str, quantity: str) -> FittedParameter | None:
        """Return the parameter of a degree of freedom or link; None if it was not fitted."""
        return next((p for p in self.parameters if (p.owner, p.quantity) == (owner, quantity)), None)
