"""Loading a scene from a USD file or from a compiled model."""

from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import Any

from .errors import reason_of
from .input_file import sha256_of
from .parts_folder import parts_folder
from .sandbox.limits import current_limits
from .sandbox.request import Request
from .scene import InvalidScene, Scene
from .scene.serialization import MALFORMED, from_plain


def read(path: str | Path, overrides: Sequence[str] = (), trusted: bool = False) -> Scene:
    """Read a scene: its articulations, free rigid bodies and the joints between them.

    USD is read by a child process with limits, because hostile or damaged files make USD crash, wait for ever or fill
    the memory. `FAJIN_LIMITS` sets the limits, such as "cpu=600,memory=16".

    Args:
        path: a .usda, .usdc, .usd or .usdz file, or a compiled model, .npz.
        overrides: "PRIM.attribute=value" texts, applied on top of a USD file; the file does not change.
        trusted: True to read USD in this process, without limits.

    Raises:
        InvalidScene: the file cannot be simulated; the message gives prim, attribute, value, rule and fix. Or it
            exceeds a limit.
    """
    return SceneRequest(path, overrides, trusted).scene()


def read_document(path: str | Path, overrides: Sequence[str] = (), trusted: bool = False) -> dict[str, Any]:
    """Return a scene as `fajin inspect --json` prints it: every value with its units, and the layer that authors it.

    `scene.schema.json` in fajin/usd/document describes the document. `fajin.author.values` writes its values.

    Arguments and errors are those of `read`.
    """
    from .model.mass_matrix import effective_inertia  # while a child is at work, nothing waits for NumPy
    from .model.model import compile

    limits = None if trusted else current_limits()
    if Path(path).suffix == ".npz":
        from .usd.document.scene_document import scene_document

        scene = read(path, overrides)
        document = scene_document(scene)
    else:
        arguments = {"overrides": list(overrides), "root": limits.root if limits else ""}
        if limits:
            answer = Request(f"{DOCUMENTS}:read_document", path, arguments, limits).answer()
        else:
            from .usd.document.scene_document import read_document as read_here

            answer = read_here(str(path), **arguments)
        scene, document = _from_plain(path, answer["scene"]), answer["document"]
    model = compile(scene)
    inertia = {name: value if isfinite(value) else None for name, value in effective_inertia(model).items()}
    columns = {"dof": list(model.dof), "link": [link for link in model.link if link]}
    return {**document, **columns, "effective_inertia": inertia}


def _from_plain(path: str | Path, plain: Any) -> Scene:
    """Return the scene that a child process has described."""
    try:
        return from_plain(Scene, plain)
    except MALFORMED as error:
        raise InvalidScene(
            file=path,
            rule=f"a file whose reader answers with a scene ({reason_of(error)})",
            fix="report it with the file",
        ) from None


DOCUMENTS = "fajin.usd.document.scene_document"
FILES = tuple[tuple[str, str], ...]


class SceneRequest:
    """A scene that a child process reads while this process does something else.

    Args:
        path, overrides, trusted: as of `read`.
        files: True for the list of the files of which the scene consists.
    """

    def __init__(self, path: str | Path, overrides: Sequence[str] = (), trusted: bool = False, files: bool = False):
        self._path, self._asked = path, {"overrides": list(overrides), "files": files}
        limits = None if trusted else current_limits()
        self._request = None
        if limits and Path(path).suffix != ".npz":
            asked = {**self._asked, "root": limits.root}
            self._request = Request("fajin.usd.read.plain_scene:read_plain", path, asked, limits, parts_folder() or "")

    def scene(self) -> Scene:
        """Return the scene; waits until it is read.

        Raises:
            InvalidScene: as of `read`.
        """
        return self.take()[0]

    def take(self) -> tuple[Scene, dict[str, str]]:
        """Return the scene, and {path: SHA-256} of its files if these were asked for; waits until they are read.

        Raises:
            InvalidScene: as of `read`.
        """
        if Path(self._path).suffix == ".npz":
            return self._read_model()
        if self._request is None:
            from .usd.read.plain_scene import read_files

            return read_files(self._path, **self._asked)
        said = self._request.answer()
        scene = _from_plain(self._path, said["scene"])
        return scene, dict(from_plain(FILES, said["files"]))

    def _read_model(self) -> tuple[Scene, dict[str, str]]:
        """Return scene and file of a compiled model, which needs no child process."""
        path, overrides, files = self._path, self._asked["overrides"], self._asked["files"]
        if overrides:
            raise InvalidScene(
                "",
                "override",
                overrides[0],
                f"for a USD file, but {path} is compiled",
                "compile the scene again with the override",
            )
        from .model import Model  # while the child of another file is at work, nothing waits for NumPy

        scene = Model.read(path).scene
        return scene, {str(path): sha256_of(path)} if files else {}
