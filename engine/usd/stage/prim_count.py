"""Number of prims of a stage, counted over its layers before composition.

A composed prim is the set of its sites, paths in layer stacks. Its parent's sites contribute those that have a child of
its name; references, payloads, inherits, specializes and selected variants lead to further sites. Prims with equal
sites have equally many descendants, so each set is counted once, however often the stage repeats it:

    count(sites) = 1 + sum over the names of children of count(sites of the child)

A prim with the sites of one of its ancestors would recurse without end; it counts as too many. Instances count with
their prototypes' prims. Deactivated prims, deleted arcs and every variant that some layer selects also count: the
number is an upper bound. Overs of a layer on a class inside a referenced layer are not followed.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pxr import Sdf

Site = tuple["Stack", Sdf.Path]
"""A layer stack, and the path of a prim or variant in it; an empty path: the stack is one of several."""
Sites = frozenset[Site]


def count_prims(layer: Sdf.Layer, most: int) -> int:
    """Return the number of prims on the stage of a root layer, including its pseudo-root, at most `most` + 1."""
    stacks = Stacks()
    try:
        return _count(stacks.sites(stacks.of(layer, {}), Sdf.Path.absoluteRootPath), stacks, most)
    except RecursionError:  # circular arcs, or arcs through a thousand layers
        return most + 1


def count_specs(layer: Sdf.Layer) -> int | None:
    """Return the number of prims of a layer, including its pseudo-root, in less time; None with composition arcs."""
    found, todo = 0, [layer.pseudoRoot]
    while todo:
        spec = todo.pop()
        if spec.hasReferences or spec.hasPayloads or len(spec.variantSets):
            return None
        if spec.hasInheritPaths or spec.hasSpecializes:  # pyright: ignore[reportAttributeAccessIssue]  # not in the stubs
            return None
        found += 1
        todo += _items(spec.nameChildren)
    return found


def evaluate(asset: str, variables: dict) -> str:
    """Return an asset path with its variable expression evaluated; "" if the expression has no value."""
    if not Sdf.VariableExpression.IsExpression(asset):
        return asset
    value = Sdf.VariableExpression(asset).Evaluate(variables).value
    return value if isinstance(value, str) else ""


def _count(root: Sites, stacks: "Stacks", most: int) -> int:
    """Return the number of prims at and below a prim, at most `most` + 1; recursive sites count as `most` + 1."""
    known = {root: most + 1}
    open_ones = [(root, iter(stacks.children(root)))]
    sums = [1]
    while open_ones:
        sites, children = open_ones[-1]
        child = next(children, None)
        if child is None:
            open_ones.pop()
            known[sites] = total = sums.pop()
            if sums:
                sums[-1] += total
        elif child in known:
            sums[-1] += known[child]
        else:
            known[child] = most + 1  # while it is being counted
            open_ones.append((child, iter(stacks.children(child))))
            sums.append(1)
        if sums and sums[-1] > most:
            return most + 1
    return known[root]


@dataclass(frozen=True, eq=False)
class Stack:
    """A layer with its sublayers, and the variables of their asset path expressions."""

    layers: tuple[Sdf.Layer, ...]
    variables: dict

    def specs(self, path: Sdf.Path) -> list[Sdf.PrimSpec]:
        """Return the specs of a prim in its layers."""
        return [spec for layer in self.layers if (spec := layer.GetPrimAtPath(path))] if path else []

    @cached_property
    def default(self) -> Sdf.Path:
        """Return the prim that a reference without a prim path targets."""
        return self.layers[0].GetDefaultPrimAsPath()  # pyright: ignore[reportAttributeAccessIssue]  # not in the stubs


@dataclass(frozen=True)
class Look:
    """Content of the specs of a site: its children, and the composition arcs of the prim."""

    names: tuple[str, ...]
    targets: tuple[Site, ...]  # targets of references and payloads
    classes: tuple[Sdf.Path, ...]  # classes that it inherits or specializes
    variants: dict[str, tuple[str, ...]]  # {set: variants}
    chosen: dict[str, str]  # {set: variant}

    @property
    def plain(self) -> bool:
        """Return whether the prim has no composition arcs."""
        return not (self.targets or self.classes or self.variants)


class Stacks:
    """The layer stacks that a stage leads to, and the sites of its prims in them."""

    def __init__(self):
        self._stacks: dict[tuple, Stack] = {}
        self._looks: dict[Site, Look] = {}
        self._sites: dict[Site, Sites | None] = {}

    def of(self, layer: Sdf.Layer, variables: dict) -> Stack:
        """Return the stack of a layer, referenced where the variables have these values."""
        variables = {**layer.expressionVariables, **variables}
        key = (layer.identifier, repr(sorted(variables.items())))
        if key not in self._stacks:
            found: dict[str, Sdf.Layer] = {}
            _add_sublayers(layer, variables, found)
            self._stacks[key] = Stack(tuple(found.values()), variables)
        return self._stacks[key]

    def sites(self, stack: Stack, path: Sdf.Path) -> Sites:
        """Return the sites of a prim of a stack, through the sites of its ancestors."""
        if (stack, path) not in self._sites:
            own: Iterable[Site] = [(stack, path)]
            self._sites[stack, path] = None  # while it is being computed
            if not path.IsAbsoluteRootPath():
                own = [*own, *self._below(self.sites(stack, path.GetParentPath()), path.name)]
            self._sites[stack, path] = self._closed(own)
        found = self._sites[stack, path]
        if found is None:
            raise RecursionError(f"{path} is composed from itself")
        return found

    def children(self, sites: Sites) -> list[Sites]:
        """Return the sites of each child of a prim."""
        names = dict.fromkeys(name for site in sites for name in self._look(site).names)
        return [self._closed(self._below(sites, name)) for name in names]

    def _below(self, sites: Sites, name: str) -> list[Site]:
        found = [(stack, path.AppendChild(name)) for stack, path in sites if name in self._look((stack, path)).names]
        return found + [site for site in sites if not site[1]]

    def _closed(self, sites: Iterable[Site]) -> Sites:
        """Return these sites and all sites that their composition arcs lead to."""
        todo = list(sites)
        if all(self._look(site).plain for site in todo):
            return frozenset(todo)
        found: set[Site] = set()
        chosen: set[tuple[str, str]] = set()
        classes: set[Sdf.Path] = set()
        while todo:
            found.update(todo)
            looks = [(site, self._look(site)) for site in found]
            classes.update(path for _, look in looks for path in look.classes)
            chosen.update(choice for _, look in looks for choice in look.chosen.items())
            more = {target for _, look in looks for target in look.targets}
            more |= {(stack, path) for path in classes for stack in {stack for stack, _ in found}}
            new = {site for target in more - found for site in self.sites(*target)}
            new |= {
                (stack, path.AppendVariantSelection(name, variant))
                for (stack, path), look in looks
                for name, variants in look.variants.items()
                for variant in variants
                if (name, variant) in chosen
            }
            todo = list(new - found)
        stacks = {stack for stack, _ in found}
        return frozenset(found | {(stack, Sdf.Path.emptyPath) for stack in stacks if len(stacks) > 1})

    def _look(self, site: Site) -> Look:
        if site not in self._looks:
            stack, path = site
            specs = stack.specs(path)
            names = dict.fromkeys(child.name for spec in specs for child in _items(spec.nameChildren))
            arcs = [arc for spec in specs for arc in _arcs(spec)]
            targets = tuple(target for arc in arcs if (target := self._target(stack, *arc)))
            classes = tuple(target for spec in specs for target in _classes(spec))
            specs = [] if path.IsAbsoluteRootPath() else specs
            sets = [found for spec in specs for found in _items(spec.variantSets)]
            variants = {found.name: tuple(variant.name for variant in _items(found.variants)) for found in sets}
            chosen = {
                name: evaluate(variant, stack.variables)
                for spec in specs
                if spec.HasInfo("variantSelection")
                for name, variant in spec.variantSelections.items()
            }
            self._looks[site] = Look(tuple(names), targets, classes, variants, chosen)
        return self._looks[site]

    def _target(self, stack: Stack, layer: Sdf.Layer, arc: Sdf.Reference | Sdf.Payload) -> Site | None:
        """Return the target site of a reference or payload."""
        if arc.assetPath:
            found = _open(layer, evaluate(arc.assetPath, stack.variables))
            if found is None:
                return None
            stack = self.of(found, stack.variables)
        path = arc.primPath or stack.default
        return (stack, path) if path else None


def _items(view: Any) -> list[Any]:
    """Return the items of a spec view; iterating over the view takes a hundred times as long."""
    return [view[i] for i in range(len(view))]


def _arcs(spec: Sdf.PrimSpec) -> list[tuple[Sdf.Layer, Sdf.Reference | Sdf.Payload]]:
    """Return references and payloads of a prim, with the layer that anchors their asset paths."""
    lists = [spec.referenceList] * spec.hasReferences + [spec.payloadList] * spec.hasPayloads
    return [(spec.layer, arc) for items in lists for arc in items.GetAddedOrExplicitItems()]


def _classes(spec: Sdf.PrimSpec) -> list[Sdf.Path]:
    """Return the classes that a prim inherits or specializes."""
    inherits: bool = spec.hasInheritPaths  # pyright: ignore[reportAttributeAccessIssue]  # not in the stubs
    specializes: bool = spec.hasSpecializes  # pyright: ignore[reportAttributeAccessIssue]  # not in the stubs
    lists = [spec.inheritPathList] * inherits + [spec.specializesList] * specializes
    return [path.MakeAbsolutePath(spec.path) for items in lists for path in items.GetAddedOrExplicitItems()]


def _add_sublayers(layer: Sdf.Layer, variables: dict, found: dict[str, Sdf.Layer]) -> None:
    if layer.identifier in found:
        return
    found[layer.identifier] = layer
    for asset in layer.subLayerPaths:
        below = _open(layer, evaluate(asset, variables))
        if below:
            _add_sublayers(below, variables, found)


def _open(anchor: Sdf.Layer, asset: str) -> Sdf.Layer | None:
    """Return a layer that another layer refers to, if `prescan` has opened it."""
    return Sdf.Layer.Find(Sdf.ComputeAssetPathRelativeToLayer(anchor, asset)) if asset else None
