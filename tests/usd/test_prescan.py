"""What is looked at before USD composes a file: regular files, nesting, and how many prims there will be."""

import os
import random
import socket
from itertools import islice
from pathlib import Path

import pytest
from pxr import Sdf, Tf, Usd, UsdUtils

import fajin
from fajin.usd.stage import prescan as prescans
from fajin.usd.stage.prescan import BRACES, BRACKETS, prescan
from fajin.usd.stage.prim_count import count_prims

HEAD = '#usda 1.0\n(\n    defaultPrim = "a"\n    upAxis = "Z"\n)\n'
LEAF = HEAD + 'def Xform "a"\n{\n}\n'
SEED, STAGES = 5, 40

CLIPS = """def "a" (
    clips = {{
        dictionary default = {{
            asset[] assetPaths = [@./{0}@]
            asset manifestAssetPath = @./{1}@
            string primPath = "/a"
            double2[] active = [(0, 0)]
            double2[] times = [(0, 0)]
        }}
    }}
)
{{
    double x
}}
"""
VARIANT = """def "a" (
    variantSets = "v"
    variants = {
        string v = "x"
    }
)
{
    variantSet "v" = {
        "x" {
        }
        "y" (references = @./pipe.usda@) {
        }
    }
}
"""
ARCS = {
    "reference": 'def "a" (references = @./pipe.usda@)\n{\n}\n',
    "reference among others": 'def "a" (prepend references = [@./leaf.usda@, @./pipe.usda@</a>])\n{\n}\n',
    "search path": 'def "a" (references = @pipe.usda@)\n{\n}\n',
    "payload": 'def "a" (payload = @./pipe.usda@)\n{\n}\n',
    "of a reference": 'def "a" (references = @./next.usda@)\n{\n}\n',
    "a clip": CLIPS.format("pipe.usda", "leaf.usda"),
    "a manifest of clips": CLIPS.format("leaf.usda", "pipe.usda"),
    "an attribute": 'def "a"\n{\n    asset file = @./pipe.usda@\n}\n',
    "a variant that is not chosen": VARIANT,
    "arguments": 'def "a" (references = @./pipe.usda:SDF_FORMAT_ARGS:x=y@)\n{\n}\n',
}
KINDS = {
    "pipe": os.mkfifo,
    "folder": os.mkdir,
    "socket": lambda path: socket.socket(socket.AF_UNIX).bind(path.name),
    "device": lambda path: path.symlink_to("/dev/zero"),
}


