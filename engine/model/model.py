"""Compiled scenes as arrays for the kernels; one model file is sufficient to simulate on another machine.

`compilation` creates a model; `layout` and `topology` define the layout of its rows.
"""

import hashlib
import reprlib
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..npz import read_archive, write_archive
from ..scene import InvalidScene, Scene
from ..scene.overrides import without_contacts
from ..scene.serialization import MALFORMED, from_json, to_json
from ..tables.layout import LINKS, PARAMETERS, SLEEP, STATE, STEP_RESULTS
from ..tables.topology import ARTICULATION, NODE, TABLES
from .compilation import compile_fields
from .pair_names import PairNames, item_names

FORMAT = "fajin model"
ROUND_OFF = 1e-9
"""Tolerances for compiled numbers of different machines, relative and absolute."""

MEND = "compile the scene again with this version"


@dataclass(eq=False)
class Model:
    """A compiled scene. Links and dofs are in depth-first order; N nodes, L links, D dofs, A articulations."""

    scene: Scene
    tables: dict[str, np.ndarray]  # name → (items, words) int32, see `topology`
    parameters: dict[str, np.ndarray]  # name → flat rows, float64, SI
    q: np.ndarray  # (D,) initial joint positions [rad | m]
    qd: np.ndarray  # (D,) initial joint speeds
    poses: np.ndarray  # (L, 7) world pose of each link's centre of mass; used for roots only, joints place all others
    roots: np.ndarray  # (A, 6) angular velocity of each root, and velocity of its centre of mass
    clamps: np.ndarray  # (D,) dof whose max_velocity is the speed bound of this dof before a step, or -1
    asleep: np.ndarray  # (A,) True for articulations that are asleep at the start
    coms: np.ndarray  # (L, 3) centre of mass in the link's prim frame [m]
    dof: tuple[str, ...]  # "/robot/elbow:rotX"
    unit: tuple[str, ...]  # rad | m
    maximal_dof: tuple[str, ...]  # driven axes of maximal joints, named like `dof`
    maximal_unit: tuple[str, ...]  # rad | m
    maximal_rows: np.ndarray  # index of each driven axis among the axes of all maximal joints
    link: tuple[str, ...]  # prim path of each link, "" for the world and for links between stacked joints
    maximal_joint: tuple[str, ...]  # prim path of each maximal joint
    branch: tuple[str, ...]  # "/robot/knuckle:flexor"; with ":0", ":1" and so on if a tendon has several branches
    collider: tuple[str, ...]  # prim path of each collider of a pair; once per island for what is static

    @property
    def nodes(self) -> np.ndarray:
        """The nodes, (N, len(NODE))."""
        return self.tables["NODES"]

    @property
    def actuator(self) -> tuple[str, ...]:
        """Name of the degree of freedom of each explicit actuator."""
        nodes = self.tables["ACTUATORS"][:, TABLES["ACTUATORS"]["NODE"]]
        return tuple(self.dof[i] for i in self.nodes[nodes, NODE["DOF"]])

    @property
    def bound_point(self) -> tuple[str, ...]:
        """Name of each point of the bounds by position of actuators: "/robot/knee:rotX.0", "/robot/knee:rotX.1"."""
        points = self.tables["ACTUATORS"][:, [TABLES["ACTUATORS"][word] for word in ("POINT", "POINT_END")]]
        named = zip(self.actuator, points, strict=True)
        return tuple(f"{name}.{i}" for name, (first, end) in named for i in range(end - first))

    @cached_property
    def pair(self) -> Sequence[str]:
        """Name of each pair of colliders that may touch, by number: "/robot/foot/ball|/ground"."""
        lists = self.tables["ISLANDS"][:, TABLES["ISLANDS"]["LISTS_PAIRS"]]
        return self.pair_kind if lists.all() else PairNames(self.tables, self.collider)

    @cached_property
    def pair_kind(self) -> tuple[str, ...]:
        """Name of each column of parameters of pairs: a pair, or the first one of those with equal parameters."""
        return item_names(self.tables, self.collider)

    @cached_property
    def fingerprint(self) -> str:
        """Digest of the structure: names, units and the tables that connect them."""
        digest = hashlib.sha256(repr((self.dof, self.unit, self.link, self.scene.meters_per_unit)).encode())
        for name, table in self.tables.items():
            digest.update(f"{name} {table.shape}".encode() + table.astype("<i4").tobytes())
        return digest.hexdigest()

    def owners(self, of: str) -> np.ndarray:
        """Return the index of the articulation of each dof, or of each link."""
        words = self.tables["ARTICULATIONS"]
        column = NODE["DOF" if of == "dof" else "LINK"]
        owners = np.zeros(len(self.dof if of == "dof" else self.link), int)
        for a, (first, end) in enumerate(words[:, [ARTICULATION["ROOT"], ARTICULATION["END"]]]):
            items = self.nodes[first:end, column]
            owners[items[items >= 0]] = a
        return owners

    def arrays(self) -> dict[str, np.ndarray]:
        """Return all fields except the scene as named arrays."""
        named = {f.name: np.array(getattr(self, f.name)) for f in fields(self) if f.name not in (*GROUPS, "scene")}
        return named | {f"{group}.{name}": rows for group in GROUPS for name, rows in getattr(self, group).items()}

    def write(self, path: str | Path) -> None:
        """Write scene and arrays to an .npz file atomically.

        Raises:
            OutputError: the file cannot be written.
        """
        arrays = {"layout": np.array(layout()), "scene": np.array(to_json(self.scene)), **self.arrays()}
        write_archive(path, FORMAT, arrays, compressed=True)

    @classmethod
    def read(cls, path: str | Path) -> "Model":
        """Read a file that `write` wrote; needs neither USD nor the scene's files.

        Kernels use the indices in the tables without bounds checks. Every array must therefore match the compilation of
        the scene in the file: integers and names exactly, other numbers up to round-off.

        Raises:
            InvalidScene: the file is missing, is not a model, has another version or was altered.
        """
        arrays = read_archive(path, FORMAT, lambda rule: InvalidScene(file=path, rule=rule, fix=GIVE))
        if str(arrays.get("layout")) != layout():
            raise InvalidScene(file=path, rule="a model of this version of fajin", fix=MEND)
        try:
            scene = from_json(str(arrays["scene"]))
            compiled = compile(scene).arrays()
        except InvalidScene as error:
            raise error.of_file(path) from None
        except MALFORMED as error:
            raise InvalidScene(
                file=path, rule=f"an undamaged model: its scene is not one ({_line(error)})", fix=MEND
            ) from None
        for name, wanted in compiled.items():
            if fault := _fault(arrays.get(name), wanted):
                raise InvalidScene(file=path, rule=f"an undamaged model: {name} {fault}", fix=MEND)
        return cls(scene, **_said(arrays))


