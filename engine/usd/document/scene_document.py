"""Documents of scenes: settings, articulations, maximal joints, colliders, time samples and diagnostics."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pxr import Usd, UsdGeom

from ...scene import Articulation, Collider, FixedTendon, Link, Scene, SpatialTendon
from ...scene.serialization import as_plain
from ..attributes import (
    ARTICULATION,
    BODY_CONTACT,
    FREE_BODY,
    LENGTHS,
    LINK,
    MASS_PROPERTIES,
    ROOT_LINK,
    SCENE,
    SELF_COLLISION,
    SURFACE,
    TENDON,
    TENDON_AXIS,
)
from ..read.plain_scene import prepare as prepare
from ..read.reader import open_scene, read_stage
from .joints import frame_entry, joint_entry
from .quantity import Place, Quantities, plain, relative

VERSION = 1
"""Version of the format; it grows when a reader of the version before would misread a document."""

FORMAT = "fajin-scene"
SETTINGS = ("solver", "external_forces_every_iteration", "duration", "fps", "precision")
ITERATIONS = ("position_iterations", "velocity_iterations")
SPRING = ("stiffness", "damping", "limit_stiffness", "offset")


def read_document(path: str, overrides: Sequence[str], root: str = "") -> dict[str, Any]:
    """Return the scene of a USD file and its document, as values for JSON.

    Args:
        path: a .usda, .usdc, .usd or .usdz file.
        overrides: "PRIM.attribute=value" texts, applied on top of the file.
        root: folder that must contain all layers; "" for any folder.

    Raises:
        InvalidScene: the file cannot be simulated.
    """
    stage, scene = open_scene(path, overrides, root)
    return {"scene": as_plain(scene), "document": stage_document(stage, scene)}


def stage_document(stage: Usd.Stage, scene: Scene | None = None) -> dict[str, Any]:
    """Return the document of an open stage."""
    scene = scene or read_stage(stage)
    root = stage.GetRootLayer()
    layers = [relative(layer, root) for layer in stage.GetLayerStack(includeSessionLayers=False) if not layer.anonymous]
    return {**scene_document(scene, stage), "layers": layers, "up_axis": str(UsdGeom.GetStageUpAxis(stage))}


def scene_document(scene: Scene, stage: Usd.Stage | None = None) -> dict[str, Any]:
    """Return the document of a scene; without its stage, no value has a layer."""
    make = Quantities(scene, stage)
    return {
        "format": FORMAT,
        "version": VERSION,
        "source": scene.source and Path(scene.source).as_posix(),
        "layers": [],
        "up_axis": "Z",
        "units": {"meters_per_unit": scene.meters_per_unit, "kilograms_per_unit": scene.kilograms_per_unit},
        "scene": settings_entry(make, scene),
        "articulations": [articulation_entry(make, one) for one in scene.articulations],
        "maximal_joints": [joint_entry(make, joint, maximal=True) for joint in scene.joints],
        "colliders": [collider_entry(collider) for collider in scene.colliders],
        "triggers": [collider_entry(trigger) for trigger in scene.triggers],
        "time_samples": [plain_fields(asdict(samples)) for samples in scene.signals],
        "fit": as_plain(scene.fit) if scene.fit else None,
        "diagnostics": [asdict(report) for report in scene.reports],
    }


def settings_entry(make: Quantities, scene: Scene) -> dict[str, Any]:
    """Return gravity, step, solver and recording settings; `prim` is None where the file has no physics scene."""
    first = make.source.physics_scene if make.source else None
    rate = make.source.values(first, SCENE)["rate"] if make.source and first else 1.0 / scene.dt
    path = str(first.GetPath()) if first else None
    place = Place(path or "/")
    return {
        "prim": path,
        "gravity": plain(scene.gravity),
        "steps_per_second": make.of(place, SCENE, "rate", rate),
        **make.all(place, SCENE, scene, SETTINGS),
        "sleeping": scene.sleeping,
        "ccd": scene.ccd,
        "contacts": plain_fields(asdict(scene.contacts)),
    }


def articulation_entry(make: Quantities, robot: Articulation) -> dict[str, Any]:
    """Return an articulation, a free body or a kinematic body."""
    place, rows = Place(robot.path), FREE_BODY if robot.free else (*ARTICULATION, *SELF_COLLISION)
    fields = () if robot.kinematic else (*ITERATIONS, "sleep_threshold")
    fields = fields if robot.free else (*fields, "self_collisions")
    kind = "kinematic_body" if robot.kinematic else "free_body" if robot.free else "articulation"
    floats = not (robot.fixed_base or robot.kinematic)
    return {
        "prim": robot.path,
        "kind": kind,
        "fixed_base": robot.fixed_base,
        **make.all(place, rows, robot, fields),
        "links": [link_entry(make, link, floats and not i) for i, link in enumerate(robot.links)],
        "joints": [joint_entry(make, joint, maximal=False) for joint in robot.joints],
        "fixed_tendons": [fixed_tendon_entry(make, tendon) for tendon in robot.fixed_tendons],
        "spatial_tendons": [spatial_tendon_entry(make, tendon) for tendon in robot.spatial_tendons],
    }


def link_entry(make: Quantities, link: Link, floating: bool) -> dict[str, Any]:
    """Return a link; centre of mass and inertia are derived values, which depend on authored mass and colliders."""
    place = Place(link.path)
    rows = (*LINK, *BODY_CONTACT, *(ROOT_LINK if floating else ()))
    return {
        "prim": link.path,
        "pose": frame_entry(link.pose),
        "mass": make.of(place, MASS_PROPERTIES, "mass", link.mass),
        "center_of_mass": plain(link.com),
        "inertia": plain(link.inertia),
        "gravity_scale": link.gravity_scale,
        **make.all(place, rows, link, [row.field for row in rows]),
        "speculative_ccd": link.speculative_ccd,
        "ccd": link.ccd,
        "surface_velocity": surface_entry(make, link),
    }


def surface_entry(make: Quantities, link: Link) -> dict[str, Any] | None:
    """Return the surface velocity of a link; None if its surface does not move."""
    surface = link.surface_velocity
    return surface and make.all(Place(link.path), SURFACE, surface, ("linear", "angular", "local"))


def fixed_tendon_entry(make: Quantities, tendon: FixedTendon) -> dict[str, Any]:
    """Return a fixed tendon with its axes, the root first."""
    root, _, name = tendon.path.rpartition(":")
    rows, fields = (*TENDON, *LENGTHS), (*SPRING, "rest_length", "lower", "upper")
    axes = []
    for axis in tendon.axes:
        joint, _, token = axis.dof.rpartition(":")
        place = Place(joint, name, token.startswith("rot"))
        axes.append({"dof": axis.dof, **make.all(place, TENDON_AXIS, axis, ("gearing", "force_coefficient"))})
    return {"name": tendon.path, **make.all(Place(root, name), rows, tendon, fields), "axes": axes}


def spatial_tendon_entry(make: Quantities, tendon: SpatialTendon) -> dict[str, Any]:
    """Return a spatial tendon; its attachments are derived values, in the frames of their links."""
    root, _, name = tendon.path.rpartition(":")
    attachments = [plain_fields(asdict(attachment)) for attachment in tendon.attachments]
    return {"name": tendon.path, **make.all(Place(root, name), TENDON, tendon, SPRING), "attachments": attachments}


def collider_entry(collider: Collider) -> dict[str, Any]:
    """Return a shape; of a hull or mesh the numbers of vertices and faces, which the file has."""
    fields = plain_fields(as_full(collider))
    fields |= {"pose": frame_entry(collider.pose), "kind": collider.kind.name.lower()}
    return fields | {"points": len(collider.points), "faces": len(collider.faces)}


def as_full(collider: Collider) -> dict[str, Any]:
    """Return the fields of a collider and of its material, enumerations by their names."""
    fields = {name: value for name, value in vars(collider).items() if name not in ("points", "faces")}
    fields["material"] = {
        name: value.name.lower() if hasattr(value, "name") else value for name, value in vars(collider.material).items()
    }
    return fields


def plain_fields(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record for JSON: vectors as lists, infinite numbers as None."""
    return {name: plain_fields(v) if isinstance(v, dict) else plain(v) for name, v in record.items()}
