"""Check of a USD file by a child process with limits."""

from collections.abc import Sequence
from pathlib import Path

from ..parts_folder import parts_folder
from ..sandbox.limits import current_limits
from ..sandbox.request import Request
from ..scene import Scene
from ..scene.serialization import as_plain, from_plain
from .finding import Finding
from .profile_codes import check_profile


def check(
    path: str | Path,
    overrides: Sequence[str] = (),
    scene: Scene | None = None,
    trusted: bool = False,
    profile: str = "",
) -> tuple[Finding, ...]:
    """Check a USD file; return the findings in the order of the rules. A scene that cannot be read is also a finding.

    A child process with limits opens the file, as for `fajin.read`.

    Args:
        path: a .usda, .usdc, .usd or .usdz file.
        overrides: "PRIM.attribute=value" texts, applied on top of the file.
        scene: the scene that is simulated, with other steps or gains than the file's; None: the file's.
        trusted: True to open the file in this process, without limits.
        profile: robot-body-neutral | robot-body-isaac, to also check requirements of this SimReady profile.

    Raises:
        InvalidScene: the file does not exist, is not a USD file, does not contain a prim, or exceeds a limit.
        ValueError: the profile is unknown.
    """
    check_profile(profile)
    limits = None if trusted else current_limits()
    if limits is None:
        from .runner import check_here

        return check_here(path, overrides, scene, profile=profile)
    asked = {"overrides": list(overrides), "scene": scene and as_plain(scene), "root": limits.root, "profile": profile}
    found = Request("fajin.check.plain_findings:check_plain", path, asked, limits, parts_folder() or "").answer()
    return from_plain(tuple[Finding, ...], found)
