"""Checks before USD composes a file, because some files make USD wait for ever, crash, or fill the memory.

The checks cover every layer reached by sublayers, references, payloads, clips or other asset paths, selected or not:

    it is a regular file                                      reading a pipe or device never ends
    it has no URI scheme, and lies below the root folder      a file opens nothing elsewhere
    all layers together have at most BYTES                    memory
    brackets and parentheses nest at most BRACKETS deep,
    braces at most BRACES deep                                USD's parser recurses over its stack, or fills memory
    the stage composes to at most PRIMS prims                 see `prim_count`

The module depends only on fajin's error class, and changes no layer. Missing and unreadable layers are left to USD.
"""

import re
import stat
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from math import inf
from pathlib import Path
from zipfile import BadZipFile, ZipFile

import numpy as np
from pxr import Ar, Sdf, Tf, UsdUtils

from ...scene import InvalidScene
from .prim_count import count_prims, count_specs, evaluate

BRACKETS = 100
BRACES = 10_000
PRIMS = 1_000_000
BYTES = 4_000_000_000

BINARY = b"PXR-USDC"
ARCS = (b"references", b"payload", b"inherits", b"specializes")
SHORTEST = len('def"a"{}')
ASIDE = re.compile(
    rb'"""(?s:.*?)(?:"""|\Z)|"[^"\n]*"?|\'\'\'(?s:.*?)(?:\'\'\'|\Z)|\'[^\'\n]*\'?|@@@(?s:.*?)(?:@@@|\Z)|@[^@\n]*@?'
    rb"|<[^<>\n]*>|#[^\n]*|//[^\n]*|/\*(?s:.*?)(?:\*/|\Z)"
)
"""Strings, asset paths, prim paths and comments of a .usda file; one without an end extends to the end of the file."""
ESCAPES = (b"\\\\", b'\\"', b"\\'", b"\\@@@")
SCHEME = re.compile(r"[a-zA-Z][\w+.-]+:/")
"""Start of a URI; one letter is a drive of Windows."""
OTHERS = bytes(set(range(256)) - set(b"[](){}"))


@dataclass(frozen=True)
class Scanned:
    """A layer that is harmless by itself."""

    layer: Sdf.Layer
    most: float  # upper bound of prims from its size; infinite where content may repeat
    size: int  # bytes of its text or binary content
    assets: frozenset[str]  # paths of the layers that it refers to, as authored


def prescan(path: str | Path, root: str = "") -> list[Sdf.Layer]:
    """Return the layers that a file leads to, reloaded from disk, after checking that they are harmless.

    Args:
        path: the file.
        root: folder that must contain all layers; "" for any folder.

    Returns:
        The file's own layer comes first; the list is empty for a file that is not USD.

    Raises:
        InvalidScene: a layer is not a regular file, lies outside the root, is too large or nests too deeply, or there
            are too many prims.
    """
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise InvalidScene(
            file=ascii(str(path)), rule="a name in UTF-8, as USD requires", fix="rename the file"
        ) from None
    layers: list[Sdf.Layer] = []
    resolver = Ar.GetResolver()
    with Ar.ResolverContextBinder(resolver.CreateDefaultContextForAsset(str(path))):
        found = _follow(str(path), root)
        layers = [scanned.layer for scanned in found]
        if sum(scanned.most for scanned in found) > PRIMS and _prims(found) > PRIMS:
            raise InvalidScene(
                file=path,
                rule=f"a stage of at most {PRIMS:,} prims",
                fix="look for references that multiply, or lead in a circle, or split the scene",
            )
    return layers


def _prims(found: list[Scanned]) -> int:
    """Return the number of prims on the stage of layers, the root layer first; see `count_prims`."""
    (first, *others) = found
    count = None if others else count_specs(first.layer)
    return count_prims(first.layer, PRIMS) if count is None else count


def _follow(path: str, root: str) -> list[Scanned]:
    """Return the layers that a file leads to, the file's own layer first."""
    found: dict[str, Scanned | None] = {}
    todo, seen, size = [(path, {})], set(), 0
    while todo:
        identifier, variables = todo.pop()
        if (key := (identifier, repr(sorted(variables.items())))) in seen:
            continue
        seen.add(key)
        if identifier not in found:
            _check_place(identifier, path, root)
            found[identifier] = scanned = _scan(identifier, path)
            size += scanned.size if scanned else 0
            if size > BYTES:
                raise InvalidScene(file=path, rule=f"layers of at most {BYTES:,} bytes", fix="split the scene")
        if scanned := found[identifier]:
            variables = {**scanned.layer.expressionVariables, **variables}
            named = filter(None, (evaluate(asset, variables) for asset in scanned.assets))
            todo += [(Sdf.ComputeAssetPathRelativeToLayer(scanned.layer, asset), variables) for asset in named]
    return [scanned for scanned in found.values() if scanned]