def compile(scene: Scene) -> Model:
    """Flatten a scene.

    Raises:
        InvalidScene: a joint between links that do not exist, a cycle, a link without a joint, or
            stacked joints whose motions are dependent.
    """
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # numbers that overflow are refused at the end
            return Model(**compile_fields(scene))
    except InvalidScene:
        raise
    except (LookupError, ArithmeticError, ValueError) as error:  # a scene that no file describes
        rule = f"a scene whose links, joints and names fit together ({_line(error)})"
        raise InvalidScene(file=scene.source, rule=rule, fix="read it with fajin.read, or correct its parts") from error


def compiled(scene: Scene | Model, contacts: bool = True) -> Model:
    """Return the model of a scene, or the model itself; without colliders if `contacts` is False.

    Raises:
        InvalidScene: as of `compile`.
        TypeError: `scene` is neither a scene nor a model.
    """
    if not isinstance(scene, Scene | Model):
        raise TypeError(f"scene = {reprlib.repr(scene)}: must be a Scene or a Model; pass fajin.read(path)")
    given = scene.scene if isinstance(scene, Model) else scene
    if given.colliders and not contacts:
        return compile(without_contacts(given))
    return scene if isinstance(scene, Model) else compile(scene)


GIVE = "give a file that fajin compile wrote"
GROUPS = ("tables", "parameters")


def _said(arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    """Return the fields of a model, except its scene, from the arrays of its file."""
    said: dict[str, Any] = {
        name: tuple(map(str, arrays[name]))
        for name in (
            "dof",
            "unit",
            "maximal_dof",
            "maximal_unit",
            "link",
            "maximal_joint",
            "branch",
            "collider",
        )
    }
    said |= {name: arrays[name] for name in ("q", "qd", "poses", "roots", "clamps", "asleep", "coms", "maximal_rows")}
    for group, names in zip(GROUPS, (TABLES, PARAMETERS), strict=True):
        said[group] = {name: arrays[f"{group}.{name}"] for name in names}
    return said


def _fault(given: np.ndarray | None, wanted: np.ndarray) -> str:
    """Return the fault of an array of a file; "" if it is correct."""
    if given is None:
        return "is missing"
    if given.dtype.kind != wanted.dtype.kind or (given.dtype != wanted.dtype and wanted.dtype.kind != "U"):
        return f"has type {given.dtype}, not {wanted.dtype}"
    if given.shape != wanted.shape:
        return f"has shape {given.shape}, not {wanted.shape}"
    if wanted.dtype.kind != "f":
        same = given == wanted
    elif np.isfinite(given).all():
        same = np.isclose(given, wanted, ROUND_OFF, ROUND_OFF)
    else:
        return "contains a number that is not finite"
    return "" if same.all() else f"contains {given[~same][0]} where its scene has {wanted[~same][0]}"


def _line(error: Exception) -> str:
    """Return an error as one short line."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:200]


def layout() -> str:
    """Return a text that differs between versions with different row layouts."""
    words = (
        list(PARAMETERS.items()),
        STATE,
        STEP_RESULTS,
        SLEEP,
        LINKS,
        {name: list(words) for name, words in TABLES.items()},
    )
    return hashlib.sha256(repr(words).encode()).hexdigest()
