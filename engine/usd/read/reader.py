"""Reader of USD files, in the order scene, articulations, free bodies, maximal joints, signals, diagnostics."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from pxr import Tf, Usd

from ...scene import WORLD, Articulation, Collider, InvalidScene, Joint, Scene
from ...scene.articulation import MOST_ITERATIONS
from ..attributes import ARTICULATION, FREE_BODY, ROOT_LINK, SCENE, SELF_COLLISION
from ..attributes.attribute import Attribute
from ..attributes.body import SCHEMA_THRESHOLD, SLEEP_THRESHOLD
from ..attributes.kinds import quoted
from ..stage.diagnostic_codes import Reason
from ..stage.joint_instancer_expansion import expand_all_instancers
from ..stage.open_stage import Diagnostics, open_stage
from ..stage.session_overrides import apply_override
from ..stage.stage import StageReader, schemas
from .actuators import find_actuators
from .articulation_tree import Tree, find_trees
from .base_offset import report_offsets
from .body_forces import add_forces
from .body_motions import find_kinematics, read_kinematic_body, read_motions
from .contact_offsets import rate_of_offsets
from .contacts import Owners, read_contacts
from .doubled_joints import read_joints
from .fit_record import read_fit_record
from .fixed_tendons import read_fixed_tendons
from .gears import PARTS, read_gear
from .instance_expansion import add_copies, copies_of, reports_of_copies
from .instancers import report_instancers
from .joint_prims import JointPrim, find_bodies, find_edges
from .mass import read_link
from .maximal_joints import read_loop
from .mimics import bind_mimics
from .physics_scenes import PhysicsScenes
from .reports import as_reports, report_attributes, report_outside, report_units
from .situation import Situation
from .spatial_tendons import read_spatial_tendons
from .surface_velocities import add_surfaces
from .tendon_checks import check_places
from .time_samples import read_signals


def read(path: str | Path, overrides: Sequence[str] = (), root: str = "") -> Scene:
    """Read the articulations, the free rigid bodies and the joints between them of a USD file.

    Args:
        path: a .usda, .usdc, .usd or .usdz file.
        overrides: "PRIM.attribute=value" texts, applied on top of the file; the file does not change.
        root: folder that must contain all layers; "" for any folder.

    Raises:
        InvalidScene: the file cannot be simulated; the message gives prim, attribute, value, rule and fix.
    """
    return open_scene(path, overrides, root)[1]


def open_scene(path: str | Path, overrides: Sequence[str] = (), root: str = "") -> tuple[Usd.Stage, Scene]:
    """Return the open stage of a USD file, with its overrides, and its scene; see `read`."""
    try:
        stage, said = open_stage(path, root)
        for text in overrides:
            apply_override(stage, text)
        scene = read_stage(stage, said) if overrides else read_expanded_stage(stage, said)
        return stage, replace(scene, source=str(path))
    except UnicodeDecodeError:
        raise InvalidScene(file=path, rule="text in UTF-8", fix="export the scene as USD again") from None
    except Tf.ErrorException as error:
        raise InvalidScene(
            file=path, rule=f"USD that composes ({quoted(error)})", fix="export the scene as USD again"
        ) from None


def read_stage(stage: Usd.Stage, said: Diagnostics | None = None) -> Scene:
    """Read an open stage, which may be edited since; `said` holds USD's diagnostics from opening it."""
    expand_all_instancers(stage)
    return read_expanded_stage(stage, said or Diagnostics())


