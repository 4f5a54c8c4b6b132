"""Mutants of .usda texts: one authored thing changed at a time, by the structure of the file and a seeded generator."""

import re
from collections.abc import Callable
from random import Random

import numpy as np

LINE = re.compile(r"^(?P<head>\s*(?:prepend |custom |uniform )*)(?P<type>[\w\[\]]+) (?P<name>[\w:]+)(?P<rest> = .+)?$")
DEF = re.compile(r'^\s*(?:def|over|class)(?: (?P<type>\w+))? "(?P<name>\w+)"')
RELATION = re.compile(r"^\s*(?:prepend )?rel (?P<name>[\w:]+) = (?P<target>.+)$")
NUMBER = re.compile(r"(?<![\w.\"/])[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|inf|nan)(?![\w\"])")
APIS = re.compile(r"apiSchemas = \[(?P<names>[^\]]*)\]")
NUMBERS = (
    *(
        "nan",
        "inf",
        "-inf",
        "0",
        "-0.0",
        "-1",
        "1",
        "2",
        "180",
        "255",
        "720",
        "-2147483648",
        "2147483647",
        "4294967296",
    ),
    *("1e-45", "1e-12", "1e20", "1e38", "-1e38", "3.4028235e38", "1e300", "0.5", "-3.5"),
)
VALUES = {  # type: values of it
    "bool": ("0", "1"),
    "int": ("0", "-1", "2", "2147483647"),
    "uint": ("4", "4294967295"),
    "int64": ("-1", "9223372036854775807"),
    "uchar": ("255",),
    "half": ("0.5", "inf", "nan"),
    "float": ("1", "-1", "nan"),
    "double": ("90", "1e300", "-inf"),
    "timecode": ("1",),
    "string": ('""', '"5"', '"true"', '"rotX"'),
    "token": ('""', '"X"', '"force"', '"1"'),
    "asset": ("@x@", "@@"),
    "float2": ("(1, 2)",),
    "float3": ("(1, 2, 3)", "(0, 0, 0)", "(nan, 0, 1)", "(-1, -1, inf)"),
    "int3": ("(1, 0, 0)",),
    "half3": ("(1, 2, 3)",),
    "double4": ("(1, 2, 3, 4)",),
    "quatf": ("(1, 0, 0, 0)", "(0, 0, 0, 0)", "(nan, 0, 0, 1)"),
    "quath": ("(0, 1, 0, 0)",),
    "matrix3d": ("((1, 0, 0), (0, 1, 0), (0, 0, 1))",),
    "matrix4d": ("((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 0))",),
    "float[]": ("[]", "[1]", "[1, 2, 3]", "[nan]"),
    "double[]": ("[1, 2, 3, 4, 5, 6]", "[0, 0, 0, 0, 0, 0]"),
    "int[]": ("[-1]", "[0, 1, 2, 2147483647]"),
    "token[]": ("[]", '["X", "rotY"]'),
    "string[]": ('["a"]',),
    "point3f[]": ("[(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]", "[(nan, 0, 0)]"),
    "bool[]": ("[1]",),
    "opaque": ("",),
    "pathExpression": ('"/a"',),
}
ALIKE = {  # types that hold the same numbers
    "float": ("double", "int", "half", "int64"),
    "double": ("float", "int", "half"),
    "int": ("uint", "int64", "float", "double"),
    "uint": ("int", "int64", "double"),
    "bool": ("int",),
    "float3": ("double3", "half3", "int3", "vector3f"),
    "point3f": ("float3", "double3", "half3", "int3"),
    "vector3f": ("float3", "double3", "half3", "int3"),
    "quatf": ("quatd", "quath"),
    "float[]": ("double[]", "int[]", "half[]"),
    "double[]": ("float[]", "int[]"),
    "token": ("string",),
}
KINDS = (
    *("Xform", "Scope", "Cube", "Mesh", "Capsule", "PhysicsScene", "PhysicsJoint", "PhysicsFixedJoint"),
    *("PhysicsRevoluteJoint", "PhysicsPrismaticJoint", "PhysicsSphericalJoint", "PhysicsDistanceJoint", "Material"),
)
SCHEMAS = (
    *("PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysicsCollisionAPI", "PhysicsArticulationRootAPI", "MadeUpAPI"),
    *(
        "PhysicsDriveAPI:angular",
        "PhysicsDriveAPI:linear",
        "PhysicsDriveAPI:rotY",
        "PhysicsLimitAPI:rotX",
        "NewtonMimicAPI",
    ),
    *(
        "PhysxMimicJointAPI:rotX",
        "PhysxTendonAxisRootAPI:t",
        "PhysxTendonAxisAPI:t",
        "PhysxTendonAttachmentLeafAPI:t",
        "",
    ),
    *("PhysxTendonAttachmentRootAPI:t", "PhysicsJointStateAPI:angular", "PhysxLimitAPI:angular", "PhysicsMaterialAPI"),
)
METADATA = {
    "metersPerUnit": ("0.01", "1e-300", "1e300", "nan", "inf", "0", "-1", "1e-9"),
    "kilogramsPerUnit": ("0.001", "1e-300", "1e300", "nan", "0"),
    "timeCodesPerSecond": ("24", "1e-300", "1e300", "nan", "0", "-24"),
    "upAxis": ('"X"', '"y"', '"Y"', '""', '"W"'),
    "startTimeCode": ("nan", "inf"),
    "defaultPrim": ('"nobody"', '""'),
}
ABOUT = (
    "active = false",
    "instanceable = true",
    "kind = 5",
    "inherits = </World>",
    "references = </World/robot>",
    "hidden = true",
)
MESH = """    def Mesh "fuzzed" (prepend apiSchemas = ["PhysicsCollisionAPI"])
    {{
        point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
        int[] faceVertexCounts = [{counts}]
        int[] faceVertexIndices = [{indices}]
    }}"""