def refused(path: Path) -> str:
    """The one line in which a file is refused."""
    with pytest.raises(fajin.InvalidScene) as error:
        fajin.read(path)
    line = str(error.value)
    assert "\n" not in line
    assert len(line) < 500
    assert path.name.encode("ascii", "backslashreplace").decode() in line
    return line


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A folder with a pipe to which nobody writes, and layers that are sound."""
    monkeypatch.chdir(tmp_path)
    os.mkfifo(tmp_path / "pipe.usda")
    (tmp_path / "leaf.usda").write_text(LEAF)
    (tmp_path / "next.usda").write_text(HEAD + ARCS["payload"])
    return tmp_path


@pytest.mark.parametrize("arc", ARCS)
def test_a_pipe_is_refused_before_usd_opens_it(folder, arc):
    """However a layer names it."""
    (folder / "top.usda").write_text(HEAD + ARCS[arc])
    assert "pipe.usda" in refused(folder / "top.usda")


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("sublayers", "subLayers = [@./leaf.usda@, @./pipe.usda@]"),
        (
            "an expression",
            'subLayers = [@`"./${F}.usda"`@]\n    expressionVariables = {\n        string F = "pipe"\n    }',
        ),
    ],
)
def test_a_pipe_among_sublayers_is_refused(folder, name, values):
    """Also by the value of a variable."""
    (folder / "top.usda").write_text(f"#usda 1.0\n(\n    {values}\n)\n")
    assert "pipe.usda" in refused(folder / "top.usda")


def test_a_variable_of_the_referencing_layer_counts(folder):
    """The referenced one has another value."""
    expression = '(\n    expressionVariables = {{\n        string F = "{}"\n    }}\n    defaultPrim = "a"\n)\n'
    middle = "#usda 1.0\n" + expression.format("leaf") + 'def "a" (references = @`"./${F}.usda"`@)\n{\n}\n'
    (folder / "middle.usda").write_text(middle)
    assert not prescan(folder / "middle.usda")[0].empty
    (folder / "top.usda").write_text(
        "#usda 1.0\n" + expression.format("pipe") + 'def "a" (references = @./middle.usda@)\n{\n}\n'
    )
    assert "pipe.usda" in refused(folder / "top.usda")


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_file_is_refused(tmp_path, monkeypatch, kind):
    """As the file itself, and as one that it names."""
    monkeypatch.chdir(tmp_path)
    KINDS[kind](tmp_path / "other.usda")
    (tmp_path / "top.usda").write_text(HEAD + 'def "a" (references = @./other.usda@)\n{\n}\n')
    assert "regular file" in refused(tmp_path / "top.usda")
    refused(tmp_path / "other.usda")


def test_a_name_that_is_not_utf8_is_refused(tmp_path):
    """USD takes no other."""
    path = tmp_path / os.fsdecode(b"\xff.usda")
    path.write_text(LEAF)
    assert "UTF-8" in refused(path)


def test_what_is_missing_or_no_layer_does_no_harm(folder, request):
    """It is composed without, as before: a missing file, a broken link, an asset of another kind, a layer as link."""
    os.mkfifo(folder / "picture.png")
    (folder / "link.usda").symlink_to("leaf.usda")
    (folder / "loop.usda").symlink_to("loop.usda")
    named = ["none.usda", "loop.usda", "link.usda", "picture.png"]
    arcs = "".join(f'def "r{i}" (references = @./{name}@)\n{{\n}}\n' for i, name in enumerate(named))
    scene = (request.config.rootpath / "scenes" / "pendulum.usda").read_text()
    (folder / "top.usda").write_text(scene + arcs + 'def "s"\n{\n    asset file = @./picture.png@\n}\n')
    assert len(prescan(folder / "top.usda")) == 2
    assert fajin.read(folder / "top.usda").articulations


def test_a_package_is_looked_into(tmp_path, monkeypatch):
    """Its layers are in no files of their own."""
    monkeypatch.chdir(tmp_path)
    deep = "[" * (BRACKETS + 1) + "]" * (BRACKETS + 1)
    for name, text in (("sound", LEAF), ("deep", f'{HEAD}def "a"\n{{\n    int[] x = {deep}\n}}\n')):
        (tmp_path / "leaf.usda").write_text(LEAF)
        (tmp_path / f"{name}.usda").write_text(HEAD + 'def "a" (references = @./leaf.usda@)\n{\n}\n')
        with Sdf.ZipFileWriter.CreateNew(f"{name}.usdz") as package:
            package.AddFile(f"{name}.usda")
            (tmp_path / "leaf.usda").write_text(text)
            package.AddFile("leaf.usda")
        with Sdf.ZipFileWriter.CreateNew(f"{name}.first.usdz") as package:
            package.AddFile("leaf.usda")
    assert len(prescan(tmp_path / "sound.usdz")) == 2
    for name in ("deep.usdz", "deep.first.usdz"):
        assert "nests" in refused(tmp_path / name)


def nested(opening: str, closing: str, depth: int) -> str:
    """A layer with so deep a value, or so deep prims."""
    if opening == "{":
        return HEAD + 'def "a"\n{\n' * depth + "}\n" * depth
    if opening == "d":
        data = "dictionary a = {" * depth + "}" * depth
        return f'#usda 1.0\n(\n    customLayerData = {{\n{data}\n    }}\n)\ndef "a"\n{{\n}}\n'
    return f'{HEAD}def "a"\n{{\n    int[] x = {opening * depth}{closing * depth}\n}}\n'


@pytest.mark.parametrize(
    ("opening", "closing", "most"), [("[", "]", BRACKETS), ("(", ")", BRACKETS), ("{", "}", BRACES), ("d", "}", BRACES)]
)
def test_what_nests_too_deeply_is_refused_before_usd_parses_it(tmp_path, opening, closing, most):
    """USD's parser would die of it, or fill memory; what nests less is left to it."""
    (tmp_path / "deep.usda").write_text(nested(opening, closing, 6 * most))
    assert "deep" in refused(tmp_path / "deep.usda")
    (tmp_path / "next.usda").write_text(HEAD + 'def "b" (references = @./deep.usda@)\n{\n}\n')
    assert "deep.usda" in refused(tmp_path / "next.usda")


