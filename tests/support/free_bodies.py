"""Free bodies with joints between them, in float64 and without gravity: scenes, velocities, momenta, projections."""

import numpy as np

import fajin
from fajin.quaternion import multiply, rotate
from fajin.scene import IDENTITY, WORLD, Articulation, Joint, JointType, Link, Scene, SolverType

EPS = float(np.finfo(np.float64).eps)
H = 0.01  # [s]
CALM = {"angular_damping": 0.0, "max_angular_velocity": np.inf, "gyroscopic": False}
"""What leaves the velocity of a body alone."""


def body(path: str, rng=None, **link) -> Link:
    """A body of 1 kg and 1 kg·m² at rest in the origin; of random shape, place and motion with a generator."""
    if rng is None:
        return Link(path, **(CALM | link))
    points = rng.normal(size=(6, 3)) * 0.3  # a cloud of masses is a body that can exist
    mass = rng.uniform(0.5, 3.0)
    inertia = mass / len(points) * sum(p @ p * np.eye(3) - np.outer(p, p) for p in points)
    shape = {
        "mass": mass,
        "inertia": tuple(map(tuple, inertia.tolist())),
        "com": vector(rng, 0.2),
        "pose": pose(rng),
        "velocity": vector(rng),
        "angular_velocity": vector(rng, 2.0),
    }
    return Link(path, **(CALM | shape | link))


def vector(rng, size: float = 1.0) -> tuple:
    """Three random numbers up to a size."""
    return tuple(float(x) for x in rng.uniform(-size, size, 3))


def pose(rng, reach: float = 0.5) -> tuple:
    """A random pose within a reach."""
    turn = rng.normal(size=4)
    return vector(rng, reach), tuple(float(x) for x in turn / np.linalg.norm(turn))


def joint(type: JointType, links: dict, ends: tuple, place=IDENTITY, **fields) -> Joint:
    """A joint between two paths whose frames agree with a world frame, so that all its positions are zero."""
    frames = [relative(IDENTITY if end == WORLD else links[end].pose, place) for end in ends]
    return Joint("/joint", type, *ends, *frames, **fields)


def relative(frame: tuple, other: tuple) -> tuple:
    """The pose of another frame in a frame."""
    back = np.array(frame[1]) * (-1.0, -1.0, -1.0, 1.0)
    position = rotate(back, np.subtract(other[0], frame[0]))
    return tuple(position.tolist()), tuple(multiply(back, np.array(other[1])).tolist())


def simulate(links, joints, solver=SolverType.PGS, n: int = 1, velocity: int = 0, dt: float = H) -> fajin.Simulation:
    """Free bodies and joints; n position iterations."""
    counts = {"position_iterations": n, "velocity_iterations": velocity, "free": True}
    bodies = tuple(Articulation(link.path, (link,), (), **counts) for link in links)
    scene = Scene("bodies", bodies, (0.0, 0.0, 0.0), dt, solver, joints=tuple(joints))
    return fajin.Simulation(scene, device="cpu", precision="f64", threads=1)


def twists(sim: fajin.Simulation) -> np.ndarray:
    """(A, 6) angular velocity and velocity of the centre of mass of every root link, world, as they are now."""
    return np.roll(sim.root_velocity[0], 3, -1)


def poses(sim: fajin.Simulation) -> np.ndarray:
    """(L, 7) world frames of the links as they are now."""
    return next(sim.stream(0)).pose[0, 0]


def centre(link: Link, at=None) -> np.ndarray:
    """World position of a link's centre of mass, at a frame (7,) or as authored."""
    place, turn = (at[:3], at[3:]) if at is not None else link.pose
    return np.array(place) + rotate(np.array(turn), np.array(link.com))


def inertia(link: Link, at=None) -> np.ndarray:
    """Inertia about the centre of mass in world axes, at a frame (7,) or as authored."""
    turn = np.array(link.pose[1] if at is None else at[3:])
    R = rotate(turn, np.eye(3)).T
    return R @ np.array(link.inertia) @ R.T


def mass_matrix(links) -> np.ndarray:
    """M of eq. 5 for any number of bodies, angular before linear."""
    M = np.zeros((6 * len(links), 6 * len(links)))
    for i, link in enumerate(links):
        M[6 * i : 6 * i + 3, 6 * i : 6 * i + 3] = inertia(link)
        M[6 * i + 3 : 6 * i + 6, 6 * i + 3 : 6 * i + 6] = link.mass * np.eye(3)
    return M


def authored(links) -> np.ndarray:
    """Velocities of the bodies as authored, stacked: angular before linear."""
    return np.concatenate([(*link.angular_velocity, *link.velocity) for link in links])


def projected(M: np.ndarray, J: np.ndarray, v: np.ndarray, goal=0.0) -> np.ndarray:
    """Velocities after the impulses that bring J v to a goal: eqs. 17-22, all rows at once."""
    gain = np.linalg.solve(M, J.T)
    return v + gain @ np.linalg.solve(J @ gain, goal - J @ v)


def momentum(links, twists, frames=None) -> tuple[np.ndarray, np.ndarray]:
    """P and L about the world's origin."""
    linear, angular = np.zeros(3), np.zeros(3)
    for i, (link, twist) in enumerate(zip(links, twists, strict=True)):
        at = None if frames is None else frames[i]
        linear += link.mass * twist[3:]
        angular += inertia(link, at) @ twist[:3] + np.cross(centre(link, at), link.mass * twist[3:])
    return linear, angular
