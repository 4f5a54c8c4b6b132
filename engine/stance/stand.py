"""Joint angles in which a robot stands: feet on one level below the base, flat, and the centre of mass above them.

The angles minimise a sum of squares by Levenberg-Marquardt steps within the limits of the joints, from several starts.
"""

from dataclasses import dataclass
from itertools import pairwise
from math import inf, pi

import numpy as np

from .extents import Shape, lowest
from .polygon import margin
from .supports import Support
from .tree import Placement, Tree

STEPS = 100
EXTENSION = {2: 0.97}  # height of hips relative to the length of legs, by number of feet
BENT = 0.85
BEND = 0.6  # [rad] of knees in the starts
STEP = 3e-3  # [m] differences between heights of feet, at most
TILT = 0.02  # [rad] of a sole, at most
INSIDE = 5e-3  # [m] of the centre of mass within the polygon of the feet, at least
BORDER = 1e-4  # [m] of a robot that does not stand on legs
HEIGHT, FLATNESS, BALANCE, BELOW, BENDING, START = 10.0, 2.0, 3.0, 0.3, 1.0, 0.03  # weights of the residuals


@dataclass(frozen=True, eq=False)
class Stance:
    """A pose to stand in, or the reason why there is none."""

    q: np.ndarray  # (D,)
    reason: str = ""


def find_stance(
    tree: Tree, supports: list[Support], shapes: dict[int, list[Shape]], up: np.ndarray, start: np.ndarray
) -> Stance:
    """Return the joint positions near some others in which a robot stands on its feet or wheels."""
    feet = [support for support in supports if not support.wheel and not support.slides]
    if not supports:
        return Stance(start, "no link has a collider: no feet or wheels found")
    if not feet:
        return _checked(tree, supports, shapes, start, up)
    shared = [dof for dof in feet[0].dofs if all(dof in foot.dofs for foot in feet)]
    legs = sorted({dof for foot in feet for dof in foot.dofs} - set(shared))
    search = _Search(tree, feet, np.array(legs, int), start, up)
    found = min((search.solve(q) for q in search.starts()), key=search.cost)
    return _checked(tree, supports, shapes, found, up)


def clipped(tree: Tree, q: np.ndarray) -> np.ndarray:
    """Return joint positions within their limits."""
    low, high = np.array([(axis.lower, axis.upper) for axis in tree.axes]).reshape(-1, 2).T
    return np.clip(q, low, high)


def _checked(
    tree: Tree, supports: list[Support], shapes: dict[int, list[Shape]], q: np.ndarray, up: np.ndarray
) -> Stance:
    """Return a pose with the reason why the robot does not stand in it, if there is one."""
    placement = tree.place(q)
    lows = np.array([support.lowest(placement, up)[1].min() for support in supports])
    soles = np.concatenate([support.sole(placement, up) for support in supports])
    tilts = [
        np.linalg.norm(np.cross(placement.points(foot.link, foot.normal) - placement.positions[foot.link], up))
        for foot in supports
        if foot.normal is not None
    ]
    ends = {support.link for support in supports}
    rest = [lowest(s, placement.frame(i), up) for i, many in shapes.items() if i not in ends for s in many]
    inside = margin(soles, tree.com(placement), up)
    if np.ptp(lows) > STEP and not any(support.wheel for support in supports):
        return Stance(q, f"within their limits the feet differ in height by {1e3 * np.ptp(lows):.0f} mm")
    if max(tilts, default=0.0) > TILT:
        return Stance(q, f"a sole stays tilted by {np.degrees(max(tilts)):.0f} degrees")
    if min(rest, default=inf) < lows.min() - STEP:
        return Stance(q, "another collider is lower than the feet or wheels")
    on_feet = any(not support.wheel and not support.slides for support in supports)
    if inside < (INSIDE if on_feet else BORDER):
        where = f"{-1e3 * inside:.1f} mm outside" if inside < -BORDER else "on the border of"
        wheels = all(support.wheel for support in supports) and len(supports) < 3
        count = f"{len(supports)} supports" if len(supports) > 1 else "only support"
        why = "it needs a controller that balances it" if wheels else "it falls over"
        return Stance(q, f"the centre of mass is {where} the polygon of its {count}: {why}")
    return Stance(q)


