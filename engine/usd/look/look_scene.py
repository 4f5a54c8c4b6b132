"""Reader of what is drawn of a scene: shapes on the links of the engine's trees."""

import hashlib
from dataclasses import replace

import numpy as np
from pxr import Gf, Usd, UsdGeom

from ...scene import InvalidScene, Scene
from ...visual.look.bones import draw_bones
from ...visual.look.links import all_links, look_joints, look_links, look_tendons
from ...visual.look.scene import GUIDE, LookScene, Mesh, Shape
from ..read.collision_shapes import is_shape
from ..stage.instance_detection import is_prototype
from ..stage.instancer_expansion import is_instance
from ..stage.open_stage import open_stage
from ..stage.stage import StageReader
from .faces import Faces, mesh_faces, primitive_faces, with_area
from .placement import Carriers, drawn_purpose, floor_height, has_no_size, instance_matrices
from .surfaces import NO_COORDINATES, SurfaceReader

MOST_INSTANCES = 20_000
FARTHEST = 1e9  # [m]


def read_look_scene(scene: Scene, root: str = "") -> LookScene:
    """Read what is drawn of a scene from its USD file.

    Without visual shapes, the colliders are drawn; without colliders, bones between the joints of the links.

    Raises:
        InvalidScene: the file of the scene is not USD.
    """
    stage, diagnostics = open_stage(scene.source, root)
    look = read_look_stage(stage, scene)
    diagnostics.take()
    return look


def read_look_stage(stage: Usd.Stage, scene: Scene) -> LookScene:
    """Read what is drawn of a scene from its open stage."""
    reader = LookReader(stage, scene)
    reader.read_stage()
    return reader.finished(scene)