def read_expanded_stage(stage: Usd.Stage, said: Diagnostics) -> Scene:
    """Read an open stage whose instancers are expanded; see `read_stage`."""
    path, source = stage.GetRootLayer().identifier, StageReader(stage)
    report_units(source)
    settings = read_settings(source)
    bodies = find_bodies(source)
    edges = find_edges(source, bodies)
    source.actuators = find_actuators(source)
    kinematics = find_kinematics(source, edges)
    trees = find_trees(source, bodies, edges)
    if not bodies and not kinematics:
        lines = said.take()
        source.report("/", "", Reason("nothing-moves", missing=f" (missing: {lines[0]})" if lines else ""))
    claimed = {body for tree in trees for body in tree.bodies}
    articulations = [read_articulation(source, tree, bodies, settings) for tree in trees]
    articulations += [read_free_body(source, prim, settings) for body, prim in bodies.items() if body not in claimed]
    check_places(source, articulations)
    articulations += [read_kinematic_body(source, prim) for prim in kinematics.values()]
    articulations = add_surfaces(source, add_forces(source, articulations))
    scenes = settings["scenes"]
    articulations = [scenes.articulation(each) for each in articulations] if scenes.are_one else articulations
    inside = {edge.path for tree in trees for edge in tree.edges}
    still = {WORLD, *(a.links[0].path for a in articulations if a.fixed_base)}
    loops = read_loops(source, [edge for edge in edges if edge.path not in inside], still, claimed, bodies)
    loops = tuple(loop for loop in loops if not scenes.are_one or scenes.holds(loop))
    signals = tuple(read_signals(source, edges, (joint for a in articulations for joint in a.joints), loops))
    contacts = read_contacts(source, Owners(bodies, kinematics, {edge.standing for edge in edges}), settings)
    report_instancers(source)
    report_attributes(situation(source, settings, bodies, trees, contacts["colliders"]))
    scene = Scene(
        path,
        tuple(articulations),
        settings["gravity"],
        1.0 / settings["rate"],
        settings["solver"],
        external_forces_every_iteration=settings["external_forces_every_iteration"],
        duration=settings["duration"],
        fps=settings["fps"],
        precision=settings["precision"],
        meters_per_unit=source.metres,
        kilograms_per_unit=source.kilograms,
        joints=loops,
        signals=signals,
        sleeping=not settings["sleepless"],
        inverted_groups=settings["inverted_groups"],
        ccd=settings["ccd"],
        fit=read_fit_record(stage),
        **contacts,
    )
    scene = add_copies(scene, source, {edge.path: edge for edge in edges})
    moved = [a.path for a in scene.articulations if a.kinematic]
    scene = replace(scene, motions=read_motions(source, moved, scene.dt))
    return replace(scene, reports=(*as_reports(said.take()), *source.reports, *reports_of_copies(source), *source.here))


def situation(
    source: StageReader, settings: dict, bodies: dict[str, Usd.Prim], trees: list[Tree], colliders: tuple[Collider, ...]
) -> Situation:
    """Return what decides whether PhysX's motion depends on an attribute."""
    links = frozenset(body for tree in trees for body in tree.bodies)
    collides = bool(colliders) and (len({collider.body for collider in colliders}) > 1 or bool(source.copies))
    scene, solver = source.physics_scene, settings["solver"]
    return Situation(source, scene, solver, frozenset(bodies), links, len(trees), collides, settings["scenes"].are_one)


def read_settings(source: StageReader) -> dict:
    """Read the fields of the physics scenes and gravity [m/s²]; the scene whose path comes first has all others."""
    scenes = PhysicsScenes(source)
    paths = [str(prim.GetPath()) for prim in scenes.prims]
    others = [] if scenes.are_one else paths[1:]
    for other in (*others, *(copy.renamed(path) for path in paths[:1] for copy in copies_of(source, path))):
        source.report(other, "", Reason("second-scene", related=paths[0]))
    if paths:
        settings = source.values(scenes.prims[0], SCENE)
    else:
        settings = {row.field: row.default for row in reversed(SCENE)}
        source.report("/", "PhysicsScene", Reason("scene-not-authored"))
    for row in (row for row in SCENE if paths and row.field.endswith("iterations")):
        bounds = (int("position" in row.field), MOST_ITERATIONS)
        settings[row.field] = bounded(source, scenes.prims[0], row, settings, bounds)
    settings["offset_rate"] = rate_of_offsets(source, scenes.prims)
    return settings | {"gravity": scenes.gravity, "scenes": scenes}


