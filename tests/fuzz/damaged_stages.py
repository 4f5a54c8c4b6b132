"""Stages of several layers that lead to each other at random, and layers with values of any type in any field."""

from contextlib import suppress
from pathlib import Path
from random import Random

from pxr import Gf, Sdf, Tf, Vt
from sound_files import seeds

ARCS = ("references", "payload", "inherits", "specializes")
LAYERS, PRIMS = 4, 4
FIELDS = (
    *("apiSchemas", "active", "instanceable", "kind", "references", "inheritPaths", "variantSetNames", "hidden"),
    *("customData", "assetInfo", "typeName", "specifier", "primOrder", "clips", "variantSelection", "relocates"),
)
ROOT_FIELDS = (
    *("metersPerUnit", "kilogramsPerUnit", "upAxis", "timeCodesPerSecond", "defaultPrim", "subLayers", "startTimeCode"),
    *("expressionVariables", "customLayerData", "layerRelocates", "framesPerSecond", "subLayerOffsets"),
)
VALUES = (
    *(0, -1, 2**31, 1e300, float("inf"), float("nan"), "", "x", "X", True, [], {}, {"a": {"b": 1}}),
    *(Sdf.TokenListOp.CreateExplicit(["PhysicsRigidBodyAPI", "x"]), Sdf.AssetPath("a.usda"), Vt.FloatArray(3)),
    *(Gf.Vec3d(1.0), Gf.Quatf(0.0), Gf.Matrix4d(0.0), Sdf.ValueBlock(), Sdf.Path("/r"), Vt.TokenArray(["a"])),
)


def random_stage(folder: Path, draw: Random) -> Path:
    """Write layers whose prims refer to prims of any layer, in variants, instances and clips, beside a robot."""
    stem = f"damaged_{draw.getrandbits(64):016x}"
    names = [f"{stem}.usda", *(f"{stem}_{i}.usda" for i in range(1, draw.randint(1, LAYERS)))]
    for name in names:
        below = [f"@./{draw.choice(names)}@" for _ in range(draw.choice((0, 0, 1, 2)))]
        head = f"#usda 1.0\n(\n    subLayers = [{', '.join(below)}]\n)\n"
        robot = draw.choice(sorted(seeds().values())).partition(")\n")[2] if draw.random() < 0.5 else ""
        prims = "".join(_prim(f"p{i}", names, draw, 0) for i in range(draw.randint(1, PRIMS)))
        (folder / name).write_text(head + robot + prims)
    return folder / names[0]


def _prim(name: str, names: list[str], draw: Random, depth: int) -> str:
    """A prim with composition arcs, variants and children."""
    about = [f"{draw.choice(('', 'prepend ', 'delete '))}{arc} = {_target(arc, names, draw)}"
             for arc in draw.sample(ARCS, draw.choice((0, 1, 1, 2)))]  # fmt: skip
    about += ["instanceable = true"] * (draw.random() < 0.3)
    if draw.random() < 0.15:
        clip = f"asset[] assetPaths = [@./{draw.choice(names)}@]\n string primPath = '/p0'\n"
        about.append(f"clips = {{\n dictionary default = {{\n {clip} double2[] active = [(0, 0)]\n }}\n }}")
    kind = draw.choice(("", "", "Xform", "Scope", "PointInstancer"))
    inner = "".join(_prim(f"q{i}", names, draw, depth + 1) for i in range(draw.choice((0, 1, 2)))) if depth < 2 else ""
    if draw.random() < 0.2:
        about += ['variants = {\n string v = "a"\n }', 'prepend variantSets = "v"']
        inner += f'variantSet "v" = {{\n "a" ({_target_line(names, draw)}) {{\n }}\n "b" {{\n }}\n}}\n'
    word = draw.choice(("def", "def", "over", "class"))
    return f'{word} {kind} "{name}" (\n' + "\n".join(about) + f"\n)\n{{\n{inner}}}\n"


def _target(arc: str, names: list[str], draw: Random) -> str:
    prim = f"</p{draw.randrange(PRIMS)}{draw.choice(('', '', '/q0'))}>"
    if arc in ("inherits", "specializes"):
        return prim
    return f"{draw.choice(('', f'@./{draw.choice(names)}@'))}{prim}"


def _target_line(names: list[str], draw: Random) -> str:
    arc = draw.choice(ARCS)
    return f"{arc} = {_target(arc, names, draw)}"


def strange_values(folder: Path, draw: Random) -> Path:
    """Write a binary layer whose fields have values of any type, which text cannot express."""
    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(draw.choice(sorted(seeds().values())))
    paths: list[Sdf.Path] = []
    layer.Traverse(Sdf.Path.absoluteRootPath, paths.append)
    for _ in range(draw.choice((1, 1, 2, 4))):
        spec = layer.GetObjectAtPath(draw.choice(paths))
        fields = FIELDS if isinstance(spec, Sdf.PrimSpec) else ("default", "timeSamples", "targetPaths")
        with suppress(Exception):  # USD refuses most values of other types
            spec.SetInfo(draw.choice(ROOT_FIELDS if spec == layer.pseudoRoot else fields), draw.choice(VALUES))
    path = folder / f"damaged_{draw.getrandbits(64):016x}.usdc"
    with suppress(Tf.ErrorException):
        layer.Export(str(path))
    if not path.exists():
        path.write_text("#usda 1.0\n")
    return path
