"""Parameters of functions: what belongs together is a Struct or a dataclass, and no tuple hides several parameters."""

import ast
from collections.abc import Iterator

from meta.house import FILES, tree


def functions_below(*places: tuple[str, ...]) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Files and functions of places."""
    for path in FILES:
        if any(path.parts[: len(place)] == place for place in places):
            yield from ((str(path), node) for node in ast.walk(tree(path)) if isinstance(node, ast.FunctionDef))


def is_mixed(annotation: ast.expr | None) -> bool:
    """Whether a tuple has parts of several types, or of types that it does not name."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        annotation = ast.parse(annotation.value, mode="eval").body
    if isinstance(annotation, ast.Subscript) and isinstance(annotation.slice, ast.Tuple):
        kinds = {ast.unparse(part) for part in annotation.slice.elts} - {"..."}
        return ast.unparse(annotation.value) == "tuple" and len(kinds) > 1
    return isinstance(annotation, ast.Name) and annotation.id == "tuple"


def mixed_parameters(function: ast.FunctionDef) -> set[str]:
    """Parameters that a function takes apart, also together: `(a, b), c = parameter, other`, of mixed tuples."""
    mixed = {argument.arg for argument in function.args.args if is_mixed(argument.annotation)}
    found = set()
    for node in ast.walk(function) if mixed else ():
        for target in node.targets if isinstance(node, ast.Assign) else ():
            together = isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
            pairs = zip(target.elts, node.value.elts, strict=False) if together else [(target, node.value)]
            found |= {value.id for part, value in pairs if isinstance(part, ast.Tuple) and isinstance(value, ast.Name)}
    return found & mixed


def unpacked_parameters(function: ast.FunctionDef) -> set[str]:
    """Parameters that a function takes apart: `a, b = parameter`."""
    parameters, found = {argument.arg for argument in function.args.args}, set()
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
            found |= {node.value.id} if any(isinstance(target, ast.Tuple) for target in node.targets) else set()
    return found & parameters


def test_kernels_unpack_no_parameter():
    """A reader sees what a function takes in its head; a linter that counts parameters would be misled, too."""
    functions = list(functions_below(("engine", "physics")))
    assert len(functions) > 500
    assert {(path, node.name): names for path, node in functions if (names := unpacked_parameters(node))} == {}


def test_no_function_unpacks_a_parameter_of_parts_of_several_types():
    """A vector, an interval or a pose may be a tuple."""
    functions = list(functions_below(("engine",), ("tools",), ("usd_schema",)))
    assert len(functions) > 3000
    assert {(path, node.name): names for path, node in functions if (names := mixed_parameters(node))} == {}


def test_an_unpacked_parameter_is_seen():
    planted = "def solve(w, bounds):\n    low, high = bounds\n    low, other = w.limits\n    return low\n"
    assert unpacked_parameters(ast.parse(planted).body[0]) == {"bounds"}
    head = "def draw(line: 'tuple[str, int]', limits: tuple[float, float], rest: tuple):\n"
    planted = f"{head}    (name, count), (low, high) = line, limits\n    first, second = rest\n    return name\n"
    assert mixed_parameters(ast.parse(planted).body[0]) == {"line", "rest"}