def _check_place(identifier: str, top: str, root: str) -> None:
    """Raise InvalidScene for a layer with a URI scheme, or outside the root folder."""
    file, _ = Sdf.Layer.SplitIdentifier(identifier)
    if SCHEME.match(file):
        raise InvalidScene(
            file=top, rule=f"a stage of files, but leads to {file[:100]}", fix="download the layer and name its file"
        )
    place = Ar.SplitPackageRelativePathOuter(str(Ar.GetResolver().Resolve(file)) or file)[0]
    if root and not Path(place).resolve().is_relative_to(Path(root).resolve()):
        raise InvalidScene(
            file=top, rule=f"a stage of layers below {root}, but leads to {place}", fix="set another root folder"
        )


def _scan(identifier: str, top: str) -> Scanned | None:
    """Return the layer of an identifier, in its current state on disk; None if USD cannot read one.

    Raises:
        InvalidScene: the layer is harmful.
    """
    file, _ = Sdf.Layer.SplitIdentifier(identifier)
    found = Ar.GetResolver().Resolve(file)
    if not found or not _is_layer(str(found)):
        return None
    outer = Path(Ar.SplitPackageRelativePathOuter(str(found))[0])
    try:
        regular = stat.S_ISREG(outer.stat().st_mode)
    except OSError:  # symbolic links in a circle
        return None
    if not regular:
        raise InvalidScene(
            file=top, rule=f"a layer of regular files, but leads to {outer}", fix="name the file of a layer instead"
        )
    content = _content(str(found))
    binary = content.startswith(BINARY)
    if not binary:
        _check_nesting(content, top, "" if file == top else f", but leads to {found}")
    with suppress(Tf.ErrorException):
        layer = Sdf.Layer.FindOrOpen(identifier)
        if layer and not layer.dirty:
            layer.Reload()  # another stage may hold an older state of the file
        if layer:
            repeats = binary or any(arc in content for arc in ARCS)
            most = inf if repeats else len(content) / SHORTEST
            return Scanned(layer, most, len(content), _assets(layer) if binary or b"@" in content else frozenset())
    return None


def _content(found: str) -> bytes:
    """Return the content of a layer; for a package, of its root layer; empty if the file does not exist."""
    resolver = Ar.GetResolver()
    asset = resolver.OpenAsset(Ar.ResolvedPath(found))  # pyright: ignore[reportAttributeAccessIssue]  # not in the stubs
    if asset and Sdf.FileFormat.FindByExtension(found).IsPackage():
        try:
            with ZipFile(BytesIO(asset.GetBuffer() or b"") if Ar.IsPackageRelativePath(found) else found) as package:
                names = package.namelist()
        except (BadZipFile, OSError, NotImplementedError, ValueError):
            return b""
        return _content(Ar.JoinPackageRelativePath([found, names[0]])) if names and _is_layer(names[0]) else b""
    return asset.GetBuffer() or b"" if asset else b""


def _is_layer(name: str) -> bool:
    """Return whether a path has the suffix of a layer; USD opens no other files."""
    return bool(name and Sdf.FileFormat.FindByExtension(name))


def _assets(layer: Sdf.Layer) -> frozenset[str]:
    """Return the layers that a layer composes, in all variants, and all other layer paths that it contains."""
    found = set(layer.GetCompositionAssetDependencies())
    with suppress(Tf.ErrorException):
        found |= {asset for kind in UsdUtils.ExtractExternalReferences(layer.identifier) for asset in kind}
    return frozenset(asset for asset in found if Sdf.VariableExpression.IsExpression(asset) or _is_layer(asset))


def _check_nesting(content: bytes, top: str, leads: str) -> None:
    """Raise InvalidScene for text that nests too deeply."""
    if b"\\" in content:
        for escape in ESCAPES:
            content = content.replace(escape, b"")
    if content.count(b"[") + content.count(b"(") <= BRACKETS and content.count(b"{") <= BRACES:
        return
    brackets = np.frombuffer(ASIDE.sub(b"", content).translate(None, OTHERS), np.uint8)
    for opening, closing, most in ((b"[(", b"])", BRACKETS), (b"{", b"}", BRACES)):
        steps = np.isin(brackets, list(opening)).astype(np.int8) - np.isin(brackets, list(closing))
        if np.cumsum(steps, dtype=np.int64).max(initial=0) > most:
            names = " and ".join(opening.decode())
            raise InvalidScene(
                file=top, rule=f"text that nests {names} at most {most:,} deep{leads}", fix="correct the text"
            )
