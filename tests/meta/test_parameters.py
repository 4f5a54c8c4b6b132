"""Parameters of kernels' functions: what belongs together is a Struct, and no tuple hides several parameters."""

import ast

from meta.house import FILES, tree


def unpacked_parameters(function: ast.FunctionDef) -> set[str]:
    """Parameters that a function takes apart: `a, b = parameter`."""
    parameters, found = {argument.arg for argument in function.args.args}, set()
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
            found |= {node.value.id} if any(isinstance(target, ast.Tuple) for target in node.targets) else set()
    return found & parameters


def test_kernels_unpack_no_parameter():
    """A reader sees what a function takes in its head; a linter that counts parameters would be misled, too."""
    physics = [path for path in FILES if path.parts[:2] == ("engine", "physics")]
    functions = [(path, node) for path in physics for node in ast.walk(tree(path)) if isinstance(node, ast.FunctionDef)]
    assert len(functions) > 500
    assert {(str(path), node.name): names for path, node in functions if (names := unpacked_parameters(node))} == {}


def test_an_unpacked_parameter_is_seen():
    planted = "def solve(w, bounds):\n    low, high = bounds\n    low, other = w.limits\n    return low\n"
    assert unpacked_parameters(ast.parse(planted).body[0]) == {"bounds"}