class _Search:
    """The sum of squares and its minimisation."""

    def __init__(self, tree: Tree, feet: list[Support], legs: np.ndarray, start: np.ndarray, up: np.ndarray):
        self.tree, self.feet, self.legs, self.start, self.up = tree, feet, legs, start, up
        self.low, self.high = np.array([(axis.lower, axis.upper) for axis in tree.axes]).reshape(-1, 2).T
        self.flat = np.eye(3) - np.outer(up, up)
        placement = tree.place(start)
        whole = self._lateral(placement, legs)
        self.bending, self.lateral = [], np.zeros((len(tree.axes), 3))
        for foot in feet:
            own = np.intersect1d(foot.dofs, legs)
            lateral = self._lateral(placement, own)
            self.lateral[own] = lateral * (-1.0 if lateral @ whole < 0.0 else 1.0)
            self.bending.append([dof for dof in foot.dofs if dof in own and self._bends(placement, dof)])
        self.lengths = [self._length(foot, many, placement) for foot, many in zip(feet, self.bending, strict=True)]
        self.hips = [
            (many or [next(dof for dof in foot.dofs if dof in legs)])[0]
            for many, foot in zip(self.bending, feet, strict=True)
        ]
        self.carrier = {dof: edge.child for edge in tree.edges for dof in edge.dofs}
        self.bent = EXTENSION.get(len(feet), BENT)

    def _lateral(self, placement: Placement, dofs: np.ndarray) -> np.ndarray:
        """Return the direction that most of some axes share, about which a leg bends."""
        axes = placement.axes[dofs]
        return axes[np.argmax((np.abs(axes @ axes.T) > 0.9).sum(1))]

    def _bends(self, placement: Placement, dof: int) -> bool:
        """Return whether a joint of a leg bends it."""
        return abs(placement.axes[dof] @ self.lateral[dof]) > 0.9

    def _length(self, foot: Support, bending: list[int], placement: Placement) -> float:
        """Return the length of a leg over the joints that bend it, to its sole [m]."""
        chain = [*(placement.pivots[dof] for dof in bending), foot.sole(placement, self.up).mean(0)]
        return float(sum(np.linalg.norm(b - a) for a, b in pairwise(chain)))

    def starts(self) -> list[np.ndarray]:
        """Return the initial pose, the middle of the limits, and legs bent both ways."""
        middle = self.start.copy()
        narrow = self.legs[(self.high - self.low)[self.legs] < 2.0 * pi]
        middle[narrow] = (self.low[narrow] + self.high[narrow]) / 2.0
        found, placement = [self.start, middle], self.tree.place(self.start)
        for sign in (BEND, -BEND):
            q = self.start.copy()
            for bending in self.bending:
                for dof, share in zip(bending, (-1.0, 2.0, -1.0), strict=False):
                    q[dof] += sign * share * np.sign(placement.axes[dof] @ self.lateral[dof])
            found.append(np.clip(q, self.low, self.high))
        return found

    def cost(self, q: np.ndarray) -> float:
        """Return the sum of squares."""
        residual, _ = self.residual(q)
        return float(residual @ residual)

    def residual(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the weighted residuals (n,) and their Jacobian (n, legs)."""
        tree, up = self.tree, self.up
        placement = tree.place(q)
        heights, slopes, soles, sole_slopes, values, rows = [], [], [], [], [], []
        for foot, hip, length in zip(self.feet, self.hips, self.lengths, strict=True):
            points, lows = foot.lowest(placement, up)
            sole = foot.sole(placement, up).mean(0)
            slope = tree.jacobian(placement, foot.link, sole)
            heights.append(lows.min())
            slopes.append(up @ tree.jacobian(placement, foot.link, points[np.argmin(lows)]))
            soles.append(sole)
            sole_slopes.append(slope)
            hung = slope - tree.jacobian(placement, self.carrier[hip], placement.pivots[hip])
            values += [BELOW * self.flat @ (sole - placement.pivots[hip])]
            rows += [BELOW * self.flat @ hung]
            values += [[BENDING * ((placement.pivots[hip] - sole) @ up - self.bent * length)]]
            rows += [-BENDING * (up @ hung)[None]]
            if foot.normal is not None:
                normal = placement.points(foot.link, foot.normal) - placement.positions[foot.link]
                turned = np.cross(placement.axes, normal) * (tree.moves[foot.link] & tree.turns)[:, None]
                values += [FLATNESS * self.flat @ normal]
                rows += [FLATNESS * self.flat @ turned.T]
        mean = np.mean(slopes, 0)
        values += [HEIGHT * (np.array(heights) - np.mean(heights))]
        rows += [HEIGHT * (np.array(slopes) - mean)]
        values += [BALANCE * self.flat @ (tree.com(placement) - np.mean(soles, 0))]
        rows += [BALANCE * self.flat @ (tree.com_jacobian(placement) - np.mean(sole_slopes, 0))]
        values += [START * (q - self.start)[self.legs]]
        rows += [START * np.eye(len(q))[self.legs]]
        return np.concatenate(values), np.concatenate(rows)[:, self.legs]

    def solve(self, q: np.ndarray) -> np.ndarray:
        """Return the positions at the nearest minimum."""
        residual, slope = self.residual(q)
        damping = 1e-3
        for _ in range(STEPS):
            normal = slope.T @ slope
            step = np.linalg.solve(normal + damping * np.eye(len(normal)), -slope.T @ residual)
            tried = q.copy()
            tried[self.legs] += np.clip(step, -0.5, 0.5)
            tried = np.clip(tried, self.low, self.high)
            new, new_slope = self.residual(tried)
            if new @ new < residual @ residual:
                done = residual @ residual - new @ new < 1e-9
                q, residual, slope, damping = tried, new, new_slope, damping / 3.0
                if done:
                    break
            else:
                damping *= 4.0
                if damping > 1e6:
                    break
        return q