def read_articulation(source: StageReader, tree: Tree, bodies: dict[str, Usd.Prim], settings: dict) -> Articulation:
    """Read one articulation."""
    flags = source.values(tree.prim, ARTICULATION)
    edges, joints = read_joints(source, tree.edges)
    joints = bind_mimics(source, edges, joints)
    anchors = [joint for joint in joints if WORLD in (joint.body0, joint.body1)]
    fixed = any(not joint.axes for joint in anchors)
    links = [read_link(source, bodies[path]) for path in sorted(tree.bodies, key=lambda path: path != tree.root)]
    for edge, joint in zip(edges, joints, strict=True):
        if fixed and joint in anchors:
            report_offsets(source, edge)
        elif joint in anchors and tree.prim != bodies[tree.root]:
            source.report(edge.prim, "", Reason("base-moves"))
    if not anchors:
        root = source.values(bodies[tree.root], ROOT_LINK)
        links[0] = replace(links[0], **root)
    return Articulation(
        str(tree.prim.GetPath()),
        tuple(links),
        tuple(joint for joint in joints if joint not in anchors) if fixed else joints,
        fixed,
        *iterations(source, tree.prim, ARTICULATION, settings),
        fixed_tendons=read_fixed_tendons(source, tree.root, joints),
        spatial_tendons=read_spatial_tendons(source, tree.root, links, joints),
        sleep_threshold=sleep_threshold(source, tree.prim, flags),
        **source.values(tree.prim, SELF_COLLISION),
    )


def sleep_threshold(source: StageReader, prim: Usd.Prim, flags: dict) -> float:
    """Return the energy per mass below which an articulation may fall asleep [m²/s²]; PhysX has two defaults."""
    if flags["sleep_threshold"] >= 0.0:
        return flags["sleep_threshold"]
    return SCHEMA_THRESHOLD * source.metres**2 if "PhysxArticulationAPI" in schemas(prim) else SLEEP_THRESHOLD


def in_articulation(source: StageReader, edge: JointPrim, links: set[str]) -> bool:
    """Return whether an articulation contains a gear joint, which PhysX does not make then, and report it."""
    inside = edge.type in PARTS and not edge.excluded and not links.isdisjoint(edge.bodies)
    if inside:
        source.report(edge.prim, "physics:excludeFromArticulation", Reason("gear-in-articulation"))
    return inside


def read_loops(
    source: StageReader, edges: list[JointPrim], still: set[str], links: set[str], bodies: dict[str, Usd.Prim]
) -> tuple[Joint, ...]:
    """Read the joints outside the trees that hold a body not in `still`; report attributes without effect there."""
    loops = tuple(
        read_gear(source, edge, bodies) if edge.type in PARTS else read_loop(source, edge)
        for edge in edges
        if not in_articulation(source, edge, links)
    )
    report_outside(source, edges)
    for loop in loops:
        if still >= {loop.body0, loop.body1}:
            source.report(loop.path, "", Reason("joint-of-fixed-bodies"))
    return tuple(loop for loop in loops if not still >= {loop.body0, loop.body1})


def read_free_body(source: StageReader, prim: Usd.Prim, settings: dict) -> Articulation:
    """Read a free rigid body: an articulation of one link."""
    flags = source.values(prim, FREE_BODY)
    locks = (flags["locked_positions"] & 7) + 8 * (flags["locked_rotations"] & 7)
    link = replace(read_link(source, prim), gyroscopic=flags["gyroscopic"], **source.values(prim, ROOT_LINK))
    link = replace(link, locked_axes=locks, **{name: flags[name] for name in ("speculative_ccd", "ccd")})
    sleep = {name: flags[name] for name in ("sleep_threshold", "asleep")}
    return Articulation(
        link.path, (link,), (), False, *iterations(source, prim, FREE_BODY, settings), free=True, **sleep
    )


def iterations(source: StageReader, prim: Usd.Prim, rows: Iterable[Attribute], settings: dict) -> tuple[int, int]:
    """Return position and velocity iterations of a prim, within the physics scene's bounds; report clamped numbers."""
    position, velocity = (row for row in rows if row.field.endswith("iterations"))
    counts = source.values(prim, (position, velocity))
    positions, velocities = (
        bounded(source, prim, row, counts, (settings[f"min_{row.field}"], settings[f"max_{row.field}"]))
        for row in (position, velocity)
    )
    return positions, velocities


def bounded(source: StageReader, prim: Usd.Prim, row: Attribute, values: dict, bounds: tuple[int, int]) -> int:
    """Return a count clamped to its bounds; report an authored count beyond the bounds."""
    asked = values[row.field]
    count = min(max(asked, bounds[0]), bounds[1])
    if count != asked and source.authored(prim, row.name) is not None:
        reason = Reason("iterations-out-of-bounds", least=bounds[0], most=bounds[1], used=count)
        source.report(prim, row.name, reason, asked)
    return count
