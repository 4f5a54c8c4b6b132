"""Mutants of .usda texts, continued: prims, schemas, stage metadata, nesting, transforms and meshes."""

import re
from random import Random

from mutants import (
    ABOUT,
    APIS,
    DEF,
    KINDS,
    MESH,
    METADATA,
    SCHEMAS,
    attributes,
    blocks,
    change_name,
    change_number,
    change_samples,
    change_target,
    change_type,
    change_type_alone,
    make_relationship,
)


def drop_or_double_line(lines: list[str], random: Random) -> str | None:
    """An attribute left out, or authored on another prim as well."""
    found = attributes(lines)
    if not found:
        return None
    (i, m), (at, _) = random.choice(found), random.choice(found)
    line = lines.pop(i)
    if random.random() < 0.5:
        lines.insert(at - (at > i), line)
        return f"{m['name']} elsewhere"
    return f"{m['name']} left out"


def double_or_drop_prim(lines: list[str], random: Random) -> str | None:
    """A prim with all below it left out, once more beside itself, or inside another one."""
    found = [block for block in blocks(lines) if block[1] - block[0] < len(lines) / 2]
    if not found:
        return None
    start, end, name = random.choice(found)
    block = lines[start:end]
    way = random.choice(("out", "twice", "inside"))
    if way != "twice":
        del lines[start:end]
    if way == "twice":
        lines[end:end] = [block[0].replace(f'"{name}"', f'"{name}_again"', 1), *block[1:]]
    elif way == "inside":
        others = blocks(lines)
        if others:
            at = random.choice(others)[1] - 1
            lines[at:at] = block
    return f"{name} {way}"


def rename_prim(lines: list[str], random: Random) -> str | None:
    """Another name or type of a prim."""
    found = [(i, m) for i, line in enumerate(lines) if (m := DEF.match(line)) and m["type"]]
    if not found:
        return None
    i, m = random.choice(found)
    if random.random() < 0.4:
        lines[i] = lines[i].replace(f'"{m["name"]}"', f'"{m["name"]}_x"', 1)
        return f"{m['name']} renamed"
    kind = random.choice(KINDS)
    lines[i] = lines[i].replace(f" {m['type']} ", f" {kind} ", 1)
    return f"{m['type']} {m['name']} -> {kind}"


def change_schemas(lines: list[str], random: Random) -> str | None:
    """An API schema more, less or in place of another."""
    found = [(i, m) for i, line in enumerate(lines) if (m := APIS.search(line))]
    if not found:
        return None
    i, m = random.choice(found)
    names = re.findall(r'"([^"]*)"', m["names"])
    way = random.choice(("add", "add", "remove", "replace"))
    if way != "add" and names:
        names.pop(random.randrange(len(names)))
    if way != "remove":
        names.append(random.choice(SCHEMAS))
    listed = ", ".join(f'"{name}"' for name in names)
    lines[i] = lines[i].replace(m.group(), f"apiSchemas = [{listed}]")
    return f"apiSchemas = {names}"


def change_metadata(lines: list[str], random: Random) -> str | None:
    """Units, axes and time codes of the stage."""
    name = random.choice(sorted(METADATA))
    value = random.choice(METADATA[name])
    lines[:] = [line for line in lines if not line.strip().startswith(f"{name} =")]
    at = next((i for i, line in enumerate(lines) if line.strip() == "("), None)
    if at is None:
        return None
    lines.insert(at + 1, f"    {name} = {value}")
    return f"{name} = {value}"


def change_token(lines: list[str], random: Random) -> str | None:
    """A token or string of an attribute."""
    found = attributes(lines, lambda m: '"' in m["rest"])
    if not found:
        return None
    i, m = random.choice(found)
    text = random.choice(("", "X", "W", "rotX", "transY", "x" * 10_000, "force", "é", "a b", "xformOp:scale", "a\\nb"))
    lines[i] = re.sub(r'"[^"]*"', lambda _: f'"{text}"', lines[i], count=1)
    return f"{m['name']} = {text[:10]!r}"


def change_about(lines: list[str], random: Random) -> str | None:
    """Metadata of a prim: inactive, an instance, something that it is brought in from."""
    found = [i for i, line in enumerate(lines) if DEF.match(line) and APIS.search(line)]
    if not found:
        return None
    i, text = random.choice(found), random.choice(ABOUT)
    lines[i] = lines[i].replace("prepend apiSchemas", f"{text}; prepend apiSchemas", 1)
    return text


def add_mesh(lines: list[str], random: Random) -> str | None:
    """A collider with odd faces in some prim."""
    found = blocks(lines)
    counts = random.choice(("3, 3, 3, 3", "-3, 3", "2147483647", "3", "", "0, 0, 12", "12"))
    indices = random.choice(("0,1,2, 0,3,1, 1,3,2, 0,2,3", "0,1,-1, 0,3,1, 1,3,2, 0,2,3", "0,1,99", "", "2147483647"))
    at = random.choice(found)[1] - 1
    lines[at:at] = MESH.format(counts=counts, indices=indices).splitlines()
    return f"mesh [{counts}] [{indices}]"


MUTATORS = (
    *(change_number, change_type, change_type_alone, change_name, change_target, make_relationship, change_samples),
    *(drop_or_double_line, double_or_drop_prim, rename_prim, change_schemas, change_metadata, change_token),
    *(change_about, add_mesh),
)
OFTEN = (change_number, change_type, change_target)  # what people get wrong most


def mutant(text: str, random: Random) -> tuple[str, list[tuple[str, str]]]:
    """A text with one to three things changed, and what was changed: the mutator's name and the change."""
    lines, done = text.splitlines(), []
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        mutator = random.choice((*MUTATORS, *OFTEN))
        if change := mutator(lines, random):
            done.append((mutator.__name__, change))
    return "\n".join(lines) + "\n", done