@pytest.mark.parametrize(
    "aside", ['"{}"', "'{}'", '"""{}\n{}"""', "'''{}\n{}'''", '"\\"{}"', '"\\\\" # {}', "@{}@", "@@@{}\\@@@{}@@@"]
)
def test_brackets_in_texts_paths_and_comments_do_not_nest(tmp_path, aside):
    """Neither do they count as closed there."""
    kind = "asset" if aside[0] == "@" else "string"
    rows = "\n".join(
        f"    {kind} t{i} = {aside.replace('{}', bracket * 300)}" for i, bracket in enumerate(("[", "(", "}"))
    )
    remarks = "# " + "(" * 300 + "\n/* " + "[" * 300 + "\n */\n// " + "[" * 300 + "\n"
    path = tmp_path / "a.usda"
    path.write_text(f'{HEAD}{remarks}def "a"\n{{\n{rows}\n}}\n')
    assert prescan(path)
    hidden = f"    int[] x = [{aside.replace('{}', ']' * 200) if kind == 'string' else ''}\n" + "[\n# ]\n" * 150
    path.write_text(f'{HEAD}def "a"\n{{\n{hidden}\n}}\n')
    assert "nests" in refused(path)


def bomb(levels: int, instanced: bool = False, arc: str = "references") -> str:
    """Each class holds the one below it twice."""
    mark = "instanceable = true\n" if instanced else ""
    text = HEAD + 'class Xform "l0"\n{\n    def Xform "b"\n    {\n    }\n}\n'
    for i in range(1, levels):
        below = "".join(f'    def "{name}" (\n{mark}{arc} = </l{i - 1}>\n)\n    {{\n    }}\n' for name in "xy")
        text += f'class Xform "l{i}"\n{{\n{below}}}\n'
    return text + f'def "a" ({arc} = </l{levels - 1}>)\n{{\n}}\n'


@pytest.mark.parametrize("instanced", [False, True])
@pytest.mark.parametrize("arc", ["references", "payload", "inherits", "specializes"])
def test_references_that_multiply_are_refused_before_they_are_composed(tmp_path, instanced, arc):
    """The number of prims doubles at every level."""
    (tmp_path / "bomb.usda").write_text(bomb(40, instanced, arc))
    assert "1,000,000 prims" in refused(tmp_path / "bomb.usda")


CHOICE = """    def "{name}" (
        variantSets = "v"
        variants = {{
            string v = "deep"
        }}
    )
    {{
        variantSet "v" = {{
            "deep" (references = @./l{below}.usda@) {{
            }}
        }}
    }}
"""


def test_references_that_multiply_over_files_and_variants_are_refused(tmp_path):
    """One file a level; a variant that is chosen."""
    (tmp_path / "l0.usda").write_text(LEAF)
    for i in range(1, 30):
        variants = "".join(CHOICE.format(name=name, below=i - 1) for name in "xy")
        (tmp_path / f"l{i}.usda").write_text(f'{HEAD}def "a"\n{{\n{variants}}}\n')
    assert "1,000,000 prims" in refused(tmp_path / "l29.usda")


def test_a_class_of_the_referencing_layer_counts(tmp_path):
    """What a referenced prim inherits, the layer above may fill."""
    (tmp_path / "low.usda").write_text(f'{HEAD}def "a"\n{{\n    def "b" (inherits = </l39>)\n    {{\n    }}\n}}\n')
    top = bomb(40).replace('def "a" (references = </l39>)', 'def "a" (references = @./low.usda@)')
    (tmp_path / "top.usda").write_text(top)
    assert "1,000,000 prims" in refused(tmp_path / "top.usda")


def composed(stage: Usd.Stage) -> int:
    """All prims of a stage, those of instances as well, and its pseudo-root."""
    everything = Usd.TraverseInstanceProxies(Usd.PrimAllPrimsPredicate)
    return sum(1 for _ in islice(Usd.PrimRange.Stage(stage, everything), 10**4)) + 1  # of some circles it finds no end


def test_prims_are_counted_exactly_where_nothing_is_taken_away(request):
    """In all scenes."""
    paths = sorted(request.config.rootpath.glob("scenes/*.usda"))
    assert len(paths) > 10
    for path in paths:
        layers = prescan(path)
        assert count_prims(layers[0], 10**6) == composed(Usd.Stage.Open(layers[0]))


