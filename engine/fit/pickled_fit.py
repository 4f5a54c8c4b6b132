"""Authoring of a fit in the child process that opens the scene; the process that fitted pickles the fit for it."""

import pickle
from base64 import b64decode
from typing import Any

from ..author import layer_edits
from .authoring import author_here


def prepare() -> None:
    """Load what `author_pickled` needs."""
    layer_edits.prepare()


def author_pickled(path: str, output: str, fit: str, root: str) -> list[Any]:
    """Write the layer of a fit over a scene; return the changes for JSON.

    Args:
        path: the scene.
        output: the layer.
        fit: the pickled `Fit`, in base 64.
        root: folder that must contain all layers.

    Raises:
        InvalidScene, OutputError: as of `fajin.author.layer`.
    """
    layer_edits.read_all(path, [], root)
    return layer_edits.plain_changes(author_here(pickle.loads(b64decode(fit)), path, output))
