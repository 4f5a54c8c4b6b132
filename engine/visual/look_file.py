"""Loading of what is drawn of a USD file, and of its motion, by a child process with limits."""

from pathlib import Path

from ..errors import reason_of
from ..sandbox.limits import current_limits
from ..sandbox.request import Request
from ..scene import InvalidScene, Scene
from ..scene.serialization import MALFORMED, as_plain
from .look.plain import animation_of_plain, look_of
from .look.scene import LookScene
from .look.track import Animation

LOOK_READER = "fajin.usd.look.plain_look"


def read_look(scene: Scene) -> LookScene:
    """Read what is drawn of a scene from its USD file.

    Raises:
        InvalidScene: the file of the scene is missing or is not USD, or it exceeds a limit.
    """
    path = scene.source
    if Path(path).suffix == ".npz" or not Path(path).is_file():
        raise InvalidScene(file=path, rule="the USD file of the scene", fix="put it back, or name the scene's file")
    limits = current_limits()
    if limits is None:
        from ..usd.look.look_scene import read_look_scene

        return read_look_scene(scene)
    asked = {"scene": {**as_plain(scene), "reports": []}, "root": limits.root}
    answer = Request(f"{LOOK_READER}:read_plain_look", path, asked, limits).answer()
    try:
        return look_of(answer)
    except MALFORMED as error:
        raise _wrong(path, error) from None


def read_animation(path: str | Path, links: tuple[str, ...], dof: tuple[str, ...] = ()) -> Animation:
    """Read the poses of links and states of joints at all time samples of a USD file; one frame at time 0 without any.

    Args:
        path: the file.
        links: paths of the links.
        dof: names of degrees of freedom: "/arm/elbow:rotX".

    Raises:
        InvalidScene: the file is not USD, or it exceeds a limit.
    """
    limits = current_limits()
    if limits is None:
        from ..usd.look.animation import read_animation

        return read_animation(path, links, dof)
    asked = {"links": list(links), "dof": list(dof), "root": limits.root}
    answer = Request(f"{LOOK_READER}:read_plain_animation", path, asked, limits).answer()
    try:
        return animation_of_plain(answer, len(links), len(dof))
    except MALFORMED as error:
        raise _wrong(path, error) from None


def _wrong(path: str | Path, error: Exception) -> InvalidScene:
    """Return the error for an answer of another form."""
    rule = f"a file whose reader answers with what is drawn ({reason_of(error)})"
    return InvalidScene(file=path, rule=rule, fix="report it with the file")