def random_layer(draw: random.Random, others: list[str]) -> str:
    """Prims in two generations with arcs of all kinds to earlier prims of this layer, and to any of other layers."""

    def target(i: int) -> str:
        file = f"@{draw.choice(others)}@" if others and (i == 0 or draw.random() < 0.5) else ""
        return f"{file}</p{draw.randrange(4 if file else max(1, i))}{draw.choice(('', '', '/c0', '/c1'))}>"

    def head(name: str, i: int) -> str:
        arcs = ("references", "payload") if i or others else ()
        rows = [f"{arc} = {target(i)}" for arc in arcs if draw.random() < 0.3]
        for arc in ("inherits", "specializes"):
            if i and len(others) == 2 and draw.random() < 0.2:  # in the top layer
                rows.append(f"{arc} = </p{draw.randrange(i)}>")
        if draw.random() < 0.3:
            rows += ['variantSets = "v"', f'variants = {{ string v = "{draw.choice("xyz")}" }}']
        if draw.random() < 0.2:
            rows.append("instanceable = true")
        kind = draw.choice(("def", "def", "over", "class"))
        return f'{kind} "{name}" (\n' + "\n".join(rows) + "\n)\n{\n"

    def variants(i: int) -> str:
        inner = f'def "k{draw.randrange(2)}"\n {{\n }}\n'
        one = f'"{draw.choice("xy")}" (references = {target(i)}) {{\n{inner}}}\n'
        return f'variantSet "v" = {{\n{one}}}\n' if (i or others) and draw.random() < 0.4 else ""

    below = f"subLayers = [@{draw.choice(others)}@]" if others and draw.random() < 0.3 else ""
    text = f"#usda 1.0\n(\n{below}\n)\n"
    for i in range(4):
        children = "".join(f"{head(f'c{k}', i)}{variants(i)}}}\n" for k in range(2) if draw.random() < 0.7)
        text += f"{head(f'p{i}', i)}{variants(i)}{children}}}\n"
    return text


def test_no_stage_has_more_prims_than_are_counted(tmp_path):
    """Of any composition; seeded."""
    draw, all_found, all_counted, circles = random.Random(SEED), 0, 0, 0
    for number in range(STAGES):
        names: list[str] = []
        for i in range(3):
            path = tmp_path / f"s{number}_{i}.usda"
            path.write_text(random_layer(draw, [f"./{name}" for name in names]))
            names.append(path.name)
        delegate = UsdUtils.CoalescingDiagnosticDelegate()
        try:
            layers = prescan(path)
            found, count = composed(Usd.Stage.Open(layers[0])), count_prims(layers[0], 10**6)
        except (fajin.InvalidScene, Tf.ErrorException):  # USD stumbles over a few of the circles
            circles += 1
            continue
        delegate.TakeUncoalescedDiagnostics()
        assert found <= count, path
        all_found, all_counted = all_found + found, all_counted + count
    assert all_counted < 4 * all_found
    assert circles < STAGES / 10


def test_a_stage_with_as_many_prims_as_may_be_is_opened(tmp_path, monkeypatch):
    """The bound itself is allowed."""
    (tmp_path / "bomb.usda").write_text(bomb(4))
    count = composed(Usd.Stage.Open(str(tmp_path / "bomb.usda")))
    monkeypatch.setattr(prescans, "PRIMS", count)
    assert prescan(tmp_path / "bomb.usda")
    monkeypatch.setattr(prescans, "PRIMS", count - 1)
    assert f"{count - 1} prims" in refused(tmp_path / "bomb.usda")


@pytest.mark.parametrize("head", ["", "references = </a>", "payload = </a>", "inherits = </a>", "specializes = </a>"])
def test_prims_of_a_binary_layer_are_counted_without_composition_unless_it_composes(tmp_path, monkeypatch, head):
    """A stage that was flattened has no arcs, which only its specs show."""
    layer, called = Sdf.Layer.CreateAnonymous(".usda"), []
    layer.ImportFromString(f'#usda 1.0\ndef "a"\n{{\n    def "c"\n    {{\n    }}\n}}\ndef "b" ({head})\n{{\n}}\n')
    layer.Export(str(tmp_path / "flat.usdc"))
    monkeypatch.setattr(prescans, "count_prims", lambda *given: called.append(1) or count_prims(*given))
    assert prescan(tmp_path / "flat.usdc")
    assert bool(called) == bool(head)
    monkeypatch.setattr(prescans, "PRIMS", 3)
    assert "3 prims" in refused(tmp_path / "flat.usdc")


def test_prims_of_a_flat_layer_are_counted_without_composition(tmp_path, monkeypatch):
    """A million of them takes a second or two."""
    prims = "".join(f'def "p{i}"\n{{\n    float a = 1\n}}\n' for i in range(9))
    (tmp_path / "flat.usda").write_text(f"#usda 1.0\n{prims}")
    monkeypatch.setattr(prescans, "count_prims", None)
    monkeypatch.setattr(prescans, "PRIMS", 10)
    assert prescan(tmp_path / "flat.usda")
    monkeypatch.setattr(prescans, "PRIMS", 9)
    assert "9 prims" in refused(tmp_path / "flat.usda")
