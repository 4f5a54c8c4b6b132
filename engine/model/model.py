"""A scene as arrays: what the kernels run on; one file of it is all that a machine needs to simulate.

`compilation` makes one; the layout of its rows is in `layout` and `topology`.
"""

import hashlib
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from ..npz import read_archive, write_archive
from ..scene import InvalidScene, Scene
from ..scene.serialization import from_json, to_json
from ..tables.layout import LINKS, PARAMETERS, SLEEP, STATE, STEP_RESULTS
from ..tables.topology import ARTICULATION, NODE, TABLES

FORMAT = "fajin model"
ROUND_OFF = 1e-9
"""By which machines may differ in what they compile, relative and absolute."""

MEND = "compile the scene again with this version"


@dataclass(eq=False)
class Model:
    """A scene as arrays. Links and dofs are in depth-first order; N nodes, L links, D dofs, A articulations."""

    scene: Scene
    tables: dict[str, np.ndarray]  # name → (items, words) int32, see `topology`
    parameters: dict[str, np.ndarray]  # name → flat rows, float64, SI
    q: np.ndarray  # (D,) initial joint positions [rad | m]
    qd: np.ndarray  # (D,) initial joint speeds
    poses: np.ndarray  # (L, 7) world pose of each link's centre of mass; only roots' count, joints place the rest
    roots: np.ndarray  # (A, 6) angular velocity of each root, velocity of its centre of mass
    clamps: np.ndarray  # (D,) dof whose max_velocity is this one's clamp speed before a step, or -1
    asleep: np.ndarray  # (A,) whether each articulation is asleep at the start
    coms: np.ndarray  # (L, 3) centre of mass in the link's prim frame [m]
    dof: tuple[str, ...]  # "/robot/elbow:rotX"
    unit: tuple[str, ...]  # rad | m
    maximal_dof: tuple[str, ...]  # driven axes of joints outside the trees, named likewise
    maximal_unit: tuple[str, ...]  # rad | m
    maximal_rows: np.ndarray  # of each, its place among the axes of all joints outside the trees
    link: tuple[str, ...]  # prim path of each link, "" for the world and for links between stacked joints
    maximal_joint: tuple[str, ...]  # prim path of each joint outside the trees
    branch: tuple[str, ...]  # "/robot/knuckle:flexor", with ":0" and so on of a tendon that has several branches

    @property
    def nodes(self) -> np.ndarray:
        """(N, len(NODE)) the nodes."""
        return self.tables["NODES"]

    def owners(self, of: str) -> np.ndarray:
        """Index of the articulation that each dof, or each link, belongs to."""
        words = self.tables["ARTICULATIONS"]
        column = NODE["DOF" if of == "dof" else "LINK"]
        owners = np.zeros(len(self.dof if of == "dof" else self.link), int)
        for a, (first, end) in enumerate(words[:, [ARTICULATION["ROOT"], ARTICULATION["END"]]]):
            items = self.nodes[first:end, column]
            owners[items[items >= 0]] = a
        return owners

    def arrays(self) -> dict[str, np.ndarray]:
        """Everything but the scene as named arrays."""
        named = {f.name: np.array(getattr(self, f.name)) for f in fields(self) if f.name not in (*GROUPS, "scene")}
        return named | {f"{group}.{name}": rows for group in GROUPS for name, rows in getattr(self, group).items()}

    def write(self, path: str | Path) -> None:
        """Write an .npz file, whole or not at all: scene and arrays.

        Raises:
            OutputError: it cannot be written.
        """
        arrays = {"layout": np.array(layout()), "scene": np.array(to_json(self.scene)), **self.arrays()}
        write_archive(path, FORMAT, arrays, compressed=True)

    @classmethod
    def read(cls, path: str | Path) -> "Model":
        """Read what `write` wrote; needs neither USD nor the scene's files.

        Kernels follow the indices in the tables without looking, so every array has to be the one that the scene in the
        file compiles to: integers and names equal, other numbers but for round-off.

        Raises:
            InvalidScene: the file is missing, is no such file, is of another version, or was altered.
        """
        from .compilation import compile

        arrays = read_archive(path, FORMAT, "give what fajin compile wrote", InvalidScene)
        if str(arrays.get("layout")) != layout():
            raise InvalidScene(f"{path}: the model is of another version of fajin; {MEND}")
        try:
            scene = from_json(str(arrays["scene"]))
            compiled = compile(scene).arrays()
        except InvalidScene as error:
            raise InvalidScene(f"{path}: {error}") from None
        except MALFORMED as error:
            raise InvalidScene(f"{path}: the scene in the model is not whole ({_line(error)}); {MEND}") from None
        for name, wanted in compiled.items():
            if fault := _fault(arrays.get(name), wanted):
                raise InvalidScene(f"{path}: the model is not whole: {name} {fault}; {MEND}")
        return cls(scene, **_said(arrays))


MALFORMED = (ValueError, KeyError, TypeError, AttributeError, IndexError, ArithmeticError, RecursionError, MemoryError)
"""What a scene raises that is none."""

GROUPS = ("tables", "parameters")


def _said(arrays: dict[str, np.ndarray]) -> dict:
    """The fields of a model but its scene, out of the arrays of its file."""
    said = {
        name: tuple(map(str, arrays[name]))
        for name in ("dof", "unit", "maximal_dof", "maximal_unit", "link", "maximal_joint", "branch")
    }
    said |= {name: arrays[name] for name in ("q", "qd", "poses", "roots", "clamps", "asleep", "coms", "maximal_rows")}
    for group, names in zip(GROUPS, (TABLES, PARAMETERS), strict=True):
        said[group] = {name: arrays[f"{group}.{name}"] for name in names}
    return said


def _fault(given: np.ndarray | None, wanted: np.ndarray) -> str:
    """What is wrong with an array of a file; "" if nothing is."""
    if given is None:
        return "is missing"
    if given.dtype.kind != wanted.dtype.kind or (given.dtype != wanted.dtype and wanted.dtype.kind != "U"):
        return f"is of type {given.dtype}, not {wanted.dtype}"
    if given.shape != wanted.shape:
        return f"has shape {given.shape}, not {wanted.shape}"
    if wanted.dtype.kind != "f":
        same = given == wanted
    elif np.isfinite(given).all():
        same = np.isclose(given, wanted, ROUND_OFF, ROUND_OFF)
    else:
        return "holds a number that is not finite"
    return "" if same.all() else f"says {given[~same][0]} where its scene says {wanted[~same][0]}"


def _line(error: Exception) -> str:
    """What an error says, in one short line."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:200]


def layout() -> str:
    """What tells versions apart whose kernels would read other numbers in the same rows."""
    words = (
        list(PARAMETERS.items()),
        STATE,
        STEP_RESULTS,
        SLEEP,
        LINKS,
        {name: list(words) for name, words in TABLES.items()},
    )
    return hashlib.sha256(repr(words).encode()).hexdigest()