class LookReader:
    """The growing meshes, shapes and notes of one stage."""

    def __init__(self, stage: Usd.Stage, scene: Scene):
        self.source = StageReader(stage)
        self.paths = [link.path for link in all_links(scene)]
        self.carriers = Carriers(self.source, self.paths)
        self.surfaces = SurfaceReader()
        self.meshes: list[Mesh] = []
        self.shapes: list[Shape] = []
        self.floors: list[float] = []
        self.notes: dict[str, list[str]] = {}  # note: paths of prims
        self._number: dict[str, int] = {}  # hash of a mesh's content: its index
        self._faces: dict[str, tuple[Faces, int]] = {}

    def note(self, prim: Usd.Prim, text: str) -> None:
        """Add a note about a prim."""
        self.notes.setdefault(text, []).append(str(prim.GetPath()))

    def read_stage(self) -> None:
        """Read all prims of the stage that may be drawn."""
        prims = iter(Usd.PrimRange.Stage(self.source.stage, Usd.TraverseInstanceProxies()))
        for prim in prims:
            try:
                if is_prototype(prim):
                    prims.PruneChildren()
                elif prim.IsA("PointInstancer"):
                    if not any(map(is_instance, prim.GetChildren())):
                        self.read_instancer(prim)
                elif prim.IsA("Gprim"):
                    self.read_gprim(prim)
            except InvalidScene as error:
                if not has_no_size(prim):
                    self.note(prim, f"not drawn ({error.rule})")

    def read_instancer(self, prim: Usd.Prim) -> None:
        """Read the instances of a point instancer."""
        if drawn_purpose(prim) is None:
            return
        link = self.carriers.find(prim)
        for count, (part, world) in enumerate(instance_matrices(self.source, prim)):
            if count == MOST_INSTANCES:
                self.note(prim, f"only the first {MOST_INSTANCES} parts of its instances are drawn")
                return
            self.add(part, link, world, drawn_purpose(part))

    def read_gprim(self, prim: Usd.Prim) -> None:
        """Read a mesh or a primitive."""
        link = self.carriers.find(prim)
        height = floor_height(self.source, prim) if link < 0 else None
        if height is not None:
            self.floors.append(height)
        elif (purpose := drawn_purpose(prim)) is not None:
            self.add(prim, link, self.source.matrix(prim), purpose)

    def add(self, prim: Usd.Prim, link: int, world: Gf.Matrix4d, purpose: str | None) -> None:
        """Add a shape per surface of a prim."""
        if purpose is None:
            return
        faces, count = self.faces(prim)
        if not len(faces.triangles):
            return
        matrix = self.carriers.local(link, world)
        reach = np.abs(matrix[:3]).max() * max(1.0, np.abs(faces.points).max() * self.source.metres)
        if not reach < FARTHEST:
            self.note(prim, f"is not drawn: it reaches beyond {FARTHEST:g} m")
            return
        rest = np.ones(count, bool)
        parts = []
        for subset in UsdGeom.Subset.GetGeomSubsets(UsdGeom.Imageable(prim), UsdGeom.Tokens.face, "materialBind"):
            chosen = np.zeros(count, bool)
            indices = np.array(subset.GetIndicesAttr().Get() or [], np.int64)
            chosen[indices[(indices >= 0) & (indices < count)]] = True
            chosen &= rest
            rest &= ~chosen
            parts.append((subset.GetPrim(), chosen))
        for owner, chosen in (*parts, (prim, rest)):
            part = faces if chosen.all() else faces.of_faces(chosen)
            if with_area(part.points, part.triangles).any():
                fields, note = self.surfaces.read(owner, prim)
                if "texture" in fields and part.uv is None:
                    fields, note = {**fields, "texture": -1}, NO_COORDINATES
                if note:
                    self.note(owner, note)
                if fields.get("texture", -1) < 0:
                    part = replace(part, uv=None)
                place = {"path": str(prim.GetPath()), "link": link, "matrix": matrix, "purpose": purpose}
                self.shapes.append(Shape(**place, **fields, mesh=self.mesh(part), collider=is_shape(prim)))

    def faces(self, prim: Usd.Prim) -> tuple[Faces, int]:
        """Return the triangles of a prim and its number of faces; none, and a note, for types that are not drawn."""
        path = str(prim.GetPath())
        if path not in self._faces:
            if prim.IsA("Mesh"):
                self._faces[path] = mesh_faces(self.source, prim)
            else:
                faces = primitive_faces(self.source, prim)
                if faces is None:
                    self.note(prim, f"{prim.GetTypeName()} is not drawn")
                none = Faces(np.zeros((0, 3)), np.zeros((0, 3), np.int64), np.zeros(0, np.int64))
                self._faces[path] = faces or none, 1
        return self._faces[path]

    def mesh(self, faces: Faces) -> int:
        """Return the index of a mesh; meshes with the same content are one."""
        arrays = (faces.points, faces.triangles, *(one for one in (faces.normals, faces.uv) if one is not None))
        key = hashlib.sha256(b"|".join(np.ascontiguousarray(array).tobytes() for array in arrays)).hexdigest()
        if key not in self._number:
            self._number[key] = len(self.meshes)
            self.meshes.append(faces.mesh(self.source.metres))
        return self._number[key]

    def finished(self, scene: Scene) -> LookScene:
        """Return the look scene, with colliders or bones in place of missing visual shapes."""
        meshes, shapes = tuple(self.meshes), tuple(self.shapes)
        notes = [
            f"{paths[0]}{f' and {len(paths) - 1} more' if paths[1:] else ''}: {text}"
            for text, paths in self.notes.items()
        ]
        notes += [str(report) for report in self.source.reports]
        if not any(shape.link >= 0 and shape.purpose != GUIDE for shape in shapes):
            if any(shape.link >= 0 and shape.collider for shape in shapes):
                notes.append("no link has a visual shape: its colliders are drawn")
                shapes = tuple(replace(shape, purpose="default") if shape.collider else shape for shape in shapes)
            else:
                notes.append("no link has geometry: bones between the joints are drawn")
                bones, parts = draw_bones(scene)
                shapes += tuple(replace(part, mesh=part.mesh + len(meshes)) for part in parts)
                meshes += bones
        joints = look_joints(scene)
        poses = [self.source.pose(self.source.prim(path)) for path in self.paths]
        look = LookScene(
            meshes=meshes,
            shapes=shapes,
            links=look_links(scene),
            joints=joints,
            tendons=look_tendons(scene, joints),
            rest=np.array([[*position, *rotation] for position, rotation in poses]).reshape(-1, 7),
            textures=tuple(self.surfaces.textures.found),
            up=self.source.up_axis,
            floor=max(self.floors, default=None),
            notes=tuple(notes),
        )
        return replace(look, notes=look.notes + missing_shapes(look))


def missing_shapes(look: LookScene) -> tuple[str, ...]:
    """Return a note if most links that joints move have no visual shape, nor what is fixed to them."""
    moved, carriers = {joint.link for joint in look.joints}, look.carriers
    bare = moved - {carriers[shape.link] for shape in look.visuals if shape.link >= 0}
    if 2 * len(bare) <= len(moved):
        return ()
    return (f"{len(bare)} of {len(moved)} links that joints move have no visual shape; --show colliders draws theirs",)
