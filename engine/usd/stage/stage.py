"""Open USD stages: units, prims, authored values at time 0, and a record of all used attributes."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
from pxr import Gf, Sdf, Tf, Usd, UsdGeom, UsdPhysics

from ...scene import Diagnostic, InvalidScene, Pose
from ...scene.renaming import Renaming
from ..attributes import rows_named
from ..attributes.attribute import Attribute
from ..attributes.kinds import QUATERNION, QUATERNIONS, TOKEN, Kind, quoted
from ..attributes.units import check_size
from .authored_names import NamesOfPrims
from .diagnostic_codes import Reason
from .instance_detection import find_copies, walk
from .targets import targets_of
from .transforms import START, Transforms, orthogonal_scale, rigid_frame

AT_DEFAULT = "physics:velocity", "physics:angularVelocity", "physxForce:", "physxSurfaceVelocity:"
"""Attributes of bodies of which PhysX reads the default value if they have time samples."""


class StageReader:
    """Content of a stage in SI units, with a record of the used attributes.

    Attributes are read by name and schemas by authored names, so schemas need not be registered.
    """

    def __init__(self, stage: Usd.Stage):
        self.stage = stage
        self.metres = UsdGeom.GetStageMetersPerUnit(stage)
        self.kilograms = UsdPhysics.GetStageKilogramsPerUnit(stage)
        self.rate = stage.GetTimeCodesPerSecond()
        units = {"metersPerUnit": self.metres, "kilogramsPerUnit": self.kilograms, "timeCodesPerSecond": self.rate}
        for name, value in units.items():
            check_size(name, value)
        self.transforms = Transforms()
        self.authored_names = NamesOfPrims(stage)
        self.up_axis = str(UsdGeom.GetStageUpAxis(stage))
        if self.up_axis not in ("Y", "Z"):
            raise InvalidScene("/", "upAxis", quoted(self.up_axis) or '""', "Y or Z", "author one of these")
        self.used: set[tuple[str, str]] = set()  # (prim path, attribute)
        self.followed: set[tuple[str, str]] = set()  # (prim path, attribute) of attributes with active time samples
        self.meshes: dict[Sdf.Path, tuple[np.ndarray, np.ndarray, np.ndarray]] = {}  # points, triangles and their faces
        self.mesh_shapes: dict[tuple, list] = {}  # shapes of mesh colliders, by paths and whether static
        self.renamings: dict[Sdf.Path, Renaming] = {}  # of originals that were in use so far
        self.reports: list[Diagnostic] = []
        self.here: list[Diagnostic] = []  # diagnostics that do not apply to copies of a prim
        self.actuators: dict[str, Usd.Prim] = {}  # actuator of each joint, by the joint's path
        self.dropped: set[tuple[str, str]] = set()  # (prim path, attribute) of attributes with values of another kind

    @cached_property
    def copies(self) -> dict[Sdf.Path, Sdf.Path]:
        """Return {path of a copy: path of its original}; the content of copies is not read."""
        return find_copies(self.stage)

    @cached_property
    def copies_of(self) -> dict[Sdf.Path, list[Sdf.Path]]:
        """Return the copies of each original."""
        found: dict[Sdf.Path, list[Sdf.Path]] = {}
        for copy, original in self.copies.items():
            found.setdefault(original, []).append(copy)
        return found

    @cached_property
    def prims(self) -> tuple[Usd.Prim, ...]:
        """Return all active prims, including those of instances, but not those of copies."""
        return tuple(prim for prim in walk(self.stage, self.copies) if prim.GetPath() not in self.copies)

    @cached_property
    def physics_scenes(self) -> tuple[Usd.Prim, ...]:
        """Return the physics scenes by path; the first one applies."""
        found = (prim for prim in self.prims if prim.GetTypeName() == "PhysicsScene")
        return tuple(sorted(found, key=lambda prim: prim.GetPath()))

    @property
    def physics_scene(self) -> Usd.Prim | None:
        """Return the physics scene that applies; None if there is none."""
        return next(iter(self.physics_scenes), None)

    def report(
        self, prim: Usd.Prim | str, attribute: str, reason: Reason, value: Any = "", everywhere: bool = True
    ) -> None:
        """Add a diagnostic: an opinion is ignored, or used otherwise than authored; `everywhere`: also for copies."""
        path = prim if isinstance(prim, str) else str(prim.GetPath())
        text = (str(value), reason.message, reason.fix, reason.related)
        (self.reports if everywhere else self.here).append(Diagnostic(reason.code, path, attribute, *text))

    def authored(self, prim: Usd.Prim, name: str) -> Any:
        """Return the authored value of an attribute at time 0, quaternions as (x, y, z, w); None if there is none.

        A value of a kind that the table does not allow for this name is reported and treated as not authored.
        """
        value = self.held(prim, name)
        rows = () if value is None else rows_named(name)
        if rows and all(row.kind.read(value) is None for row in rows):
            return self.drop(prim, name, rows[0].kind, value)
        return value

    def held(self, prim: Usd.Prim, name: str) -> Any:
        """Return the value in the file at time 0, of any type; of one of AT_DEFAULT with time samples, its default."""
        if not self.authored_names.of(prim).may_hold(name):
            return None
        attribute = prim.GetAttribute(name)
        if not attribute or not attribute.HasAuthoredValue():
            return None
        value = attribute.Get(
            Usd.TimeCode.Default() if name.startswith(AT_DEFAULT) and self.varies(attribute) else START
        )
        return QUATERNION.read(value) if isinstance(value, QUATERNIONS) else value

    def typed(self, prim: Usd.Prim, name: str, kind: Kind) -> Any:
        """Return the authored value of an attribute in Python; None, and a diagnostic, for a value of another kind."""
        value = self.held(prim, name)
        if value is None:
            return None
        read = kind.read(value)
        return self.drop(prim, name, kind, value) if read is None else read

    def drop(self, prim: Usd.Prim, name: str, kind: Kind, value: Any) -> None:
        """Report, once, a value of another kind than its attribute's."""
        place = str(prim.GetPath()), name
        if place not in self.dropped:
            self.dropped.add(place)
            self.report(prim, name, Reason("wrong-type", kind=kind.name), quoted(value))

    def varies(self, attribute: Usd.Attribute) -> bool:
        """Return whether an attribute has several time samples.

        Raises:
            InvalidScene: a time code is not a number.
        """
        try:
            return attribute.ValueMightBeTimeVarying()
        except Tf.ErrorException:
            raise InvalidScene(
                attribute.GetPrimPath(), attribute.GetName(),
                rule="sampled at finite time codes", fix="author finite time codes",
            ) from None  # fmt: skip

    def target(self, prim: Usd.Prim, name: str) -> Sdf.Path | None:
        """Return the first target of a relationship; None if there is none. Report several targets."""
        targets = self.targets(prim, name)
        if len(targets) > 1:
            self.report(prim, name, Reason("several-targets"), ", ".join(map(str, targets)))
        return targets[0] if targets else None

    def token(self, prim: Usd.Prim, name: str) -> str:
        """Return the value of a token attribute; "" if there is none."""
        self.used.add((str(prim.GetPath()), name))
        return self.typed(prim, name, TOKEN) or ""

    def prim(self, path: str | Sdf.Path) -> Usd.Prim:
        """Return the prim at a path."""
        return self.stage.GetPrimAtPath(path)

    def targets(self, prim: Usd.Prim, name: str) -> list[Sdf.Path]:
        """Return all targets of a relationship.

        Raises:
            InvalidScene: the file has an attribute of this name.
        """
        self.used.add((str(prim.GetPath()), name))
        targets = targets_of(prim, name)
        if targets is None:
            fix = f"author rel {name} = </path>"
            raise InvalidScene(prim.GetPath(), name, rule="a relationship, but is an attribute", fix=fix)
        return targets

    def scale(self, row: Attribute, rotational: bool = True, acceleration: bool = False) -> float:
        """Return the SI value of the attribute's unit."""
        return row.measure(rotational, acceleration).scale(self.kilograms, self.metres)

    def values(
        self,
        prim: Usd.Prim,
        rows: Iterable[Attribute],
        axis: str = "",
        rotational: bool = True,
        acceleration: bool = False,
    ) -> dict[str, Any]:
        """Return every field of the rows in SI units, by precedence: the first positive, else the first authored value.

        In PhysX, a later name takes precedence over an earlier 0, so 0 is used only if no later name is authored.
        """
        rows = tuple(rows)
        fields = {row.field: row.default for row in reversed(rows)}
        for row, name, value in self.opinions(prim, rows, axis):
            fields[row.field] = row.convert(value, self.scale(row, rotational, acceleration))
            self.used.add((str(prim.GetPath()), name))
        return fields

    def opinions(
        self, prim: Usd.Prim, rows: Iterable[Attribute], axis: str = ""
    ) -> Iterator[tuple[Attribute, str, Any]]:
        """Yield the rows that count, with the attribute's name and its value in the file; of a field, the last counts.

        Raises:
            InvalidScene: a value breaks the rule of its row.
        """
        settled: set[str] = set()
        authored = self.authored_names.of(prim)
        for row in rows:
            name = row.named(axis)
            may_be = authored.may_hold(name) and row.applied(axis) in authored.schemas
            held = self.held(prim, name) if may_be else None
            if held is None:
                continue
            value = row.kind.read(held)
            if value is None:
                self.drop(prim, name, row.kind, held)
                continue
            row.check(value, prim.GetPath(), name, held)
            if row.field in settled:
                continue
            if value != 0:
                settled.add(row.field)
            yield row, name, value

    def pose(self, prim: Usd.Prim) -> Pose:
        """Return the world frame of a prim, without scale and shear [m]."""
        return self.rigid(self.frame(prim))

    def frame(self, prim: Usd.Prim) -> Gf.Matrix4d:
        """Return the world frame of a prim as a transform, without scale and shear, in stage units.

        Of sheared axes, x keeps its direction, as in PhysX.
        """
        return rigid_frame(self.matrix(prim))

    def frame_in(self, prim: Usd.Prim, body: Usd.Prim) -> Gf.Matrix4d:
        """Return the frame of a prim in that of its body, in stage units, as UsdPhysics finds it.

        It has the rotation of the transform from one to the other, and its translation times the stretch of the body.
        In a body with different scales along its axes, a shape that is turned is not turned by the shear.
        """
        if prim == body:
            return Gf.Matrix4d(1.0)
        between = Gf.Transform(self.matrix(prim) * self.matrix(body).GetInverse())
        place = np.array(between.GetTranslation()) * self.stretch_of(body)
        return Gf.Matrix4d(between.GetRotation(), Gf.Vec3d(*place.tolist()))

    def scale_of(self, prim: Usd.Prim) -> np.ndarray:
        """Return the scale (3,) of a prim in the world; if it is mirrored, all three are negative.

        Of sheared axes PhysX takes the length of x, that of y across x, and that of z across both.
        """
        return orthogonal_scale(np.array(self.matrix(prim).ExtractRotationMatrix()))

    def stretch_of(self, prim: Usd.Prim) -> np.ndarray:
        """Return the scale (3,) by which UsdPhysics stretches positions in the frame of a body.

        It is that along the principal axes of a sheared body, which `scale_of` is not.
        """
        return np.array(Gf.Transform(self.matrix(prim)).GetScale())

    def rigid(self, matrix: Gf.Matrix4d) -> Pose:
        """Return position [m] and quaternion (x, y, z, w) of a rigid transform."""
        rotation = matrix.ExtractRotationQuat().GetNormalized()
        x, y, z = np.array(matrix.ExtractTranslation() * self.metres).tolist()
        i, j, k = np.array(rotation.GetImaginary()).tolist()
        return (x, y, z), (i, j, k, rotation.GetReal())

    def matrix(self, prim: Usd.Prim) -> Gf.Matrix4d:
        """Return the local-to-world transform of a prim, in stage units."""
        return self.transforms.world(prim)


def schemas(prim: Usd.Prim) -> tuple[str, ...]:
    """Return the names of all applied API schemas, registered or not."""
    return tuple(prim.GetPrimTypeInfo().GetAppliedAPISchemas())


def instances(prim: Usd.Prim, schema: str) -> list[str]:
    """Return the instances of a multiple-apply schema on a prim, in the order of application."""
    return [name.partition(":")[2] for name in schemas(prim) if name.startswith(f"{schema}:")]
