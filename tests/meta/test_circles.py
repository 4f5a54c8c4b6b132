"""No file needs itself, however long the way and however late the import."""

from graphlib import CycleError, TopologicalSorter

from meta.house import FILES, imported, module, tree

MODULES = {module(path): path for path in FILES}


def graph() -> dict[str, set[str]]:
    """Modules of the package that each module imports, at its top or in a function."""
    needs = {}
    for name, path in MODULES.items():
        names = imported(tree(path), path)
        owners = {full if full in MODULES else full.rpartition(".")[0] for full in names}
        needs[name] = owners & set(MODULES) - {name}
    return needs


def circle(needs: dict[str, set[str]]) -> list[str]:
    """The modules of a circle, each importing the next; none if there is none."""
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        return error.args[1][::-1]
    return []


def test_no_imports_go_in_a_circle():
    """Those in functions count, too: they only hide a circle from Python."""
    assert circle(graph()) == []


def test_a_planted_circle_is_seen():
    """Over three modules, beside others."""
    assert set(circle({"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "e": {"a"}})) == {"a", "b", "c"}
