"""Damaged USD files by seed: texts, binary layers and packages."""

import io
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

from damage import damage_bytes, exchange_lines, exchange_words
from mutants_of_prims import mutant
from pxr import Sdf, Tf
from sound_files import bases, seeds, sound_files

SMALL = 0.9  # share of the small scenes, which are read in less time
ALIGNMENT = 64  # bytes, of the files of a package


def mutated_text(folder: Path, draw: Random) -> Path:
    """Write a text of which one to three authored things are changed."""
    return _write(folder, draw, ".usda", mutant(_text(draw), draw)[0].encode())


def damaged_text(folder: Path, draw: Random) -> Path:
    """Write a text of which bytes are changed."""
    return _write(folder, draw, ".usda", damage_bytes(_text(draw).encode(), draw))


def mixed_text(folder: Path, draw: Random) -> Path:
    """Write a text with words or lines of another."""
    mix = draw.choice((exchange_words, exchange_lines))
    return _write(folder, draw, ".usda", mix(_text(draw), _text(draw), draw).encode())


def mutated_binary(folder: Path, draw: Random) -> Path:
    """Write a mutated text as a binary layer; as text if USD does not read it."""
    text = mutant(_text(draw), draw)[0]
    path = _path(folder, draw, ".usdc")
    layer = Sdf.Layer.CreateAnonymous(".usda")
    with suppress(Tf.ErrorException):
        if layer.ImportFromString(text) and layer.Export(str(path)):
            return path
    return _write(folder, draw, ".usda", text.encode())


def damaged_binary(folder: Path, draw: Random) -> Path:
    """Write a binary layer of which bytes are changed."""
    return _write(folder, draw, ".usdc", damage_bytes(_content(folder, draw, ".usdc"), draw))


def damaged_package(folder: Path, draw: Random) -> Path:
    """Write a package of which bytes are changed, or that contains a damaged layer."""
    if draw.random() < 0.4:
        return _write(folder, draw, ".usdz", damage_bytes(_content(folder, draw, ".usdz"), draw))
    inner = draw.choice((mutated_text, mutated_text, damaged_text, damaged_binary))(folder, draw)
    content = inner.read_bytes()
    inner.unlink()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", draw.choice((zipfile.ZIP_STORED,) * 5 + (zipfile.ZIP_DEFLATED,))) as package:
        entry = zipfile.ZipInfo(f"scene{inner.suffix}")
        padding = -(30 + len(entry.filename) + 4) % ALIGNMENT
        entry.extra = b"\x86\x19" + padding.to_bytes(2, "little") + bytes(padding)
        package.writestr(entry, content)
    return _write(folder, draw, ".usdz", packed.getvalue())


Kind = Callable[[Path, Random], Path]
KINDS: dict[Kind, int] = {
    mutated_text: 8,
    mixed_text: 4,
    damaged_text: 2,
    mutated_binary: 2,
    damaged_binary: 2,
    damaged_package: 2,
}
"""Kinds of damaged files, with how often each is drawn."""


def damaged_file(folder: Path, seed: int, kinds: dict[Kind, int] = KINDS) -> Path:
    """Write the damaged file of a seed into a folder; return its path."""
    draw = Random(seed)
    (kind,) = draw.choices(list(kinds), list(kinds.values()))
    return kind(folder, draw)


def _text(draw: Random) -> str:
    texts = seeds() if draw.random() < SMALL else bases()
    return texts[draw.choice(sorted(texts))]


def _content(folder: Path, draw: Random, suffix: str) -> bytes:
    files = sound_files(str(folder))
    return files[draw.choice(sorted(name for name in files if name.endswith(suffix)))]


def _path(folder: Path, draw: Random, suffix: str) -> Path:
    return folder / f"damaged_{draw.getrandbits(64):016x}{suffix}"


def _write(folder: Path, draw: Random, suffix: str, content: bytes) -> Path:
    path = _path(folder, draw, suffix)
    path.write_bytes(content)
    return path