Mutator = Callable[[list[str], Random], str | None]


def attributes(lines: list[str], wanted: Callable[[re.Match], object] = bool) -> list[tuple[int, re.Match]]:
    """Lines that author an attribute, of which something is wanted."""
    matches = ((i, LINE.match(line)) for i, line in enumerate(lines))
    return [(i, m) for i, m in matches if m and m["rest"] and m["type"] not in ("rel", "def") and wanted(m)]


def blocks(lines: list[str]) -> list[tuple[int, int, str]]:
    """First line, line after the last and name of every prim."""
    found = []
    for i, line in enumerate(lines):
        if definition := DEF.match(line):
            depth, opened = 0, False
            for j in range(i, len(lines)):
                text = re.sub(r'"[^"]*"', "", lines[j])
                depth += text.count("{") - text.count("}")
                opened = opened or "{" in text
                if opened and depth <= 0:
                    found.append((i, j + 1, definition["name"]))
                    break
    return found


def paths(lines: list[str]) -> list[str]:
    """Paths that the relationships of a file name, and some that it has not."""
    named = {t for line in lines if (m := RELATION.match(line)) for t in re.findall(r"<([^>]+)>", m["target"])}
    return [*sorted(named), "/", "/nobody", "/World", "/World/robot.physics:mass"]


def change_number(lines: list[str], random: Random) -> str | None:
    """One number of an attribute, or all."""
    found = attributes(lines, lambda m: NUMBER.search(m["rest"]))
    if not found:
        return None
    i, m = random.choice(found)
    number, at = random.choice(NUMBERS), random.randrange(len(NUMBER.findall(m["rest"])))
    seen = iter(range(10**6))
    every = random.random() < 0.2
    rest = NUMBER.sub(lambda one: number if every or next(seen) == at else one.group(), m["rest"])
    lines[i] = f"{m['head']}{m['type']} {m['name']}{rest}"
    return f"{m['name']}{rest}"


def change_type(lines: list[str], random: Random) -> str | None:
    """The type of an attribute, and a value of it."""
    found = attributes(lines)
    if not found:
        return None
    i, m = random.choice(found)
    kind = random.choice(sorted(VALUES))
    value = random.choice(VALUES[kind])
    lines[i] = f"{m['head']}{kind} {m['name']}" + (f" = {value}" if value else "")
    return lines[i].strip()


def change_type_alone(lines: list[str], random: Random) -> str | None:
    """The type of an attribute to one that holds the same number: the meaning must stay, or the change be reported."""
    found = attributes(lines, lambda m: m["type"] in ALIKE and not m["name"].startswith("xformOp"))
    if not found:
        return None
    i, m = random.choice(found)
    kind, rest = random.choice(ALIKE[m["type"]]), m["rest"]
    if kind.startswith(("int", "uint")):
        rest = re.sub(r"(?<=\d)\.0*(?!\d)", "", rest)
        if re.search(r"\.\d|e|nan|inf", rest) or (kind == "uint" and "-" in rest):
            return None
    if not all(held(float(x), "half" if kind.startswith(("half", "quath")) else kind) for x in NUMBER.findall(rest)):
        return None
    lines[i] = f"{m['head']}{kind} {m['name']}{rest}"
    return lines[i].strip()


def held(x: float, kind: str) -> bool:
    """Whether a half, or else a float, holds a number to the bit."""
    with np.errstate(over="ignore"):
        return float(np.float16(x) if kind == "half" else np.float32(x)) == x


def change_name(lines: list[str], random: Random) -> str | None:
    """The name of an attribute, to that of another one of the file."""
    found = attributes(lines)
    if not found:
        return None
    (i, m), (_, other) = random.choice(found), random.choice(found)
    lines[i] = f"{m['head']}{m['type']} {other['name']}{m['rest']}"
    return f"{m['name']} -> {other['name']}"


def change_target(lines: list[str], random: Random) -> str | None:
    """What a relationship names: something else, two things, nothing; or it becomes an attribute."""
    found = [(i, m) for i, line in enumerate(lines) if (m := RELATION.match(line))]
    if not found:
        return None
    (i, m), some = random.choice(found), paths(lines)
    one, other = random.choice(some), random.choice(some)
    forms = (f"rel {{}} = <{one}>", f"rel {{}} = [<{one}>, <{other}>]", "rel {} = None", "rel {} = []", "rel {}")
    form = random.choice((*forms[:1] * 3, *forms, f'string {{}} = "{one}"', "int {} = 3"))
    lines[i] = form.format(m["name"])
    return lines[i]


def make_relationship(lines: list[str], random: Random) -> str | None:
    """A relationship where an attribute was."""
    found = attributes(lines)
    if not found:
        return None
    i, m = random.choice(found)
    lines[i] = f"rel {m['name']} = <{random.choice(paths(lines))}>"
    return lines[i]


def change_samples(lines: list[str], random: Random) -> str | None:
    """Time samples in place of a value."""
    found = attributes(lines)
    if not found:
        return None
    i, m = random.choice(found)
    value = m["rest"][3:]
    times = random.choice(("0, 1", "nan, 1", "inf, 0", "-1, 1e300", "0, 0", "5, 10")).split(", ")
    others = random.choice((value, "None", NUMBER.sub("nan", value), NUMBER.sub("-1", value)))
    lines[i] = f"{m['head']}{m['type']} {m['name']}.timeSamples = {{ {times[0]}: {value}, {times[1]}: {others} }}"
    return lines[i].strip()
